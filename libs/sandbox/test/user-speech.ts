import { Speech, Synthesiser } from '@app/voice';
import { FormantVoice } from '../src/formant/formant-voice.js';

/** One for all tests of a file: a sentence is synthesised once. */
export const speech = new Speech(new Synthesiser([new FormantVoice()]));

/** Speech of the user, mu-law, of about this many milliseconds. */
export async function userSpeech(ms: number): Promise<Buffer> {
  const words =
    'good morning I would like to order two pots of green tea for my office and a large cake with it please';
  const pieces: Buffer[] = [];
  for await (const { audio } of speech.say(words, { codec: 'PCMU' }, new AbortController().signal)) pieces.push(audio);
  return Buffer.concat(pieces).subarray(0, ms * 8);
}
