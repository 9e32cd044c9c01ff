import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createSocket } from 'node:dgram';
import { buildOffer, EmbeddedEngine, LocalMediaHost, SipUserAgent } from '@app/telephony';
import { table } from './table.js';

const CALLS = 3_000;
const AT_ONCE = 50;
const ROUNDS = 3;
const HOST = '127.0.0.1';
const QUIET = { debug: () => {}, warn: () => {} };
/** /proc counts CPU in ticks of 1/100 s (sysconf(_SC_CLK_TCK) on Linux). */
const TICK_MS = 10;

interface Round {
  callsPerSecond: number;
  cpuMsPerCall: number;
}

/** INVITE, 180, 200, ACK, BYE, 200 to a SIPp UAS, from SIPp, from Trunkline's user agent, and from its engine with RTP sockets. */
export async function run(): Promise<void> {
  const callee = await startSipp(['-sn', 'uas']);
  const contenders: [string, () => Promise<Round>][] = [
    ['SIPp', () => sippCalls(callee.port)],
    ['Trunkline, signalling', () => userAgentCalls(callee.port)],
    ['Trunkline, with RTP', () => engineCalls(callee.port)],
  ];
  const rounds = new Map<string, Round[]>(contenders.map(([name]) => [name, []]));
  try {
    for (let round = 0; round <= ROUNDS; round++) {
      for (const [name, work] of contenders) {
        const result = await work();
        // The first round warms up the JIT and the sockets.
        if (round > 0) rounds.get(name)?.push(result);
      }
    }
  } finally {
    await stop(callee.child);
  }
  report(rounds);
}

function report(rounds: Map<string, Round[]>): void {
  const medians = [...rounds].map(([name, all]) => ({
    name,
    rate: median(all.map((round) => round.callsPerSecond)),
    cpu: median(all.map((round) => round.cpuMsPerCall)),
  }));
  const sipp = medians[0]!;
  console.log(`Call setup and end, ${CALLS} calls, ${AT_ONCE} at once, median of ${ROUNDS} interleaved rounds`);
  table(
    ['', 'calls/s', 'rate / SIPp', 'CPU ms/call', 'CPU / SIPp', 'bar'],
    medians.map(({ name, rate, cpu }, i) => [
      name,
      rate.toFixed(0),
      (rate / sipp.rate).toFixed(2),
      cpu.toFixed(3),
      (cpu / sipp.cpu).toFixed(1),
      ['', 'rate >= 0.70, CPU <= 10', 'rate >= 0.55'][i] ?? '',
    ]),
  );
}

async function userAgentCalls(port: number): Promise<Round> {
  const agent = await SipUserAgent.start({ bind: HOST, port: 0, userAgent: 'bench', log: QUIET });
  const offer = (address: string) => buildOffer({ address, port: 40_000, codecs: ['PCMU'] });
  const uri = `sip:service@${HOST}:${port}`;
  try {
    return await measured(() => {
      const call = agent.invite({
        requestUri: uri,
        from: { user: 'bench' },
        nextHops: [{ host: HOST, port, transport: 'udp' }],
        offer,
        codecs: ['PCMU'],
        ringTimeoutMs: 30_000,
      });
      call.on('answered', () => call.hangup());
      return new Promise((resolve) => call.on('ended', () => resolve()));
    });
  } finally {
    await agent.close();
  }
}

async function engineCalls(port: number): Promise<Round> {
  const engine = await EmbeddedEngine.start({
    sip: { bind: HOST, port: 0, userAgent: 'bench', log: QUIET },
    media: new LocalMediaHost({
      media: { bindAddress: HOST, ports: { min: 20_000, max: 59_999 } },
      tasks: {},
      log: QUIET,
    }),
    codecs: ['PCMU'],
  });
  let n = 0;
  try {
    return await measured(() => {
      const leg = engine.dial({
        legId: String(++n),
        destination: { kind: 'sip', uri: `sip:service@${HOST}:${port}` },
        from: { number: '+15550001111' },
        ringTimeoutMs: 30_000,
      });
      leg.on('answered', () => leg.hangup('normal_clearing'));
      return new Promise((resolve) => leg.on('ended', () => resolve()));
    });
  } finally {
    await engine.close();
  }
}

/** Keeps AT_ONCE calls active until CALLS have ended. */
async function measured(place: () => Promise<void>): Promise<Round> {
  const before = process.cpuUsage();
  const start = performance.now();
  let left = CALLS;
  const line = async (): Promise<void> => {
    while (left-- > 0) await place();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, line));
  const seconds = (performance.now() - start) / 1_000;
  const { user, system } = process.cpuUsage(before);
  return { callsPerSecond: CALLS / seconds, cpuMsPerCall: (user + system) / 1_000 / CALLS };
}

async function sippCalls(port: number): Promise<Round> {
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

/** User and system CPU time so far; 0 when the process has ended. */
async function cpuOf(child: ChildProcess): Promise<number> {
  const stat = await readFile(`/proc/${child.pid}/stat`, 'latin1').catch(() => '');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * TICK_MS;
}

async function startSipp(options: string[]): Promise<{ child: ChildProcess; port: number }> {
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

async function stop(child: ChildProcess): Promise<void> {
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
