import { ClipCache } from './clip-cache.js';
import { programVoices } from './program-voice.js';
import { isAudible, levelled, SAMPLE_RATE, type Voice } from './voice.js';

/** Twenty minutes of speech. */
const CACHE_BYTES = 20_000_000;
const FRAME_SAMPLES = SAMPLE_RATE / 50;
const LEAD_SAMPLES = FRAME_SAMPLES;
const PAUSE_SAMPLES = 10 * FRAME_SAMPLES;
const QUIET = 200;

/** Where sentences become sound: in this thread, or in one of its own. */
export interface ClipSource {
  /** Samples at 8 kHz, whole frames, with 200 ms of silence at the end; not to be written to. */
  clip(sentence: string, language: string | undefined): Promise<Int16Array>;
}

/** Speaks sentences with the voices it has; what was said once is remembered. */
export class Synthesiser implements ClipSource {
  private readonly cache = new ClipCache(CACHE_BYTES);
  private readonly underWay = new Map<string, Promise<Int16Array>>();

  /** `voices`: tried in order for each sentence. The last one must be able to say everything. */
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

  private async synthesise(sentence: string, language: string | undefined): Promise<Int16Array> {
    const failures: unknown[] = [];
    for (const voice of this.voices) {
      try {
        const samples = await voice.speak(sentence, language);
        if (isAudible(samples)) return framed(levelled(samples));
        failures.push(new Error(`${voice.name} was silent.`));
      } catch (error) {
        failures.push(error);
      }
    }
    throw new AggregateError(failures, 'No voice could say the sentence.');
  }
}

/** The best speech of this machine: the installed programs, then `builtIn`, which must be able to say everything. */
export async function openSynthesiser(builtIn: Voice): Promise<Synthesiser> {
  return new Synthesiser([...(await programVoices()), builtIn]);
}

/** Cuts the silence at both ends, leaves 20 ms before and 200 ms after, and fills the last frame. */
function framed(samples: Int16Array): Int16Array {
  const first = Math.max(0, samples.findIndex(isLoud) - LEAD_SAMPLES);
  const end = samples.findLastIndex(isLoud) + 1;
  const length = Math.ceil((end - first + PAUSE_SAMPLES) / FRAME_SAMPLES) * FRAME_SAMPLES;
  const clip = new Int16Array(length);
  clip.set(samples.subarray(first, end));
  return clip;
}

const isLoud = (sample: number): boolean => Math.abs(sample) > QUIET;
