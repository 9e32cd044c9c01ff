import { availableParallelism } from 'node:os';
import { cpuOfMachine, cpuOfTrees } from './cpu.js';

/** The result of one run. */
export interface Outcome {
  /** Units done, for the throughput; absent where only latency is measured. */
  units?: number;
  /** ms of each. */
  times?: number[];
}

/** Work for the processes under test. */
export interface Work {
  name: string;
  /** Warms up a new process before it is measured. */
  warmUp?: boolean;
  /** Prepares the work and returns the function that is measured. */
  prepare: () => Promise<() => Promise<Outcome>>;
}

/** One kind of process; the numbers of the other kinds stay constant. */
export interface Subject {
  counts: readonly number[];
  works: readonly Work[];
  /** @returns the number of started processes */
  resize: (count: number) => Promise<number>;
  /** Process ids of the processes under test, and of PostgreSQL. */
  pids: () => { own: number[]; postgres: number };
}

interface Sample {
  rate?: number;
  times: number[];
  ownMs?: number;
  postgresMs?: number;
  busyCores: number;
}

/** The combined rounds of one work with one number of processes. */
export interface Measured {
  work: string;
  processes: number;
  /** Units per second. */
  rate?: number;
  /** ms, of all rounds, in order. */
  times: number[];
  /** CPU for one unit: of the processes under test, and of PostgreSQL. */
  ownMs?: number;
  postgresMs?: number;
  /** Processor time of the whole machine. */
  busyCores: number;
}

export const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);

/** Shows progress. */
export const say = (line: string): void => console.error(`  ${line}`);

/**
 * Runs all numbers of processes in interleaved order (down, up, down), so that other load on the machine affects all of them. New
 * processes are warmed up first.
 */
export async function rounds({ name, ...subject }: Subject & { name: string }): Promise<Measured[]> {
  const samples = subject.counts.map(() => subject.works.map(() => [] as Sample[]));
  for (let round = 0; round < ROUNDS; round++) {
    const order = [...subject.counts.entries()];
    for (const [index, count] of round % 2 === 0 ? order.toReversed() : order) {
      const stage = `${name}: round ${round + 1} of ${ROUNDS}, ${count} processes`;
      say(stage);
      const started = await subject.resize(count);
      for (const [at, work] of subject.works.entries()) {
        say(`${stage}, ${work.name}`);
        if (work.warmUp) for (let n = 0; n < started; n += 2) await sampled(subject, work);
        samples[index]?.[at]?.push(await sampled(subject, work));
      }
    }
  }
  return subject.works.flatMap(({ name: work }, at) =>
    subject.counts.map((processes, index) => ({ work, processes, ...asOne(samples[index]?.[at] ?? []) })),
  );
}

async function sampled({ pids }: Subject, work: Work): Promise<Sample> {
  const run = await work.prepare();
  const { own, postgres } = pids();
  const look = async () => ({
    at: performance.now(),
    own: await cpuOfTrees(own),
    postgres: await cpuOfTrees([postgres]),
    machine: await cpuOfMachine(),
  });
  const before = await look();
  const { units, times = [] } = await run();
  const after = await look();
  const ms = after.at - before.at;
  const busyCores = Math.min(availableParallelism(), (after.machine - before.machine) / ms);
  if (units === undefined) return { times, busyCores };
  return {
    rate: (units * 1_000) / ms,
    times,
    ownMs: (after.own - before.own) / units,
    postgresMs: (after.postgres - before.postgres) / units,
    busyCores,
  };
}

function asOne(samples: Sample[]): Omit<Measured, 'work' | 'processes'> {
  const of = (pick: (sample: Sample) => number | undefined): number | undefined => {
    const values = samples.map(pick).filter((value) => value !== undefined);
    return values.length > 0 ? percentile(values, 0.5) : undefined;
  };
  return {
    rate: of(({ rate }) => rate),
    times: samples.flatMap(({ times }) => times),
    ownMs: of(({ ownMs }) => ownMs),
    postgresMs: of(({ postgresMs }) => postgresMs),
    busyCores: of(({ busyCores }) => busyCores) ?? 0,
  };
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
