/**
 * Everything that is tested: types, lint, dependencies, unit tests, end-to-end tests. The last line is `N passed, N failed`, for people and scripts
 * alike; a failed type check, lint or audit, and a test file that could not run, count as one failure each.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const reports = mkdtempSync(join(tmpdir(), 'trunkline-reports-'));
const LINTED = ['apps', 'libs', 'test', 'bench'];
const total = { passed: 0, failed: 0 };

for (const project of ['tsconfig.json', 'apps/console'])
  add({
    passed: 0,
    failed: node(`typecheck ${project}`, ['node_modules/typescript/bin/tsc', '--noEmit', '-p', project]) ? 0 : 1,
  });
add({
  passed: 0,
  failed: node('lint', ['node_modules/oxlint/bin/oxlint', '--type-aware', '--deny-warnings', ...LINTED]) ? 0 : 1,
});
add({ passed: 0, failed: node('dependencies', ['scripts/audit.mjs']) ? 0 : 1 });
// Two files at a time also on two cores, where Jest would run one: most of them wait for something most of the time.
add(jest('unit', ['--maxWorkers=2']));
add(jest('e2e', ['--maxWorkers=2']));
add(jest('alone', ['--runInBand']));
rmSync(reports, { recursive: true });
process.exitCode = total.failed === 0 ? 0 : 1;
console.log(`${total.passed} passed, ${total.failed} failed`);

function add({ passed, failed }) {
  total.passed += passed;
  total.failed += failed;
}

function jest(project, flags) {
  const report = join(reports, `${project}.json`);
  const args = ['--selectProjects', project, '--ci', '--json', `--outputFile=${report}`, ...flags];
  const ok = node(project, ['node_modules/jest/bin/jest.js', ...args]);
  if (!existsSync(report)) return { passed: 0, failed: 1 };
  const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites } = JSON.parse(readFileSync(report, 'utf8'));
  const failed = numFailedTests + numRuntimeErrorTestSuites;
  // Jest fails for other reasons, too: a global set-up, a threshold.
  return { passed: numPassedTests, failed: ok ? failed : Math.max(failed, 1) };
}

/** true when it ended with 0. */
function node(title, args) {
  console.log(`\n${title}`);
  const env = { ...process.env, NODE_OPTIONS: '--experimental-vm-modules --disable-warning=ExperimentalWarning' };
  return spawnSync(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'inherit', 'inherit'] }).status === 0;
}
