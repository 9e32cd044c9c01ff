import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { isAllowed, lockProblems, severeIn } from '../../scripts/audit.mjs';

const good = { integrity: 'sha512-abc', license: 'MIT' };
const problems = (entry: object, path = 'node_modules/x'): string[] =>
  lockProblems({ packages: { '': {}, [path]: entry } });

describe('a dependency', () => {
  it.each([
    ['with a hash and a licence is accepted', good, []],
    ['for development may have any licence', { ...good, license: 'GPL-3.0', dev: true }, []],
    ['from git is reported', { ...good, resolved: 'git+ssh://git@example.com/x.git#abc' }, ['comes from']],
    ['over plain HTTP is reported', { ...good, resolved: 'http://example.com/x.tgz' }, ['comes from']],
    ['without a hash is reported', { license: 'MIT' }, ['no integrity hash']],
    ['for another platform also needs a hash', { license: 'MIT', optional: true }, ['no integrity hash']],
    ['with a weak hash is reported', { ...good, integrity: 'sha1-abc' }, ['not SHA-512']],
    ['with a copyleft licence is reported', { ...good, license: 'AGPL-3.0' }, ['licence AGPL-3.0']],
    ['without a licence is reported', { integrity: 'sha512-abc' }, ['licence unknown']],
  ])('%s', (_name, entry, expected) => {
    expect(problems(entry)).toEqual(expected.map((part) => expect.stringContaining(part)));
  });

  it.each([
    ['MIT', true],
    ['(MIT OR GPL-3.0-or-later)', true],
    ['(MIT AND Zlib)', true],
    ['(MIT AND GPL-3.0)', false],
    ['SSPL-1.0', false],
  ])('may be under %s: %s', (licence, allowed) => {
    expect(isAllowed(licence)).toBe(allowed);
  });
});

describe('package-lock.json', () => {
  it('has a SHA-512 hash for every package, including those of other platforms', () => {
    const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as Parameters<typeof lockProblems>[0];
    expect(lockProblems(lock, () => 'MIT').filter((line) => !line.includes('licence'))).toEqual([]);
  });
});

describe('the answer of `npm audit`', () => {
  const of = (severity: string) => ({ vulnerabilities: { x: { name: 'x', severity, range: '<2' } } });

  it.each([
    ['is a failure for a high severity', of('high'), ['x <2: high']],
    ['is a failure for a critical severity', of('critical'), ['x <2: critical']],
    ['is no failure for a moderate severity', of('moderate'), []],
    ['is no failure without vulnerabilities', { vulnerabilities: {} }, []],
    ['counts as unavailable when the registry has no audit', { statusCode: 405, error: { summary: '' } }, null],
    ['counts as unavailable when it is empty', {}, null],
  ])('%s', (_name, report, expected) => {
    expect(severeIn(report)).toEqual(expected);
  });
});
