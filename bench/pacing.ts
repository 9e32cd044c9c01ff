import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { FarEndMessage, FarEndResult } from './pacing-far-end.js';
import type { SubjectMessage, SubjectResult } from './pacing-subject.js';
import { table } from './table.js';

const CALLS = [100, 200];
const MEASURE_MS = 10_000;
const FRAME_MS = 20;
const KINDS = { 'one-loop': 'one loop (ours)', interval: 'setInterval(20) per call' } as const;

type Kind = keyof typeof KINDS;
type Run = SubjectResult & FarEndResult & { calls: number; kind: Kind };

/**
 * Echo calls in one process, their far end in another: our media sessions, which share one loop on absolute deadlines, beside a bare
 * echo with an interval timer per call.
 */
export async function run(): Promise<void> {
  const runs: Run[] = [];
  for (const calls of CALLS) {
    for (const kind of Object.keys(KINDS) as Kind[]) runs.push(await measure(kind, calls));
  }
  console.log(
    `Echo calls in one process, ${MEASURE_MS / 1_000} s each; deviation from a grid of absolute 20 ms deadlines`,
  );
  table(
    ['', 'calls', 'drift ppm', 'p50 ms', 'p99 ms', 'not sent', 'lost', 'CPU %', 'MB'],
    runs.map((one) => [
      KINDS[one.kind],
      String(one.calls),
      one.driftPpm.toFixed(0),
      one.p50Ms.toFixed(2),
      one.p99Ms.toFixed(2),
      notSent(one),
      String(one.lost),
      one.cpuPercent.toFixed(1),
      one.memoryMb.toFixed(0),
    ]),
  );
  console.log(
    '  bars at 200 calls: drift <= 100 ppm, p99 <= 1.5 ms, nothing lost, CPU <= 25 % of a core, <= 100 MB above idle',
  );
}

/** Frames that the clock asked for and nobody sent. One frame per call may fall on either side of the window. */
function notSent({ frames, calls }: Run): string {
  const expected = (calls * MEASURE_MS) / FRAME_MS;
  const missing = Math.max(0, expected - frames - calls);
  return `${missing} of ${expected}`;
}

async function measure(kind: Kind, calls: number): Promise<Run> {
  const subject = child('./pacing-subject.js', [kind, String(calls), String(MEASURE_MS)]);
  const { ports } = await answer<SubjectMessage, 'ports'>(subject);
  const farEnd = child('./pacing-far-end.js', [JSON.stringify(ports)]);
  try {
    subject.send((await answer<FarEndMessage, 'ports'>(farEnd)).ports);
    const { result } = await answer<SubjectMessage, 'result'>(subject);
    farEnd.send('stop');
    return { kind, calls, ...result, ...(await answer<FarEndMessage, 'result'>(farEnd)).result };
  } finally {
    await Promise.all([subject, farEnd].map(end));
  }
}

const child = (module: string, args: string[]): ChildProcess => fork(new URL(module, import.meta.url), args);

/** The next message of the child; rejects when it exits instead. */
async function answer<Message, Key extends PropertyKey>(
  from: ChildProcess,
): Promise<Extract<Message, Record<Key, unknown>>> {
  const exited = new AbortController();
  const died = once(from, 'exit', exited).then(([code]) => {
    throw new Error(`A process of the bench ended with ${code}.`);
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
