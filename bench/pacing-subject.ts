import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { randomInt } from 'node:crypto';
import { openMediaSession } from '@app/telephony';
import { SendTimes } from './send-times.js';

/** What the subject of a pacing run tells about itself. */
export interface SubjectResult {
  frames: number;
  driftPpm: number;
  p50Ms: number;
  p99Ms: number;
  cpuPercent: number;
  memoryMb: number;
}

export type SubjectMessage = { ports: number[] } | { result: SubjectResult };

interface EchoCall {
  port: number;
  start(remotePort: number): void;
}

const WARM_UP_MS = 2_000;
const LOOPBACK = '127.0.0.1';

/** A child process of the pacing bench: `one-loop` or `interval`, the number of echo calls, the milliseconds to measure. */
async function main(kind: string, calls: number, measureMs: number): Promise<void> {
  const times = new SendTimes();
  const idleMb = residentMb();
  const open = kind === 'one-loop' ? openPacedEcho : openIntervalEcho;
  const lines: EchoCall[] = [];
  for (let i = 0; i < calls; i++) lines.push(await open());
  tell({ ports: lines.map((line) => line.port) });
  const [remotePorts] = (await once(process, 'message')) as [number[]];
  lines.forEach((line, i) => line.start(remotePorts[i] as number));
  await elapsed(WARM_UP_MS);
  times.start();
  const before = process.cpuUsage();
  const startedAt = performance.now();
  await elapsed(measureMs);
  const { user, system } = process.cpuUsage(before);
  const cpuPercent = (user + system) / 10 / (performance.now() - startedAt);
  tell({ result: { ...times.stop(), cpuPercent, memoryMb: residentMb() - idleMb } });
}

async function openPacedEcho(): Promise<EchoCall> {
  const session = await openMediaSession({ bindAddress: LOOPBACK, ports: { min: 34_000, max: 34_999 } });
  session.onFrame((frame) => session.write(frame));
  return {
    port: session.localPort,
    start: (port) => session.start({ address: LOOPBACK, port, codec: 'PCMU', payloadType: 0, sendAudio: true }),
  };
}

/** What one would write first: a timer per call. Bare, without any of the work that a session does. */
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
const elapsed = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const tell = (message: SubjectMessage): void => void process.send?.(message);

await main(process.argv[2] as string, Number(process.argv[3]), Number(process.argv[4]));
