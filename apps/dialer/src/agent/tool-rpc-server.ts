import { argumentProblems } from '@app/json-schema';
import { assertArguments, ToolFailed, type CallContext, type CallControl, type VoiceTool } from '@app/voice';
import type { RemoteTool, ToolResponse, ToolRequest } from './agent-messages.js';

/** Runs the tools of one call on the main thread: they need the database or other legs. */
export class ToolRpcServer {
  private readonly running = new Map<number, AbortController>();

  constructor(
    private readonly tools: VoiceTool[],
    private readonly call: CallContext,
    private readonly sendDtmf: CallControl['sendDtmf'],
    private readonly respond: (response: ToolResponse) => void,
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

  take(request: ToolRequest): void {
    if (request.type === 'tool_abort') this.running.get(request.id)?.abort();
    else void this.run(request);
  }

  /** The call is over: aborts the tools that still run, without waiting for them. */
  close(): void {
    for (const running of this.running.values()) running.abort();
  }

  private async run({ id, name, toolCallId, args }: Extract<ToolRequest, { type: 'tool_call' }>): Promise<void> {
    const over = new AbortController();
    this.running.set(id, over);
    const control = {
      endCall: () => this.respond({ type: 'end_call', id }),
      handOver: () => this.respond({ type: 'hand_over', id }),
      sendDtmf: this.sendDtmf,
    };
    try {
      const tool = this.tools.find((one) => one.name === name)!;
      if (!tool.checksArguments) assertArguments(argumentProblems, tool, args);
      const result = (await tool.run(args, { toolCallId, call: this.call, control, signal: over.signal })) ?? null;
      this.respond({ type: 'tool_result', id, result });
    } catch (error) {
      this.respond({ type: 'tool_failed', id, ...failureOf(error) });
    } finally {
      this.running.delete(id);
    }
  }
}

/** Like ToolBox: the error may contain details that the model must not see. */
function failureOf(error: unknown): Pick<ToolFailed, 'code' | 'message' | 'problems'> {
  if (error instanceof ToolFailed) {
    const { code, message, problems } = error;
    return { code, message, ...(problems ? { problems } : {}) };
  }
  return { code: 'tool_failed', message: 'The tool failed.' };
}
