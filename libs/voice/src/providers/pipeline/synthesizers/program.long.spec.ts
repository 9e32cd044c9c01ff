import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  collect,
  durationMs,
  L16,
  openedSynthesizer,
  PCMA,
  PCMU,
  samplesOf,
  spoken,
} from '../../../../test/spoken-sentences.js';
import { isAudible } from '../../../speech/voice.js';
import { ProviderUnavailable } from '../../voice-provider.js';

const PATH = process.env.PATH;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'programs-'));
  process.env.PATH = folder;
});
afterEach(async () => {
  process.env.PATH = PATH;
  await rm(folder, { recursive: true });
});

/** An executable on the PATH, which first writes its arguments to a file. */
async function install(name: string, script: string): Promise<void> {
  const file = join(folder, name);
  const note = `require('fs').writeFileSync(${JSON.stringify(`${file}.args`)}, JSON.stringify(process.argv.slice(2)));`;
  await writeFile(file, `#!${process.execPath}\n${note}${script}`);
  await chmod(file, 0o755);
}

const argumentsOf = async (name: string): Promise<string[]> =>
  JSON.parse(await readFile(join(folder, `${name}.args`), 'utf8')) as string[];

/** Writes a second of a tone at 22,050 Hz as a WAV file, after the option of this program. */
const speaker = (option: string): string => `
const header = Buffer.from('524946460000000057415645666d7420100000000100010022560000' + '44ac00000200100064617461ffffff7f', 'hex');
const samples = Int16Array.from({ length: 22050 }, (_, i) => 9000 * Math.sin(i / 8));
require('fs').writeFileSync(process.argv[process.argv.indexOf('${option}') + 1], Buffer.concat([header, Buffer.from(samples.buffer)]));`;

/** Writes raw audio at 16 kHz, 100 ms for each character of its input. */
const PIPER = `
let text = '';
process.stdin.on('data', (data) => (text += data)).on('end', () => {
  process.stdout.write(Buffer.from(Int16Array.from({ length: 1600 * text.trim().length }, (_, i) => 9000 * Math.sin(i / 5)).buffer));
});`;

async function piperModel(): Promise<string> {
  await install('piper', PIPER);
  const model = join(folder, 'de_DE-voice.onnx');
  await writeFile(`${model}.json`, JSON.stringify({ audio: { sample_rate: 16_000 }, language: { family: 'de' } }));
  return model;
}

