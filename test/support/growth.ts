/** The collector and the caches make a run slower, never faster: the fastest of so many counts. */
const RUNS = 7;
const TIMES = 8;
/** Linear work takes 8 times as long, quadratic 64 times. */
const AT_MOST = 24;
/** Below it the clock and the collector say more than the work. */
const LEAST_MS = 0.5;

/** Whether work of `size` takes at most a few times as long per unit as work of an eighth of it. */
export async function growsLinearly(work: (size: number) => unknown, size: number): Promise<boolean> {
  const small = await fastestOf(() => work(Math.round(size / TIMES)));
  const atMost = AT_MOST * Math.max(small, LEAST_MS);
  for (let run = 0; run < RUNS; run += 1) if ((await durationOf(() => work(size))) <= atMost) return true;
  return false;
}

/** Processor time of the fastest run in milliseconds. */
export async function fastestOf(work: () => unknown): Promise<number> {
  let fastest = Infinity;
  for (let run = 0; run < RUNS; run += 1) fastest = Math.min(fastest, await durationOf(work));
  return fastest;
}

/** Processor time of this process: on a busy machine a long run is interrupted more often than a short one. */
async function durationOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
