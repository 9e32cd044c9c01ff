import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { NoSpeechProgram } from './program-voice.js';
import { RemoteSpeechClient, serveClips } from './speech-thread.js';
import { Synthesiser } from './synthesiser.js';
import type { Voice } from './voice.js';

const PATH = process.env.PATH;
const VOICE: Voice = { name: 'tone', speak: () => Promise.resolve(new Int16Array(800).fill(9_000)) };
const NEVER = new AbortController().signal;

let folder: string;
let server: Server;
let port: MessagePort;
let client: RemoteSpeechClient;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'programs-'));
  process.env.PATH = folder;
  server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const channel = new MessageChannel();
  port = channel.port1;
  serveClips(port, new Synthesiser([VOICE]));
  client = RemoteSpeechClient.connect(channel.port2, VOICE);
  await install();
});
afterEach(async () => {
  process.env.PATH = PATH;
  port.close();
  server.close();
  await rm(folder, { recursive: true });
});

/** Speaks half a second; a text with `hang` connects to the server of the test, and does not end. */
async function install(): Promise<void> {
  const script = `#!${process.execPath}
const { readFileSync, writeFileSync } = require('fs');
const after = (option) => process.argv[process.argv.indexOf(option) + 1];
const header = Buffer.from('524946460000000057415645666d74201000000001000100401f0000803e0000020010006461746100f0ff7f', 'hex');
const samples = Int16Array.from({ length: 4000 }, (_, i) => 9000 * Math.sin(i / 3));
if (readFileSync(after('-f'), 'utf8').includes('hang')) require('net').connect(${(server.address() as AddressInfo).port}, '127.0.0.1');
else writeFileSync(after('-w'), Buffer.concat([header, Buffer.from(samples.buffer)]));`;
  const file = join(folder, 'espeak-ng');
  await writeFile(file, script);
  await chmod(file, 0o755);
}

describe('a client of the speech thread', () => {
  it('gets the speech of a program at the wanted rate', async () => {
    expect(await client.program({ sentence: 'Hello.', rate: 16_000 }, NEVER)).toHaveLength(8_000);
    expect(await client.program({ sentence: 'Hello.', rate: 8_000 }, NEVER)).toHaveLength(4_000);
  });

  it('learns that a program is not installed', async () => {
    const wanted = client.program({ sentence: 'Hello.', rate: 8_000, program: 'flite' }, NEVER);
    await expect(wanted).rejects.toThrow(NoSpeechProgram);
  });

  it('ends the program of an aborted sentence, and other sentences are spoken', async () => {
    const abort = new AbortController();
    const hanging = client.program({ sentence: 'hang', rate: 8_000 }, abort.signal);
    const [running] = (await once(server, 'connection')) as [Socket];
    running.on('error', () => undefined).resume();
    const killed = once(running, 'close');
    const other = client.program({ sentence: 'Hello.', rate: 8_000 }, NEVER);
    abort.abort();
    await expect(hanging).rejects.toThrow('aborted');
    await killed;
    expect(await other).toHaveLength(4_000);
  });

  it('speaks in its own thread when the speech thread ends', async () => {
    const abort = new AbortController();
    const hanging = client.program({ sentence: 'hang', rate: 8_000 }, abort.signal);
    await once(server, 'connection');
    port.close();
    await once(server, 'connection');
    expect(await client.program({ sentence: 'Hello.', rate: 8_000 }, NEVER)).toHaveLength(4_000);
    abort.abort();
    await expect(hanging).rejects.toThrow('aborted');
  });
});
