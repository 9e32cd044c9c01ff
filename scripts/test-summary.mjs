/** The end of a test run: failed tests, the skipped suites with their reasons, and the line of the totals. */
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/**
 * A test file in a JSON report of Jest. `name`: the path of the file. `message`: the output of a failed file.
 *
 * @typedef {{
 *   name: string;
 *   status: string;
 *   message: string;
 *   assertionResults: { ancestorTitles: string[]; title: string; status: string; failureMessages: string[] }[];
 * }} FileResult
 *
 * A test, or a check. `title`: file, suites and test, or the title of a check.
 * @typedef {{ title: string; message: string }} Failure
 *
 * `problems`: failed checks.
 * @typedef {{ results: FileResult[]; problems: Failure[] }} Run
 *
 * @typedef {{ suite: string; reason: string; count: number }} SkippedSuite `count`: of its tests
 */

/** The format of the titles of test/support/suite-with.ts. */
const REASON = / \(skipped: (.+)\)$/;

/**
 * The skipped tests by their suite: the outermost title that gives a reason, or else the outermost title.
 *
 * @param {FileResult[]} results
 * @returns {SkippedSuite[]}
 */
export function skippedSuites(results) {
  const suites = new Map();
  for (const { ancestorTitles, title, status } of results.flatMap(({ assertionResults }) => assertionResults)) {
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
const QUOTED_CHARACTERS = 300;

/**
 * The failed tests, and the files that could not run.
 *
 * @param {FileResult[]} results
 * @param {string} root paths are relative to this folder
 * @returns {Failure[]}
 */
export function failedTests(results, root) {
  return results.flatMap(({ name, status, message, assertionResults }) => {
    const file = relative(root, name);
    const failed = assertionResults.filter((test) => test.status === 'failed');
    if (failed.length === 0) return status === 'failed' ? [{ title: file, message }] : [];
    return failed.map(({ ancestorTitles, title, failureMessages }) => ({
      title: [file, ...ancestorTitles, title].join(' › '),
      message: failureMessages.join('\n'),
    }));
  });
}

/** A block of the last lines; none without entries. */
function block(title, lines) {
  return lines.length === 0 ? [] : ['', title, ...lines.map((line) => `  ${line}`)];
}

/** @param {import('./test-summary.mjs').Failure[]} failed */
function quoted(failed) {
  return failed.flatMap(({ title, message }) => {
    const lines = stripVTControlCharacters(message).trim().split('\n').slice(0, QUOTED_LINES);
    // No empty line within the block: `failuresOf` reads it up to the first.
    return [
      title,
      ...lines.filter((line) => line.trim() !== '').map((line) => `  ${line.slice(0, QUOTED_CHARACTERS)}`),
    ];
  });
}

/**
 * The number of failures and the last lines of a run. The very last one is `N passed, N failed`, or `N passed, N failed, N skipped`.
 *
 * @param {Run} run
 * @param {string} root paths are relative to this folder
 * @returns {{ failed: number; lines: string[] }}
 */
export function summaryOf({ results, problems }, root) {
  const failures = [...failedTests(results, root), ...problems];
  const skipped = skippedSuites(results);
  const count = skipped.reduce((sum, suite) => sum + suite.count, 0);
  const passed = results.flatMap((file) => file.assertionResults).filter(({ status }) => status === 'passed').length;
  const blocks = [
    ...block('Failed:', quoted(failures)),
    ...block(
      'Skipped tests:',
      skipped.map(({ suite, reason, count }) => `${count} in "${suite}": ${reason}`),
    ),
  ];
  const totals = `${passed} passed, ${failures.length} failed${count === 0 ? '' : `, ${count} skipped`}`;
  return { failed: failures.length, lines: blocks.length === 0 ? [totals] : [...blocks, '', totals] };
}
