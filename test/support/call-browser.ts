import { FormantVoice } from '@app/sandbox/formant';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, launch, type Page } from 'puppeteer-core';
import { type WebSocket, WebSocketServer } from 'ws';
import { PATIENCE_MS } from './eventually.js';
import { Resampler } from '../../libs/client/src/web/worklet/resampler.js';

export const CHROMIUM = '/usr/bin/chromium';

const WIRE_RATE = 16_000;
const MICROPHONE_RATE = 48_000;

const run = promisify(execFile);

/** Resamples a whole recording. */
function atRate(samples: Int16Array, from: number, to: number): Int16Array {
  const resampler = new Resampler(from, to);
  const output: number[] = [];
  for (const sample of samples) {
    resampler.push(sample);
    while (!resampler.isHungry) output.push(Math.max(-32_768, Math.min(32_767, Math.round(resampler.pull()))));
  }
  return Int16Array.from(output);
}

/** A sentence of the built-in voice as the connection has it: 16 kHz. */
export async function spokenWords(sentence: string): Promise<Int16Array> {
  return atRate(await new FormantVoice().speak(sentence), 8_000, WIRE_RATE);
}

function wavFile(samples: Int16Array, rate: number): Buffer {
  const head = Buffer.alloc(44);
  head.write('RIFF');
  head.writeUInt32LE(36 + samples.byteLength, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(2 * rate, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36);
  head.writeUInt32LE(samples.byteLength, 40);
  return Buffer.concat([head, Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength)]);
}

interface MicrophoneSettings {
  /** What the microphone hears, again and again, at 16 kHz. Absent: the machine has no microphone. */
  hears?: Int16Array;
  /** The person refuses the microphone. */
  denies?: boolean;
}

/** A Chromium whose microphone plays a recording. */
export async function openCallBrowser(
  settings: MicrophoneSettings,
): Promise<{ browser: Browser; close: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-microphone-'));
  const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--autoplay-policy=no-user-gesture-required'];
  if (settings.hears) {
    const file = join(folder, 'speech.wav');
    await writeFile(file, wavFile(atRate(settings.hears, WIRE_RATE, MICROPHONE_RATE), MICROPHONE_RATE));
    args.push('--use-fake-device-for-media-stream', `--use-file-for-fake-audio-capture=${file}`);
  }
  args.push(`--use-fake-ui-for-media-stream${settings.denies ? '=deny' : ''}`);
  const browser = await launch({ executablePath: CHROMIUM, headless: true, args });
  const close = async () => {
    await browser.close();
    await rm(folder, { recursive: true, force: true });
  };
  return { browser, close };
}

