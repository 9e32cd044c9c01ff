/**
 * Runs `npm test`, `npm run check`, `npm run test:full` and the speed gate, one after the other, because each needs the whole machine. The
 * last line is the sum of the totals of the first three. It uses packages of Node only: a clean clone has no others before `npm test`.
 */
import { collected } from './child.mjs';
import { failuresOf, sumOf, totalsLine, totalsOf } from './ci-totals.mjs';

/** The failed tests and the totals are at the end of the output. */
const KEPT_CHARACTERS = 100_000;
/** A run with many failures has them above, in the output of its steps. */
const SHOWN_LINES = 100;

const failures = [];
const tests = await counted('npm test', ['test']);
const checks = await counted('check', ['run', 'check']);
const full = await counted('full set', ['run', 'test:full']);

// The speed gate. Its ratios are reported and do not fail the run.
const gate = await npm('speed gate', ['run', '-s', 'bench', '--', 'gate']);
console.log(`\nspeed gate: ${gate.code === 0 ? 'passed' : `failed with ${gate.code}`} (reported only)`);

const sum = sumOf([tests, checks, full]);
process.exitCode = sum.failed === 0 ? 0 : 1;
if (failures.length > 0) console.log(`\nWhat failed:\n${failures.slice(0, SHOWN_LINES).join('\n')}`);
console.log(
  `\nnpm test: ${totalsLine(tests)}\ncheck: ${totalsLine(checks)}\nfull set: ${totalsLine(full)}\n\n${totalsLine(sum)}`,
);

/** Runs a script whose output ends with its totals. */
async function counted(title, words) {
  const step = await npm(title, words);
  failures.push(...failuresOf(step.output));
  return totalsOf(step);
}

/** Runs npm with its output passed on. */
function npm(title, words) {
  console.log(`\n${title}: npm ${words.join(' ')}`);
  return collected('npm', words, { passesOn: true, kept: KEPT_CHARACTERS });
}
