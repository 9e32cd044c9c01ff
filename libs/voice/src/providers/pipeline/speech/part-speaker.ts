import { bytesPerMs } from '@app/telephony';
import type { Clock } from '../../../clock.js';
import type { UsageItem } from '../../../usage.js';
import { type DeliveredPart, undeliveredRest } from '../dialogue.js';
import { type LegChain, LIMITS, readLeg } from '../legs.js';
import type { LegAudio, SynthesisEvent, Synthesizer, TimedWord } from '../ports.js';
import { isPronounceable, type PronunciationDictionary } from './pronunciation.js';

/** A sentence is far shorter: this bounds a synthesizer that does not end. */
const MAX_PART_MS = 60_000;
/** Fixed phrases of a conversation, such as the filler of tools. */
const MAX_PHRASES = 20;

interface PartSpeakerOptions {
  synthesizers: LegChain<Synthesizer>;
  dictionary: PronunciationDictionary;
  audio: LegAudio;
  clock: Clock;
  onUsage: (items: UsageItem[]) => void;
}

/** Audio of fixed phrases: repeated ones need no synthesizer. */
export type Phrases = Map<string, { part: DeliveredPart; audio: Buffer[] }>;

/** Synthesises the parts of the agent's speech; a failing synthesizer is replaced within a part. */
export class PartSpeaker {
  private previousText: string | undefined;

  constructor(
    private readonly options: PartSpeakerOptions,
    private readonly phrases: Phrases,
  ) {}

  /**
   * Speaks one part. `onAudio` gets each piece of audio, and the part as it was delivered so far, always the same object. Resolves at the
   * end of the part, or when the signal aborts. Rejects with LegsFailed.
   */
  async speak(
    text: string,
    language: string | undefined,
    onAudio: (audio: Buffer, part: DeliveredPart) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const part: DeliveredPart = { text, audioMs: 0, words: [], isComplete: false };
    const { synthesizers } = this.options;
    let rest: string = text;
    while (isPronounceable(rest) && !signal.aborted) {
      const attempt: DeliveredPart = { ...part, text: rest, audioMs: 0, words: [] };
      try {
        await this.attempt(attempt, part, language, onAudio, signal);
        if (!signal.aborted) synthesizers.worked();
        break;
      } catch (error) {
        if (signal.aborted) return;
        if (attempt.audioMs > 0) rest = undeliveredRest(attempt);
        await synthesizers.failed(error, signal);
      }
    }
    if (!signal.aborted) part.isComplete = true;
    this.previousText = text;
  }

  /** The same for a phrase that may be repeated in the conversation. */
  async phrase(
    text: string,
    language: string | undefined,
    onAudio: (audio: Buffer, part: DeliveredPart) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const key = `${this.options.synthesizers.leg.name} ${language} ${text}`;
    const known = this.phrases.get(key);
    if (known) return known.audio.forEach((audio) => onAudio(audio, known.part));
    const audio: Buffer[] = [];
    const spoken: { part?: DeliveredPart } = {};
    const keep = (piece: Buffer, part: DeliveredPart): void => {
      audio.push(piece);
      spoken.part = part;
      onAudio(piece, part);
    };
    await this.speak(text, language, keep, signal);
    const { part } = spoken;
    if (part?.isComplete && this.phrases.size < MAX_PHRASES) this.phrases.set(key, { part: { ...part }, audio });
  }

  private attempt(
    attempt: DeliveredPart,
    part: DeliveredPart,
    language: string | undefined,
    onAudio: (audio: Buffer, part: DeliveredPart) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const { synthesizers, dictionary, audio, clock, onUsage } = this.options;
    const { leg } = synthesizers;
    const fromMs = part.audioMs;
    const request = { text: dictionary.apply(attempt.text), audio, language, previousText: this.previousText };
    return readLeg<Exclude<SynthesisEvent, { type: 'usage' }>>({
      name: leg.name,
      open: (own) => leg.speak(request, own),
      firstMs: LIMITS.firstAudioMs,
      stallMs: LIMITS.stallMs,
      clock,
      signal,
      onUsage,
      onEvent: (event) => {
        if (event.type === 'words') {
          attempt.words = join(attempt.words, event.words);
          part.words = join(
            part.words,
            event.words.map((word) => later(word, fromMs)),
          );
          return;
        }
        if (event.audio.length === 0) return;
        const ms = event.audio.length / bytesPerMs(audio.codec);
        attempt.audioMs += ms;
        part.audioMs += ms;
        if (attempt.audioMs > MAX_PART_MS) throw new Error(`${leg.name} does not end a sentence.`);
        onAudio(event.audio, part);
      },
    });
  }
}

/** Synthesizers send all words so far, or only new ones. */
function join(words: readonly TimedWord[], more: readonly TimedWord[]): readonly TimedWord[] {
  const last = words.at(-1)?.startMs ?? -1;
  return [...words, ...more.filter(({ startMs }) => startMs > last)];
}

const later = (word: TimedWord, byMs: number): TimedWord => ({
  ...word,
  startMs: word.startMs + byMs,
  endMs: word.endMs + byMs,
});