/** Resolves when the expression is true in the page. `waitForFunction` needs `eval`, which the policies of the pages forbid. */
export async function untilTrue(page: Page, expression: string): Promise<void> {
  for (const deadline = Date.now() + PATIENCE_MS; !(await page.evaluate(`Boolean(${expression})`));) {
    if (Date.now() > deadline) throw new Error(`${expression} did not come true.`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** The client and its worklet as one script each, as the package has them. */
export async function clientForBrowsers(): Promise<{ client: string; worklet: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-web-'));
  try {
    // In a process of its own: esbuild compares classes of Node with those of its realm, and Jest has another one.
    const script = `
      import { writeFileSync } from 'node:fs';
      import { bundleForBrowsers, workletSource } from './libs/client/web-bundle.mjs';
      const worklet = await workletSource();
      writeFileSync('${folder}/worklet.js', worklet);
      const entryPoints = ['libs/client/src/web/index.ts'];
      await bundleForBrowsers({ entryPoints, outfile: '${folder}/client.js', format: 'esm' }, worklet);`;
    await run(process.execPath, ['--input-type=module', '-e', script]);
    const [client, worklet] = await Promise.all(
      ['client.js', 'worklet.js'].map((file) => readFile(join(folder, file), 'utf8')),
    );
    return { client: client!, worklet: worklet! };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface ServedFile {
  type: string;
  body: string;
  headers?: Record<string, string>;
}

/** A connection of a page with the server below. */
export interface PageLine {
  token: string;
  socket: WebSocket;
  /** Binary frames from the page, one after the other. */
  audio: Buffer[];
  /** JSON messages from the page. */
  messages: { type: string; [field: string]: unknown }[];
  say: (message: object) => void;
}

/** Serves files, and speaks the protocol of web calls: each connection is accepted by `accept`, or closed with the code that it returns. */
export class CallServer {
  readonly lines: PageLine[] = [];
  private readonly arrivals: (() => void)[] = [];

  private constructor(
    private readonly server: Server,
    private readonly sockets: WebSocketServer,
  ) {}

  static async start(
    files: Record<string, ServedFile>,
    accept: (line: PageLine, request: IncomingMessage) => number | undefined,
  ): Promise<CallServer> {
    const server = createServer((request, response) => {
      const file = files[new URL(request.url ?? '/', 'http://localhost').pathname];
      if (!file) {
        response.writeHead(404).end();
        return;
      }
      response.writeHead(200, { 'content-type': file.type, ...file.headers }).end(file.body);
    });
    const sockets = new WebSocketServer({ server, handleProtocols: () => 'trunkline.v1' });
    const calls = new CallServer(server, sockets);
    sockets.on('connection', (socket, request) => calls.connected(socket, request, accept));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return calls;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Resolves when the condition is true; it is looked at after each frame and message. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => this.arrivals.push(resolve));
  }

  async close(): Promise<void> {
    for (const socket of this.sockets.clients) socket.terminate();
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private connected(
    socket: WebSocket,
    request: IncomingMessage,
    accept: (line: PageLine, request: IncomingMessage) => number | undefined,
  ): void {
    const protocols = request.headers['sec-websocket-protocol'] ?? '';
    const token = /token\.([^,\s]+)/.exec(protocols)?.[1] ?? '';
    const say = (message: object) => socket.send(JSON.stringify(message));
    const line: PageLine = { token, socket, audio: [], messages: [], say };
    const code = accept(line, request);
    if (code !== undefined) return socket.close(code);
    this.lines.push(line);
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) line.audio.push(data);
      else line.messages.push(JSON.parse(data.toString()) as PageLine['messages'][number]);
      this.wake();
    });
    socket.on('close', () => this.wake());
    this.wake();
  }

  private wake(): void {
    for (const resolve of this.arrivals.splice(0)) resolve();
  }
}

/** Sends frames of 20 ms at the pace of the clock; returns a function that stops it. */
export function sendAtPace(line: PageLine, frames: Buffer[]): () => void {
  const start = performance.now();
  let sent = 0;
  const timer = setInterval(() => {
    for (; sent < frames.length && sent * 20 <= performance.now() - start; sent += 1) line.socket.send(frames[sent]!);
    if (sent === frames.length) clearInterval(timer);
  }, 10);
  return () => clearInterval(timer);
}

/** Frames of 20 ms; the rest of the last one is silence. */
export function framesOf(samples: Int16Array, frameSamples = 320): Buffer[] {
  const frames: Buffer[] = [];
  for (let at = 0; at < samples.length; at += frameSamples) {
    const frame = Buffer.alloc(2 * frameSamples);
    samples.subarray(at, at + frameSamples).forEach((sample, index) => frame.writeInt16LE(sample, 2 * index));
    frames.push(frame);
  }
  return frames;
}

export const samplesIn = (frames: Buffer[]): Int16Array => {
  const bytes = Buffer.concat(frames);
  return Int16Array.from({ length: bytes.length / 2 }, (_, at) => bytes.readInt16LE(2 * at));
};

/**
 * How much of a recording is the reference: the largest normalized cross-correlation over all delays, 0 to 1, and the delay in samples.
 * The reference lies within the recording.
 */
export function likeness(recording: Int16Array, reference: Int16Array): { score: number; delay: number } {
  const energy = (samples: Int16Array) => samples.reduce((sum, sample) => sum + sample * sample, 0);
  const referenceEnergy = energy(reference);
  let window = energy(recording.subarray(0, reference.length));
  let best = { score: 0, delay: 0 };
  for (let delay = 0; delay + reference.length <= recording.length; delay += 1) {
    let product = 0;
    for (let at = 0; at < reference.length; at += 1) product += recording[delay + at]! * reference[at]!;
    const score = Math.abs(product) / Math.sqrt(window * referenceEnergy + 1);
    if (score > best.score) best = { score, delay };
    window += (recording[delay + reference.length] ?? 0) ** 2 - recording[delay]! ** 2;
  }
  return best;
}
