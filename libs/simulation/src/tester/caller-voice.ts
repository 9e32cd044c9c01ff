import { openSpeech, resample, SAMPLE_RATE, Speech, Synthesiser } from '@app/voice';
import { FormantVoice } from '@app/sandbox/formant';
import type { LineProfile, NoiseName } from '@app/agents/scenarios';
import { noiseOf } from './noise.js';
import { SeededRandom } from './seeded-random.js';
import type { CallerVoice } from './tester-audio.js';

/** Level of the callers' speech in dB below full scale: all voices have the same peak. */
const SPEECH_DB = -14;
/** The noise repeats after this time. */
const NOISE_SECONDS = 8;
const BABBLE = [
  'I would like to change my delivery address, please.',
  'Wait a moment, I have a question about the price.',
  'Yes, tomorrow at nine would be fine for me.',
  'We went to the lake on Sunday, and it rained all day.',
];
/** Speeds of the persons in a babble: the pitch changes with them. */
const PERSONS = [0.85, 1, 1.2];

/** The built-in voice sounds the same on every machine; programs sound better. */
const speeches = new Map<LineProfile['voice'], Promise<Speech>>();

/** The speech that sounds the same on every machine. */
export const builtInSpeech = (): Speech => new Speech(new Synthesiser([new FormantVoice()]));

function speechOf(voice: LineProfile['voice']): Promise<Speech> {
  const known = speeches.get(voice);
  if (known) return known;
  const opened = voice === 'program' ? openSpeech(new FormantVoice()) : Promise.resolve(builtInSpeech());
  speeches.set(voice, opened);
  return opened;
}

/** Noise of a kind at the level 0 dB below full scale; generated once. */
const noises = new Map<NoiseName, Promise<Float64Array>>();

function noiseAt0dB(kind: NoiseName): Promise<Float64Array> {
  const known = noises.get(kind);
  if (known) return known;
  const made = makeNoise(kind);
  noises.set(kind, made);
  return made;
}

async function makeNoise(kind: NoiseName): Promise<Float64Array> {
  const speech = await speechOf('built_in');
  const voices: Float64Array[] = [];
  for (const text of kind === 'babble' ? BABBLE : [])
    for await (const { samples } of speech.samples(text, 'en', new AbortController().signal))
      for (const speed of PERSONS) voices.push(Float64Array.from(await resample(samples, SAMPLE_RATE * speed)));
  return noiseOf(kind, NOISE_SECONDS, 0, new SeededRandom(kind), voices);
}

/** The voice of a tester caller, in the place of its profile. */
export async function callerVoice(profile: LineProfile, language?: string): Promise<CallerVoice> {
  const { voice, noise, carries_words: carriesWords } = profile;
  const speech = await speechOf(voice);
  if (!noise) return { speech, language, carriesWords };
  const gain = 10 ** ((SPEECH_DB - noise.snr_db) / 20);
  return { speech, language, carriesWords, noise: (await noiseAt0dB(noise.kind)).map((sample) => sample * gain) };
}