describe('the speech programs of this machine', () => {
  it.each([PCMU, PCMA, L16])('speak in the requested format ($codec, $rate Hz), and cost nothing', async (audio) => {
    await install('espeak-ng', speaker('-w'));
    const synthesizer = await openedSynthesizer({ provider: 'program' }, {});
    const sentence = await spoken(synthesizer, { text: 'Hello.', audio });
    expect(durationMs(audio, sentence.audio)).toBeCloseTo(1_000, -1);
    expect(isAudible(samplesOf(audio, sentence.audio))).toBe(true);
    expect(sentence.usage).toEqual([]);
  });

  it.each([
    ['espeak-ng', '-w', ['-s', '240', '-v', 'en-us+f3']],
    ['flite', '-o', ['-voice', 'en-us+f3', '--setf', 'duration_stretch=0.667']],
  ])('%s gets the voice and the speed of the agent', async (model, option, expected) => {
    await install(model, speaker(option));
    const choice = { provider: 'program', model, voice: 'en-us+f3', speed: 1.5 } as const;
    await spoken(await openedSynthesizer(choice, {}), { text: 'Hello.', language: 'en-GB' });
    expect((await argumentsOf(model)).join(' ')).toContain(expected.join(' '));
  });

  it('piper speaks its own language with the voice file of the operator', async () => {
    await install('espeak-ng', speaker('-w'));
    const model = await piperModel();
    const synthesizer = await openedSynthesizer({ provider: 'program', speed: 2 }, { piperModel: model });
    const german = await spoken(synthesizer, { text: 'Guten Tag.', language: 'de-DE', audio: L16 });
    expect(durationMs(L16, german.audio)).toBe(1_000);
    expect(await argumentsOf('piper')).toEqual(['--model', model, '--output-raw', '--length-scale', '0.500']);
    const english = await spoken(synthesizer, { text: 'Good morning, this is longer.', language: 'en' });
    expect(durationMs(PCMU, english.audio)).toBeCloseTo(1_000, -1);
  });

  it('several sentences are spoken at a time, each with its own audio', async () => {
    const synthesizer = await openedSynthesizer({ provider: 'program' }, { piperModel: await piperModel() });
    const texts = ['Ja.', 'Eine Tasse.', 'Zwei Tassen Tee.', 'Nein.'];
    const sentences = await Promise.all(texts.map((text) => spoken(synthesizer, { text, language: 'de' })));
    expect(sentences.map(({ audio }) => durationMs(PCMU, audio))).toEqual(texts.map((text) => 100 * text.length));
  });

  it.each([
    ['fails', 'process.exit(3);', 'ended with code 3'],
    ['writes without end', 'setInterval(() => process.stdout.write(Buffer.alloc(1e6)), 1);', 'ended with SIGKILL'],
  ])('a program that %s fails the sentence', async (_, script, message) => {
    const model = await piperModel();
    await install('piper', script);
    const synthesizer = await openedSynthesizer({ provider: 'program', model: 'piper' }, { piperModel: model });
    await expect(spoken(synthesizer, { text: 'Guten Tag.', language: 'de' })).rejects.toThrow(message);
  });

  it.each([
    [{ model: 'say' }, 'has no program "say"'],
    [{ model: 'piper' }, 'PIPER_MODEL'],
    [{ model: 'flite' }, 'Install flite'],
    [{}, 'Install espeak-ng or flite'],
    [{ voice: '../../etc/passwd' }, 'is no name of a voice'],
    [{ voice: '-o' }, 'is no name of a voice'],
  ])('a choice that cannot be used is reported: %j', async (choice, message) => {
    const error: unknown = await openedSynthesizer({ provider: 'program', ...choice }, {}).catch(
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(ProviderUnavailable);
    expect((error as Error).message).toContain(message);
  });

  it('a language that no program speaks is reported', async () => {
    await install('flite', speaker('-o'));
    const synthesizer = await openedSynthesizer({ provider: 'program' }, {});
    await expect(spoken(synthesizer, { text: 'Guten Tag.', language: 'de' })).rejects.toThrow(ProviderUnavailable);
  });
});

describe('a speech program that is aborted', () => {
  let server: Server;
  beforeEach(async () => {
    server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => void server.close());

  it('is killed, and the sentence ends without an error', async () => {
    const { port } = server.address() as AddressInfo;
    await install('espeak-ng', `require('net').connect(${port}, '127.0.0.1');`);
    const abort = new AbortController();
    const synthesizer = await openedSynthesizer({ provider: 'program' }, {});
    const sentence = collect(synthesizer.speak({ text: 'Hello.', audio: PCMU }, abort.signal));
    const [running] = (await once(server, 'connection')) as [Socket];
    running.on('error', () => undefined);
    const killed = once(running, 'close');
    running.resume();
    abort.abort();
    expect((await sentence).audio).toHaveLength(0);
    await killed;
  });

  it('gives up its place when it waits for other programs', async () => {
    const { port } = server.address() as AddressInfo;
    await install('espeak-ng', `require('net').connect(${port}, '127.0.0.1');`);
    const synthesizer = await openedSynthesizer({ provider: 'program' }, {});
    const abort = new AbortController();
    const sentences = ['One.', 'Two.', 'Three.', 'Four.'].map((text) =>
      collect(synthesizer.speak({ text, audio: PCMU }, abort.signal)),
    );
    await once(server, 'connection');
    abort.abort();
    for (const { audio } of await Promise.all(sentences)) expect(audio).toHaveLength(0);
  });
});
