import { endSpan, type Span, startSpan, traceFields, traceParentOf } from '@app/common';
import type { CallRow } from '@app/calls';
import type { CallLeg, LegEnd } from '@app/telephony';
import type { SessionEvent, TurnLatency } from '@app/voice';
import type { CallContext } from './call-context.service.js';

/** Events of a conversation that become events of its span; spoken words never do. */
const TRACED: ReadonlySet<string> = new Set(['provider_lost', 'provider_restored', 'provider_rotated', 'interrupted']);

const queuedAt = ({ released_at: released, created_at: created }: CallContext): Date => released ?? created;

/**
 * The spans of one call: the whole call and, within it, the time in the queue, the INVITE, the agent's preparation, the conversation
 * and the work after the end.
 */
export class CallTrace {
  /** The field for log lines. */
  readonly logFields: { trace_id?: string };
  private invite?: Span;
  private talk?: Span;
  private storing?: Span;
  private answeredAt = 0;
  private talkOver?: Date;
  private failed = false;

  private constructor(
    private readonly call: Span,
    private readonly context: CallContext,
  ) {
    this.logFields = traceFields(traceParentOf(call));
  }

  /** Starts when the call joined the queue, as part of the trace of its request. Undefined without tracing. */
  static of(context: CallContext): CallTrace | undefined {
    const call = startSpan('call', {
      kind: 'CONSUMER',
      parent: context.trace_parent,
      at: queuedAt(context),
      attributes: {
        'trunkline.call_id': context.id,
        'trunkline.account_id': context.account_id,
        'trunkline.agent_id': context.agent_id,
        'trunkline.direction': context.direction,
        'trunkline.provider': context.provider,
      },
    });
    return call && new CallTrace(call, context);
  }

  /** The agent connects to its provider and makes its greeting, while the phone rings. */
  preparing(ready: Promise<void>): void {
    const span = this.child('agent prepare', new Date());
    const over = (): void => endSpan(span, { at: new Date() });
    ready.then(over, over);
  }

  /** The call leaves the queue: its leg is dialled or accepted. */
  follow(leg: CallLeg): void {
    const now = new Date();
    if (leg.direction === 'outbound') endSpan(this.child('call waiting', queuedAt(this.context)), { at: now });
    this.invite = this.child('INVITE', now, leg.direction === 'outbound' ? 'CLIENT' : 'SERVER');
    leg.on('trying', () => this.invite?.addEvent('trying', new Date()));
    leg.on('ringing', () => this.invite?.addEvent('ringing', new Date()));
    leg.on('answered', () => this.answered());
    leg.on('hold', (held) => this.talk?.addEvent(held ? 'hold' : 'resume', new Date()));
    leg.on('ended', (end) => this.ended(end));
  }

  /** After the end of the leg: adds the events of the conversation, which the agent joined some time after the answer. */
  heard(events: readonly SessionEvent[], joinedMs: number): void {
    const { talk } = this;
    if (!talk) return;
    for (const event of events) {
      if (TRACED.has(event.type)) talk.addEvent(event.type, this.time(event.at_ms));
      if (event.type === 'tool_call')
        this.part('tool call', event.started_ms, event.ended_ms, { 'trunkline.ok': event.ok });
      if (event.type === 'turn' && event.latency) this.answer(event.latency);
    }
    const first = events.find((event) => event.type === 'turn_started' && event.role === 'agent');
    if (first?.type === 'turn_started') this.part('agent first audio', joinedMs, first.started_ms);
    endSpan(talk, { at: this.talkOver });
    this.talk = undefined;
  }

  /** The stored end of the call; undefined: another process ended it. */
  over(row: CallRow | undefined): void {
    if (!row) return;
    this.call.setAttributes({
      'trunkline.status': row.status,
      'trunkline.hangup_cause': row.hangup_cause ?? undefined,
      'trunkline.ended_by': row.ended_by ?? undefined,
      'trunkline.answered_by': row.answered_by ?? undefined,
      'sip.status_code': row.sip_code ?? undefined,
    });
    this.failed = row.status === 'failed' || row.hangup_cause === 'drained';
  }

  /** Ends all spans; the run is over. */
  close(): void {
    const at = new Date();
    for (const span of [this.invite, this.talk, this.storing]) if (span?.isRecording()) endSpan(span, { at });
    endSpan(this.call, { at, failed: this.failed });
  }

  private answered(): void {
    const at = new Date();
    this.answeredAt = at.getTime();
    endSpan(this.invite, { at, attributes: { 'sip.status_code': 200 } });
    this.invite = undefined;
    this.talk = this.child('talk', at);
  }

  private ended({ sipCode, cause, stats }: LegEnd): void {
    const at = new Date();
    this.talkOver = at;
    const attributes = { 'sip.status_code': sipCode, 'trunkline.hangup_cause': cause };
    endSpan(this.invite, { at, failed: true, attributes });
    this.invite = undefined;
    this.talk?.setAttributes({ 'trunkline.rtp.loss_ratio': stats.lossRate, 'trunkline.rtp.jitter_ms': stats.jitterMs });
    this.storing = this.child('call store', at);
  }

  private child(name: string, at: Date, kind?: 'CLIENT' | 'SERVER'): Span | undefined {
    return startSpan(name, { parent: this.call, at, kind });
  }

  /** Of the conversation, in milliseconds since the answer. */
  private part(name: string, fromMs: number, toMs: number, attributes = {}): void {
    endSpan(startSpan(name, { parent: this.talk, at: this.time(fromMs), attributes }), { at: this.time(toMs) });
  }

  /** From the end of the user's input to the first packet of the answer. */
  private answer(latency: TurnLatency): void {
    const { input_ended_ms: from, endpoint_ms: endpoint, first_token_ms: token, first_audio_ms: audio } = latency;
    const span = startSpan('agent answer', { parent: this.talk, at: this.time(from) });
    span?.addEvent('endpoint', this.time(from + endpoint));
    if (token !== undefined) span?.addEvent('first_token', this.time(from + token));
    span?.addEvent('first_audio', this.time(from + audio));
    endSpan(span, { at: this.time(from + latency.heard_ms) });
  }

  private time(ms: number): Date {
    return new Date(this.answeredAt + ms);
  }
}
