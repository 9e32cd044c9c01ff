import { encode, type LineCodec, pcmBytes } from '@app/telephony';
import { interpolator } from './polyphase.js';
import { type ClipSource, openSynthesiser } from './synthesiser.js';
import type { Voice } from './voice.js';
import type { ProgramRequest } from './program-voice.js';

export interface SpokenSentence {
  text: string;
  /** Whole frames of 20 ms in the wanted codec, with 200 ms of silence at the end. */
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
    options: { codec: LineCodec; language?: string },
    signal: AbortSignal,
  ): AsyncGenerator<SpokenSentence> {
    for await (const { text: sentence, samples } of this.samples(text, options.language, signal)) {
      yield { text: sentence, audio: encodedFor(options.codec, samples) };
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

  /**
   * Speaks with a program of this machine: in the speech thread, because the start of a program stops the thread that starts it. Rejects
   * with NoSpeechProgram when none can, and with the signal's reason when that aborts.
   */
  program(request: ProgramRequest, signal: AbortSignal): Promise<Int16Array> {
    return this.clips.program(request, signal);
  }

  /** Synthesises ahead of time, so that `say` has the text at once. */
  async prepare(text: string, language: string | undefined, signal: AbortSignal): Promise<void> {
    for (const sentence of sentencesOf(text)) {
      if (signal.aborted) return;
      await this.clips.clip(sentence, language);
    }
  }
}

/** The delay of the higher rate falls into the silence at the end of a sentence. */
const encodedFor = (codec: LineCodec, samples: Int16Array): Buffer =>
  codec === 'L16' ? pcmBytes(interpolator(2).push(samples)) : encode(codec, samples);

/** Speech that is synthesised in this thread. `builtIn` speaks where no program is installed. */
export async function openSpeech(builtIn: Voice): Promise<Speech> {
  return new Speech(await openSynthesiser(builtIn));
}

const SENTENCES = new Intl.Segmenter(undefined, { granularity: 'sentence' });
const ENDS_IN_ABBREVIATION = /(?:^|\s)(?:Mr|Mrs|Ms|Dr|Prof|St|No|vs|e\.g|i\.e|z\.B|Nr)\.\s*$/;
const MAX_LENGTH = 240;

/**
 * Splits a text into sentences with their punctuation. None is longer than 240 characters, so that the first audio does not wait
 * for a whole page.
 */
export function sentencesOf(text: string): string[] {
  const sentences: string[] = [];
  for (const { segment } of SENTENCES.segment(text)) {
    const last = sentences.at(-1);
    if (last && ENDS_IN_ABBREVIATION.test(last)) sentences[sentences.length - 1] = last + segment;
    else sentences.push(segment);
  }
  return sentences
    .flatMap(pieces)
    .map((piece) => piece.trim())
    .filter(Boolean);
}

function pieces(sentence: string): string[] {
  if (sentence.length <= MAX_LENGTH) return [sentence];
  const head = sentence.slice(0, MAX_LENGTH);
  const cut = Math.max(head.lastIndexOf(', ') + 1, head.lastIndexOf('; ') + 1) || head.lastIndexOf(' ') || MAX_LENGTH;
  const at = cut > 0 ? cut : safeCut(sentence);
  return [sentence.slice(0, at), ...pieces(sentence.slice(at))];
}

/** Does not split a surrogate pair. */
function safeCut(sentence: string): number {
  const code = sentence.charCodeAt(MAX_LENGTH - 1);
  return code >= 0xd800 && code <= 0xdbff ? MAX_LENGTH - 1 : MAX_LENGTH;
}
