/** Neighbours make a run slower, never faster: the fastest of so many counts. */
const RUNS = 7;
const TIMES = 8;
/** Linear work takes 8 times as long, quadratic 64 times. */
const AT_MOST = 24;
/** Below it the clock and the collector say more than the work. */
const LEAST_MS = 0.5;

/** Whether work of `size` takes at most a few times as long per unit as work of an eighth of it. It is repeated until it did, or 7 times. */
export async function growsLinearly(work: (size: number) => unknown, size: number): Promise<boolean> {
  let [small, large] = [Infinity, Infinity];
  for (let run = 0; run < RUNS; run += 1) {
    small = Math.min(small, await durationOf(() => work(Math.round(size / TIMES))));
    large = Math.min(large, await durationOf(() => work(size)));
    if (large <= AT_MOST * Math.max(small, LEAST_MS)) return true;
  }
  return false;
}

/** Duration of the fastest run in milliseconds. */
export async function fastestOf(work: () => unknown): Promise<number> {
  let fastest = Infinity;
  for (let run = 0; run < RUNS; run += 1) fastest = Math.min(fastest, await durationOf(work));
  return fastest;
}

async function durationOf(work: () => unknown): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
