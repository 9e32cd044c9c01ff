import { deepWithSecureValues, type Log, newId } from '@app/common';
import { LOG } from '@app/common/settings';
import { Inject, Injectable } from '@nestjs/common';
import { argumentProblems } from '@app/json-schema';
import { redactAttempt } from './domain/redacted-records.js';
import type { ActionError, AgentTool, InvocationContext, ToolRun } from './domain/tool.js';
import { type AttemptRecord, type BegunInvocation, ToolInvocationsRepository } from './tool-invocations.repository.js';

/** An invocation before its requests. */
export type Invocation = Pick<BegunInvocation, 'id' | 'tool' | 'args' | 'context'>;

/** Records the beginning and the end of invocations. */
@Injectable()
export class InvocationRecorderService {
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
    const { secure } = context;
    // An MCP server gets the references themselves.
    const sent = secure && !tool.mcp ? deepWithSecureValues(args, secure) : args;
    const problems = argumentProblems(tool.parameters, sent);
    if (!problems) return { invocation };
    const error: ActionError = { code: 'invalid_arguments', message: `${problems.join('. ')}.` };
    const refused = { invocationId: invocation.id, ok: false, result: { error }, actions: [], problems };
    await this.begin({ ...invocation, queued: [], attempts: [] });
    await this.end(refused, [], context.redact);
    return { invocation, refused };
  }

  /** Stores the invocation with its queued actions. */
  begin(begun: BegunInvocation): Promise<void> {
    const { redact } = begun.context;
    if (!redact) return this.invocations.begin(begun);
    const attempts = begun.attempts.map((attempt) => redactAttempt(redact, attempt));
    const { confirmation } = begun.context;
    const context = {
      ...begun.context,
      ...(confirmation && { confirmation: { ...confirmation, words: String(redact(confirmation.words)) } }),
    };
    return this.invocations.begin({ ...begun, context, args: redact(begun.args), attempts });
  }

  /** Stores the requests of an invocation that waits for a callback, and releases its queued ones. */
  async await(run: ToolRun, attempts: AttemptRecord[], redact: InvocationContext['redact']): Promise<void> {
    const stored = attempts.map((attempt) => redactAttempt(redact, attempt));
    try {
      await this.invocations.await(run.invocationId, stored);
    } catch (err) {
      this.log.error({ err, invocation_id: run.invocationId }, 'the requests of an invocation could not be recorded');
    }
  }

  /** The conversation continues with the answers when they cannot be stored. */
  async end(run: ToolRun, attempts: AttemptRecord[], redact: InvocationContext['redact']): Promise<void> {
    const stored = redact
      ? {
          ...run,
          result: redact(run.result) as ToolRun['result'],
          ...(run.assigned && { assigned: redact(run.assigned) as NonNullable<ToolRun['assigned']> }),
        }
      : run;
    try {
      await this.invocations.end(
        stored,
        attempts.map((attempt) => redactAttempt(redact, attempt)),
      );
    } catch (err) {
      this.log.error({ err, invocation_id: run.invocationId }, 'the end of an invocation could not be recorded');
    }
  }
}
