import { describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { skippedSuites, summaryOf, type FileResult } from '../../scripts/test-summary.mjs';
import { missingReason } from '../support/suite-with.js';

/** The JSON report of Jest about test/support/suite-with.stories.ts. */
function reportOfStories(): { testResults: FileResult[]; numPassedTests: number; numPendingTests: number } {
  const folder = mkdtempSync(join(tmpdir(), 'trunkline-suite-with-'));
  try {
    const report = join(folder, 'report.json');
    const jest = [
      'node_modules/jest/bin/jest.js',
      '--selectProjects',
      'rules',
      '--testMatch',
      '**/suite-with.stories.ts',
    ];
    const env = { ...process.env, NODE_OPTIONS: '--experimental-vm-modules' };
    execFileSync(process.execPath, [...jest, '--json', `--outputFile=${report}`], { env, stdio: 'ignore' });
    return JSON.parse(readFileSync(report, 'utf8'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('a suite that needs programs', () => {
  it('runs when all programs are installed, and is skipped with its reason in the summary otherwise', () => {
    const report = reportOfStories();
    expect(report).toMatchObject({ numPassedTests: 1, numPendingTests: 5 });
    expect(skippedSuites(report.testResults)).toEqual([
      { suite: 'a call over udp', reason: 'phone is not installed', count: 2 },
      { suite: 'a call over tcp', reason: 'phone is not installed', count: 2 },
      { suite: 'a call through a proxy', reason: 'phone and proxy are not installed', count: 1 },
    ]);
  });

  it.each<[string[], string | undefined]>([
    [[], undefined],
    [['sipp'], 'sipp is not installed'],
    [['sipp', 'kamailio'], 'sipp and kamailio are not installed'],
    [['sipp', 'kamailio', 'baresip'], 'sipp, kamailio and baresip are not installed'],
  ])('without %j: %s', (missing, reason) => expect(missingReason(missing)).toBe(reason));
});

const test = (status: string, ...titles: string[]) => ({
  ancestorTitles: titles.slice(0, -1),
  title: titles.at(-1)!,
  status,
  failureMessages: status === 'failed' ? ['\u001b[31mexpected 1\u001b[39m\n    at a line'] : [],
});

const file = (assertionResults: FileResult['assertionResults'], status = 'passed') => ({
  name: '/src/test/calls.spec.ts',
  status,
  message: 'Cannot find module',
  assertionResults,
});

it('tests are skipped only through suiteWith, which gives the reason', () => {
  const sources = ['apps', 'libs', 'test', 'bench'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  const skipping = sources
    .filter((path) => /^(?!.*node_modules).*\.ts$/.test(path))
    .filter((path) => /\b(?:describe|it|test)\.skip\b|\bx(?:it|describe)\(/.test(readFileSync(path, 'utf8')));
  expect(skipping).toEqual(['test/support/suite-with.ts']);
});

describe('the skipped suites of a report', () => {
  it.each<[string, FileResult['assertionResults'], string[]]>([
    ['none', [test('passed', 'a call', 'rings'), test('failed', 'a call', 'ends')], []],
    [
      'an inner suite',
      [
        test('passed', 'a call', 'rings'),
        test('pending', 'a call', 'from SIPp (skipped: sipp is not installed)', 'ends'),
      ],
      ['1 from SIPp: sipp is not installed'],
    ],
    [
      'a suite without a reason',
      [test('pending', 'a call', 'inbound', 'rings'), test('pending', 'a call', 'ends'), test('pending', 'alone')],
      ['2 a call: no reason given', '1 alone: no reason given'],
    ],
  ])('%s', (_, assertionResults, expected) => {
    const found = skippedSuites([file(assertionResults)]);
    expect(found.map(({ suite, reason, count }) => `${count} ${suite}: ${reason}`)).toEqual(expected);
  });
});

describe('the end of a run', () => {
  const lastLines = (results: FileResult[]) => summaryOf({ results, problems: [] }, '/src').lines;

  it('is one line when nothing failed or was skipped', () => {
    expect(lastLines([file([test('passed', 'a call', 'rings')])])).toEqual(['1 passed, 0 failed']);
  });

  it('lists skipped suites and reasons above its last line', () => {
    const skipped = [
      test('pending', 'a call over udp (skipped: sipp is not installed)', 'rings'),
      test('pending', 'a call over udp (skipped: sipp is not installed)', 'ends'),
      test('pending', 'the console (skipped: chromium is not installed)', 'opens'),
    ];
    expect(lastLines([file([test('passed', 'a call', 'rings'), ...skipped])])).toEqual([
      '',
      'Skipped tests:',
      '  2 in "a call over udp": sipp is not installed',
      '  1 in "the console": chromium is not installed',
      '',
      '1 passed, 0 failed, 3 skipped',
    ]);
  });

  it('quotes failed tests, files that could not run, and failed checks', () => {
    const results = [
      file([test('passed', 'a call', 'rings'), test('failed', 'a call', 'ends')], 'failed'),
      file([], 'failed'),
      file([test('passed', 'a call', 'rings')]),
    ];
    const lint = { title: 'lint', message: 'an unused name\n' };
    const summary = summaryOf({ results, problems: [lint] }, '/src');
    expect(summary).toEqual({
      failed: 3,
      lines: [
        '',
        'Failed:',
        '  test/calls.spec.ts › a call › ends',
        '    expected 1',
        '        at a line',
        '  test/calls.spec.ts',
        '    Cannot find module',
        '  lint',
        '    an unused name',
        '',
        '2 passed, 3 failed',
      ],
    });
  });
});
