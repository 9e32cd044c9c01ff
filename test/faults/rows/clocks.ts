import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { FaultEnvironment } from '../fault-environment.js';
import type { Findings, Row } from '../row.js';

const SHIFT = pathToFileURL(join(process.cwd(), 'test/faults/preload/shifted-clock.mjs')).href;
/** Until each of the three workers has sent something. */
const PATIENCE_MS = 60_000;

/** Three workers: one clock is a minute ahead, one a minute behind, one correct. Nobody announces the webhooks. */
const shifted = (): Promise<Findings> =>
  FaultEnvironment.with({ workers: 1 }, async (environment) => {
    for (const ms of [60_000, -60_000])
      await environment.stack.add('worker', { NODE_OPTIONS: `--import ${SHIFT}`, CLOCK_SHIFT_MS: String(ms) });
    environment.begin(200);
    const missed = [...(await missingSenders(environment)), ...(await latePlans(environment))];
    return environment.findings(missed, 'all three sent');
  });

/** Scheduled jobs alone find the webhooks, so each clock must take some of them. */
async function missingSenders({ sink }: FaultEnvironment): Promise<string[]> {
  const missing = () => {
    const skews = new Set(sink.arrivals.map(({ skewMs }) => Math.round(skewMs / 60_000)));
    return [-1, 0, 1].filter((minutes) => !skews.has(minutes));
  };
  await sink.until(() => missing().length === 0, PATIENCE_MS).catch(() => undefined);
  return missing().map((minutes) => `no worker was ${minutes} min ahead`);
}

/** The next scheduled jobs, as the other workers would find them if the one that planned them ended now. */
async function latePlans({ pool }: FaultEnvironment): Promise<string[]> {
  const { rows } = await pool.query<{ queue: string; ms: number }>(
    `SELECT queue, (next_run_ms - extract(epoch FROM clock_timestamp()) * 1000)::integer AS ms
       FROM bullmq.scheduler WHERE next_run_ms > extract(epoch FROM clock_timestamp()) * 1000 + 2 * every_ms`,
  );
  return rows.map(({ queue, ms }) => `the next job of ${queue} was planned in ${ms} ms`);
}

export const CLOCKS: Row[] = [
  {
    name: 'worker-clock',
    fault: "a worker's clock +60 s, another's -60 s",
    times: 1,
    bar: () => ({ duplicates: 0 }),
    run: shifted,
  },
];
