import { decode, FRAME_MS, type LineCodec, pcmBytes, VoiceActivity } from '@app/telephony';
import { interpolator } from '../../speech/polyphase.js';
import type { ProviderEvent } from '../voice-provider.js';
import type { GeminiSocket } from './gemini-session.js';

/** Shorter sounds are clicks and breath. */
const START_MS = 200;
/** Longer than the service's own silence, so that one turn of the service is one turn here. */
const STOP_MS = 900;
const EXTRA_STOP_MS = 300;
/** Longer than the pauses within words: answered speech that is followed by it has ended. */
const ANSWERED_SILENCE_MS = 300;
/** Speech is detected after its beginning. */
const LEAD_IN_FRAMES = 600 / FRAME_MS;
/** Only the end of longer speech is kept. */
const MAX_HELD_FRAMES = 15_000 / FRAME_MS;
/** 16-bit samples at 16 kHz. */
const BYTES_PER_MS = 32;
/** Words arrive about this long after their speech. */
const WORDS_DELAY_MS = 500;
const AUDIO = ['{"realtimeInput":{"audio":{"data":"', '","mimeType":"audio/pcm;rate=16000"}}}'] as const;

interface CallerSpeechOptions {
  codec: LineCodec;
  /** The silence that ends a turn for the service; absent: its default. */
  silenceMs?: number;
  socket: Pick<GeminiSocket, 'sendAudio'>;
}

/**
 * The caller's audio on its way to the service. The service reports no positions of speech, so they are detected here. While the model
 * speaks, the service hears silence instead of the caller: any sound would cut its answer off, but only the session decides what an
 * interruption is. The held audio follows when the answer ends or is interrupted. The methods return events for the session.
 */
export class CallerSpeech {
  private readonly voice: VoiceActivity;
  private readonly upsampled = interpolator(2);
  private readonly silence = Buffer.alloc(FRAME_MS * BYTES_PER_MS);
  private held: Buffer[] | undefined;
  private audioMs = 0;
  private count = 0;
  /** The item of the current speech. */
  private current: string | undefined;
  /** Items whose words are still expected. */
  private unworded: string[] = [];
  private text = '';

  constructor(private readonly options: CallerSpeechOptions) {
    const { codec, silenceMs } = options;
    const stopMs = silenceMs === undefined ? STOP_MS : silenceMs + EXTRA_STOP_MS;
    this.voice = new VoiceActivity(codec, { startMs: START_MS, stopMs });
  }

  get isSpeaking(): boolean {
    return this.current !== undefined;
  }

  push(frame: Buffer): ProviderEvent | undefined {
    this.audioMs += FRAME_MS;
    if (this.held) this.keep(frame);
    else this.send(frame);
    const event = this.voice.push(frame);
    if (event?.type === 'speech-start') return this.started(event.atMs);
    return event?.type === 'speech-stop' ? this.stopped(event.atMs) : undefined;
  }

  /** The model speaks: its audience is silent until `release`. */
  hold(): void {
    this.held ??= [];
  }

  /** Sends the held audio. */
  release(): void {
    const { held } = this;
    this.held = undefined;
    held?.forEach((frame) => this.send(frame));
  }

  /** Transcribed words, in pieces. */
  words(text: string): ProviderEvent | undefined {
    this.text += text;
    const itemId = this.current ?? this.unworded[0];
    return itemId === undefined ? undefined : { type: 'user_interim', itemId, text: this.text.trim() };
  }

  /** The model has answered: the service heard the end of the speech before it was detected here. */
  answered(): ProviderEvent[] {
    const { silenceMs } = this.voice;
    const stopped = silenceMs >= ANSWERED_SILENCE_MS ? this.stopped(this.audioMs - silenceMs) : undefined;
    return [...(stopped ? [stopped] : []), ...this.complete()];
  }

  /** All words of the finished speech have arrived. */
  complete(): ProviderEvent[] {
    const text = this.text.trim();
    if (this.unworded.length === 0 && (text === '' || this.current)) return [];
    const soft = this.unworded.length === 0 ? this.softSpeech() : [];
    this.text = '';
    const items = this.unworded.splice(0);
    return [
      ...soft,
      ...items.map((itemId, index) => ({ type: 'user_text' as const, itemId, text: index === 0 ? text : '' })),
    ];
  }

  /** Speech that was too soft for the detection here. */
  private softSpeech(): ProviderEvent[] {
    const started = this.started(Math.max(0, this.audioMs - WORDS_DELAY_MS - START_MS));
    const stopped = this.stopped(Math.max(0, this.audioMs - WORDS_DELAY_MS));
    return [started, ...(stopped ? [stopped] : [])];
  }

  private started(audioMs: number): ProviderEvent {
    this.current = `heard-${++this.count}`;
    return { type: 'speech_started', itemId: this.current, audioMs };
  }

  private stopped(audioMs: number): ProviderEvent | undefined {
    const itemId = this.current;
    if (itemId === undefined) return undefined;
    this.current = undefined;
    this.unworded.push(itemId);
    return { type: 'speech_stopped', itemId, audioMs };
  }

  private keep(frame: Buffer): void {
    const held = this.held!;
    held.push(Buffer.from(frame));
    // Speech is kept completely, silence only as the lead-in of the next speech.
    const isWorthIt = this.voice.speaking || this.unworded.length > 0;
    const surplus = held.length - (isWorthIt ? MAX_HELD_FRAMES : LEAD_IN_FRAMES);
    if (surplus > 0) held.splice(0, surplus);
    this.sendPcm(this.silence);
  }

  private send(frame: Buffer): void {
    const { codec } = this.options;
    this.sendPcm(codec === 'L16' ? frame : pcmBytes(this.upsampled.push(decode(codec, frame))));
  }

  private sendPcm(pcm: Buffer): void {
    this.options.socket.sendAudio(AUDIO, pcm);
  }
}
