import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Footprint } from './soak-subject.js';
import { table } from './table.js';

const AT_ONCE = 50;
const TOTALS = [100, 500, 1_000, 1_500, 2_000];

/** Runs short calls between the engine and the sandbox phone, and measures the resources that the process keeps. */
export async function run(): Promise<void> {
  const started = performance.now();
  const prints = await soak(AT_ONCE, TOTALS);
  console.log(
    `Short calls with audio, ${AT_ONCE} at once, in ${((performance.now() - started) / 1_000).toFixed(0)} s; resources after the end of all calls`,
  );
  table(
    ['calls', 'ended wrong', 'heap MB', 'RSS MB', 'files', 'timers', 'SIP and legs', 'listeners'],
    prints.map((one) => [
      String(one.calls),
      String(one.wrong),
      one.heapMb.toFixed(1),
      one.rssMb.toFixed(0),
      String(one.files),
      String(one.timers),
      String(one.held),
      String(one.listeners),
    ]),
  );
  console.log('  bars from 500 to 2,000 calls: heap grows < 3 MB, nothing else grows');
}

/** Measures the resources of a separate process after each of these numbers of calls. */
export async function soak(atOnce: number, totals: number[]): Promise<Footprint[]> {
  const child = fork(new URL('./soak-subject.js', import.meta.url), [atOnce, ...totals].map(String), {
    execArgv: ['--expose-gc'],
  });
  const prints: Footprint[] = [];
  child.on('message', (message) => prints.push(message as Footprint));
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0 || prints.length !== totals.length)
    throw new Error(`The soak ended with ${code} after ${prints.length} of ${totals.length} measurements.`);
  return prints;
}
