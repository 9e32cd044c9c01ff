import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { type CallLeg, type EmbeddedEngine, pcmBytes, pcmSamples } from '@app/telephony';
import { ScriptedServer } from '../../support/realtime-server.js';
import { mediaOf, startTestEngine, testMedia } from '../interop/test-engine.js';
import { apiOf } from '../../support/api-client.js';
import { eventually } from '../../support/eventually.js';
import { Stack } from '../../support/stack.js';
import { createAccount, type TestAccount } from '../../support/workspace.js';

/** Above the 3.4 kHz of the telephone, within the 7 kHz of G.722. */
const HZ = 5_000;
const FORMAT = { type: 'audio/pcm', rate: 24_000 };

/** Deepgram, as transcriber and synthesizer. */
let vendor: Server;
const streams: { socket: WebSocket; url: URL }[] = [];
/** The query of the latest sentence. */
let spoken: URLSearchParams | undefined;
let server: ScriptedServer;
let phone: EmbeddedEngine;
let stack: Stack;
let account: TestAccount;
let pipeline: TestAccount;

/** Sentences are 5 s of the tone at 16 kHz; transcriptions have no words. */
async function startVendor(): Promise<string> {
  const http = (vendor = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://vendor');
    // Other requests open connections ahead.
    const isSentence = request.method === 'POST';
    if (isSentence) spoken = searchParams;
    request.resume().on('end', () => response.end(isSentence ? tone(16_000, 5_000) : ''));
  }));
  const sockets = new WebSocketServer({ server: http });
  sockets.on('connection', (socket, request) =>
    streams.push({ socket, url: new URL(request.url ?? '', 'http://vendor') }),
  );
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
}

beforeAll(async () => {
  server = await ScriptedServer.start();
  const deepgram = await startVendor();
  phone = await startTestEngine({ media: testMedia({ ports: { min: 43_400, max: 43_598 } }), codecs: ['G722'] });
  stack = await Stack.start({
    env: { REALTIME_URL: server.url, REALTIME_API_KEY: 'k', DEEPGRAM_URL: deepgram, DEEPGRAM_API_KEY: 'k' },
  });
  const trunk = { port: phone.port, codecs: ['G722'] };
  account = await createAccount(stack, {
    name: 'wideband',
    trunk,
    agent: { provider: 'openai-realtime', model: 'm', greeting: '' },
  });
  const legs = { transcriber: { provider: 'deepgram' }, synthesizer: { provider: 'deepgram' } };
  const agent = { provider: 'pipeline', greeting: 'Hello, this is a tone.', pipeline: legs };
  pipeline = await createAccount(stack, { name: 'wideband-pipeline', trunk, agent });
});

afterAll(async () => {
  await stack?.stop();
  await phone?.close();
  await server?.stop();
  for (const { socket } of streams) socket.terminate();
  vendor?.close();
  vendor?.closeAllConnections();
});

const tone = (rate: number, ms: number): Buffer =>
  pcmBytes(Int16Array.from({ length: (rate * ms) / 1_000 }, (_, i) => 8_000 * Math.sin((2 * Math.PI * HZ * i) / rate)));

/** The share of the energy at the tone's frequency. */
function share(samples: Int16Array, rate: number): number {
  let [cosine, sine, energy] = [0, 0, 1];
  samples.forEach((sample, i) => {
    cosine += sample * Math.cos((2 * Math.PI * HZ * i) / rate);
    sine += sample * Math.sin((2 * Math.PI * HZ * i) / rate);
    energy += sample ** 2;
  });
  return (2 * (cosine ** 2 + sine ** 2)) / samples.length / energy;
}

/** Resolves when `count` pieces of audio have the tone. */
function hearsTone(count: number, listen: (heard: (samples: Int16Array, rate: number) => void) => void): Promise<void> {
  let found = 0;
  return new Promise((resolve) =>
    listen((samples, rate) => {
      if (share(samples, rate) > 0.7 && ++found === count) resolve();
    }),
  );
}

/** The phone rings with a call of the account. */
async function ringing(own: TestAccount) {
  const rings = new Promise<CallLeg & { answer(): void }>((resolve) =>
    phone.onIncoming((invitation) => {
      const leg = invitation.accept({ legId: 'wideband' });
      leg.ring();
      resolve(leg);
    }),
  );
  const request = { to_number: '+15550007777', trunk_id: own.trunkId };
  const { call_id: callId } = await apiOf(stack, own).createCall(request);
  return { leg: await rings, callId };
}

async function completed(own: TestAccount, callId: string): Promise<void> {
  const call = await eventually(
    () => apiOf(stack, own).call(callId),
    ({ ended_at: endedAt }) => endedAt !== null,
  );
  expect(call.status).toBe('completed');
}

it('a G.722 call carries sound above the telephone band from the phone to the voice provider and back; the provider is connected while it rings', async () => {
  const { leg, callId } = await ringing(account);
  await server.whenConnected();
  const [hello] = await server.last.got(1);
  expect(hello).toMatchObject({ session: { audio: { input: { format: FORMAT }, output: { format: FORMAT } } } });

  const answered = new Promise<void>((resolve) => leg.on('answered', () => resolve()));
  leg.answer();
  await answered;
  const media = mediaOf(leg);
  media.write(tone(16_000, 5_000), undefined, 'L16');
  await hearsTone(20, (heard) =>
    server.last.socket.on('message', (data: Buffer) => {
      const event = JSON.parse(data.toString()) as { type: string; audio?: string };
      if (event.audio !== undefined) heard(pcmSamples(Buffer.from(event.audio, 'base64')), FORMAT.rate);
    }),
  );

  const back = hearsTone(20, (heard) =>
    media.onFrame((_frame, wide) => {
      if (wide) heard(pcmSamples(wide), 16_000);
    }),
  );
  const delta = tone(FORMAT.rate, 2_000).toString('base64');
  server.last.send({ type: 'response.created', response: { id: 'r1' } });
  server.last.send({ type: 'response.output_audio.delta', response_id: 'r1', item_id: 'i1', delta });
  await back;
  expect(server.connections).toHaveLength(1);
  leg.hangup('agent_hangup');
  await completed(account, callId);
});

it('a G.722 call carries sound above the telephone band to the transcriber of a pipeline, and from its synthesizer to the phone', async () => {
  const { leg, callId } = await ringing(pipeline);
  const answered = new Promise<void>((resolve) => leg.on('answered', () => resolve()));
  leg.answer();
  await answered;
  const media = mediaOf(leg);
  await hearsTone(20, (heard) =>
    media.onFrame((_frame, wide) => {
      if (wide) heard(pcmSamples(wide), 16_000);
    }),
  );
  const [stream] = streams;
  const format = { encoding: 'linear16', sample_rate: '16000' };
  expect(Object.fromEntries(stream!.url.searchParams)).toMatchObject(format);
  expect(Object.fromEntries(spoken ?? [])).toMatchObject(format);

  const reached = hearsTone(20, (heard) =>
    stream!.socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) heard(pcmSamples(Buffer.from(data)), 16_000);
    }),
  );
  media.write(tone(16_000, 5_000), undefined, 'L16');
  await reached;
  leg.hangup('agent_hangup');
  await completed(pipeline, callId);
});
