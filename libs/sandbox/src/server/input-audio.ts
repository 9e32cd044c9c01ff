import { decode, delay, encode, type G711, VoiceActivity, type VoiceEvent } from '@app/telephony';
import { resample } from '@app/voice';
import type { AudioFormat } from './client-events.js';
import { type ClientConnection, Refused } from './conversation-items.js';
import { WordReader } from '../words/word-reader.js';

const FRAME_MS = 20;
/** The server refuses a shorter commit. */
const MIN_COMMIT_MS = 100;

/** The user's audio of one connection: counted and searched for speech, never kept. */
export class InputAudio {
  private readonly frameBytes: number;
  private readonly codec: G711;
  private readonly utterances: Utterances;
  private rest: Buffer = Buffer.alloc(0);
  private uncommittedBytes = 0;
  private audioMs: number;

  /** `silenceMs`: silence that ends an utterance. `beforeMs`: audio that came before in another format. */
  constructor(
    readonly format: AudioFormat,
    readonly silenceMs: number,
    beforeMs = 0,
  ) {
    this.frameBytes = FRAME_MS * bytesPerMs(format);
    this.codec = format.type === 'audio/pcma' ? 'PCMA' : 'PCMU';
    this.utterances = new Utterances(this.codec, silenceMs, beforeMs);
    this.audioMs = beforeMs;
  }

  /** @returns starts and ends of speech in order; `atMs` counts all audio of this connection. */
  append(base64: string): HeardEvent[] {
    const bytes = Buffer.from(base64, 'base64');
    this.uncommittedBytes += bytes.length;
    const audio = this.rest.length > 0 ? Buffer.concat([this.rest, bytes]) : bytes;
    const whole = audio.length - (audio.length % this.frameBytes);
    this.rest = audio.subarray(whole);
    const events: HeardEvent[] = [];
    for (let at = 0; at < whole; at += this.frameBytes) {
      const event = this.hear(audio.subarray(at, at + this.frameBytes));
      if (event) events.push(event);
    }
    return events;
  }

  /**
   * @returns the length of the committed audio in milliseconds.
   * @throws Refused
   */
  commit(): number {
    const ms = this.uncommittedBytes / bytesPerMs(this.format);
    if (ms < MIN_COMMIT_MS) {
      const message = `Error committing input audio buffer: buffer too small. Expected at least ${MIN_COMMIT_MS}ms of audio, but buffer only has ${ms.toFixed(2)}ms of audio.`;
      throw new Refused('input_audio_buffer_commit_empty', message);
    }
    this.clear();
    return ms;
  }

  clear(): void {
    this.uncommittedBytes = 0;
  }

  /** The same with other settings; positions continue. */
  changed(format: AudioFormat, silenceMs: number): InputAudio {
    const isSame = format.type === this.format.type && silenceMs === this.silenceMs;
    return isSame ? this : new InputAudio(format, silenceMs, this.audioMs);
  }

  private hear(frame: Buffer): HeardEvent | undefined {
    this.audioMs += FRAME_MS;
    return this.utterances.push(this.format.type === 'audio/pcm' ? asMuLaw(frame, PCM_RATE) : frame);
  }
}

/** Shorter sounds are clicks and breath. */
const START_MS = 200;
/** Pauses between words are shorter. */
const MIN_STOP_MS = 200;
/** The words of an utterance may end before its sound. */
const AFTER_WORDS_MS = 3_000;
/** Words that are incomplete for longer after the voice are lost. */
const MAX_STALL_MS = 800;
/** Endless sound (music, noise) is answered after this time. */
const MAX_MS = 10_000;

/** `words`: those of a tester caller, at the end of its utterance. */
export type HeardEvent = VoiceEvent & { words?: string };

/**
 * Cuts the user's audio into utterances by voice activity. `atMs` counts all audio so far. Words are recognised only in the speech of
 * tester callers, which carries them as tones.
 */
export class Utterances {
  private readonly reader = new WordReader();
  private texts: string[] = [];
  /** The end of the last words. */
  private wordsAtMs = 0;
  private voice: VoiceActivity;
  private audioMs: number;
  private startedMs = 0;
  /** The end of the voice in the middle of words: a stalled line is silent. */
  private held: VoiceEvent | undefined;

  /** `stopMs`: silence that ends an utterance. `beforeMs`: audio of earlier detectors. */
  constructor(
    private readonly codec: G711,
    private readonly stopMs = 700,
    private beforeMs = 0,
  ) {
    this.voice = this.detector();
    this.audioMs = beforeMs;
  }

  /** Whether words have begun and are not complete. */
  get isReading(): boolean {
    return this.reader.isReading;
  }

