/**
 * `npm run test:full`: what `npm test` leaves out because it needs peers from Debian, kills, other settings, older data, real time or much
 * computation; then the fault matrix. The last line is that of `npm test`.
 */
import { fileURLToPath } from 'node:url';
import { collected } from './child.mjs';
import { sumOf, totalsLine, totalsOf } from './ci-totals.mjs';
import { runJest } from './run-jest.mjs';
import { summaryOf } from './test-summary.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Most start processes and hear audio: three files fill two cores. */
const FILES_AT_A_TIME = 3;

const together = await runJest('full set', [
  '--selectProjects',
  'full',
  'database',
  'long',
  `--maxWorkers=${FILES_AT_A_TIME}`,
]);
const realTime = await runJest('tests in real time', ['--selectProjects', 'real-time', '--maxWorkers=2']);
const alone = await runJest('tests that need the whole machine', ['--selectProjects', 'alone', '--runInBand']);
const run = {
  results: [...together.results, ...realTime.results, ...alone.results],
  problems: [...together.problems, ...realTime.problems, ...alone.problems],
};
console.log('\nfault matrix');
const faults = totalsOf(
  await collected(process.execPath, ['scripts/run-typescript.mjs', 'test/faults/main.ts'], { passesOn: true }),
);
const summary = summaryOf(run, root);
const totals = sumOf([totalsOf({ code: summary.failed === 0 ? 0 : 1, output: summary.lines.at(-1) }), faults]);
process.exitCode = totals.failed === 0 ? 0 : 1;
console.log(`${summary.lines.join('\n')}\n\nwith the fault matrix:\n${totalsLine(totals)}`);
