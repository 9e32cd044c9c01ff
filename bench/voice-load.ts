import { execFileSync, fork, type ChildProcess } from 'node:child_process';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as elapsed } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { collectorOf } from '../apps/cli/src/supervisor/child-process.js';
import { cpuOfMachine } from './cpu.js';
import type { SendTimesResult } from './send-times.js';
import { table } from './table.js';
import { CYCLE_MS, SILENCE, TONE, USER_SPEAKS_MS } from './voice-phone.js';
import type { VoiceServers } from './voice-server.js';
import type { SubjectTask } from './voice-subject.js';
import { ask } from './voice.js';

export interface LoadOptions {
  calls?: number;
  seconds?: number;
  rounds?: number;
  /** The `dist` of other checkouts with this benchmark, separated by commas, measured in turn with this one. */
  baseline?: string;
}

/** CPU in percent of a core, garbage collection in ms per second, memory in MB. */
export interface LoadResult extends SendTimesResult {
  cpu: number;
  gc: number;
  rss: number;
  /** CPU of all other processes of the machine: phones, provider and disturbances. */
  others?: number;
}

const FRAME_MS = 20;
/** Spreads the packets of any number of calls over 20 ms: calls that began 50 ms apart would send in two groups. */
const GOLDEN_RATIO = 0.618;

/**
 * Agent calls in one process: phones in this process, the provider behind TLS in another one. The agent speaks half of the time and the
 * user nearly a third; all calls are recorded.
 */
export async function runLoad({ calls = 200, seconds = 12, rounds = 1, baseline }: LoadOptions): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'trunkline-bench-'));
  const tls = certificateIn(folder);
  const server = fork(new URL('./voice-server.js', import.meta.url), [tls.cert, tls.key]);
  try {
    const [servers] = (await once(server, 'message')) as [VoiceServers];
    const builds = [
      ...(baseline?.split(',') ?? []).map((name) => ({
        name,
        url: pathToFileURL(resolve(name, 'bench/voice-subject.js')),
      })),
      { name: 'this build', url: new URL('./voice-subject.js', import.meta.url) },
    ];
    const results = builds.map((): LoadResult[] => []);
    for (let round = 0; round < rounds; round++) {
      for (const n of builds.keys()) {
        const at = (n + round) % builds.length;
        const result = await measure(builds[at]!.url, { calls, seconds, servers, cert: tls.cert });
        results[at]!.push(result);
        const { cpu, others = NaN, p99Ms } = result;
        const rest = `p99 ${p99Ms.toFixed(2)} ms; all others ${others.toFixed(0)} %`;
        console.log(`  ${builds[at]!.name}: ${cpu.toFixed(1)} % of a core, ${rest}`);
      }
    }
    table(
      [
        `${calls} agent calls, ${seconds} s, ${rounds} rounds`,
        'CPU per call',
        'p50 ms',
        'p99 ms',
        'not sent',
        'GC ms/s',
        'MB',
      ],
      builds.map(({ name }, at) => rowOf(name, results[at]!, calls, (calls * seconds * 1_000) / FRAME_MS)),
    );
  } finally {
    server.kill();
    rmSync(folder, { recursive: true });
  }
  process.exit();
}

interface CallsOptions {
  calls: number;
  seconds: number;
  servers: VoiceServers;
  cert: string;
}

const measure = (url: URL, options: CallsOptions): Promise<LoadResult> =>
  duringCalls(url, options, (measured) => measured());

/** Places the calls, which last until `use` has ended; `measured` measures the next seconds of them. */
export async function duringCalls<Result>(
  url: URL,
  { calls, seconds, servers, cert }: CallsOptions,
  use: (measured: () => Promise<LoadResult>) => Promise<Result>,
): Promise<Result> {
  const subject = fork(url, { env: { ...process.env, NODE_EXTRA_CA_CERTS: cert }, execArgv: collectorOf('dialer') });
  const phones = await LoadPhones.open(calls);
  try {
    const ports = (await ask(subject, { do: 'open', calls, servers, isLoad: true })) as number[];
    const startedAt = performance.now();
    for (const [call, port] of ports.entries()) {
      const dueAt = startedAt + (call * CYCLE_MS) / calls + ((call * GOLDEN_RATIO) % 1) * FRAME_MS;
      await elapsed(Math.max(0, dueAt - performance.now()));
      await answer(subject, phones, call, port);
    }
    await elapsed(1_000);
    return await use(async () => {
      const before = await cpuOfMachine();
      const result = (await ask(subject, { do: 'load', seconds })) as LoadResult;
      return { ...result, others: ((await cpuOfMachine()) - before) / (seconds * 10) - result.cpu };
    });
  } finally {
    subject.disconnect();
    await once(subject, 'exit');
    phones.close();
  }
}

