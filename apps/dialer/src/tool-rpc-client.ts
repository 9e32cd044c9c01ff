import { ToolFailed, type ToolContext, type VoiceTool } from '@app/voice';
import type { RemoteTool, ToolAnswer, ToolQuestion } from './agent-messages.js';

interface Asked {
  context: ToolContext;
  resolve: (result: unknown) => void;
  reject: (error: Error) => void;
}

/** Tools whose work is done on the main thread, as the agent's session beside the audio sees them. */
export class ToolRpcClient {
  readonly tools: VoiceTool[];
  private readonly asked = new Map<number, Asked>();
  private lastId = 0;

  constructor(
    definitions: RemoteTool[],
    private readonly ask: (question: ToolQuestion) => void,
  ) {
    this.tools = definitions.map((definition) => ({
      ...definition,
      run: (args, context) => this.run(definition.name, args, context),
    }));
  }

  /** An answer of the main thread; one that comes too late does nothing. */
  take(answer: ToolAnswer): void {
    const asked = this.asked.get(answer.id);
    if (!asked) return;
    if (answer.type === 'end_call') return asked.context.control.endCall();
    if (answer.type === 'hand_over') return asked.context.control.handOver();
    this.asked.delete(answer.id);
    if (answer.type === 'tool_result') asked.resolve(answer.result);
    else asked.reject(new ToolFailed(answer.code, answer.message, answer.problems));
  }

  private run(name: string, args: Record<string, unknown>, context: ToolContext): Promise<unknown> {
    const id = ++this.lastId;
    return new Promise((resolve, reject) => {
      this.asked.set(id, { context, resolve, reject });
      context.signal.addEventListener('abort', () => this.abort(id), { once: true });
      this.ask({ type: 'tool_call', id, name, toolCallId: context.toolCallId, args });
    });
  }

  private abort(id: number): void {
    const asked = this.asked.get(id);
    if (!asked) return;
    this.asked.delete(id);
    this.ask({ type: 'tool_abort', id });
    asked.reject(new ToolFailed('aborted', 'The call ended before the tool did.'));
  }
}
