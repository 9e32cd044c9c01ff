import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { suiteWith } from '../../../../test/support/suite-with.js';
import { programVoices } from './program-voice.js';
import { isAudible, SAMPLE_RATE } from './voice.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'voices-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** Creates an executable on a separate PATH. */
async function program(script: string): Promise<string> {
  const file = join(folder, 'espeak-ng');
  await writeFile(file, `#!${process.execPath}\n${script}`);
  await chmod(file, 0o755);
  return folder;
}

/** A program that writes a WAV file of the text's length, with an unknown length in its header. */
const SPEAKER = `
const fs = require('fs');
const after = (option) => process.argv[process.argv.indexOf(option) + 1];
const text = fs.readFileSync(after('-f'), 'utf8');
const header = Buffer.from('524946460000007f57415645666d74201000000001000100401f0000803e0000020010006461746100f0ff7f', 'hex');
const samples = Int16Array.from({ length: 100 * text.length }, (_, i) => 9000 * Math.sin(i / 3));
fs.writeFileSync(after('-w'), Buffer.concat([header, Buffer.from(samples.buffer)]));`;

describe('a speech program on the PATH', () => {
  it('an installed speech program gets the text, and its WAV output is used', async () => {
    const [voice] = await programVoices(await program(SPEAKER));
    const samples = await voice?.speak('-v; $(rm) "quotes"', 'en');
    expect(samples?.length).toBe(1800);
  });

  it.each([
    ['fails', 'process.exit(3);', 'ended with code 3'],
    ['writes nothing', '', 'no such file'],
  ])('a speech program that %s is reported', async (_, script, message) => {
    const [voice] = await programVoices(await program(script));
    await expect(voice?.speak('Hello.', 'en')).rejects.toThrow(message);
  });

  it('a speech program runs at most twice at the same time', async () => {
    const log = join(folder, 'log');
    const note = (sign: string) => `require('fs').appendFileSync(${JSON.stringify(log)}, '${sign}');`;
    const script = `${note('+')} process.on('exit', () => { ${note('-')} });${SPEAKER}`;
    const [voice] = await programVoices(await program(script));
    await Promise.all(['one', 'two', 'three', 'four'].map(async (text) => voice?.speak(text, 'en')));
    const signs = Array.from(await readFile(log, 'utf8'));
    const running = signs.map((_, i) => signs.slice(0, i + 1).filter((sign) => sign === '+').length * 2 - i - 1);
    expect(signs).toHaveLength(8);
    expect(Math.max(...running)).toBeLessThanOrEqual(2);
  });

  it('no speech program is required', async () => expect(await programVoices(folder)).toEqual([]));
});

const [installed] = (await programVoices()).filter((voice) => voice.name === 'espeak-ng');
suiteWith(['espeak-ng'])('espeak-ng', () => {
  it.each([
    ['Hello, this is a telephone call.', 'en'],
    ['Guten Tag, hier spricht die Bäckerei.', 'de'],
    ['你好，我是你的语音助手。', undefined],
    ['Здравствуйте', undefined],
  ])('espeak-ng says %s', async (text, language) => {
    const samples = await installed?.speak(text, language);
    expect(isAudible(samples ?? new Int16Array())).toBe(true);
    expect((samples?.length ?? 0) / SAMPLE_RATE).toBeGreaterThan(0.5);
  });
});

const flite = (await programVoices()).find((voice) => voice.name === 'flite');
suiteWith(['flite'])('flite', () => {
  it('flite speaks English and refuses other languages', async () => {
    const samples = await flite?.speak('Hello, this is a telephone call.', 'en');
    expect((samples?.length ?? 0) / SAMPLE_RATE).toBeGreaterThan(0.5);
    await expect(flite?.speak('Guten Tag', 'de')).rejects.toThrow('flite does not speak de.');
  });
});
