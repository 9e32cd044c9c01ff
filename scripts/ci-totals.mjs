/**
 * The totals of the steps of `.ci/run`.
 *
 * @typedef {{ passed: number; failed: number; skipped: number }} Totals
 */

const TOTALS = /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/;

/**
 * The totals of a step: its last line with totals. A step that ended without them, or that failed without a failed test, counts as one
 * failure more.
 *
 * @param {{ code: number | string; output: string }} step
 * @returns {Totals}
 */
export function totalsOf({ code, output }) {
  const match = output
    .split('\n')
    .map((line) => TOTALS.exec(line.trimEnd()))
    .findLast((found) => found !== null);
  if (!match) return { passed: 0, failed: 1, skipped: 0 };
  const [passed, failed, skipped] = match.slice(1).map((number) => Number(number ?? 0));
  return { passed, failed: code !== 0 && failed === 0 ? 1 : failed, skipped };
}

/**
 * What failed in a step: its list of failed tests (`summaryOf`) and its failed checks.
 *
 * @param {string} output
 * @returns {string[]}
 */
export function failuresOf(output) {
  const lines = output.split('\n').map((line) => line.trimEnd());
  const start = lines.lastIndexOf('Failed:');
  const end = lines.indexOf('', start);
  const tests = start === -1 ? [] : lines.slice(start + 1, end === -1 ? undefined : end);
  return [...lines.filter((line) => line.startsWith('FAILED: ')), ...tests];
}

/**
 * @param {readonly Totals[]} all
 * @returns {Totals}
 */
export function sumOf(all) {
  const sum = { passed: 0, failed: 0, skipped: 0 };
  for (const one of all) for (const name of Object.keys(sum)) sum[name] += one[name];
  return sum;
}

/** @param {Totals} totals */
export function totalsLine({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`;
}
