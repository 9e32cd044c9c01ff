import { expect, it } from '@jest/globals';
import { MATRIX } from '../../faults/matrix.js';
import { missedBars } from '../../faults/row.js';

/** The whole matrix is `npm run test:faults`; of some rows a little is tried each time. They mostly wait, so they do it side by side, as there. */
it.concurrent.each([
  ['worker-killed-5xx', 2],
  ['worker-stopped', 2],
  ['database-reset', 3],
])(
  '%s',
  async (name, times) => {
    const row = MATRIX.find((one) => one.name === name)!;
    const found = await row.run({ times, short: true });
    expect(missedBars(row.bar(times), found)).toEqual([]);
    expect(found.events).toBeGreaterThan(0);
  },
  // Three services on one machine, which other tests use too.
  240_000,
);
