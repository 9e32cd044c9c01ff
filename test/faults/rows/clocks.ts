import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { FaultEnvironment } from '../fault-environment.js';
import type { Findings, Row } from '../row.js';

const SHIFT = pathToFileURL(join(process.cwd(), 'test/faults/preload/shifted-clock.mjs')).href;

/** Three workers: one clock is a minute ahead, one a minute behind, one correct. */
const shifted = (): Promise<Findings> =>
  FaultEnvironment.with({ workers: 1, apis: 1 }, async (environment) => {
    for (const ms of [60_000, -60_000])
      await environment.stack.add('worker', { NODE_OPTIONS: `--import ${SHIFT}`, CLOCK_SHIFT_MS: String(ms) });
    environment.begin(200);
    // Their webhooks are announced. Scheduled jobs alone go to the clock that is ahead.
    await environment.beginCalls();
    await environment.sink.more(1_500);
    const skews = new Set(environment.sink.arrivals.map(({ skewMs }) => Math.round(skewMs / 60_000)));
    const missed = [-1, 0, 1].filter((minutes) => !skews.has(minutes)).map((m) => `no worker was ${m} min ahead`);
    return environment.findings(missed, 'all three sent');
  });

export const CLOCKS: Row[] = [
  {
    name: 'worker-clock',
    fault: "a worker's clock +60 s, another's -60 s",
    times: 1,
    bar: () => ({ duplicates: 0 }),
    run: shifted,
  },
];
