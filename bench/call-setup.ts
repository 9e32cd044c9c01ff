import { type ChildProcess, fork, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { collectorOf } from '../apps/cli/src/supervisor/child-process.js';
import type { SetupKind, SetupRound } from './call-setup-subject.js';
import { table } from './table.js';

const CALLS = 3_000;
const AT_ONCE = 50;
const ROUNDS = 7;
const HOST = '127.0.0.1';

interface Contender {
  name: string;
  round: () => Promise<SetupRound>;
  bar: string;
  close: () => void;
}

/**
 * INVITE, 180, 200, ACK, BYE, 200 to a SIPp UAS, from SIPp, from Trunkline's user agent, and from its engine with RTP sockets.
 * `baseline`: the `dist` folder of another build, which takes part.
 */
export async function run({ baseline }: { baseline?: string } = {}): Promise<void> {
  const callee = await startSipp(['-sn', 'uas']);
  const contenders = [sipp(callee.port)];
  try {
    const builds = [{ name: 'Trunkline', build: fileURLToPath(new URL('..', import.meta.url)) }];
    if (baseline !== undefined) builds.push({ name: 'baseline', build: resolve(baseline) });
    for (const kind of ['signalling', 'rtp'] as const)
      for (const { name, build } of builds) contenders.push(await trunkline(name, build, kind, callee.port));
    report(contenders, await interleaved(contenders));
  } finally {
    for (const { close } of contenders) close();
    await stop(callee.child);
  }
}

/** The results of each round, in the order of the contenders. */
async function interleaved(contenders: readonly Contender[]): Promise<SetupRound[][]> {
  const rounds: SetupRound[][] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const results: SetupRound[] = [];
    for (const { round: measure } of contenders) results.push(await measure());
    // The first round warms up the JIT and the sockets.
    if (round > 0) rounds.push(results);
  }
  return rounds;
}

/** Ratios are those of one round: the speed of the machine changes. */
function report(contenders: readonly Contender[], rounds: readonly SetupRound[][]): void {
  const all = (index: number, of: (one: SetupRound, sipp: SetupRound) => number): number[] =>
    rounds.map((round) => of(round[index]!, round[0]!));
  console.log(`Call setup and end, ${CALLS} calls, ${AT_ONCE} at once, medians of ${ROUNDS} interleaved rounds`);
  table(
    ['', 'calls/s', 'rate / SIPp', '', 'CPU ms/call', 'CPU / SIPp', '', 'bar'],
    contenders.map(({ name, bar }, index) => {
      const rates = all(index, (one, sipp) => one.callsPerSecond / sipp.callsPerSecond);
      const cpu = all(index, (one, sipp) => one.cpuMsPerCall / sipp.cpuMsPerCall);
      return [
        name,
        median(all(index, (one) => one.callsPerSecond)).toFixed(0),
        median(rates).toFixed(2),
        range(rates, 2),
        median(all(index, (one) => one.cpuMsPerCall)).toFixed(3),
        median(cpu).toFixed(1),
        range(cpu, 1),
        bar,
      ];
    }),
  );
}

const range = (values: readonly number[], digits: number): string =>
  `${Math.min(...values).toFixed(digits)}-${Math.max(...values).toFixed(digits)}`;

const sipp = (port: number): Contender => ({
  name: 'SIPp',
  round: () => sippCalls(port),
  bar: '',
  close: () => undefined,
});

async function trunkline(name: string, build: string, kind: SetupKind, port: number): Promise<Contender> {
  const options = JSON.stringify({ calls: CALLS, atOnce: AT_ONCE, host: HOST, port });
  const args = [build, kind, options];
  const child = fork(new URL('./call-setup-subject.js', import.meta.url), args, { execArgv: collectorOf('dialer') });
  await once(child, 'message');
  const bar = kind === 'rtp' ? 'rate >= 0.75, CPU <= 6' : 'rate >= 0.85, CPU <= 4';
  const round = async (): Promise<SetupRound> => {
    child.send('round');
    const [result] = (await once(child, 'message')) as [SetupRound];
    return result;
  };
  const what = kind === 'rtp' ? 'with RTP' : 'signalling';
  return { name: `${name}, ${what}`, round, bar, close: () => child.disconnect() };
}

export async function sippCalls(port: number): Promise<SetupRound> {
  const start = performance.now();
  const options = [
    '-sn',
    'uac',
    `${HOST}:${port}`,
    '-m',
    String(CALLS),
    '-l',
    String(AT_ONCE),
    '-r',
    '100000',
    '-rp',
    '1000',
  ];
  const { child } = await startSipp(options);
  let cpuMs = 0;
  const sampling = setInterval(() => void cpuOf(child).then((ms) => (cpuMs = Math.max(cpuMs, ms))), 10);
  await once(child, 'exit');
  clearInterval(sampling);
  const seconds = (performance.now() - start) / 1_000;
  return { callsPerSecond: CALLS / seconds, cpuMsPerCall: cpuMs / CALLS };
}

/** CPU time so far; 0 when the process has ended. The scheduler counts ns; the ticks of `stat` are a tenth of a round. */
async function cpuOf({ pid }: ChildProcess): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const times = threads.map(async (thread) => {
    const stat = await readFile(`/proc/${pid}/task/${thread}/schedstat`, 'latin1').catch(() => '0');
    return Number(stat.split(' ', 1)[0]) / 1_000_000;
  });
  return (await Promise.all(times)).reduce((sum, ms) => sum + ms, 0);
}

export async function startSipp(options: string[]): Promise<{ child: ChildProcess; port: number }> {
  const port = await freeUdpPort();
  const args = [...options, '-i', HOST, '-p', String(port), '-mp', String(await freeUdpPort()), '-nostdin'];
  const child = spawn('sipp', args, { stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, TERM: 'dumb' } });
  await once(child, 'spawn');
  const hex = `:${port.toString(16).toUpperCase().padStart(4, '0')} `;
  while (child.exitCode === null && !(await readFile('/proc/net/udp', 'latin1')).includes(hex)) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return { child, port };
}

export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

async function freeUdpPort(): Promise<number> {
  const socket = createSocket('udp4').bind(0, HOST);
  await once(socket, 'listening');
  const { port } = socket.address();
  socket.close();
  return port;
}

function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
