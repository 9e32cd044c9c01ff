/**
 * Runs all tests and checks: unit and end-to-end tests, types, lint, dependencies. The last line is `N passed, N failed`, or `N passed, N failed,
 * N skipped`, below the failed tests with their messages and the skipped suites with their reasons. A failed type check, lint or audit, and a
 * test file that could not run, count as one failure each. A few failed files run a second time, alone: the last lines list the tests that
 * pass only then, for they depend on the load of the machine and have to be mended.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { constants, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { failedTests, summaryOf } from './test-summary.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const reports = mkdtempSync(join(tmpdir(), 'trunkline-reports-'));
const LINTED = ['apps', 'libs', 'test', 'bench'];
/** More failed files are no accident. */
const SECOND_RUNS = 6;
/** The last result of each test file. */
const results = new Map();
/** Failed checks, and failures of Jest outside the test files. */
const problems = [];

const filesAtATime = filesFor(loadingMs());
// The checks use the time in which tests wait. Their low priority keeps the timing of the tests.
const checked = checks();
for (const projects of filesAtATime > 2 ? [['unit', 'e2e']] : [['e2e'], ['unit']])
  await jest(projects.join(', '), ['--selectProjects', ...projects, `--maxWorkers=${filesAtATime}`]);
for (const { title, ok, output } of await checked) {
  console.log(`\n${title}`);
  process.stdout.write(output);
  if (!ok) problems.push({ title, message: output });
}
await jest('alone', ['--selectProjects', 'alone', '--runInBand']);
const failed = failedTests([...results.values()], root);
const files = [...new Set(failed.map(({ file }) => file))];
if (files.length > 0 && files.length <= SECOND_RUNS)
  await jest('second run', ['--runInBand', '--testPathPatterns', ...files.map(patternOf)]);
rmSync(reports, { recursive: true });
const summary = summaryOf({ results: [...results.values()], problems, firstFailures: failed }, root);
process.exitCode = summary.failed === 0 ? 0 : 1;
console.log(summary.lines.join('\n'));

/**
 * How many test files run at a time. Tests mostly wait for protocol timers, audio in real time and process starts, so four of them fill two
 * fast cores. On slow ones they would delay each other's audio and starts by seconds, and unit tests run by themselves, without the services of
 * end-to-end tests beside them.
 */
function filesFor(ms) {
  if (ms < 250) return 4;
  return ms < 400 ? 3 : 2;
}

/** The time in which Node loads a large module, the best of three: 0.45 s on the machine where four files at a time failed. */
function loadingMs() {
  const times = Array.from({ length: 3 }, () => {
    const from = performance.now();
    spawnSync(process.execPath, ['-e', "require('typescript')"], { cwd: root });
    return performance.now() - from;
  });
  return Math.min(...times);
}

async function jest(title, flags) {
  const report = join(reports, `${title}.json`);
  const ok = await node(title, ['node_modules/jest/bin/jest.js', '--ci', '--json', `--outputFile=${report}`, ...flags]);
  if (!existsSync(report)) {
    problems.push({ title, message: 'Jest wrote no report.' });
    return;
  }
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
  for (const result of testResults) results.set(result.name, result);
  // Jest can also fail without a failed test: a global setup, a threshold.
  if (!ok && failedTests(testResults, root).length === 0) problems.push({ title, message: 'Jest failed.' });
}

function patternOf(file) {
  return `/${file.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`;
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
