import { type CallResult, FRAME_MS } from '@app/telephony';
import {
  LegChain,
  type SessionEnd,
  systemClock,
  type Transcriber,
  Transcription,
  type TranscriptEvent,
} from '@app/voice';
import { setTimeout as wait } from 'node:timers/promises';
import type { SpeechSpan } from './call-audio.js';
import { HeardTurns } from './heard-turns.js';
import type { DialledAgent, ListeningPhone, TestedCall, TestedCallListener } from './tested-call.js';

/** The last words arrive within this time after the end of the line. */
const LAST_WORDS_MS = 2_000;
const LOOK_AGAIN_MS = 50;
/** Speech is detected after its beginning. */
const LEAD_IN_MS = 600;

interface AgentEars {
  transcriber: Transcriber;
  language: string | undefined;
  /** Words that the agent is likely to say. */
  keywords: readonly string[];
}

interface OutsideCallOptions extends AgentEars {
  dials: DialledAgent;
}

/** A call to an agent outside of the service: a transcriber that hears the phone's audio gives its words. */
export class OutsideCall implements TestedCall {
  private heard: HeardCall | undefined;

  constructor(private readonly options: OutsideCallOptions) {}

  get dials(): DialledAgent {
    return this.options.dials;
  }

  place(): Promise<void> {
    return Promise.reject(new Error('An agent outside of Trunkline does not call the tester.'));
  }

  async find(): Promise<void> {
    // The phone is the only record of the call.
  }

  follow(listener: TestedCallListener, phone: ListeningPhone | undefined): void {
    if (phone) this.heard = new HeardCall(this.options, listener, phone);
    void this.heard?.open();
  }

  said(text: string, span: SpeechSpan): void {
    this.heard?.turns.said(text, span);
  }

  pressed(keys: string): void {
    this.heard?.turns.pressed(keys);
  }

  lineEnded(result: CallResult): void {
    // The tester hung up: the scenario is over.
    if (result.kind === 'bye' && result.by === 'local') return;
    const isHangup = result.kind === 'bye';
    void this.heard?.ended(
      isHangup ? { endedBy: 'agent', cause: 'agent_hangup' } : { endedBy: 'system', cause: 'session_expired' },
    );
  }

  async end(): Promise<undefined> {
    await this.heard?.close();
    return undefined;
  }
}

/** The words of an answered call. */
class HeardCall {
  readonly turns: HeardTurns;
  private readonly closed = new AbortController();
  private readonly transcription: Transcription;
  private readonly leave: () => void;
  /** Audio that was sent to the transcriber. */
  private sentMs = 0;

  constructor(
    ears: AgentEars,
    private readonly listener: TestedCallListener,
    private readonly phone: ListeningPhone,
  ) {
    this.transcription = this.transcriptionOf(ears);
    this.turns = new HeardTurns(phone.audio, listener, () => this.transcription.flush());
    this.leave = phone.media.onFrame((frame) => this.hear(frame));
  }

  /** Audio until then is kept. */
  async open(): Promise<void> {
    try {
      await this.transcription.open(this.closed.signal);
    } catch (error) {
      this.failed(error);
    }
  }

  /** The line has ended. */
  async ended(end: SessionEnd): Promise<void> {
    await this.lastWords();
    this.listener.event({ type: 'ended', at_ms: this.nowMs, ended_by: end.endedBy, cause: end.cause });
    this.listener.ended(end, end.cause);
  }

  async close(): Promise<void> {
    await this.lastWords();
    this.leave();
    this.transcription.close();
    this.closed.abort();
  }

  private get nowMs(): number {
    return this.phone.audio.nowMs;
  }

  private hear(frame: Buffer): void {
    this.sentMs += FRAME_MS;
    this.transcription.send(frame);
    this.turns.tick();
    // A new stream of the transcriber hears again what has no words yet.
    if (this.turns.isIdle) this.transcription.settled(this.sentMs - LEAD_IN_MS);
  }

  private async lastWords(): Promise<void> {
    const { turns } = this;
    this.transcription.flush();
    const until = Date.now() + LAST_WORDS_MS;
    while (!turns.isIdle && !turns.isComplete && Date.now() < until) await wait(LOOK_AGAIN_MS);
    turns.close();
  }

  private transcriptionOf({ transcriber, language, keywords }: AgentEars): Transcription {
    const { listener, phone } = this;
    const audio = { codec: phone.media.codec, rate: 8_000 } as const;
    const languages = language === undefined ? [] : [language];
    return new Transcription(
      new LegChain('transcriber', [transcriber], systemClock),
      { audio, language, languages, keywords },
      systemClock,
      {
        heard: (event) => this.turns.heard(this.sinceAnswer(event)),
        usage: (items) => items.forEach((item) => listener.event({ type: 'usage', at_ms: this.nowMs, ...item })),
        error: (code, message) => listener.event({ type: 'error', at_ms: this.nowMs, code, message }),
        failed: (error) => this.failed(error),
      },
      this.closed.signal,
    );
  }

  /** Positions of the transcriber count the audio that it was sent. */
  private sinceAnswer(event: TranscriptEvent): TranscriptEvent {
    if (!('endMs' in event)) return event;
    return { ...event, endMs: event.endMs + Math.max(0, this.nowMs - this.sentMs) };
  }

  private failed(error: unknown): void {
    if (!this.closed.signal.aborted) this.listener.failed(error instanceof Error ? error.message : String(error));
  }
}
