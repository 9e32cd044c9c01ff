import { argumentProblems } from '@app/json-schema';
import {
  assertArguments,
  type CallContext,
  type CallControl,
  describeFailure,
  ToolAnswer,
  type VoiceTool,
} from '@app/voice';
import type { RemoteTool, ToolResponse, ToolRequest } from './agent-messages.js';

type Respond = (response: ToolResponse) => void;

/** Runs the tools of one call on the main thread: they need the database or other legs. */
export class ToolRpcServer {
  private readonly running = new Map<number, AbortController>();

  constructor(
    private tools: VoiceTool[],
    private readonly call: CallContext,
    private readonly sendDtmf: CallControl['sendDtmf'],
    /** For the session itself; the model does not know of them. */
    private readonly internal: VoiceTool[] = [],
  ) {}

  /** Another agent has the call. */
  replace(tools: VoiceTool[]): void {
    this.tools = tools;
  }

  definitions(): RemoteTool[] {
    return this.tools.map(
      ({ name, description, parameters, timeoutMs, takesLine, phrases, confirm, isBackground }) => ({
        ...{ name, description, parameters },
        ...{ timeoutMs, takesLine, phrases, confirm, isBackground },
      }),
    );
  }

  /** `respond`: to the session that sent the request. */
  take(request: ToolRequest, respond: Respond): void {
    if (request.type === 'tool_abort') this.running.get(request.id)?.abort();
    else if (request.type === 'tool_check') this.check(request, respond);
    else void this.run(request, respond);
  }

  /** The call is over: aborts the tools that still run, without waiting for them. */
  close(): void {
    for (const running of this.running.values()) running.abort();
  }

  private check({ id, name, args }: Extract<ToolRequest, { type: 'tool_check' }>, respond: Respond): void {
    const { parameters } = this.tools.find((one) => one.name === name)!;
    respond({ type: 'tool_result', id, result: argumentProblems(parameters, args) ?? null });
  }

  private async run(
    { id, name, toolCallId, args, confirmation }: Extract<ToolRequest, { type: 'tool_call' }>,
    respond: Respond,
  ): Promise<void> {
    const over = new AbortController();
    this.running.set(id, over);
    const control = {
      endCall: () => respond({ type: 'end_call', id }),
      handOver: () => respond({ type: 'hand_over', id }),
      sendDtmf: this.sendDtmf,
    };
    try {
      const tool = [...this.tools, ...this.internal].find((one) => one.name === name)!;
      if (!tool.checksArguments) assertArguments(argumentProblems, tool, args);
      const context = { toolCallId, call: this.call, control, confirmation, signal: over.signal };
      const answer = (await tool.run(args, context)) ?? null;
      if (!(answer instanceof ToolAnswer)) return respond({ type: 'tool_result', id, result: answer });
      const { result, ok, assigned, isPending } = answer;
      respond({ type: 'tool_result', id, result, ok, isPending, ...(assigned && { assigned }) });
    } catch (error) {
      respond({ type: 'tool_failed', id, ...describeFailure(error) });
    } finally {
      this.running.delete(id);
    }
  }
}
