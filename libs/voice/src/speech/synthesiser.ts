import { type ProgramRequest, programVoices, speakWithProgram } from './program-voice.js';
import { isAudible, level, SAMPLE_RATE, type Voice } from './voice.js';

/** Twenty minutes of speech. */
const CACHE_BYTES = 20_000_000;
const FRAME_SAMPLES = SAMPLE_RATE / 50;
const LEAD_SAMPLES = FRAME_SAMPLES;
const PAUSE_SAMPLES = 10 * FRAME_SAMPLES;
const QUIET = 200;

/** Synthesises sentences, in this thread or in another. */
export interface ClipSource {
  /** Samples at 8 kHz, whole frames, with 200 ms of silence at the end; read-only. */
  clip(sentence: string, language: string | undefined): Promise<Int16Array>;
  /** Speaks with a program of the machine, in its natural length. Rejects as `speakWithProgram`. */
  program(request: ProgramRequest, signal: AbortSignal): Promise<Int16Array>;
}

/** Synthesises sentences with the first voice that can, and caches them. */
export class Synthesiser implements ClipSource {
  private readonly cache = new ClipCache(CACHE_BYTES);
  private readonly underWay = new Map<string, Promise<Int16Array>>();

  /** `voices`: tried in order for each sentence. The last one must support every text. */
  constructor(private readonly voices: Voice[]) {}

  async clip(sentence: string, language: string | undefined): Promise<Int16Array> {
    const key = `${language ?? ''} ${sentence}`;
    const ready = this.cache.get(key);
    if (ready) return ready;
    const work = this.underWay.get(key) ?? this.synthesise(sentence, language).finally(() => this.underWay.delete(key));
    this.underWay.set(key, work);
    const clip = await work;
    this.cache.put(key, clip);
    return clip;
  }

  program(request: ProgramRequest, signal: AbortSignal): Promise<Int16Array> {
    return speakWithProgram(request, signal);
  }

  private async synthesise(sentence: string, language: string | undefined): Promise<Int16Array> {
    const failures: unknown[] = [];
    for (const voice of this.voices) {
      try {
        const samples = await voice.speak(sentence, language);
        if (isAudible(samples)) return framed(level(samples));
        failures.push(new Error(`${voice.name} was silent.`));
      } catch (error) {
        failures.push(error);
      }
    }
    throw new AggregateError(failures, 'No voice could synthesise the sentence.');
  }
}

/** The best speech of this machine: the installed programs, then `builtIn`, which must be able to say everything. */
export async function openSynthesiser(builtIn: Voice): Promise<Synthesiser> {
  return new Synthesiser([...(await programVoices()), builtIn]);
}

/** Trims the silence at both ends to 20 ms before and 200 ms after, and fills the last frame. */
function framed(samples: Int16Array): Int16Array {
  const first = Math.max(0, samples.findIndex(isLoud) - LEAD_SAMPLES);
  const end = samples.findLastIndex(isLoud) + 1;
  const length = Math.ceil((end - first + PAUSE_SAMPLES) / FRAME_SAMPLES) * FRAME_SAMPLES;
  const clip = new Int16Array(length);
  clip.set(samples.subarray(first, end));
  return clip;
}

const isLoud = (sample: number): boolean => Math.abs(sample) > QUIET;

/** Synthesised sentences; drops the least recently used ones when their samples exceed `maxBytes`. The speech thread loads no packages. */
export class ClipCache {
  private readonly clips = new Map<string, Int16Array>();
  private bytes = 0;

  constructor(private readonly maxBytes: number) {}

  get(key: string): Int16Array | undefined {
    const clip = this.clips.get(key);
    if (!clip) return undefined;
    // A Map keeps the order of insertion: inserting it again makes it the latest.
    this.clips.delete(key);
    this.clips.set(key, clip);
    return clip;
  }

  put(key: string, clip: Int16Array): void {
    if (this.clips.has(key) || clip.byteLength > this.maxBytes) return;
    this.clips.set(key, clip);
    this.bytes += clip.byteLength;
    for (const [oldest, dropped] of this.clips) {
      if (this.bytes <= this.maxBytes) break;
      this.clips.delete(oldest);
      this.bytes -= dropped.byteLength;
    }
  }
}
