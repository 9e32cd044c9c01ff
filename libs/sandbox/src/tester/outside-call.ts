import { type CallResult, FRAME_MS } from '@app/telephony';
import {
  LegChain,
  type SessionEnd,
  systemClock,
  type Transcriber,
  Transcription,
  type TranscriptEvent,
  type UsageItem,
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

interface OutsideCallOptions {
  dials: DialledAgent;
  transcriber: Transcriber;
  language: string | undefined;
  keywords: readonly string[];
}

/** A call to an agent outside of the service: a transcriber that hears the phone's audio gives its words. */
export class OutsideCall implements TestedCall {
  private readonly closed = new AbortController();
  private listener: TestedCallListener | undefined;
  private phone: ListeningPhone | undefined;
  private turns: HeardTurns | undefined;
  private transcription: Transcription | undefined;
  private leave: () => void = () => undefined;
  /** Audio that was sent to the transcriber. */
  private sentMs = 0;

  constructor(private readonly options: OutsideCallOptions) {}

  get dials(): DialledAgent {
    return this.options.dials;
  }

  place(): Promise<void> {
    return Promise.reject(new Error('An agent outside of Trunkline does not call the tester.'));
  }

  async find(): Promise<void> {
    // The phone itself is the record of the call.
  }

  follow(listener: TestedCallListener, phone: ListeningPhone | undefined): void {
    if (!phone) return;
    this.listener = listener;
    this.phone = phone;
    this.transcription = this.transcriptionOf(listener, phone);
    this.turns = new HeardTurns(phone.audio, listener, () => this.transcription?.flush());
    this.leave = phone.media.onFrame((frame) => this.hear(frame));
    this.transcription.open(this.closed.signal).catch((error: unknown) => this.failed(error));
  }

  said(text: string, span: SpeechSpan): void {
    this.turns?.said(text, span);
  }

  pressed(keys: string): void {
    this.turns?.pressed(keys);
  }

  lineEnded(result: CallResult): void {
    // The tester hung up: the scenario is over.
    if (result.kind === 'bye' && result.by === 'local') return;
    const end: SessionEnd =
      result.kind === 'bye'
        ? { endedBy: 'agent', cause: 'agent_hangup' }
        : { endedBy: 'system', cause: 'session_expired' };
    void this.settle().then(() => {
      const { listener, phone } = this;
      listener?.event({ type: 'ended', at_ms: phone?.audio.nowMs ?? 0, ended_by: end.endedBy, cause: end.cause });
      listener?.ended(end, end.cause);
    });
  }

  async end(): Promise<undefined> {
    await this.settle();
    this.leave();
    this.transcription?.close();
    this.closed.abort();
    return undefined;
  }

  private hear(frame: Buffer): void {
    this.sentMs += FRAME_MS;
    this.transcription?.send(frame);
    this.turns?.tick();
    // A new stream of the transcriber hears again what has no words yet.
    if (this.turns?.isIdle) this.transcription?.settled(this.sentMs - LEAD_IN_MS);
  }

  /** Waits for the words of the speech before the end of the line. */
  private async settle(): Promise<void> {
    const { turns } = this;
    if (!turns) return;
    this.transcription?.flush();
    const until = Date.now() + LAST_WORDS_MS;
    while (!turns.isIdle && !turns.isComplete && Date.now() < until) await wait(LOOK_AGAIN_MS);
    turns.close();
  }

  private transcriptionOf(listener: TestedCallListener, { media, audio }: ListeningPhone): Transcription {
    const { transcriber, language, keywords } = this.options;
    const request = {
      audio: { codec: media.codec, rate: 8_000 as const },
      language,
      languages: language === undefined ? [] : [language],
      keywords,
    };
    return new Transcription(
      new LegChain('transcriber', [transcriber], systemClock),
      request,
      systemClock,
      {
        heard: (event) => this.turns?.heard(this.sinceAnswer(event)),
        usage: (items: UsageItem[]) =>
          items.forEach((item) => listener.event({ type: 'usage', at_ms: audio.nowMs, ...item })),
        error: (code, message) => listener.event({ type: 'error', at_ms: audio.nowMs, code, message }),
        failed: (error) => this.failed(error),
      },
      this.closed.signal,
    );
  }

  /** Positions of the transcriber count the audio that it was sent. */
  private sinceAnswer(event: TranscriptEvent): TranscriptEvent {
    if (!('endMs' in event)) return event;
    const beforeMs = Math.max(0, (this.phone?.audio.nowMs ?? 0) - this.sentMs);
    return { ...event, endMs: event.endMs + beforeMs };
  }

  private failed(error: unknown): void {
    if (this.closed.signal.aborted) return;
    this.listener?.failed(error instanceof Error ? error.message : String(error));
  }
}
