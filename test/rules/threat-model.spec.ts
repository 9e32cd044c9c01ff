import { describe, expect, it } from '@jest/globals';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const PATH = /`((?:apps|libs|test|docs|scripts|deploy|bench)\/[\w./-]+\.\w+)`/g;
const LINK = /\]\((?!https?:)([^)#]+)/g;

describe.each(['SECURITY.md', 'docs/threat-model.md'])('%s', (file) => {
  const text = readFileSync(file, 'utf8');

  it('names only files that exist', () => {
    const named = [...text.matchAll(PATH)].map(([, path]) => path!);
    const linked = [...text.matchAll(LINK)].map(([, path]) => join(dirname(file), path!));
    expect(named.length).toBeGreaterThan(3);
    expect([...named, ...linked].filter((path) => !existsSync(path))).toEqual([]);
  });
});

describe('docs/threat-model.md', () => {
  const text = readFileSync('docs/threat-model.md', 'utf8');

  it('names a file or a test for every defence', () => {
    const defences = text.slice(text.indexOf('## What is defended'), text.indexOf('## What is not defended'));
    const rows = defences.split('\n').filter((line) => /^\| (?!Threat|-)/.test(line) && !line.startsWith('|---'));
    expect(rows.length).toBeGreaterThan(25);
    expect(rows.filter((row) => !/`[\w-]+\//.test(row.split('|').at(-2) ?? ''))).toEqual([]);
  });
});
