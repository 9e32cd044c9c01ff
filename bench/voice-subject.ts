import '../apps/dialer/src/v8-flags.js';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PerformanceObserver } from 'node:perf_hooks';
import { setTimeout as elapsed } from 'node:timers/promises';
import { createLog } from '@app/common';
import { enterRealTimeClass, openMediaSession, type MediaSession } from '@app/telephony';
import {
  AgentSession,
  BUILTIN_TOOLS,
  LazyProvider,
  RealtimeProvider,
  Speech,
  Synthesiser,
  systemClock,
  ToolBox,
  type VoiceProvider,
} from '@app/voice';
import { SandboxProvider } from '@app/sandbox';
import { SendTimes } from './send-times.js';
import { JudgingProvider } from './voice-judge.js';
import type { LoadResult } from './voice-load.js';
import type { CallMemory } from './voice-memory.js';
import { now } from './voice-phone.js';
import type { VoiceServers } from './voice-server.js';

export type SubjectTask =
  /** `isLoad`: for the task `load`, with the server that needs least CPU. */
  | { do: 'open'; calls: number; servers: VoiceServers; isLoad?: boolean }
  /** Agents with the provider `pipeline`, whose vendors are this server. */
  | { do: 'open'; calls: number; pipelineUrl: string }
  /** `isJudged`: by a provider that judges interruptions, in this process. */
  | { do: 'answer'; call: number; remotePort: number; greeting: string; isJudged?: boolean }
  | { do: 'interruptions'; call: number }
  /** CPU time of this process from here to `end`. */
  | { do: 'cpu' }
  | { do: 'load'; seconds: number }
  /** With `--expose-gc`. */
  | { do: 'memory' }
  | { do: 'round-trips'; count: number };

interface Call {
  media: MediaSession;
  session?: AgentSession;
  /** `played_ms` of each interruption. */
  interruptions: number[];
}

const PORTS = { min: 39_000, max: 39_999 };
const log = createLog({ level: 'silent', role: 'bench' });
const speech = new Speech(new Synthesiser([]));
const calls: Call[] = [];
let servers: VoiceServers;
let pipelineUrl: string | undefined;
let sendTimes: SendTimes | undefined;
let folder = '';
let cpuAt: { usage: NodeJS.CpuUsage; at: number } | undefined;

function perform(task: SubjectTask): unknown {
  switch (task.do) {
    case 'open':
      if ('servers' in task) {
        servers = task.servers;
        if (task.isLoad) sendTimes = new SendTimes();
      } else pipelineUrl = task.pipelineUrl;
      return open(task.calls);
    case 'answer':
      return answer(task);
    case 'interruptions':
      return calls[task.call]!.interruptions.splice(0);
    case 'cpu':
      return cpuPercent();
    case 'load':
      return load(task.seconds, sendTimes!);
    case 'memory':
      return memory();
    default:
      return roundTrips(task.count);
  }
}

const roundTrips = async (count: number) => ({
  udp: await udpRoundTrips(count),
  bridge: await bridgeRoundTrips(count),
});

/** @returns the ports of the new sessions */
async function open(count: number): Promise<number[]> {
  folder ||= await mkdtemp(join(tmpdir(), 'trunkline-bench-'));
  const first = calls.length;
  for (let i = first; i < first + count; i++) {
    const media = await openMediaSession({
      bindAddress: '127.0.0.1',
      ports: PORTS,
      recordTo: join(folder, `${i}.wav`),
    });
    calls.push({ media, interruptions: [] });
  }
  return calls.slice(first).map(({ media }) => media.localPort);
}

/** @returns the time of the answer, by the clock that all processes share */
function answer({ call: index, remotePort: port, greeting, isJudged }: Extract<SubjectTask, { do: 'answer' }>): number {
  const call = calls[index]!;
  call.media.start({
    address: '127.0.0.1',
    port,
    codec: 'PCMU',
    payloadType: 0,
    dtmfPayloadType: 101,
    sendAudio: true,
  });
  call.session = new AgentSession({
    provider: isJudged ? new JudgingProvider() : provider(greeting),
    settings: { agent: { name: 'Bench', instructions: '', greeting }, idle: { afterMs: 600_000 } },
    call: { callId: String(index), direction: 'outbound', to: 'sip:a@b', from: '+15550001111', metadata: null },
    tools: new ToolBox(BUILTIN_TOOLS),
    speech,
    onEvent: (event) => {
      if (event.type === 'interrupted') call.interruptions.push(event.played_ms);
    },
    log,
  });
  void call.session.start(call.media);
  return now();
}

