import { encode, type G711 } from '@app/telephony';
import { sentencesOf } from './sentences.js';
import { openSynthesiser, type ClipSource } from './synthesiser.js';
import type { Voice } from './voice.js';

export interface SpokenSentence {
  text: string;
  /** G.711, whole frames of 160 bytes, with 200 ms of silence at the end. */
  audio: Buffer;
}

interface SampledSentence {
  text: string;
  /** 8 kHz, whole frames of 160, with 200 ms of silence at the end; read-only. */
  samples: Int16Array;
}

/** Synthesises any text as telephone audio. One instance serves all calls of a thread. */
export class Speech {
  constructor(private readonly clips: ClipSource) {}

  /** Yields sentences as soon as each is ready. Ends early, without an error, when the signal aborts. */
  async *say(
    text: string,
    options: { codec: G711; language?: string },
    signal: AbortSignal,
  ): AsyncGenerator<SpokenSentence> {
    for await (const { text: sentence, samples } of this.samples(text, options.language, signal)) {
      yield { text: sentence, audio: encode(options.codec, samples) };
    }
  }

  /** The same before encoding. */
  async *samples(text: string, language: string | undefined, signal: AbortSignal): AsyncGenerator<SampledSentence> {
    for (const sentence of sentencesOf(text)) {
      if (signal.aborted) return;
      const samples = await this.clips.clip(sentence, language);
      if (signal.aborted) return;
      yield { text: sentence, samples };
    }
  }

  /** Synthesises ahead of time, so that `say` has the text at once. */
  async prepare(text: string, language: string | undefined, signal: AbortSignal): Promise<void> {
    for (const sentence of sentencesOf(text)) {
      if (signal.aborted) return;
      await this.clips.clip(sentence, language);
    }
  }
}

/** Speech that is synthesised in this thread. `builtIn` speaks where no program is installed. */
export async function openSpeech(builtIn: Voice): Promise<Speech> {
  return new Speech(await openSynthesiser(builtIn));
}
