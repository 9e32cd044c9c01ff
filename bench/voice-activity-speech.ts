import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { FormantVoice } from '@app/sandbox/formant';
import { readWav, resample } from '@app/voice';
import { FRAME, meanPower, RATE } from '@app/simulation/tester';

/** Utterances from the first to the last sound, at 8 kHz. */
export interface Speaker {
  name: string;
  utterances: Float64Array[];
}

/** Constants are chosen with the first ones, and measured with the others. */
export interface Speakers {
  tuning: Speaker[];
  test: Speaker[];
  missing: string[];
}

const SENTENCES = [
  'I would like to change my delivery address, please.',
  'No, that is not what I asked for.',
  'Could you repeat the last number?',
  'Wait a moment, I have a question about the price.',
  'Yes, tomorrow at nine would be fine for me.',
  'Stop. I want to speak to a person.',
];

/** Prompts of Asterisk, spoken by persons. */
const PROMPTS = '/usr/share/asterisk/sounds';
const MIN_PROMPT_MS = 1_800;
const MAX_PROMPT_MS = 4_000;
const PROMPTS_PER_SPEAKER = 12;

/** Programs, recorded prompts and the built-in voice, as far as they are installed. */
export async function loadSpeakers(): Promise<Speakers> {
  const folder = await mkdtemp(join(tmpdir(), 'voice-activity-'));
  try {
    const formant = await builtIn();
    const american = await spoken('espeak-ng', ['-v', 'en-us+f3', '-s', '160'], '-w', folder);
    const british = await spoken('espeak-ng', ['-v', 'en-gb', '-s', '150'], '-w', folder);
    const woman = await spoken('flite', ['-voice', 'slt'], '-o', folder);
    const man = await spoken('flite', ['-voice', 'rms'], '-o', folder);
    const recorded = [await prompts('en_US_f_Allison'), await prompts('fr_CA_f_June')];
    const missing = [
      ...(american ? [] : ['espeak-ng']),
      ...(woman ? [] : ['flite']),
      ...(recorded[0] ? [] : ['asterisk-core-sounds-en-wav']),
      ...(recorded[1] ? [] : ['asterisk-core-sounds-fr-wav']),
    ];
    const usable = (...all: (Speaker | undefined)[]): Speaker[] => all.filter((one) => one !== undefined);
    return { tuning: usable(formant, american, woman), test: usable(british, man, ...recorded), missing };
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function builtIn(): Promise<Speaker> {
  const voice = new FormantVoice();
  const clips = await Promise.all(SENTENCES.map((text) => voice.speak(text)));
  return { name: 'formant', utterances: clips.map(trim) };
}

async function spoken(
  command: string,
  args: string[],
  fileOption: string,
  folder: string,
): Promise<Speaker | undefined> {
  const file = join(folder, 'spoken.wav');
  const utterances: Float64Array[] = [];
  try {
    for (const text of SENTENCES) {
      const last = command === 'flite' ? ['-t', text] : [text];
      await promisify(execFile)(command, [...args, fileOption, file, ...last]);
      utterances.push(await clip(file));
    }
  } catch {
    return undefined;
  }
  return { name: [command, args[1]].join(' '), utterances };
}

async function prompts(speaker: string): Promise<Speaker | undefined> {
  const folder = join(PROMPTS, speaker);
  const files = await readdir(folder).catch(() => []);
  const utterances: Float64Array[] = [];
  for (const file of files.filter((name) => name.endsWith('.wav')).toSorted()) {
    const utterance = await clip(join(folder, file));
    const ms = (utterance.length / RATE) * 1_000;
    if (ms >= MIN_PROMPT_MS && ms <= MAX_PROMPT_MS) utterances.push(utterance);
    if (utterances.length === PROMPTS_PER_SPEAKER) break;
  }
  return utterances.length === 0 ? undefined : { name: speaker, utterances };
}

async function clip(file: string): Promise<Float64Array> {
  const { samples, rate } = readWav(await readFile(file));
  return trim(await resample(samples, rate));
}

/** Without the silence before and after it. */
function trim(samples: Int16Array): Float64Array {
  const sound = Float64Array.from(samples);
  const threshold = meanPower(sound) / 300;
  const isLoud = (at: number): boolean => meanPower(sound.subarray(at, at + FRAME)) > threshold;
  let [from, to] = [0, sound.length - FRAME];
  while (from < to && !isLoud(from)) from += FRAME / 4;
  while (to > from && !isLoud(to)) to -= FRAME / 4;
  return sound.slice(from, to + FRAME);
}
