import type { Clock } from './clock.js';
import type { ConversationLog } from './conversation-log.js';
import type { LinePause } from './line-pause.js';
import type { ProviderEvent } from './providers/voice-provider.js';
import type { SessionOptions } from './session-options.js';
import type { CallControl, LineControl } from './tool-box.js';

export type ToolCall = Extract<ProviderEvent, { type: 'tool_call' }>;

/** The tools that run in one conversation, and what the call's record says of them. */
export class ToolCalls {
  running = 0;
  /** A tool gave the far end to somebody else. */
  handedOver = false;
  private readonly control: CallControl;

  constructor(
    private readonly options: Pick<SessionOptions, 'tools' | 'call'>,
    line: LineControl,
    private readonly pause: LinePause,
    private readonly written: ConversationLog,
    private readonly clock: Clock,
    private readonly over: AbortSignal,
  ) {
    this.control = {
      endCall: () => line.endCall(),
      sendDtmf: (digits) => line.sendDtmf(digits),
      handOver: () => (this.handedOver = true),
    };
  }

  /** The result as the provider gets it. What ends after the call is not written any more. */
  async run({ toolCallId, name, arguments: json }: ToolCall): Promise<string> {
    const { tools, call } = this.options;
    const startedMs = this.written.at(this.clock.now());
    const context = { toolCallId, call, control: this.control, signal: this.over };
    const work = () => tools.run(name, json, context, this.clock);
    this.running++;
    const outcome = await (tools.takesLine(name) ? this.pause.during(work, this.over) : work());
    this.running--;
    const { ok, result, arguments: args } = outcome;
    const times = { started_ms: startedMs, ended_ms: this.written.at(this.clock.now()) };
    this.written.write({ type: 'tool_call', tool_call_id: toolCallId, name, arguments: args, result, ok, ...times });
    return outcome.text;
  }
}
