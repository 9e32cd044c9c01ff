import { PHONEMES, silence, type PhonemeName, type Posture } from './phonemes.js';
import { pronounce } from './pronounce.js';
import type { Token } from './reading.js';

/** A posture with the pitch of the voice at its end, in Hz. */
export type Gesture = Posture & { pitch: number };

const START_PITCH = 128;
const END_PITCH = 96;
const STRESS_PITCH = 14;
const QUESTION_PITCH = 45;
const SHORT_PAUSE_MS = 160;
const LONG_PAUSE_MS = 250;
/** Speakers slow down before a pause. */
const FINAL_LENGTHENING = 1.45;
/** Vowels after the first of a word are mostly unstressed. */
const UNSTRESSED_LENGTH = 0.8;

interface Spoken {
  name: PhonemeName;
  stressed: boolean;
  /** The last vowel before a pause. */
  final: boolean;
  question: boolean;
}

/** Gives words and pauses their timing and melody: pitch falls over the sentence, rises on stress and at a question's end. */
export function gesturesOf(tokens: Token[]): Gesture[] {
  const total = tokens.filter((token) => token.kind === 'word').length;
  const gestures: Gesture[] = [];
  let words = 0;
  tokens.forEach((token, index) => {
    const base = START_PITCH + ((END_PITCH - START_PITCH) * words) / Math.max(total, 1);
    if (token.kind === 'pause') {
      gestures.push({ ...silence(token.length === 'short' ? SHORT_PAUSE_MS : LONG_PAUSE_MS), pitch: base });
      return;
    }
    words++;
    for (const spoken of wordOf(token.letters, tokens[index + 1])) gestures.push(...gesturesFor(spoken, base));
  });
  return gestures;
}

function wordOf(letters: string, next: Token | undefined): Spoken[] {
  const names = pronounce(letters);
  const firstVowel = names.findIndex((name) => PHONEMES[name].vowel);
  const lastVowel = names.findLastIndex((name) => PHONEMES[name].vowel);
  const final = next === undefined || next.kind === 'pause';
  return names.map((name, index) => ({
    name,
    stressed: index === firstVowel,
    final: final && index === lastVowel,
    question: next?.kind === 'pause' && next.question,
  }));
}

function gesturesFor(spoken: Spoken, base: number): Gesture[] {
  const { vowel, postures } = PHONEMES[spoken.name];
  const stretch = vowel ? (spoken.final ? FINAL_LENGTHENING : 1) * (spoken.stressed ? 1 : UNSTRESSED_LENGTH) : 1;
  const rise = (spoken.stressed ? STRESS_PITCH : 0) + (spoken.final && spoken.question ? QUESTION_PITCH : 0);
  return postures.map((posture) => ({ ...posture, ms: posture.ms * stretch, pitch: base + rise }));
}
