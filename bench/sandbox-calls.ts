import { once } from 'node:events';
import {
  RemoteSpeechClient,
  Speech,
  SpeechThread,
  systemClock,
  type ProviderEvent,
  type VoiceConnection,
  type VoiceProvider,
} from '@app/voice';
import { SandboxProvider, SandboxThread } from '@app/sandbox';
import { FormantVoice } from '@app/sandbox/formant';
import { WebSocketServer, WebSocket } from 'ws';
import type { AddressInfo } from 'node:net';
import { table } from './table.js';

const FRAME = Buffer.alloc(160, 0xff);
const GREETING = 'Hello, this is the tea shop.';
const ROUNDS = 20;
const BUILT_IN_VOICE = new URL('../apps/dialer/src/media/built-in-voice.js', import.meta.url);
const never = new AbortController().signal;

/**
 * The sandbox agent through the realtime adapter and the server in its thread: time to the first audio against a bare WebSocket round
 * trip, and CPU per call.
 */
export async function run({ calls = 50, seconds = 20 }: { calls?: number; seconds?: number }): Promise<void> {
  const speechThread = SpeechThread.start({ builtInVoice: BUILT_IN_VOICE, onDeath: (error) => console.error(error) });
  const connectSpeech = () => speechThread.connect();
  const thread = await SandboxThread.start({ connectSpeech, onDeath: (error) => console.error(error) });
  const speech = new Speech(RemoteSpeechClient.connect(connectSpeech(), new FormantVoice()));
  const parts = { server: thread.access, speech, clock: systemClock };
  const provider = (): VoiceProvider => new SandboxProvider(parts);

  const times: [string, number[]][] = [['bare WebSocket: connect, one message and its echo', await bareRoundTrips()]];
  const first = (greeting: string) => firstAudio(provider(), greeting);
  times.push(['first audio, first call of the process', [await first(GREETING)]]);
  times.push(['first audio, warm (spoken before)', await inTurn(() => first(GREETING))]);
  times.push(['first audio, cold (synthesised)', await inTurn((n) => first(`Hello, number ${n} speaking today.`))]);
  table(
    ['from the start of connecting, ms', 'p50', 'worst'],
    times.map(([name, all]) => [name, at(all, 0.5).toFixed(1), at(all, 1).toFixed(1)]),
  );

  const cpu = await cpuOf(provider, calls, seconds);
  console.log(`  ${calls} calls for ${seconds} s: ${cpu.toFixed(1)} % of a core, ${(cpu / calls).toFixed(3)} % each,`);
  console.log('  including both ends of every WebSocket, voice activity detection and speech.');
  await thread.close();
  await speechThread.close();
}

const inTurn = async (measure: (round: number) => Promise<number>): Promise<number[]> => {
  const all: number[] = [];
  for (let round = 0; round < ROUNDS; round++) all.push(await measure(round));
  return all.sort((a, b) => a - b);
};

const at = (sorted: number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

async function bareRoundTrips(): Promise<number[]> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
  server.on('connection', (socket) => socket.on('message', (data) => socket.send(data)));
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const times = await inTurn(async () => {
    const from = performance.now();
    const socket = new WebSocket(`ws://127.0.0.1:${port}`, { perMessageDeflate: false });
    await once(socket, 'open');
    socket.send('x');
    await once(socket, 'message');
    socket.terminate();
    return performance.now() - from;
  });
  server.close();
  return times;
}

async function firstAudio(provider: VoiceProvider, greeting: string): Promise<number> {
  const from = performance.now();
  let heard = (_at: number): void => undefined;
  const first = new Promise<number>((resolve) => (heard = resolve));
  const connection = await talk(provider, greeting, ({ type }) => {
    if (type === 'audio') heard(performance.now());
  });
  const took = (await first) - from;
  connection.close();
  return took;
}

async function talk(
  provider: VoiceProvider,
  greeting: string,
  onEvent: (event: ProviderEvent) => void,
): Promise<VoiceConnection> {
  const agent = { name: 'Ada', instructions: '', greeting };
  const request = { agent, modality: 'audio' as const, codec: 'PCMU' as const, tools: [], history: [] };
  const connection = await provider.connect(request, onEvent, never);
  connection.createResponse({ say: greeting });
  return connection;
}

/** CPU of this whole process in percent of a core, with a frame per call every 20 ms and a sentence every four seconds. */
async function cpuOf(provider: () => VoiceProvider, calls: number, seconds: number): Promise<number> {
  const connections = await Promise.all(
    Array.from({ length: calls }, () => talk(provider(), GREETING, () => undefined)),
  );
  const before = process.cpuUsage();
  const from = performance.now();
  await new Promise<void>((resolve) => {
    let frames = 0;
    const timer = setInterval(() => {
      for (; frames * 20 < performance.now() - from; frames++) {
        for (const connection of connections) connection.sendAudio(FRAME);
        if (frames % 200 === 100) for (const connection of connections) connection.createResponse({ say: GREETING });
      }
      if (frames * 20 < seconds * 1_000) return;
      clearInterval(timer);
      resolve();
    }, 5);
  });
  const { user, system } = process.cpuUsage(before);
  const share = (user + system) / ((performance.now() - from) * 1_000);
  for (const connection of connections) connection.close();
  return share * 100;
}
