/**
 * `npm run test:full`: what `npm test` leaves out because it needs peers from Debian, kills, other settings, older data, real time or much
 * computation; and the fault matrix. The last line is that of `npm test`.
 */
import { fileURLToPath } from 'node:url';
import { collected } from './child.mjs';
import { sumOf, totalsLine, totalsOf } from './ci-totals.mjs';
import { runJest } from './run-jest.mjs';
import { summaryOf } from './test-summary.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Most start processes and hear audio: three files fill two cores. */
const FILES_AT_A_TIME = 3;

/** Rows of the fault matrix; their output comes at their end. */
async function faultMatrix(rows) {
  const { code, output } = await collected(process.execPath, [
    'scripts/run-typescript.mjs',
    'test/faults/main.ts',
    rows,
  ]);
  return { rows, totals: totalsOf({ code, output }), output };
}

// Rows without a time bar wait most of their time.
const [together, untimed] = await Promise.all([
  runJest('full set', ['--selectProjects', 'full', 'database', 'long', `--maxWorkers=${FILES_AT_A_TIME}`]),
  faultMatrix('--untimed'),
]);
const alone = await runJest('tests that need the whole machine', ['--selectProjects', 'alone', '--runInBand']);
const timed = await faultMatrix('--timed');
const run = {
  results: [...together.results, ...alone.results],
  problems: [...together.problems, ...alone.problems],
};
for (const { rows, output } of [untimed, timed]) console.log(`\nfault matrix ${rows}\n${output}`);
const summary = summaryOf(run, root);
const jest = totalsOf({ code: summary.failed === 0 ? 0 : 1, output: summary.lines.at(-1) });
const totals = sumOf([jest, untimed.totals, timed.totals]);
process.exitCode = totals.failed === 0 ? 0 : 1;
console.log(`${summary.lines.join('\n')}\n\nwith the fault matrix:\n${totalsLine(totals)}`);
