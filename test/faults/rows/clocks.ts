import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Ground } from '../ground.js';
import type { Findings, Row } from '../row.js';

const SHIFT = pathToFileURL(join(process.cwd(), 'test/faults/preload/shifted-clock.mjs')).href;

/** One worker's clock is a minute ahead, another's a minute behind, a third one's is right. */
const shifted = (): Promise<Findings> =>
  Ground.with({ workers: 1 }, async (ground) => {
    for (const ms of [60_000, -60_000])
      await ground.stack.add('worker', { NODE_OPTIONS: `--import ${SHIFT}`, CLOCK_SHIFT_MS: String(ms) });
    ground.begin(200);
    await ground.sink.more(1_500);
    const skews = new Set(ground.sink.arrivals.map(({ skewMs }) => Math.round(skewMs / 60_000)));
    const missed = [-1, 0, 1].filter((minutes) => !skews.has(minutes)).map((m) => `no worker was ${m} min ahead`);
    return ground.findings(missed, 'all three sent');
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
