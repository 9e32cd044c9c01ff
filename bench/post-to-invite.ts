import { setTimeout as delay } from 'node:timers/promises';
import { CountingCallee } from '../test/support/counting-callee.js';
import { Stack } from '../test/support/stack.js';
import { createAccount } from '../test/support/workspace.js';
import { callCreator, type CreateCalls } from './scale-dialer.js';
import { ScaleEnvironment } from './scale-environment.js';
import { percentile } from './scale-rounds.js';
import { table } from './table.js';

const ROUNDS = 7;
const CALLS = 40;
/** A call ends soon after its INVITE. */
const ENDED_MS = 60;

interface Contender {
  name: string;
  stack: Stack;
  createCalls: CreateCalls;
  times: number[][];
}

/**
 * From POST to the INVITE at the callee, one call after the other on an idle service: api, worker and dialer, with the queue in Redis if it
 * is installed. `baseline`: the `dist` folder of another build, which takes turns.
 */
export async function run({ baseline }: { baseline?: string } = {}): Promise<void> {
  const environment = await ScaleEnvironment.open();
  const callee = await CountingCallee.start('127.0.0.1', 0);
  const contenders: Contender[] = [];
  try {
    for (const build of [undefined, ...(baseline === undefined ? [] : [baseline])])
      contenders.push(await contender(build, environment, callee));
    for (const one of contenders) await round(one, callee);
    for (let n = 0; n < ROUNDS; n++)
      for (const one of n % 2 === 0 ? contenders : contenders.toReversed()) one.times.push(await round(one, callee));
    report(contenders, environment.queue);
  } finally {
    for (const { stack } of contenders) await stack.stop();
    await callee.close();
    await environment.close();
  }
}

async function contender(
  build: string | undefined,
  environment: ScaleEnvironment,
  callee: CountingCallee,
): Promise<Contender> {
  const stack = await environment.stack({ database: await environment.database(), build });
  const account = await createAccount(stack, { name: 'bench', concurrentCalls: 1_000, callsPerSecond: 1_000 });
  return { name: build ?? 'this build', stack, createCalls: callCreator(stack, callee, account), times: [] };
}

async function round({ createCalls }: Contender, callee: CountingCallee): Promise<number[]> {
  const times: number[] = [];
  while (times.length < CALLS) {
    const calls = callee.dialogs.size;
    const postedAt = performance.now();
    await Promise.all([callee.untilDialogs(calls + 1), createCalls(1)]);
    times.push((callee.arrivals.at(-1) ?? 0) - postedAt);
    await delay(ENDED_MS + Math.random() * 40);
  }
  return times;
}

function report(contenders: readonly Contender[], queue: string): void {
  console.log(
    `POST to INVITE, idle, ${ROUNDS} interleaved rounds of ${CALLS} calls, the queue in ${queue}; ms, ranges of the rounds`,
  );
  table(
    ['', 'p50', '', 'p95', '', 'bar'],
    contenders.map(({ name, times }) => {
      const of = (share: number): [string, string] => {
        const each = times.map((one) => percentile(one, share));
        return [
          percentile(times.flat(), share).toFixed(1),
          `${Math.min(...each).toFixed(1)}-${Math.max(...each).toFixed(1)}`,
        ];
      };
      return [name, ...of(0.5), ...of(0.95), 'p95 <= 35'];
    }),
  );
}
