import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { isAllowed, lockProblems, severeIn } from '../scripts/audit.mjs';

const good = { integrity: 'sha512-abc', license: 'MIT' };
const problems = (entry: object, path = 'node_modules/x'): string[] =>
  lockProblems({ packages: { '': {}, [path]: entry } });

describe('a dependency', () => {
  it.each([
    ['is in order with a hash and a licence', good, []],
    ['of development may have any licence', { ...good, license: 'GPL-3.0', dev: true }, []],
    ['from git is told', { ...good, resolved: 'git+ssh://git@example.com/x.git#abc' }, ['comes from']],
    ['over plain HTTP is told', { ...good, resolved: 'http://example.com/x.tgz' }, ['comes from']],
    ['without a hash is told', { license: 'MIT' }, ['no integrity hash']],
    ['for another platform needs its hash, too', { license: 'MIT', optional: true }, ['no integrity hash']],
    ['with a weak hash is told', { ...good, integrity: 'sha1-abc' }, ['not SHA-512']],
    ['with a licence that binds is told', { ...good, license: 'AGPL-3.0' }, ['licence AGPL-3.0']],
    ['without a licence is told', { integrity: 'sha512-abc' }, ['licence unknown']],
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
  it('has a SHA-512 hash for every package, those of other platforms included', () => {
    const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as Parameters<typeof lockProblems>[0];
    expect(lockProblems(lock, () => 'MIT').filter((line) => !line.includes('licence'))).toEqual([]);
  });
});

describe('the answer of `npm audit`', () => {
  const of = (severity: string) => ({ vulnerabilities: { x: { name: 'x', severity, range: '<2' } } });

  it.each([
    ['is a failure when it is severe', of('high'), ['x <2: high']],
    ['is a failure when it is critical', of('critical'), ['x <2: critical']],
    ['is none when it is not', of('moderate'), []],
    ['is none when there is nothing', { vulnerabilities: {} }, []],
    ['is no answer when the registry has none', { statusCode: 405, error: { summary: '' } }, null],
    ['is no answer when it says nothing', {}, null],
  ])('%s', (_name, report, expected) => {
    expect(severeIn(report)).toEqual(expected);
  });
});
