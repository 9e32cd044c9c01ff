import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import { isAudible, resample, type Voice } from './voice.js';

const TIMEOUT_MS = 5000;
/** More child processes would take the CPU from the media of running calls. */
const MAX_CHILDREN = 2;

interface Program {
  name: string;
  /** Arguments to read a UTF-8 text file and write a WAV file. */
  args(language: string, textFile: string, wavFile: string): string[];
  speaks(language: string): boolean;
}

const ESPEAK_NG: Program = {
  name: 'espeak-ng',
  args: (language, textFile, wavFile) => ['-b', '1', '-s', '160', '-v', language, '-f', textFile, '-w', wavFile],
  speaks: () => true,
};

const FLITE: Program = {
  name: 'flite',
  args: (_, textFile, wavFile) => ['-f', textFile, '-o', wavFile],
  speaks: (language) => language === 'en',
};

const PROGRAMS = [ESPEAK_NG, FLITE];

/** The installed speech programs, the best one first. They are never bundled, because of their licences. */
export async function programVoices(path = process.env.PATH ?? ''): Promise<Voice[]> {
  const found = await Promise.all(
    PROGRAMS.map(async (program) => ({ program, file: await findOn(path, program.name) })),
  );
  return found.flatMap(({ program, file }) => (file ? [new ProgramVoice(program, file)] : []));
}

async function findOn(path: string, name: string): Promise<string | undefined> {
  for (const folder of path.split(delimiter).filter(isAbsolute)) {
    const file = join(folder, name);
    const usable = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (usable) return file;
  }
  return undefined;
}

class ProgramVoice implements Voice {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly program: Program,
    private readonly file: string,
  ) {}

  get name(): string {
    return this.program.name;
  }

  async speak(sentence: string, wanted: string | undefined): Promise<Int16Array> {
    const language = languageFor(sentence, wanted);
    if (!this.program.speaks(language)) throw new Error(`${this.name} does not speak ${language}.`);
    const sound = readWav(await this.inTurn(() => this.write(readable(sentence), language)));
    const samples = await resample(sound.samples, sound.rate);
    if (!isAudible(samples)) throw new Error(`${this.name} wrote only silence.`);
    return samples;
  }

  /**
   * Uses files in a private folder: flite writes only an empty header into a pipe, and other users of the machine can see
   * arguments.
   */
  private async write(text: string, language: string): Promise<Buffer> {
    const folder = await mkdtemp(join(tmpdir(), 'trunkline-speech-'));
    try {
      const textFile = join(folder, 'sentence.txt');
      const wavFile = join(folder, 'sentence.wav');
      await writeFile(textFile, text);
      await runOnce(this.file, this.program.args(language, textFile, wavFile));
      return await readFile(wavFile);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  private async inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.running >= MAX_CHILDREN) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.running++;
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.running--;
    }
  }
}

/** espeak-ng interprets `[[…]]` as phonemes and control characters as commands. */
const readable = (sentence: string): string => sentence.replaceAll(/[[\]\p{Cc}]/gu, ' ');

function runOnce(file: string, args: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { stdio: 'ignore', timeout: TIMEOUT_MS, killSignal: 'SIGKILL' });
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`The speech program ended with ${signal ?? `code ${code}`}.`));
    });
  });
}

const LANGUAGE_OF_SCRIPT: [RegExp, string][] = [
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/u, 'ja'],
  [/\p{Script=Han}/u, 'cmn'],
  [/\p{Script=Han}/u, 'ja'],
  [/\p{Script=Hangul}/u, 'ko'],
  [/[ґєії]/iu, 'uk'],
  [/\p{Script=Cyrillic}/u, 'ru'],
  [/\p{Script=Greek}/u, 'el'],
  [/\p{Script=Arabic}/u, 'ar'],
  [/\p{Script=Hebrew}/u, 'he'],
  [/\p{Script=Devanagari}/u, 'hi'],
  [/\p{Script=Thai}/u, 'th'],
];

/**
 * The language for a sentence: the one of its script, unless the wanted language uses that script; else the wanted one, else
 * English. A short tag (`en`, `de`), as speech programs take it.
 */
export function languageFor(sentence: string, wanted: string | undefined): string {
  const primary = wanted?.toLowerCase().split(/[-_]/)[0] ?? 'en';
  const scripts = LANGUAGE_OF_SCRIPT.filter(([script]) => script.test(sentence));
  const found = scripts.find(([, language]) => language === primary) ?? scripts[0];
  const language = found?.[1] ?? primary;
  return language === 'zh' ? 'cmn' : language;
}

interface WavSound {
  rate: number;
  /** Mono, 16 bit. */
  samples: Int16Array;
}

/**
 * Reads a RIFF/WAVE file with 16-bit PCM; throws for any other file. Lengths in the header are ignored: a streaming program writes them
 * before it knows them (espeak-ng writes 0x7ffff000).
 */
export function readWav(file: Buffer): WavSound {
  if (file.toString('latin1', 0, 4) !== 'RIFF' || file.toString('latin1', 8, 12) !== 'WAVE') {
    throw new Error('The synthesiser did not write a WAV file.');
  }
  let format: { channels: number; rate: number } | undefined;
  for (let at = 12; at + 8 <= file.length;) {
    const id = file.toString('latin1', at, at + 4);
    const length = file.readUInt32LE(at + 4);
    const body = file.subarray(at + 8, Math.min(at + 8 + length, file.length));
    if (id === 'fmt ') format = readFormat(body);
    if (id === 'data' && format) return { rate: format.rate, samples: firstChannel(body, format.channels) };
    at += 8 + length + (length % 2);
  }
  throw new Error('The WAV file has no sound.');
}

function readFormat(body: Buffer): { channels: number; rate: number } {
  if (body.readUInt16LE(0) !== 1 || body.readUInt16LE(14) !== 16) throw new Error('The WAV file is not 16-bit PCM.');
  return { channels: body.readUInt16LE(2), rate: body.readUInt32LE(4) };
}

function firstChannel(body: Buffer, channels: number): Int16Array {
  const samples = new Int16Array(Math.floor(body.length / (2 * channels)));
  for (let i = 0; i < samples.length; i++) samples[i] = body.readInt16LE(i * 2 * channels);
  return samples;
}
