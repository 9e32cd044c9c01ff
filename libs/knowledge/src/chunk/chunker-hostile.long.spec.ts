import { describe, expect, it } from '@jest/globals';
import type { Block, Table } from '../blocks.js';
import { Chunker } from './chunker.js';

const paragraph = (text: string): Block[] => [{ kind: 'paragraph', text, offset: 0 }];
const many = (count: number, make: (n: number) => Block): Block[] => Array.from({ length: count }, (_, n) => make(n));

const row = (table: Table, cells: string[]): Block => ({ kind: 'row', table, cells, number: 1, offset: 0 });
const WIDE: Table = { style: 'grid', header: Array.from({ length: 1_000 }, (_, n) => `Column ${n}`) };

/** Inputs that are slow or large for a naive chunker: a quadratic step would exceed the time limit of the test. */
const HOSTILE: [string, () => Block[]][] = [
  ['headings only', () => many(100_000, (n) => ({ kind: 'heading', level: 1 + (n % 6), text: `H ${n}`, offset: n }))],
  [
    'headings of increasing depth',
    () => many(100_000, (n) => ({ kind: 'heading', level: n + 1, text: `H ${n}`, offset: n })),
  ],
  ['a heading of a megabyte', () => [{ kind: 'heading', level: 1, text: 'x'.repeat(1e6), offset: 0 }]],
  ['tables of one row', () => many(50_000, (n) => row({ style: 'grid', header: [`h${n}`] }, ['x']))],
  ['rows of a thousand columns', () => many(50, () => row(WIDE, WIDE.header))],
  ['a row of a million cells', () => [row({ style: 'record', header: [] }, Array<string>(1e6).fill('x'))]],
  ['a cell of a megabyte', () => [row({ style: 'record', header: ['a', 'b'] }, ['key', 'x'.repeat(1e6)])]],
  ['a column named with a megabyte', () => [row({ style: 'grid', header: ['x'.repeat(1e6)] }, ['1'])]],
  ['one repeated letter', () => paragraph('a'.repeat(2e6))],
  ['full stops', () => paragraph('.'.repeat(2e6))],
  ['Chinese full stops', () => paragraph('。'.repeat(2e6))],
  ['quotation marks', () => paragraph('."""" '.repeat(3e5))],
  ['short sentences', () => paragraph('Ab. '.repeat(3e5))],
  ['one letter with a million combining marks', () => paragraph(`a${'\u0301'.repeat(2e6)}`)],
  ['lone surrogates', () => paragraph('\udc00'.repeat(2e6))],
  ['short lines', () => paragraph('a\n'.repeat(1e6))],
];

describe('the chunker with hostile input', () => {
  it.each(HOSTILE)('splits %s in linear time, within the token limit', (_, make) => {
    const chunker = new Chunker();
    const chunks = make().flatMap((block) => chunker.add(block));
    chunks.push(...chunker.end());
    expect(chunks.length).toBeGreaterThan(0);
    expect(Math.max(...chunks.map(({ tokens }) => tokens))).toBeLessThanOrEqual(480);
  });

  it('produces no chunk for 100,000 empty rows', () => {
    const chunker = new Chunker();
    expect(many(100_000, () => row(WIDE, ['', ''])).flatMap((block) => chunker.add(block))).toEqual([]);
    expect(chunker.end()).toEqual([]);
  });
});
