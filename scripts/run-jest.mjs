/** Runs Jest on this repository and collects what its report says. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { failedTests } from './test-summary.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const JEST = 'node_modules/jest/bin/jest.js';
/** Each test file loads its modules anew: a larger young generation saves a twentieth of the processor time. */
const NODE_OPTIONS = '--experimental-vm-modules --disable-warning=ExperimentalWarning --max-semi-space-size=64';

/**
 * Runs Jest with its output passed on.
 *
 * @param {string} title
 * @param {string[]} flags
 * @returns {Promise<{ results: import('./test-summary.mjs').FileResult[]; problems: import('./test-summary.mjs').Failure[] }>}
 */
export async function runJest(title, flags) {
  const folder = mkdtempSync(join(tmpdir(), 'trunkline-reports-'));
  const report = join(folder, 'report.json');
  try {
    console.log(`\n${title}`);
    const ok = await succeeds([JEST, '--ci', '--json', `--outputFile=${report}`, ...flags]);
    if (!existsSync(report)) return { results: [], problems: [{ title, message: 'Jest wrote no report.' }] };
    const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
    // Jest can also fail without a failed test: a global setup, a threshold.
    const failsOtherwise = !ok && failedTests(testResults, root).length === 0;
    return { results: testResults, problems: failsOtherwise ? [{ title, message: 'Jest failed.' }] : [] };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Resolves with true when Node exits with 0. */
function succeeds(args) {
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, NODE_OPTIONS },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return new Promise((resolve) => {
    child.once('error', (error) => {
      console.error(error.message);
      resolve(false);
    });
    child.once('close', (code) => resolve(code === 0));
  });
}
