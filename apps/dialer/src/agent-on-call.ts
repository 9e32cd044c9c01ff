import type { OwnedCall } from '@app/calls';
import type { CallLeg, LegEnd } from '@app/telephony';
import {
  AgentSession,
  BUILTIN_TOOLS,
  type SessionEnd,
  type SessionEvent,
  type StopReason,
  summaryOf,
  ToolBox,
  type UsageItem,
} from '@app/voice';
import { EventWriter } from './event-writer.js';
import type { DialOrder } from './load-dial.js';
import type { RunParts } from './run-parts.js';

/** The voice agent of one call: what it says and hears becomes the call's events. */
export class AgentOnCall {
  /** How the session ended; undefined when there was none, because nobody answered. */
  end?: SessionEnd;
  private readonly session: AgentSession;
  private readonly writer: EventWriter;
  private readonly events: SessionEvent[] = [];
  private readonly ringing = new AbortController();
  private talking: Promise<void> = Promise.resolve();
  private answeredAt = Date.now();

  /** @throws ProviderUnavailable when this release has no such provider. */
  constructor(parts: RunParts, call: OwnedCall, order: DialOrder) {
    this.writer = new EventWriter(parts.pool, call, parts.log);
    this.session = new AgentSession({
      provider: parts.providerFor(order.provider),
      settings: {
        agent: { name: order.agent_name, instructions: order.instructions, greeting: order.greeting },
        maxCallSeconds: order.max_call_seconds,
      },
      call: {
        callId: order.id,
        direction: order.direction,
        to: order.to_number,
        from: order.from_number,
        metadata: order.metadata,
      },
      tools: new ToolBox(BUILTIN_TOOLS),
      speech: parts.speech,
      onEvent: (event) => this.keep(event),
      log: parts.log.child({ call_id: order.id }),
    });
  }

  /** Makes the greeting while the phone rings, so that it is there at the answer. */
  prepare(): void {
    void this.session.prepare(this.ringing.signal);
  }

  /** The agent talks until the call is over, and hangs up when it wants to. */
  start(leg: CallLeg, answeredAt: Date): void {
    this.answeredAt = answeredAt.getTime();
    this.talking = this.talk(leg);
  }

  private async talk(leg: CallLeg): Promise<void> {
    this.end = await this.session.start(leg.media());
    if (this.end.cause !== 'normal_clearing') leg.hangup(this.end.cause);
  }

  /** The line is gone: the session ends, and its last events are written when this resolves. */
  async over(end: LegEnd): Promise<void> {
    this.ringing.abort();
    this.session.stop(stopReason(end));
    await this.talking;
    await this.writer.flush();
  }

  get usage(): UsageItem[] {
    return this.events
      .filter((event) => event.type === 'usage')
      .map(({ kind, quantity, unit, source }) => ({ kind, quantity, unit, source }));
  }

  get summary(): string {
    return summaryOf(this.events);
  }

  private keep(event: SessionEvent): void {
    this.events.push(event);
    const { type, at_ms, ...data } = event;
    this.writer.add({ at: new Date(this.answeredAt + at_ms), type, data: { at_ms, ...data } });
  }
}

const REASONS: Partial<Record<LegEnd['cause'], StopReason>> = {
  media_timeout: 'media_timeout',
  session_expired: 'session_expired',
  cancelled: 'cancelled',
  drained: 'drained',
  transferred: 'transferred',
};

const stopReason = (end: LegEnd): StopReason =>
  REASONS[end.cause] ?? (end.endedBy === 'callee' ? 'callee_hangup' : 'drained');
