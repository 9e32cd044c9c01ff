import { ToolFailed, type ToolContext, type VoiceTool } from '@app/voice';
import type { RemoteTool, ToolResponse, ToolRequest } from './agent-messages.js';

interface PendingCall {
  context: ToolContext;
  resolve: (result: unknown) => void;
  reject: (error: Error) => void;
}

/** Tools whose work is done on the main thread, as the agent's session beside the audio sees them. */
export class ToolRpcClient {
  readonly tools: VoiceTool[];
  private readonly pending = new Map<number, PendingCall>();
  private lastId = 0;

  constructor(
    definitions: RemoteTool[],
    private readonly send: (request: ToolRequest) => void,
  ) {
    this.tools = definitions.map((definition) => ({
      ...definition,
      run: (args, context) => this.run(definition.name, args, context),
    }));
  }

  /** A response of the main thread; a late response does nothing. */
  take(response: ToolResponse): void {
    const pending = this.pending.get(response.id);
    if (!pending) return;
    if (response.type === 'end_call') return pending.context.control.endCall();
    if (response.type === 'hand_over') return pending.context.control.handOver();
    this.pending.delete(response.id);
    if (response.type === 'tool_result') pending.resolve(response.result);
    else pending.reject(new ToolFailed(response.code, response.message, response.problems));
  }

  private run(name: string, args: Record<string, unknown>, context: ToolContext): Promise<unknown> {
    const id = ++this.lastId;
    return new Promise((resolve, reject) => {
      this.pending.set(id, { context, resolve, reject });
      context.signal.addEventListener('abort', () => this.abort(id), { once: true });
      this.send({ type: 'tool_call', id, name, toolCallId: context.toolCallId, args });
    });
  }

  private abort(id: number): void {
    const pending = this.pending.get(id);
    if (!pending) return;
    this.pending.delete(id);
    this.send({ type: 'tool_abort', id });
    pending.reject(new ToolFailed('aborted', 'The call ended before the tool did.'));
  }
}
