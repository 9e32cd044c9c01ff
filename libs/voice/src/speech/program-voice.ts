import { spawn, type StdioOptions } from 'node:child_process';
import { constants } from 'node:fs';
import { access, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import { isAudible, level, resample, type Voice } from './voice.js';

const TIMEOUT_MS = 5000;
/** More child processes would take the CPU from the media of running calls. */
const MAX_CHILDREN = 2;
/** Five minutes at 22 kHz; no sentence is as long. */
const MAX_BYTES = 5 * 60 * 22_050 * 2;
/** Samples per second of most voices of piper. */
const PIPER_RATE = 22_050;
/** Words per minute of espeak-ng, which is clearest on the telephone below its own default. */
const ESPEAK_SPEED = 160;

/** A sentence for a speech program. */
export interface ProgramRequest {
  sentence: string;
  /** BCP 47. */
  language?: string;
  /** The name of the program; absent: the best one for the language. */
  program?: string;
  /** A voice of the program. */
  voice?: string;
  /** 1 is the natural speed. */
  speed?: number;
  /** The rate of the samples. */
  rate: number;
  /** The voice file of piper. */
  piperModel?: string;
}

/** No installed program can speak the sentence. */
export class NoSpeechProgram extends Error {
  override readonly name = 'NoSpeechProgram';
}

/** How a sentence is spoken; absent values are the program's. */
interface ProgramSpeech {
  language: string;
  /** A voice of the program. */
  voice?: string;
  /** 1 is the natural speed. */
  speed?: number;
}

/** A command-line program that synthesises speech. */
interface Program {
  name: string;
  speaks(language: string): boolean;
  /** Rejects when the program fails, or when the signal aborts, which ends the program. */
  run(file: string, text: string, speech: ProgramSpeech, signal: AbortSignal | undefined): Promise<WavSound>;
}

const ESPEAK_NG: Program = {
  name: 'espeak-ng',
  speaks: () => true,
  run: (file, text, { language, voice = language, speed = 1 }, signal) =>
    throughFiles(
      file,
      text,
      (textFile, wavFile) => {
        const wordsPerMinute = String(Math.round(ESPEAK_SPEED * speed));
        return ['-b', '1', '-s', wordsPerMinute, '-v', voice, '-f', textFile, '-w', wavFile];
      },
      signal,
    ),
};

const FLITE: Program = {
  name: 'flite',
  speaks: (language) => language === 'en',
  run: (file, text, { voice, speed = 1 }, signal) =>
    throughFiles(
      file,
      text,
      (textFile, wavFile) => [
        ...(voice === undefined ? [] : ['-voice', voice]),
        ...(speed === 1 ? [] : ['--setf', `duration_stretch=${(1 / speed).toFixed(3)}`]),
        ...['-f', textFile, '-o', wavFile],
      ],
      signal,
    ),
};

/** The description beside a voice of piper. */
interface PiperVoice {
  audio?: { sample_rate?: unknown };
  language?: { family?: unknown };
  espeak?: { voice?: unknown };
}

/** piper speaks with one voice file (`NAME.onnx` with `NAME.onnx.json`), in the language of that voice. */
function piper(model: string, { audio, language, espeak }: PiperVoice): Program {
  const rate = typeof audio?.sample_rate === 'number' ? audio.sample_rate : PIPER_RATE;
  const named = [language?.family, espeak?.voice].find((one) => typeof one === 'string') ?? 'en';
  const [spoken] = named.split(/[-_]/);
  return {
    name: 'piper',
    speaks: (wanted) => wanted === spoken,
    async run(file, text, { voice, speed = 1 }, signal) {
      const args = ['--model', model, '--output-raw', '--length-scale', (1 / speed).toFixed(3)];
      if (voice !== undefined) args.push('--speaker', voice);
      const raw = await runOnce(file, args, { input: `${text}\n`, signal });
      return { rate, samples: firstChannel(raw, 1) };
    },
  };
}

/** The installed speech programs, the best one first. They are never bundled, because of their licences. */
export async function programVoices(
  path = process.env.PATH ?? '',
  piperModel = process.env.PIPER_MODEL,
): Promise<ProgramVoice[]> {
  const programs = [...(await piperWith(piperModel)), ESPEAK_NG, FLITE];
  const found = await Promise.all(
    programs.map(async (program) => ({ program, file: await findOn(path, program.name) })),
  );
  return found.flatMap(({ program, file }) => (file ? [new ProgramVoice(program, file)] : []));
}

/** Empty: there is no such model. */
async function piperWith(model: string | undefined): Promise<Program[]> {
  if (!model) return [];
  try {
    return [piper(model, JSON.parse(await readFile(`${model}.json`, 'utf8')) as PiperVoice)];
  } catch {
    return [];
  }
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

/** An installed program. */
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

  speaks(language: string): boolean {
    return this.program.speaks(language);
  }

  async speak(sentence: string, wanted: string | undefined): Promise<Int16Array> {
    const language = languageFor(sentence, wanted);
    if (!this.speaks(language)) throw new Error(`${this.name} does not speak ${language}.`);
    const sound = await this.record(sentence, { language });
    const samples = await resample(sound.samples, sound.rate);
    if (!isAudible(samples)) throw new Error(`${this.name} wrote only silence.`);
    return samples;
  }

  /** Waits for its turn and runs the program, until the signal aborts. */
  record(sentence: string, speech: ProgramSpeech, signal?: AbortSignal): Promise<WavSound> {
    return this.inTurn(() => this.program.run(this.file, readable(sentence), speech, signal), signal);
  }

  private async inTurn<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.running >= MAX_CHILDREN) await this.turn(signal);
    else this.running++;
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.running--;
    }
  }

  /** Rejects when the signal aborts first, which gives up the place. */
  private turn(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        signal?.removeEventListener('abort', giveUp);
        resolve();
      };
      const giveUp = (): void => {
        this.waiting.splice(this.waiting.indexOf(enter), 1);
        reject(signal?.reason as Error);
      };
      signal?.addEventListener('abort', giveUp, { once: true });
      this.waiting.push(enter);
    });
  }
}

