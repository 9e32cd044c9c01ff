import { asMuLaw, type HeardEvent, Utterances } from '../../server/input-audio.js';

/** G.711 at 8 kHz, or 16-bit little-endian PCM at a multiple of 8 kHz. */
export interface HearingFormat {
  codec: 'PCMU' | 'PCMA' | 'PCM';
  rate: number;
}

/** Positions are milliseconds of all audio. */
export interface HeardWord {
  text: string;
  startMs: number;
  endMs: number;
}

/** `words`: those after the last flush of the same utterance, which grow until its end. */
export type HearingEvent =
  | { type: 'started'; atMs: number }
  | { type: 'interim'; words: HeardWord[] }
  | { type: 'ended'; words: HeardWord[]; startMs: number; endMs: number; spokenMs: number };

interface Utterance {
  startMs: number;
  /** The words of the script; undefined: the script has no more, and the duration stands for the words. */
  script: string[] | undefined;
  /** Words in a flush so far. */
  flushed: number;
  /** The position of the last flush. */
  flushedMs: number;
  /** Words in the last interim. */
  shown: number;
}

const FRAME_MS = 20;
/** About 200 words a minute. */
const WORD_MS = 300;

/**
 * The ears of an emulated transcriber: cuts the audio of one connection into utterances by voice activity, and recognises the words that
 * a tester caller's speech carries, or "recognises" the words of the script, utterance by utterance, or `[speech 1.2 s]`.
 */
export class Hearing {
  private readonly utterances: Utterances;
  private readonly frameBytes: number;
  private rest: Buffer = Buffer.alloc(0);
  private count = 0;
  private utterance: Utterance | undefined;
  /** The audio so far. */
  audioMs = 0;

  /** `silenceMs`: silence that ends an utterance. */
  constructor(
    private readonly format: HearingFormat,
    private readonly hears: readonly string[],
    silenceMs: number,
  ) {
    this.frameBytes = FRAME_MS * bytesPerMs(format);
    this.utterances = new Utterances(format.codec === 'PCMA' ? 'PCMA' : 'PCMU', silenceMs);
  }

  get isSpeaking(): boolean {
    return this.utterance !== undefined;
  }

  /** Milliseconds without voice so far, also inside an utterance. */
  get quietMs(): number {
    return this.utterances.quietMs;
  }

  /** Takes audio of any length; calls back after each 20 ms, with an event or without. */
  push(audio: Buffer, heard: (event: HearingEvent | undefined) => void): void {
    const bytes = this.rest.length > 0 ? Buffer.concat([this.rest, audio]) : audio;
    const whole = bytes.length - (bytes.length % this.frameBytes);
    this.rest = Buffer.from(bytes.subarray(whole));
    for (let at = 0; at < whole; at += this.frameBytes) heard(this.frame(bytes.subarray(at, at + this.frameBytes)));
  }

  /** The words of the current utterance that were not in a flush; later words are in the next one, or at its end. */
  flush(): HeardWord[] {
    const { utterance } = this;
    if (!utterance) return [];
    const words = this.wordsSoFar(utterance);
    utterance.flushed += utterance.script ? words.length : 0;
    utterance.flushedMs = this.audioMs;
    utterance.shown = 0;
    return words;
  }

  private frame(bytes: Buffer): HearingEvent | undefined {
    const { codec, rate } = this.format;
    const event = this.utterances.push(codec === 'PCM' ? asMuLaw(bytes, rate) : bytes);
    this.audioMs += FRAME_MS;
    return event ? this.bound(event) : this.grown();
  }

  private bound(event: HeardEvent): HearingEvent | undefined {
    const { atMs } = event;
    if (event.type === 'speech-start') {
      this.utterance = {
        startMs: atMs,
        script: wordsOf(this.hears[this.count++]),
        flushed: 0,
        flushedMs: atMs,
        shown: 0,
      };
      return { type: 'started', atMs };
    }
    const { utterance } = this;
    if (!utterance) return undefined;
    this.utterance = undefined;
    utterance.script = wordsOf(event.words) ?? utterance.script;
    const { startMs } = utterance;
    const words = lastWords(utterance, atMs);
    return { type: 'ended', words, startMs, endMs: atMs, spokenMs: atMs - startMs };
  }

  private grown(): HearingEvent | undefined {
    const { utterance } = this;
    if (!utterance) return undefined;
    utterance.script = wordsOf(this.utterances.words) ?? utterance.script;
    const words = this.wordsSoFar(utterance);
    const shown = utterance.script ? words.length : Math.floor((this.audioMs - utterance.flushedMs) / WORD_MS);
    if (words.length === 0 || shown <= utterance.shown) return undefined;
    utterance.shown = shown;
    return { type: 'interim', words };
  }

  private wordsSoFar({ script, startMs, flushed, flushedMs }: Utterance): HeardWord[] {
    const { audioMs } = this;
    if (!script && this.utterances.isReading) return [];
    if (!script) return audioMs - flushedMs < WORD_MS ? [] : [speechFor(flushedMs, audioMs)];
    const count = Math.floor((audioMs - startMs) / WORD_MS) + 1;
    return script.slice(flushed, count).map((text, i) => {
      const begin = startMs + (flushed + i) * WORD_MS;
      return { text, startMs: begin, endMs: Math.min(begin + WORD_MS, audioMs) };
    });
  }
}

const wordsOf = (text: string | undefined): string[] | undefined => text?.split(/\s+/).filter((word) => word !== '');

/** The words of a whole utterance are spread over its duration; those after a flush over the rest of it. */
function lastWords({ script, startMs, flushed, flushedMs }: Utterance, endMs: number): HeardWord[] {
  const from = Math.min(flushed > 0 ? flushedMs : startMs, endMs);
  if (!script) return endMs - flushedMs < WORD_MS && flushedMs > startMs ? [] : [speechFor(flushedMs, endMs)];
  const left = script.slice(flushed);
  const each = (endMs - from) / left.length;
  return left.map((text, i) => ({
    text,
    startMs: Math.round(from + i * each),
    endMs: Math.round(from + (i + 1) * each),
  }));
}

const speechFor = (startMs: number, endMs: number): HeardWord => ({
  text: `[speech ${((endMs - startMs) / 1_000).toFixed(1)} s]`,
  startMs,
  endMs,
});

const bytesPerMs = ({ codec, rate }: HearingFormat): number => ((codec === 'PCM' ? 2 : 1) * rate) / 1_000;
