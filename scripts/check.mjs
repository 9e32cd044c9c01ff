/**
 * `npm run check`: types, lint, format, the rules of the architecture and the documentation, and the sources of the dependencies. The last
 * line is `N passed, N failed`; each check but the rules counts as one.
 */
import { fileURLToPath } from 'node:url';
import { collected } from './child.mjs';
import { sumOf, totalsLine, totalsOf } from './ci-totals.mjs';
import { runJest } from './run-jest.mjs';
import { summaryOf } from './test-summary.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The scripts of package.json, two at a time: the compiler of TypeScript uses one core, the linter both. */
const LINES = [['typecheck'], ['lint:code', 'lint:format', 'audit:dependencies']];

const checked = await Promise.all(LINES.map(inTurn));
const rules = summaryOf(await runJest('rules', ['--selectProjects', 'rules', '--maxWorkers=2']), root);
console.log(rules.lines.join('\n'));
const ofRules = totalsOf({ code: rules.failed === 0 ? 0 : 1, output: rules.lines.at(-1) });
const totals = sumOf([...checked.flat(), ofRules]);
process.exitCode = totals.failed === 0 ? 0 : 1;
console.log(`\n${totalsLine(totals)}`);

async function inTurn(names) {
  const totals = [];
  for (const name of names) {
    const startedAt = performance.now();
    const { code, output } = await collected('npm', ['run', '-s', name]);
    const ok = code === 0;
    console.log(`${ok ? 'passed' : 'FAILED'}: ${name} (${((performance.now() - startedAt) / 1_000).toFixed(0)} s)`);
    if (!ok) process.stdout.write(output);
    totals.push({ passed: ok ? 1 : 0, failed: ok ? 0 : 1, skipped: 0 });
  }
  return totals;
}
