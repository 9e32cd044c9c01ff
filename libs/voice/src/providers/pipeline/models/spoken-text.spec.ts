import { describe, expect, it } from '@jest/globals';
import { type Beginning, SpokenText } from './spoken-text.js';

/** What is said of a text that arrives in pieces of one length. */
function said(
  text: string,
  length: number,
  { beginning, isComplete = true }: { beginning: Beginning; isComplete?: boolean },
): string {
  const spoken = new SpokenText(beginning);
  let words = '';
  for (let at = 0; at < text.length; at += length) words += spoken.push(text.slice(at, at + length));
  return words + spoken.end(isComplete);
}

const LENGTHS = [1, 2, 5, 1_000];
const BEGINNINGS: Beginning[] = ['words', 'thoughts', 'unknown'];

describe('the thoughts of a model are not spoken', () => {
  it.each([
    ['<think>Hm.</think>Hello.', 'Hello.'],
    ['Well. <thinking>Hm. <b></thinking>Hello.', 'Well. Hello.'],
    ['<THOUGHT>Hm.</THOUGHT>Hello <5 and [a] <b>.', 'Hello <5 and [a] <b>.'],
    ['<thought type="plan">Hm.</thought>Hello.', 'Hello.'],
    ['<seed:think>Hm.</seed:think>Hello.', 'Hello.'],
    ['[THINK]Hm.[/THINK]Hello.', 'Hello.'],
    ['◁think▷Hm.◁/think▷Hello.', 'Hello.'],
    ['<|begin_of_thought|>Hm.<|end_of_thought|>Hello.', 'Hello.'],
    ['<reasoning>Hm.</reasoning>Hello.<think>More.</think>', 'Hello.'],
    ['<think>Never closed. Hello', ''],
    ['Hello.<think>Never closed', 'Hello.'],
    ['I think <thinner> is text, as is <think', 'I think <thinner> is text, as is <think'],
  ])('%s', (text, words) => {
    for (const length of LENGTHS)
      for (const beginning of BEGINNINGS) expect(said(text, length, { beginning })).toBe(words);
  });

  it.each([
    ['Hm. Two cups?</think>Hello.', 'Hello.'],
    ['Hm.</thinking>\n\nHello. More.', '\n\nHello. More.'],
    ['Hm.[/THINK]Hello.', 'Hello.'],
    ['No thoughts at all.', 'No thoughts at all.'],
  ])('without an opening mark: %s', (text, words) => {
    for (const length of LENGTHS)
      for (const beginning of ['thoughts', 'unknown'] as const) expect(said(text, length, { beginning })).toBe(words);
  });

  it.each<[Beginning, string]>([
    ['words', 'Hello. Two cups'],
    ['unknown', 'Hello. Two cups'],
    ['thoughts', ''],
  ])('an answer that a limit cut off, of a model that begins with %s, is "%s"', (beginning, words) => {
    for (const length of LENGTHS) expect(said('Hello. Two cups', length, { beginning, isComplete: false })).toBe(words);
  });
});

it('words are said at once when the server reports thoughts apart from the text', () => {
  const spoken = new SpokenText('unknown');
  expect([spoken.push('Hello'), spoken.separates(), spoken.push(' there.')]).toEqual(['', 'Hello', ' there.']);
});