  /** Milliseconds without voice so far, also inside an utterance. */
  get quietMs(): number {
    return this.voice.silenceMs;
  }

  /** The words of the current utterance. */
  get words(): string | undefined {
    return this.texts.length > 0 ? this.texts.join(' ') : undefined;
  }

  push(frame: Buffer): HeardEvent | undefined {
    const text = this.reader.push(decode(this.codec, frame));
    if (text !== undefined) {
      this.texts.push(text);
      this.wordsAtMs = this.audioMs;
    }
    const event = this.unlessStalled(this.voice.push(frame));
    this.audioMs += 20;
    if (event) return this.withWords(event);
    if (!this.voice.speaking || this.isReading) return undefined;
    // In noise, the voice seems to go on after the words.
    const isSaid = this.texts.length > 0 && this.audioMs - this.wordsAtMs >= this.stopMs + AFTER_WORDS_MS;
    return isSaid || this.voice.speechMs >= MAX_MS ? this.withWords(this.cut()) : undefined;
  }

  /** The event in the time of all audio; undefined while the words of the utterance are incomplete. */
  private unlessStalled(event: VoiceEvent | undefined): VoiceEvent | undefined {
    const { held } = this;
    if (event?.type === 'speech-start') {
      this.held = undefined;
      if (held) return undefined;
      this.startedMs = event.atMs + this.beforeMs;
      return { ...event, atMs: this.startedMs };
    }
    if (event) {
      const atMs = event.atMs + this.beforeMs;
      this.held = { type: 'speech-stop', atMs, spokenMs: atMs - this.startedMs };
    }
    if (!this.held || (this.isReading && this.audioMs - this.held.atMs < this.stopMs + MAX_STALL_MS)) return undefined;
    const stop = this.held;
    this.held = undefined;
    return stop;
  }

  private withWords(event: VoiceEvent): HeardEvent {
    const { words } = this;
    if (event.type === 'speech-start' || words === undefined) return event;
    this.texts = [];
    return { ...event, words };
  }

  private cut(): VoiceEvent {
    const spokenMs = this.voice.speechMs;
    this.voice = this.detector();
    this.beforeMs = this.audioMs;
    return { type: 'speech-stop', atMs: this.audioMs, spokenMs };
  }

  private detector(): VoiceActivity {
    return new VoiceActivity(this.codec, { startMs: START_MS, stopMs: Math.max(MIN_STOP_MS, this.stopMs) });
  }
}

/** PCM at a multiple of 8 kHz as G.711, which is enough for voice activity. Takes whole frames of 20 ms. */
export function asMuLaw(pcm: Buffer, rate: number): Buffer {
  const factor = rate / CLIP_RATE;
  const samples = new Int16Array(pcm.length / 2 / factor);
  for (let i = 0; i < samples.length; i++) {
    let sum = 0;
    for (let k = 0; k < factor; k++) sum += pcm.readInt16LE((i * factor + k) * 2);
    samples[i] = sum / factor;
  }
  return encode('PCMU', samples);
}

const PCM_RATE = 24_000;
const CLIP_RATE = 8_000;

/** Bytes per millisecond. */
export const bytesPerMs = ({ type }: AudioFormat): number => (type === 'audio/pcm' ? 48 : 8);

/** A spoken sentence, 8 kHz, in the format of the client. */
export async function encoded(samples: Int16Array, { type }: AudioFormat): Promise<Buffer> {
  if (type === 'audio/pcmu') return encode('PCMU', samples);
  if (type === 'audio/pcma') return encode('PCMA', samples);
  const { buffer, byteOffset, byteLength } = await resample(samples, CLIP_RATE, PCM_RATE);
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** Audio that is sent immediately, so that the phone never waits. */
const AHEAD_MS = 1_500;
/** The rest is sent this many times as fast as it is played: a response can be cancelled during its generation. */
const SPEED = 10;
/** Sending pauses while the client has this many unread bytes. */
const MAX_WAITING_BYTES = 1_000_000;
const LOOK_AGAIN_MS = 20;

/** Sends audio like a model: faster than real time, but not all at once. */
export class Pace {
  private readonly startedAt = performance.now();

  constructor(
    private readonly wire: Pick<ClientConnection, 'waitingBytes'>,
    private readonly signal: AbortSignal,
  ) {}

  /** Waits until audio that begins at `sentMs` may leave; returns at once when the response was stopped. */
  async until(sentMs: number): Promise<void> {
    const dueMs = (sentMs - AHEAD_MS) / SPEED - (performance.now() - this.startedAt);
    if (dueMs > 1) await delay(dueMs, this.signal);
    while (this.wire.waitingBytes > MAX_WAITING_BYTES && !this.signal.aborted) await delay(LOOK_AGAIN_MS, this.signal);
  }
}
