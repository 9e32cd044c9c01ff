import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import {
  buildAnswer,
  buildOffer,
  type Codec,
  type IncomingCall,
  MediaClosed,
  type MediaOptions,
  type MediaSession,
  negotiate,
  NoMediaPorts,
  openMediaSession,
  type SipLog,
} from '@app/telephony';
import { converse, type Patience, VadListener } from './conversations.js';
import type { Behaviour } from './extension.js';
import { playEarly, playMachine } from './machines.js';

/** `callee`: the phone hung up. `timeout`: our answer was never acknowledged. */
type EndedBy = 'caller' | 'callee' | 'cancelled' | 'refused' | 'timeout';

/** The phone's record of one call, updated during the call. Times are milliseconds since 1970. */
export interface PhoneCallRecord {
  readonly callId: string;
  /** The user part of the Request-URI, as it was dialled. */
  readonly requestUser: string;
  /** Undefined: the extension does not exist. */
  readonly extension: string | undefined;
  /** URI of the From header. */
  readonly from: string;
  readonly invitedAt: number;
  ringingAt?: number;
  answeredAt?: number;
  endedAt?: number;
  endedBy?: EndedBy;
  /** SIP status of a call that was refused. */
  status?: number;
  /** Keys heard (RFC 4733), in order. */
  digits: string;
  /** Speech of the remote party by voice activity; updated at the end of every utterance. */
  heardVoiceMs: number;
  /** Start of the remote party's first utterance, in milliseconds of audio since the answer; known when the utterance ends. */
  firstHeardMs?: number;
  /** End of the mailbox's beep, on the same clock. */
  beepedMs?: number;
  /** Utterances of the remote party. */
  heardUtterances: number;
  /** Names of the clips that were played to the end, and the pressed digits. */
  said: string[];
}

const CODECS: Codec[] = ['PCMU', 'PCMA'];

interface PhoneSettings {
  media: MediaOptions;
  ringMs: number;
  patience: Patience;
  log: SipLog;
  /** The record has changed. */
  changed(record: PhoneCallRecord): void;
}

interface Opened {
  session: MediaSession;
  sdp: string;
}

/** Answers after music. */
const PERSON = { kind: 'answer', speaksFirst: true } as const;

/** One call to the phone, from the INVITE to the end. */
export class PhoneCall {
  private session: MediaSession | undefined;
  private opened: Opened | undefined;
  private listener: VadListener | undefined;
  private readonly over = new AbortController();

  constructor(
    private readonly call: IncomingCall,
    private readonly record: PhoneCallRecord,
    private readonly settings: PhoneSettings,
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

  /** Ends the call: refuses a ringing one, hangs up an answered one. */
  stop(): void {
    if (this.record.answeredAt === undefined) return this.refuse(480);
    this.call.hangup();
    this.end('callee');
  }

  private async follow(behaviour: Behaviour): Promise<void> {
    if (behaviour.kind === 'refuse') return this.refuse(behaviour.status);
    if (behaviour.kind === 'early') await this.early(behaviour.audio);
    else await this.ring(behaviour);
    const listener = await this.answer();
    if (!listener || !this.session) return;
    const { session } = this;
    const said = (what: string): void => this.note(() => this.record.said.push(what));
    const beeped = (): void => this.note(() => (this.record.beepedMs = listener.nowMs));
    const answered = { media: session, listener, patience: this.settings.patience, said, beeped };
    if (behaviour.kind === 'machine') await playMachine(behaviour.machine, answered, behaviour.beepAfterMs);
    else await converse(behaviour.kind === 'early' ? PERSON : behaviour, answered);
    this.call.hangup();
  }

  /** 183 with audio; the mailbox then waits for the caller's CANCEL. */
  private async early(audio: Extract<Behaviour, { kind: 'early' }>['audio']): Promise<void> {
    const opened = await this.open();
    if (!opened) return;
    this.call.progress(opened.sdp);
    this.note(() => (this.record.ringingAt = Date.now()));
    await playEarly(audio, opened.session);
    if (audio === 'early_voicemail') await this.untilOver();
  }

  private async untilOver(): Promise<void> {
    await once(this.over.signal, 'abort');
    this.over.signal.throwIfAborted();
  }

  private async ring(behaviour: Behaviour): Promise<void> {
    const ringMs = this.ringMs(behaviour);
    if (ringMs === 0) return;
    this.call.ring();
    this.note(() => (this.record.ringingAt = Date.now()));
    if (ringMs !== Infinity) return wait(ringMs, undefined, { signal: this.over.signal });
    await this.untilOver();
  }

  private ringMs(behaviour: Behaviour): number {
    if (behaviour.kind === 'no_answer') return Infinity;
    if (behaviour.kind === 'voicemail' || behaviour.kind === 'echo' || behaviour.kind === 'fax') return 0;
    return (behaviour.kind === 'answer' ? behaviour.ringMs : undefined) ?? this.settings.ringMs;
  }

  private async answer(): Promise<VadListener | undefined> {
    const opened = await this.open();
    if (!opened) return undefined;
    this.call.answer(opened.sdp);
    this.note(() => (this.record.answeredAt = Date.now()));
    this.listener = new VadListener(opened.session, (spokenMs, startedMs) => this.heard(spokenMs, startedMs));
    return this.listener;
  }

  /** Opens the audio, once. Undefined when none can be agreed on. */
  private async open(): Promise<Opened | undefined> {
    if (this.opened) return this.opened;
    const { offer } = this.call;
    const agreed = offer && negotiate({ codecs: CODECS }, offer);
    if (offer && !agreed) {
      this.refuse(488);
      return undefined;
    }
    const session = await openMediaSession(this.settings.media);
    this.session = session;
    this.over.signal.throwIfAborted();
    const local = { address: session.localAddress, port: session.localPort, codecs: CODECS };
    session.onTimeout(() => this.call.hangup());
    session.onDtmf((digit) => this.note(() => (this.record.digits += digit)));
    if (agreed) session.start(agreed);
    const sdp = (offer ? buildAnswer(offer, local) : buildOffer(local)) as string;
    this.opened = { session, sdp };
    return this.opened;
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
    this.listener?.close(new MediaClosed());
    this.note(() => {
      this.record.endedBy = by;
      this.record.endedAt = Date.now();
    });
    void this.session?.close();
  }

  /** Errors after the end of the call are its consequence, and no failure. */
  private fail(error: Error): void {
    if (this.over.signal.aborted) return;
    this.settings.log.warn('sandbox phone gave up a call', { sip_call_id: this.record.callId, error: error.message });
    if (this.record.answeredAt === undefined) this.refuse(error instanceof NoMediaPorts ? 503 : 500);
    else this.call.hangup();
  }

  private note(change: () => void): void {
    change();
    this.settings.changed(this.record);
  }
}
