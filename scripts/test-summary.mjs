/** The end of `npm test`: failed tests, the skipped suites with their reasons, and the line of the totals. */
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

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

/** What is quoted of the message of a failed test. */
const QUOTED_LINES = 12;

/**
 * The failed tests of a JSON report of Jest, and the files that could not run.
 *
 * @param {import('./test-summary.mjs').JestReport} report
 * @param {string} root paths are relative to this folder
 */
export function failedTests(report, root) {
  return report.testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = relative(root, name);
    const failed = assertionResults.filter((test) => test.status === 'failed');
    if (failed.length === 0) return status === 'failed' ? [{ title: file, message }] : [];
    return failed.map(({ ancestorTitles, title, failureMessages }) => ({
      title: [file, ...ancestorTitles, title].join(' › '),
      message: failureMessages.join('\n'),
    }));
  });
}

/** @param {import('./test-summary.mjs').FailedTest[]} failed */
function failureLines(failed) {
  if (failed.length === 0) return [];
  const quoted = (message) => stripVTControlCharacters(message).trim().split('\n').slice(0, QUOTED_LINES);
  return [
    '',
    'Failed:',
    ...failed.flatMap(({ title, message }) => [`  ${title}`, ...quoted(message).map((line) => `    ${line}`)]),
    '',
  ];
}

/**
 * The last lines of a run. The very last one is `N passed, N failed`, or `N passed, N failed, N skipped`.
 *
 * @param {import('./test-summary.mjs').Total} total
 */
export function summaryLines({ passed, failed, failures, skipped }) {
  const count = skipped.reduce((sum, suite) => sum + suite.count, 0);
  const totals = `${passed} passed, ${failed} failed`;
  const reported = failureLines(failures);
  if (count === 0) return [...reported, totals];
  const lines = skipped.map(({ suite, reason, count }) => `  ${count} in "${suite}": ${reason}`);
  return [...reported, '', 'Skipped tests:', ...lines, '', `${totals}, ${count} skipped`];
}
