/**
 * `npm test`: the unit tests, and the stories of all features against one running service. The last line is `N passed, N failed`, or
 * `N passed, N failed, N skipped`, below the failed tests with their messages. Arguments are those of Jest.
 */
import { fileURLToPath } from 'node:url';
import { runJest } from './run-jest.mjs';
import { summaryOf } from './test-summary.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Tests wait for timers and processes: three files fill two cores. */
const FILES_AT_A_TIME = 3;

const run = await runJest('unit tests and stories', [
  ...['--selectProjects', 'unit', 'e2e'],
  `--maxWorkers=${FILES_AT_A_TIME}`,
  ...process.argv.slice(2),
]);
const summary = summaryOf(run, root);
process.exitCode = summary.failed === 0 ? 0 : 1;
console.log(summary.lines.join('\n'));