export async function answer(subject: ChildProcess, phones: LoadPhones, call: number, port: number): Promise<void> {
  const task: SubjectTask = { do: 'answer', call, remotePort: phones.portOf(call), greeting: 'Hello.' };
  await ask(subject, task);
  phones.call(call, port);
}

function rowOf(name: string, all: LoadResult[], calls: number, frames: number): string[] {
  const median = (of: (one: LoadResult) => number, digits: number): string => {
    const sorted = all.map(of).toSorted((a, b) => a - b);
    const range = sorted.length > 1 ? ` (${sorted[0]!.toFixed(digits)}-${sorted.at(-1)!.toFixed(digits)})` : '';
    return sorted[Math.floor(sorted.length / 2)]!.toFixed(digits) + range;
  };
  return [
    name,
    `${median(({ cpu }) => cpu / calls, 3)} %`,
    median(({ p50Ms }) => p50Ms, 2),
    median(({ p99Ms }) => p99Ms, 2),
    // A frame of each call may fall on either side of the window.
    median((one) => Math.max(0, frames - one.frames - calls), 0),
    median(({ gc }) => gc, 1),
    median(({ rss }) => rss, 0),
  ];
}

export function certificateIn(folder: string): { cert: string; key: string } {
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  execFileSync('openssl', ['req', '-x509', ...curve, '-keyout', key, '-out', cert, '-days', '2', ...names], {
    stdio: 'pipe',
  });
  return { cert, key };
}

const PHONES_PER_SOCKET = 20;
/** For a process that gets no processor for a moment. */
const RECEIVE_BYTES = 4 * 1024 * 1024;

interface LoadPhone {
  packet: Buffer;
  port: number;
  frames: number;
  nextAt: number;
}

/** Phones that cost little: they share sockets and packets. */
export class LoadPhones {
  private readonly phones = new Map<number, LoadPhone>();
  private readonly timer = setInterval(() => this.tick(), 1);

  private constructor(private readonly sockets: readonly Socket[]) {}

  static async open(calls: number): Promise<LoadPhones> {
    const count = Math.ceil(calls / PHONES_PER_SOCKET);
    const lookup = (host: string, _: unknown, done: (error: null, address: string, family: number) => void) =>
      done(null, host, 4);
    const sockets = Array.from({ length: count }, () => createSocket({ type: 'udp4', lookup }));
    for (const socket of sockets) {
      const listening = once(socket, 'listening');
      socket.bind(0, '127.0.0.1');
      await listening;
      socket.setRecvBufferSize(RECEIVE_BYTES);
      socket.on('message', () => undefined);
    }
    return new LoadPhones(sockets);
  }

  portOf(call: number): number {
    return this.socketOf(call).address().port;
  }

  call(call: number, port: number): void {
    const packet = Buffer.alloc(12 + SILENCE.length);
    packet.writeUInt16BE(0x8000, 0);
    packet.writeUInt32BE(call + 1, 8);
    this.phones.set(call, { packet, port, frames: 0, nextAt: performance.now() });
  }

  end(call: number): void {
    this.phones.delete(call);
  }

  close(): void {
    clearInterval(this.timer);
    for (const socket of this.sockets) socket.close();
  }

  private socketOf(call: number): Socket {
    return this.sockets[Math.floor(call / PHONES_PER_SOCKET)]!;
  }

  private tick(): void {
    const now = performance.now();
    for (const [call, phone] of this.phones) {
      if (phone.nextAt > now) continue;
      phone.nextAt += FRAME_MS;
      const atMs = (phone.frames * FRAME_MS) % CYCLE_MS;
      const isTurn = atMs >= USER_SPEAKS_MS.from && atMs < USER_SPEAKS_MS.to;
      // 300 ms of voice, 100 ms of pause.
      const speaks = isTurn && phone.frames % 20 < 15;
      const { packet } = phone;
      packet.writeUInt16BE(phone.frames & 0xffff, 2);
      packet.writeUInt32BE((phone.frames++ * SILENCE.length) >>> 0, 4);
      (speaks ? TONE : SILENCE).copy(packet, 12);
      this.socketOf(call).send(packet, phone.port, '127.0.0.1');
    }
  }
}
