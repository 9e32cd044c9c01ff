import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpus, loadavg } from 'node:os';
import { collectorOf } from '../apps/cli/src/supervisor/child-process.js';
import type { PeerMessage, PeerResult } from './pacing-peer.js';
import { PACING_KINDS, type PacingKind, type PacingOptions } from './pacing-kinds.js';
import type { SubjectMessage, SubjectResult } from './pacing-subject.js';
import { table } from './table.js';

const FRAME_MS = 20;

type Run = SubjectResult & PeerResult & { kind: PacingKind };

/**
 * Echo calls in one process, their remote parties in another: in a media thread with a quiet and with a blocked main thread, without a
 * media thread, and as a bare echo with an interval timer per call.
 */
export async function run(options: Partial<PacingOptions>): Promise<void> {
  const { calls = 200, seconds = 60, threads = 1 } = options;
  const all = { calls, seconds, threads };
  console.log(
    `${calls} echo calls for ${seconds} s, ${threads} media thread(s); deviation from absolute 20 ms deadlines`,
  );
  console.log(`  load before: ${loadavg()[0]?.toFixed(1)} on ${cpus().length} processors`);
  const runs: Run[] = [];
  for (const kind of Object.keys(PACING_KINDS) as PacingKind[]) runs.push(await measure(kind, all));
  table(
    ['', 'drift ppm', 'p50 ms', 'p99 ms', 'not sent', 'lost out', 'lost in', 'late', 'CPU %', 'MB'],
    runs.map((one) => row(one, all)),
  );
  console.log(`  load after: ${loadavg()[0]?.toFixed(1)}`);
  console.log(
    '  bars at 200 calls, first two rows: drift <= 100 ppm, p99 <= 1.5 ms, nothing lost, CPU <= 25 % of a core, <= 100 MB above idle',
  );
}

const row = (one: Run, options: PacingOptions): string[] => [
  PACING_KINDS[one.kind],
  one.driftPpm.toFixed(0),
  one.p50Ms.toFixed(2),
  one.p99Ms.toFixed(2),
  notSent(one, options),
  String(one.lost),
  String(one.lostHere),
  String(one.late),
  one.cpuPercent.toFixed(1),
  one.memoryMb.toFixed(0),
];

/** Frames that were due but not sent; one frame per call may fall on either side of the window. */
function notSent({ frames }: Run, { calls, seconds }: PacingOptions): string {
  const expected = (calls * seconds * 1_000) / FRAME_MS;
  const missing = Math.max(0, expected - frames - calls);
  return `${missing} of ${expected}`;
}

export async function measure(kind: PacingKind, options: PacingOptions): Promise<Run> {
  const subject = child('./pacing-subject.js', [kind, JSON.stringify(options)], collectorOf('dialer'));
  const { ports } = await answer<SubjectMessage, 'ports'>(subject);
  const peer = child('./pacing-peer.js', [JSON.stringify(ports)]);
  try {
    subject.send((await answer<PeerMessage, 'ports'>(peer)).ports);
    const { result } = await answer<SubjectMessage, 'result'>(subject);
    peer.send('stop');
    return { kind, ...result, ...(await answer<PeerMessage, 'result'>(peer)).result };
  } finally {
    await Promise.all([subject, peer].map(end));
  }
}

const child = (module: string, args: string[], execArgv: string[] = []): ChildProcess =>
  fork(new URL(module, import.meta.url), args, { execArgv });

/** The next message of the child; rejects when it exits instead. */
async function answer<Message, Key extends PropertyKey>(
  from: ChildProcess,
): Promise<Extract<Message, Record<Key, unknown>>> {
  const exited = new AbortController();
  const died = once(from, 'exit', exited).then(([code]) => {
    throw new Error(`A bench process ended with ${code}.`);
  });
  try {
    const [message] = (await Promise.race([once(from, 'message'), died])) as [Extract<Message, Record<Key, unknown>>];
    return message;
  } finally {
    died.catch(() => undefined);
    exited.abort();
  }
}

async function end(process: ChildProcess): Promise<void> {
  if (process.exitCode !== null) return;
  const exited = once(process, 'exit');
  process.kill();
  await exited;
}
