import { describe, expect, it } from '@jest/globals';
import type { Line } from './call-material.js';
import { citationsByPath, EvidenceFinder } from './evidence.js';

const TEXTS: [label: string, text: string][] = [
  ['T1', 'Hello, this is ACME. How can I help?'],
  ['T2', 'Hi – I’d like to cancel “order 4711”, please.\n  Thank   you.'],
  ['T3', 'I know nothing about that. Straße 5, CAFÉ Olé.'],
  ['T4', '私の注文番号は四七一一です。'],
  ['C1', 'arguments {"city":"Köln","note":"it\'s \\"urgent\\""} result {"ok":true}'],
];

const lines = TEXTS.map(([label, text], index): Line => ({
  label,
  type: label.startsWith('T') ? 'turn' : 'tool_call',
  turn: label.startsWith('T') ? index + 1 : null,
  source: 'callee',
  started_ms: index * 1_000,
  ended_ms: index * 1_000 + 900,
  text,
}));
const finder = new EvidenceFinder(lines);

describe('a quote', () => {
  it.each([
    ['exact words', 'T1', 'How can I help?', 1],
    ['another case and other white space', 'T2', 'THANK YOU', 2],
    ['straight quotation marks and a hyphen', 'T2', `hi - I'd like to cancel "order 4711"`, 2],
    ['punctuation around it', 'T2', '"…cancel order 4711, please!"', 2],
    ['words left out in its middle', 'T2', "I'd like to … order 4711", 2],
    ['a decomposed accent', 'T3', 'cafe\u0301 ole\u0301', 3],
    ['a script without spaces', 'T4', '四七一一', 4],
    ['the wrong line', 'T1', 'cancel', 2],
    ['an unknown line', 'Turn 2', 'cancel', 2],
    ['the label in brackets', '[t2]', 'cancel', 2],
    ['JSON of a tool call', 'C1', '"note": "it\'s urgent"'.replace('"note": ', ''), null],
  ])('with %s is found with its place', (_, line, quote, turn) => {
    expect(finder.find({ for: 'x', line, quote })).toMatchObject({ turn });
  });

  it.each([
    ['invented words', 'I would like to keep my order'],
    ['a part of a word', 'no'],
    ['the same words in another order', 'order … cancel'],
    ['no words', ' "…" '],
    ['nothing', ''],
    ['words of two turns', 'How can I help? Hi'],
    ['a megabyte', 'order 4711 '.repeat(100_000)],
  ])('with %s is not found', (_, quote) => {
    expect(finder.find({ for: 'x', line: 'T2', quote })).toBeUndefined();
  });

  it('has the times of its turn', () => {
    const found = finder.find({ for: 'x', line: 'T2', quote: 'order 4711' });
    expect(found).toEqual({
      ...{ type: 'turn', turn: 2, source: 'callee', quote: 'order 4711' },
      ...{ started_ms: 1_000, ended_ms: 1_900 },
    });
  });
});

describe('the citations of a value', () => {
  it.each(['values.items.0.name', '/values/items/0/name', 'values.items[0].name', '$.values.items[0].name'])(
    'are found for the path %s',
    (path) => {
      const byPath = citationsByPath([{ for: path, line: 'T2', quote: 'order 4711' }]);
      expect(finder.of('values.items.0.name', byPath)).toHaveLength(1);
    },
  );

  it('may be those of the object or list around it', () => {
    const byPath = citationsByPath([{ for: 'values.items', line: 'T2', quote: 'order 4711' }]);
    expect(finder.of('values.items.0.name', byPath)).toHaveLength(1);
    expect(finder.of('values.city', byPath)).toEqual([]);
  });
});