/** The programs of each PATH and voice file: one thread has few. */
const installed = new Map<string, Promise<ProgramVoice[]>>();

/** Speaks a sentence with a program. Rejects with NoSpeechProgram when none can, and with the signal's reason when that aborts. */
export async function speakWithProgram(
  { sentence, language, program, voice, speed, rate, piperModel = '' }: ProgramRequest,
  signal: AbortSignal,
): Promise<Int16Array> {
  const path = process.env.PATH ?? '';
  const key = `${path} ${piperModel}`;
  const programs = installed.get(key) ?? programVoices(path, piperModel);
  installed.set(key, programs);
  const spoken = languageFor(sentence, language);
  const wanted = (await programs).find((one) => (program === undefined ? one.speaks(spoken) : one.name === program));
  if (!wanted) throw new NoSpeechProgram(missing(program, spoken));
  signal.throwIfAborted();
  const sound = await wanted.record(sentence, { language: spoken, voice, speed }, signal);
  return level(await resample(sound.samples, sound.rate, rate));
}

const missing = (program: string | undefined, language: string): string =>
  program === undefined
    ? `No installed speech program speaks the language "${language}"; install espeak-ng.`
    : `The speech program ${program} is not installed, or its voice file cannot be read.`;

/**
 * Uses files in a private folder: flite writes only an empty header into a pipe, and other users of the machine can see
 * arguments.
 */
async function throughFiles(
  file: string,
  text: string,
  args: (textFile: string, wavFile: string) => string[],
  signal: AbortSignal | undefined,
): Promise<WavSound> {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-speech-'));
  try {
    const textFile = join(folder, 'sentence.txt');
    const wavFile = join(folder, 'sentence.wav');
    await writeFile(textFile, text);
    await runOnce(file, args(textFile, wavFile), { signal });
    if ((await stat(wavFile)).size > MAX_BYTES) throw new Error('The speech program wrote too much.');
    return readWav(await readFile(wavFile));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** espeak-ng interprets `[[…]]` as phonemes and control characters as commands. */
const readable = (sentence: string): string => sentence.replaceAll(/[[\]\p{Cc}]/gu, ' ');

/** Runs a program to its end. Without `input` it has no standard streams. Returns its output. */
function runOnce(
  file: string,
  args: string[],
  { input, signal }: { input?: string; signal?: AbortSignal },
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const stdio: StdioOptions = input === undefined ? 'ignore' : ['pipe', 'pipe', 'ignore'];
    const child = spawn(file, args, { stdio, timeout: TIMEOUT_MS, killSignal: 'SIGKILL', signal });
    const output: Buffer[] = [];
    let length = 0;
    child.stdout?.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= MAX_BYTES) output.push(chunk);
      else child.kill('SIGKILL');
    });
    // A program that ends early does not read its input; its exit code tells why.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
    child.on('error', reject);
    child.on('close', (code, killedBy) => {
      if (code === 0) resolve(Buffer.concat(output));
      else reject(new Error(`The speech program ended with ${killedBy ?? `code ${code}`}.`));
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
