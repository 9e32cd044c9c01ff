/** The end of `npm test`: the skipped suites with their reasons, and the line of the totals. */

/** The format of the titles of test/support/suite-with.ts. */
const REASON = / \(skipped: (.+)\)$/;

/**
 * The skipped tests of a JSON report of Jest by their suite: the outermost title that gives a reason, or else the outermost title.
 *
 * @param {import('./test-summary.mjs').JestReport} report
 */
export function skippedSuites(report) {
  const suites = new Map();
  for (const { ancestorTitles, title, status } of report.testResults.flatMap(
    ({ assertionResults }) => assertionResults,
  )) {
    if (status !== 'pending') continue;
    const titles = [...ancestorTitles, title];
    const suite = titles.find((one) => REASON.test(one)) ?? titles[0];
    suites.set(suite, (suites.get(suite) ?? 0) + 1);
  }
  return [...suites].map(([suite, count]) => {
    const reason = REASON.exec(suite)?.[1] ?? 'no reason given';
    return { suite: suite.replace(REASON, ''), reason, count };
  });
}

/**
 * The last lines of a run. The very last one is `N passed, N failed`, or `N passed, N failed, N skipped`.
 *
 * @param {{ passed: number, failed: number, skipped: import('./test-summary.mjs').SkippedSuite[] }} total
 */
export function summaryLines({ passed, failed, skipped }) {
  const count = skipped.reduce((sum, suite) => sum + suite.count, 0);
  const totals = `${passed} passed, ${failed} failed`;
  if (count === 0) return [totals];
  const lines = skipped.map(({ suite, reason, count }) => `  ${count} in "${suite}": ${reason}`);
  return ['', 'Skipped tests:', ...lines, '', `${totals}, ${count} skipped`];
}