function provider(greeting: string): VoiceProvider {
  if (sendTimes) return realtime(servers.talkingUrl!);
  return pipelineUrl === undefined ? sandbox(greeting) : pipeline(pipelineUrl);
}

const realtime = (url: string): RealtimeProvider =>
  new RealtimeProvider({ name: 'bench', url, key: 'k', model: 'bench', billing: 'seconds', clock: systemClock });

function sandbox(greeting: string): VoiceProvider {
  const script = { rules: [{ on: { speech: true }, say: greeting }] };
  return new SandboxProvider({ server: servers.sandbox, script, speech, clock: systemClock });
}

function pipeline(url: string): VoiceProvider {
  const vendors = { deepgram: { url }, openai: { url: `${url}/v1`, key: 'k' }, elevenlabs: { url } };
  const legs = {
    transcriber: { provider: 'deepgram' },
    model: { provider: 'openai', model: 'm' },
    synthesizer: { provider: 'elevenlabs' },
  } as const;
  const wanted = { name: 'pipeline', options: { pipeline: legs } };
  return new LazyProvider(wanted, { speech, clock: systemClock, settings: { vendors } });
}

function cpuPercent(): number {
  const usage = process.cpuUsage();
  const at = performance.now();
  const before = cpuAt;
  cpuAt = { usage, at };
  if (!before) return 0;
  const ms = (usage.user + usage.system - before.usage.user - before.usage.system) / 1_000;
  return (100 * ms) / (at - before.at);
}

async function load(seconds: number, times: SendTimes): Promise<LoadResult> {
  let gcMs = 0;
  const collections = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) gcMs += duration;
  });
  collections.observe({ entryTypes: ['gc'] });
  cpuPercent();
  times.start(seconds * 1_000);
  await elapsed(seconds * 1_000);
  const cpu = cpuPercent();
  const sent = times.stop();
  collections.disconnect();
  return { ...sent, cpu, gc: gcMs / seconds, rss: process.memoryUsage.rss() / 2 ** 20 };
}

/** In MB; `rss` as it is while calls run, the others after a garbage collection. */
function memory(): CallMemory {
  const rss = process.memoryUsage.rss();
  globalThis.gc?.();
  const { heapUsed, arrayBuffers, external } = process.memoryUsage();
  const mb = (bytes: number): number => bytes / 2 ** 20;
  return { rss: mb(rss), heap: mb(heapUsed), buffers: mb(arrayBuffers), native: mb(external - arrayBuffers) };
}

async function udpRoundTrips(count: number): Promise<number[]> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const packet = Buffer.alloc(172);
  const times = await oneAfterTheOther(count, async () => {
    socket.send(packet, servers.udpPort, '127.0.0.1');
    await once(socket, 'message');
  });
  socket.close();
  return times;
}

/** Sends a 20 ms frame to a provider and back through the adapter, as in a call. */
async function bridgeRoundTrips(count: number): Promise<number[]> {
  let arrived = (): void => undefined;
  const provider = realtime(servers.echoUrl);
  const request = {
    agent: { name: 'Bench', instructions: '', greeting: '' },
    modality: 'audio' as const,
    codec: 'PCMU' as const,
    tools: [],
    history: [],
    metadata: null,
  };
  const connection = await provider.connect(
    request,
    (event) => {
      if (event.type === 'audio' || event.type === 'response_started') arrived();
    },
    new AbortController().signal,
  );
  const next = () => new Promise<void>((resolve) => (arrived = resolve));
  const begun = next();
  connection.createResponse({});
  await begun;
  const frame = Buffer.alloc(160, 0x55);
  const times = await oneAfterTheOther(count, async () => {
    const back = next();
    connection.sendAudio(frame);
    await back;
  });
  connection.close();
  return times;
}

async function oneAfterTheOther(count: number, trip: () => Promise<void>): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < count; i++) {
    const before = performance.now();
    await trip();
    times.push(performance.now() - before);
  }
  return times.slice(count / 10);
}

// The audio of the service runs in media threads.
await enterRealTimeClass().catch(() => undefined);
process.on('message', (task: SubjectTask) => {
  void Promise.resolve(perform(task)).then((result) => process.send?.({ result }));
});
process.on('disconnect', () => {
  void rm(folder, { recursive: true, force: true }).then(() => process.exit(0));
});
