import { argumentProblems } from '@app/tools';
import { assertArguments, ToolFailed, type CallContext, type CallControl, type VoiceTool } from '@app/voice';
import type { RemoteTool, ToolAnswer, ToolQuestion } from './agent-messages.js';

/** Where the tools of one call run that need what only the main thread has: the database, other legs. */
export class ToolRpcServer {
  private readonly running = new Map<number, AbortController>();

  constructor(
    private readonly tools: VoiceTool[],
    private readonly call: CallContext,
    private readonly sendDtmf: CallControl['sendDtmf'],
    private readonly answer: (answer: ToolAnswer) => void,
  ) {}

  definitions(): RemoteTool[] {
    return this.tools.map(({ name, description, parameters, timeoutMs, takesLine }) => ({
      name,
      description,
      parameters,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...(takesLine === undefined ? {} : { takesLine }),
    }));
  }

  take(question: ToolQuestion): void {
    if (question.type === 'tool_abort') this.running.get(question.id)?.abort();
    else void this.run(question);
  }

  /** The call is over: what still runs is told so, and nobody waits for it. */
  close(): void {
    for (const running of this.running.values()) running.abort();
  }

  private async run({ id, name, toolCallId, args }: Extract<ToolQuestion, { type: 'tool_call' }>): Promise<void> {
    const over = new AbortController();
    this.running.set(id, over);
    const control = {
      endCall: () => this.answer({ type: 'end_call', id }),
      handOver: () => this.answer({ type: 'hand_over', id }),
      sendDtmf: this.sendDtmf,
    };
    try {
      const tool = this.tools.find((one) => one.name === name)!;
      if (!tool.checksArguments) assertArguments(argumentProblems, tool, args);
      const result = (await tool.run(args, { toolCallId, call: this.call, control, signal: over.signal })) ?? null;
      this.answer({ type: 'tool_result', id, result });
    } catch (error) {
      this.answer({ type: 'tool_failed', id, ...failureOf(error) });
    } finally {
      this.running.delete(id);
    }
  }
}

/** As a ToolBox would: the inner error may name what is no business of the model's. */
function failureOf(error: unknown): Pick<ToolFailed, 'code' | 'message' | 'problems'> {
  if (error instanceof ToolFailed) {
    const { code, message, problems } = error;
    return { code, message, ...(problems ? { problems } : {}) };
  }
  return { code: 'tool_failed', message: 'The tool failed.' };
}
