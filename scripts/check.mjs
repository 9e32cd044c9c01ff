/**
 * `npm run check`: types, lint, format, the rules of the architecture and the documentation, and the sources of the dependencies. The last
 * line is `N passed, N failed`; each check but the rules counts as one.
 */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { sumOf, totalsLine, totalsOf } from './ci-totals.mjs';
import { runJest } from './run-jest.mjs';
import { summaryOf } from './test-summary.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const LINTED = ['apps', 'libs', 'test', 'bench'];
const FORMATTED = ['{apps,libs,test,bench,scripts}/**/*.{ts,tsx,mjs}', '*.ts'];

/** Two at a time: the compiler of TypeScript uses one core, the linter both. */
const LINES = [
  [
    ['types', ['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'tsconfig.json']],
    ['types of the console', ['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'apps/console']],
  ],
  [
    ['lint', ['node_modules/oxlint/bin/oxlint', '--type-aware', '--deny-warnings', ...LINTED]],
    ['format', ['node_modules/prettier/bin/prettier.cjs', '--check', '--log-level', 'warn', ...FORMATTED]],
    ['dependencies', ['scripts/audit.mjs']],
  ],
];

const checked = await Promise.all(LINES.map(inTurn));
const rules = summaryOf(await runJest('rules', ['--selectProjects', 'rules', '--maxWorkers=2']), root);
console.log(rules.lines.join('\n'));
const ofRules = totalsOf({ code: rules.failed === 0 ? 0 : 1, output: rules.lines.at(-1) });
const totals = sumOf([...checked.flat(), ofRules]);
process.exitCode = totals.failed === 0 ? 0 : 1;
console.log(`\n${totalsLine(totals)}`);

async function inTurn(checks) {
  const totals = [];
  for (const [title, args] of checks) {
    const startedAt = performance.now();
    const { ok, output } = await check(args);
    console.log(`${ok ? 'passed' : 'FAILED'}: ${title} (${((performance.now() - startedAt) / 1_000).toFixed(0)} s)`);
    if (!ok) process.stdout.write(output);
    totals.push({ passed: ok ? 1 : 0, failed: ok ? 0 : 1, skipped: 0 });
  }
  return totals;
}

function check(args) {
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ ok: false, output: `${error.message}\n` }));
    child.once('close', (code) => resolve({ ok: code === 0, output }));
  });
}
