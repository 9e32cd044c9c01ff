import '../apps/dialer/src/v8-flags.js';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { randomInt } from 'node:crypto';
import { setTimeout as elapsed } from 'node:timers/promises';
import { LocalMediaHost, MediaPool, type LegAudio, type MediaHost } from '@app/telephony';
import type { PacingKind, PacingOptions } from './pacing-kinds.js';
import { pacingTasks } from './pacing-tasks.js';
import { SendTimes, worstOf, type SendTimesResult } from './send-times.js';

/** Messages of the subject of a pacing run. */
export interface SubjectResult extends SendTimesResult {
  /** Lost packets of the remote side, and frames discarded as too late. */
  lostHere: number;
  late: number;
  cpuPercent: number;
  memoryMb: number;
}

export type SubjectMessage = { ports: number[] } | { result: SubjectResult };

interface EchoCall {
  port: number;
  start(remotePort: number): void;
}

interface Subject {
  lines: EchoCall[];
  measure(ms: number): Promise<SendTimesResult>;
  counts(): { lostHere: number; late: number };
}

const WARM_UP_MS = 2_000;

/** The evaluation of the figures must not count as the subject's time or memory. */
const BEFORE_SORTING_MS = 250;

const LOOPBACK = '127.0.0.1';
const PORTS = { min: 33_000, max: 35_999 };
const log = { debug: () => undefined, warn: () => undefined };

/** A child process of the pacing bench. */
async function main(kind: PacingKind, { calls, seconds, threads }: PacingOptions): Promise<void> {
  const idleMb = residentMb();
  const subject = kind === 'interval' ? await openIntervals(calls) : await openLegs(kind, calls, threads);
  send({ ports: subject.lines.map((line) => line.port) });
  const [remotePorts] = (await once(process, 'message')) as [number[]];
  subject.lines.forEach((line, i) => line.start(remotePorts[i] as number));
  if (kind.endsWith('-blocked')) blockPeriodically();
  await elapsed(WARM_UP_MS);
  const before = process.cpuUsage();
  const startedAt = performance.now();
  const measuring = subject.measure(seconds * 1_000);
  await elapsed(seconds * 1_000 - BEFORE_SORTING_MS);
  const { user, system } = process.cpuUsage(before);
  const cpuPercent = (user + system) / 10 / (performance.now() - startedAt);
  const memoryMb = residentMb() - idleMb;
  send({ result: { ...(await measuring), ...subject.counts(), cpuPercent, memoryMb } });
}

/** Blocks the main thread for 30 ms every 250 ms, like parsing, garbage collection or a slow regular expression. */
function blockPeriodically(): void {
  const nothing = new Int32Array(new SharedArrayBuffer(4));
  setInterval(() => Atomics.wait(nothing, 0, 0, 30), 250);
}

function openHost(kind: PacingKind, threads: number): Promise<MediaHost> {
  if (kind === 'main-blocked') {
    const media = { bindAddress: LOOPBACK, ports: PORTS };
    return Promise.resolve(new LocalMediaHost({ media, tasks: pacingTasks(), log }));
  }
  const entry = new URL('./pacing-media-thread.js', import.meta.url);
  return MediaPool.start({ threads, source: { entry, data: () => ({ workerData: undefined }) }, ports: PORTS, log });
}

async function openLegs(kind: PacingKind, calls: number, threads: number): Promise<Subject> {
  const host = await openHost(kind, threads);
  const listener = { onDtmf: () => undefined, onTimeout: () => undefined, onLost: () => process.exit(1) };
  const legs: LegAudio[] = [];
  for (let i = 0; i < calls; i++) legs.push(await host.open({ legId: String(i) }, listener));
  const sum = (of: (leg: LegAudio) => number): number => legs.reduce((total, leg) => total + of(leg), 0);
  return {
    lines: legs.map((leg) => ({ port: leg.localPort, start: (port) => startEcho(leg, port) })),
    // The first legs run in different threads, because each leg starts in the least loaded thread.
    measure: async (ms) => worstOf(await Promise.all(legs.slice(0, threads).map((leg) => measureThread(leg, ms)))),
    counts: () => ({ lostHere: sum((leg) => leg.stats().lost), late: sum((leg) => leg.stats().lateFrames) }),
  };
}

function startEcho(leg: LegAudio, port: number): void {
  // Negotiates telephone-event as carriers do: without it, the tone detector would run as well.
  leg.start({ address: LOOPBACK, port, codec: 'PCMU', payloadType: 0, dtmfPayloadType: 101, sendAudio: true });
  leg.attach('echo', undefined);
}

const measureThread = async (leg: LegAudio, ms: number): Promise<SendTimesResult> =>
  (await leg.attach('measure', ms).done) as SendTimesResult;

/** The simplest implementation: a timer per call, without the work of a session. */
async function openIntervals(calls: number): Promise<Subject> {
  const times = new SendTimes();
  const lines: EchoCall[] = [];
  for (let i = 0; i < calls; i++) lines.push(await openIntervalEcho());
  return {
    lines,
    measure: async (ms) => {
      times.start(ms);
      await elapsed(ms);
      return times.stop();
    },
    counts: () => ({ lostHere: 0, late: 0 }),
  };
}

async function openIntervalEcho(): Promise<EchoCall> {
  const socket = createSocket('udp4').bind(0, LOOPBACK);
  await once(socket, 'listening');
  return { port: socket.address().port, start: (port) => echoOnInterval(socket, port) };
}

function echoOnInterval(socket: Socket, port: number): void {
  const packet = Buffer.alloc(172, 0xff);
  const queue: Buffer[] = [];
  let sequence = randomInt(0x10000);
  packet.writeUInt16BE(0x8000, 0);
  packet.writeUInt32BE(randomInt(2 ** 32), 8);
  socket.on('message', (datagram) => queue.push(datagram));
  setInterval(() => {
    sequence = (sequence + 1) & 0xffff;
    packet.writeUInt16BE(sequence, 2);
    packet.writeUInt32BE((sequence * 160) >>> 0, 4);
    const heard = queue.shift();
    if (heard) heard.copy(packet, 12, 12, 172);
    socket.send(packet, port, LOOPBACK);
  }, 20);
}

const residentMb = (): number => process.memoryUsage.rss() / 2 ** 20;
const send = (message: SubjectMessage): void => void process.send?.(message);

await main(process.argv[2] as PacingKind, JSON.parse(process.argv[3] as string) as PacingOptions);
