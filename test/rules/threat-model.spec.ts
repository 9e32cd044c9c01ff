import { describe, expect, it } from '@jest/globals';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const PATH = /`((?:apps|libs|test|docs|scripts|deploy|bench)\/[\w./-]+\.\w+)`/g;
const LINK = /\]\((?!https?:)([^)#]+)/g;

const AREAS = ['access', 'calls', 'data'].map((area) => `docs/threat-model-${area}.md`);

describe.each(['SECURITY.md', 'docs/threat-model.md', ...AREAS])('%s', (file) => {
  const text = readFileSync(file, 'utf8');

  it('names only files that exist', () => {
    const named = [...text.matchAll(PATH)].map(([, path]) => path!);
    const linked = [...text.matchAll(LINK)].map(([, path]) => join(dirname(file), path!));
    expect(named.length + linked.length).toBeGreaterThan(3);
    expect([...named, ...linked].filter((path) => !existsSync(path))).toEqual([]);
  });
});

describe.each(AREAS)('%s', (file) => {
  it('names a file or a test for every defence', () => {
    const lines = readFileSync(file, 'utf8').split('\n');
    const rows = lines.filter((line) => /^\| (?!Threat|-)/.test(line) && !line.startsWith('|---'));
    expect(rows.length).toBeGreaterThan(15);
    expect(rows.filter((row) => !/`[\w-]+\//.test(row.split('|').at(-2) ?? ''))).toEqual([]);
  });
});
