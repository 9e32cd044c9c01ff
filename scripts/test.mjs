/**
 * Runs all checks: types, lint, dependencies, unit tests, end-to-end tests. The last line is `N passed, N failed`, or `N passed, N failed,
 * N skipped` below the list of skipped suites with their reasons. A failed type check, lint or audit, and a test file that could not run,
 * count as one failure each.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { skippedSuites, summaryLines } from './test-summary.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const reports = mkdtempSync(join(tmpdir(), 'trunkline-reports-'));
const LINTED = ['apps', 'libs', 'test', 'bench'];
const total = { passed: 0, failed: 0, skipped: [] };

// In parallel: each uses about one processor, and the audit waits for a registry.
const checks = [
  check('typecheck tsconfig.json', ['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'tsconfig.json']),
  check('typecheck apps/console', ['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'apps/console']),
  check('lint', ['node_modules/oxlint/bin/oxlint', '--type-aware', '--deny-warnings', ...LINTED]),
  check('dependencies', ['scripts/audit.mjs']),
];
for (const { title, done } of checks) {
  console.log(`\n${title}`);
  const { ok, output } = await done;
  process.stdout.write(output);
  add({ passed: 0, failed: ok ? 0 : 1 });
}
// More files at a time than Jest's default, which is one on two cores: tests mostly wait for protocol timers, audio in real time and process
// starts. Three unit tests at a time; end-to-end tests start processes that depend on timing.
add(jest('unit', ['--maxWorkers=3']));
add(jest('e2e', ['--maxWorkers=2']));
add(jest('alone', ['--runInBand']));
rmSync(reports, { recursive: true });
process.exitCode = total.failed === 0 ? 0 : 1;
console.log(summaryLines(total).join('\n'));

function add({ passed, failed, skipped = [] }) {
  total.passed += passed;
  total.failed += failed;
  total.skipped.push(...skipped);
}

function jest(project, flags) {
  const report = join(reports, `${project}.json`);
  const args = ['--selectProjects', project, '--ci', '--json', `--outputFile=${report}`, ...flags];
  const ok = node(project, ['node_modules/jest/bin/jest.js', ...args]);
  if (!existsSync(report)) return { passed: 0, failed: 1 };
  const results = JSON.parse(readFileSync(report, 'utf8'));
  const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites } = results;
  const failed = numFailedTests + numRuntimeErrorTestSuites;
  // Jest can also fail without a failed test: a global set-up, a threshold.
  return { passed: numPassedTests, failed: ok ? failed : Math.max(failed, 1), skipped: skippedSuites(results) };
}

/** Starts at once; its output is kept and shown in order. */
function check(title, args) {
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  const done = new Promise((resolve) => {
    child.once('error', (error) => resolve({ ok: false, output: `${error.message}\n` }));
    child.once('close', (code) => resolve({ ok: code === 0, output }));
  });
  return { title, done };
}

/** true when the command exited with 0. */
function node(title, args) {
  console.log(`\n${title}`);
  const env = { ...process.env, NODE_OPTIONS: '--experimental-vm-modules --disable-warning=ExperimentalWarning' };
  return spawnSync(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'inherit', 'inherit'] }).status === 0;
}
