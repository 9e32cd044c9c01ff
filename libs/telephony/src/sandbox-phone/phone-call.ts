import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { MediaClosed, type MediaOptions, type MediaSession, openMediaSession } from '../media/media-session.js';
import type { Codec } from '../media/media-port.js';
import { NoMediaPorts } from '../media/rtp-port-pool.js';
import { buildAnswer, buildOffer, negotiate } from '../sdp.js';
import type { IncomingCall } from '../sip/incoming-call.js';
import type { SipLog } from '../sip/sip-log.js';
import type { EndedBy, PhoneCallRecord } from './call-record.js';
import { converse, type Patience } from './conversations.js';
import { Ear } from './ear.js';
import type { Behaviour } from './extension.js';

const CODECS: Codec[] = ['PCMU', 'PCMA'];

export interface PhoneLine {
  media: MediaOptions;
  ringMs: number;
  patience: Patience;
  log: SipLog;
  /** The record has changed. */
  changed(record: PhoneCallRecord): void;
}

/** One call to the phone, from the INVITE to the end. */
export class PhoneCall {
  private session: MediaSession | undefined;
  private ear: Ear | undefined;
  private readonly over = new AbortController();

  constructor(
    private readonly call: IncomingCall,
    private readonly record: PhoneCallRecord,
    private readonly line: PhoneLine,
  ) {
    call.on('cancelled', () => this.end('cancelled'));
    call.on('ended', (by) => this.end(by === 'remote' ? 'caller' : by === 'local' ? 'callee' : 'timeout'));
    call.on('dtmf', (digit, durationMs) => this.session?.receiveDigit(digit, durationMs));
    call.on('media', (audio) => {
      const agreed = negotiate({ codecs: CODECS }, audio);
      if (agreed) this.session?.start(agreed);
    });
  }

  /** Resolves when the call is over and its socket closed. */
  async run(behaviour: Behaviour): Promise<void> {
    try {
      await this.follow(behaviour);
    } catch (error) {
      this.fail(error as Error);
    } finally {
      await this.session?.close();
    }
  }

  /** Ends the call as it is: refused when it rings, hung up when it was answered. */
  stop(): void {
    if (this.record.answeredAt === undefined) return this.refuse(480);
    this.call.hangup();
    this.end('callee');
  }

  private async follow(behaviour: Behaviour): Promise<void> {
    if (behaviour.kind === 'refuse') return this.refuse(behaviour.status);
    await this.ring(behaviour);
    const ear = await this.answer();
    if (!ear || !this.session) return;
    const { session } = this;
    const said = (what: string): void => this.note(() => this.record.said.push(what));
    const beeped = (): void => this.note(() => (this.record.beepedMs = ear.nowMs));
    await converse(behaviour, { media: session, ear, patience: this.line.patience, said, beeped });
    this.call.hangup();
  }

  private async ring(behaviour: Behaviour): Promise<void> {
    const ringMs = this.ringMs(behaviour);
    if (ringMs === 0) return;
    this.call.ring();
    this.note(() => (this.record.ringingAt = Date.now()));
    if (ringMs !== Infinity) return wait(ringMs, undefined, { signal: this.over.signal });
    await once(this.over.signal, 'abort');
    this.over.signal.throwIfAborted();
  }

  private ringMs(behaviour: Behaviour): number {
    if (behaviour.kind === 'no_answer') return Infinity;
    if (behaviour.kind === 'voicemail' || behaviour.kind === 'echo') return 0;
    return (behaviour.kind === 'answer' ? behaviour.ringMs : undefined) ?? this.line.ringMs;
  }

  /** Undefined when no audio can be agreed on. */
  private async answer(): Promise<Ear | undefined> {
    const { offer } = this.call;
    const agreed = offer && negotiate({ codecs: CODECS }, offer);
    if (offer && !agreed) {
      this.refuse(488);
      return undefined;
    }
    const session = await openMediaSession(this.line.media);
    this.session = session;
    this.over.signal.throwIfAborted();
    const local = { address: session.localAddress, port: session.localPort, codecs: CODECS };
    session.onTimeout(() => this.call.hangup());
    session.onDtmf((digit) => this.note(() => (this.record.digits += digit)));
    if (agreed) session.start(agreed);
    const answer = offer ? buildAnswer(offer, local) : buildOffer(local);
    this.call.answer(answer as string);
    this.note(() => (this.record.answeredAt = Date.now()));
    this.ear = new Ear(session, (spokenMs, startedMs) => this.heard(spokenMs, startedMs));
    return this.ear;
  }

  private heard(spokenMs: number, startedMs: number): void {
    this.note(() => {
      this.record.firstHeardMs ??= startedMs;
      this.record.heardVoiceMs += spokenMs;
      this.record.heardUtterances++;
    });
  }

  private refuse(status: number): void {
    this.call.reject(status);
    this.record.status = status;
    this.end('refused');
  }

  private end(by: EndedBy): void {
    if (this.record.endedBy) return;
    this.over.abort();
    this.ear?.close(new MediaClosed());
    this.note(() => {
      this.record.endedBy = by;
      this.record.endedAt = Date.now();
    });
    void this.session?.close();
  }

  /** What ends a conversation because the call has ended is no failure. */
  private fail(error: Error): void {
    if (this.over.signal.aborted) return;
    this.line.log.warn('sandbox phone gave up a call', { sip_call_id: this.record.callId, error: error.message });
    if (this.record.answeredAt === undefined) this.refuse(error instanceof NoMediaPorts ? 503 : 500);
    else this.call.hangup();
  }

  private note(change: () => void): void {
    change();
    this.line.changed(this.record);
  }
}
