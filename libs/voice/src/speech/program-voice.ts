import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { resample } from './resample.js';
import { languageFor } from './script-language.js';
import { isAudible, type Voice } from './voice.js';
import { readWav } from './wav.js';

const TIMEOUT_MS = 5000;
/** A minute of 48 kHz sound: no sentence is longer. */
const MAX_OUTPUT_BYTES = 6_000_000;
/** More children than this at once would take the processor from the calls that are being played. */
const MAX_CHILDREN = 2;

interface Program {
  name: string;
  /** Arguments that make it read text from stdin and write a WAV file to stdout. */
  args(language: string): string[];
  speaks(language: string): boolean;
}

const PROGRAMS: Program[] = [
  {
    name: 'espeak-ng',
    args: (language) => ['--stdin', '--stdout', '-b', '1', '-s', '160', '-v', language],
    speaks: () => true,
  },
  { name: 'flite', args: () => ['-o', '/dev/stdout'], speaks: (language) => language === 'en' },
];

/** The speech programs that this machine has, best first. They are never installed by us: a licence matter. */
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
    const sound = readWav(await this.inTurn(() => runOnce(this.file, this.program.args(language), readable(sentence))));
    const samples = await resample(sound.samples, sound.rate);
    if (!isAudible(samples)) throw new Error(`${this.name} wrote only silence.`);
    return samples;
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

/** espeak-ng takes `[[…]]` as phonemes and control characters as commands. */
const readable = (sentence: string): string => sentence.replaceAll(/[[\]\p{Cc}]/gu, ' ');

function runOnce(file: string, args: string[], text: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'ignore'], timeout: TIMEOUT_MS, killSignal: 'SIGKILL' });
    const chunks: Buffer[] = [];
    let bytes = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > MAX_OUTPUT_BYTES) child.kill('SIGKILL');
    });
    child.on('error', reject);
    // The program may end before it has read everything; its exit code tells.
    child.stdin.on('error', () => undefined);
    child.on('close', (code, signal) => {
      if (code === 0) resolve(Buffer.concat(chunks));
      else reject(new Error(`The speech program ended with ${signal ?? `code ${code}`}.`));
    });
    child.stdin.end(text);
  });
}
