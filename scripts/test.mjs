/**
 * Runs all tests and checks: unit and end-to-end tests, types, lint, dependencies. The last line is `N passed, N failed`, or `N passed, N failed,
 * N skipped` below the list of skipped suites with their reasons. A failed type check, lint or audit, and a test file that could not run,
 * count as one failure each.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { constants, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { skippedSuites, summaryLines } from './test-summary.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const reports = mkdtempSync(join(tmpdir(), 'trunkline-reports-'));
const LINTED = ['apps', 'libs', 'test', 'bench'];
const total = { passed: 0, failed: 0, skipped: [] };

// The checks use the time in which tests wait. Their low priority keeps the timing of the tests.
const checked = checks();
// Tests mostly wait for protocol timers, audio in real time and process starts, so more files run at a time than on Jest's default (one on
// two cores). Unit tests fill the cores while the last long end-to-end tests run.
add(await jest(['unit', 'e2e'], ['--maxWorkers=4']));
for (const { title, ok, output } of await checked) {
  console.log(`\n${title}`);
  process.stdout.write(output);
  add({ passed: 0, failed: ok ? 0 : 1 });
}
add(await jest(['alone'], ['--runInBand']));
rmSync(reports, { recursive: true });
process.exitCode = total.failed === 0 ? 0 : 1;
console.log(summaryLines(total).join('\n'));

function add({ passed, failed, skipped = [] }) {
  total.passed += passed;
  total.failed += failed;
  total.skipped.push(...skipped);
}

async function jest(projects, flags) {
  const title = projects.join(', ');
  const report = join(reports, `${projects[0]}.json`);
  const args = ['--selectProjects', ...projects, '--ci', '--json', `--outputFile=${report}`, ...flags];
  const ok = await node(title, ['node_modules/jest/bin/jest.js', ...args]);
  if (!existsSync(report)) return { passed: 0, failed: 1 };
  const results = JSON.parse(readFileSync(report, 'utf8'));
  const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites } = results;
  const failed = numFailedTests + numRuntimeErrorTestSuites;
  // Jest can also fail without a failed test: a global setup, a threshold.
  return { passed: numPassedTests, failed: ok ? failed : Math.max(failed, 1), skipped: skippedSuites(results) };
}

/** One after the other, to limit memory; the audit waits for a registry. */
async function checks() {
  const results = [];
  for (const [title, args] of [
    ['typecheck tsconfig.json', ['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'tsconfig.json']],
    ['typecheck apps/console', ['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'apps/console']],
    ['lint', ['node_modules/oxlint/bin/oxlint', '--type-aware', '--deny-warnings', ...LINTED]],
    ['dependencies', ['scripts/audit.mjs']],
  ])
    results.push({ title, ...(await check(args)) });
  return results;
}

/** Runs a command at the lowest priority and collects its output. */
function check(args) {
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ ok: false, output: `${error.message}\n` }));
    child.once('close', (code) => resolve({ ok: code === 0, output }));
  });
}

/** Resolves with true when the command exits with 0. */
function node(title, args) {
  console.log(`\n${title}`);
  // Each test file loads its modules anew: a larger young generation saves a twentieth of the processor time.
  const options = '--experimental-vm-modules --disable-warning=ExperimentalWarning --max-semi-space-size=64';
  const env = { ...process.env, NODE_OPTIONS: options };
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'inherit', 'inherit'] });
  return new Promise((resolve) => {
    child.once('error', (error) => {
      console.error(error.message);
      resolve(false);
    });
    child.once('close', (code) => resolve(code === 0));
  });
}
