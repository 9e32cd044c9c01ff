import { type Log, newId } from '@app/common';
import { LOG } from '@app/settings';
import { Inject, Injectable } from '@nestjs/common';
import { argumentProblems } from './domain/schema/argument-validator.js';
import type { ActionError, AgentTool, InvocationContext, ToolRun } from './domain/tool.js';
import { type AttemptRecord, type BegunInvocation, ToolInvocationsRepository } from './tool-invocations.repository.js';

/** An invocation before its requests. */
export type Invocation = Pick<BegunInvocation, 'id' | 'tool' | 'args' | 'context'>;

/** Records the beginning and the end of invocations. */
@Injectable()
export class InvocationRecorder {
  constructor(
    private readonly invocations: ToolInvocationsRepository,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** A new invocation; its run if the arguments violate the schema of the tool: then it is recorded, and nothing may be sent. */
  async prepare(
    tool: AgentTool,
    args: Record<string, unknown>,
    context: InvocationContext,
  ): Promise<{ invocation: Invocation; refused?: ToolRun }> {
    const invocation = { id: newId(), tool, args, context };
    const problems = argumentProblems(tool.parameters, args);
    if (!problems) return { invocation };
    const error: ActionError = { code: 'invalid_arguments', message: `${problems.join('. ')}.` };
    const refused = { invocationId: invocation.id, ok: false, result: { error }, actions: [], problems };
    await this.begin({ ...invocation, queued: [], attempts: [] });
    await this.end(refused, []);
    return { invocation, refused };
  }

  /** Stores the invocation with its queued actions. */
  begin(begun: BegunInvocation): Promise<void> {
    return this.invocations.begin(begun);
  }

  /** The conversation continues with the answers when they cannot be stored. */
  async end(run: ToolRun, attempts: AttemptRecord[]): Promise<void> {
    try {
      await this.invocations.end(run, attempts);
    } catch (err) {
      this.log.error({ err, invocation_id: run.invocationId }, 'the end of an invocation could not be recorded');
    }
  }
}
