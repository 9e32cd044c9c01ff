import { describe, expect, it } from '@jest/globals';
import { differencesOf } from './difference.js';

const shown = (before: object, after: object): string[] =>
  differencesOf(before, after).flatMap(({ field, lines }) => [
    field,
    ...lines.map(({ kind, text }) => `${{ same: ' ', removed: '-', added: '+' }[kind]}${text}`),
  ]);

describe('the difference of two versions', () => {
  it('is empty for equal settings, and for null, empty text and an absent setting', () => {
    expect(shown({ a: 1, b: { c: 'x' }, d: null }, { a: 1, b: { c: 'x' }, e: '' })).toEqual([]);
  });

  it('names a changed value by its path', () => {
    expect(shown({ call_transfer: { enabled: false } }, { call_transfer: { enabled: true } })).toEqual([
      'call_transfer.enabled',
      '-false',
      '+true',
    ]);
  });

  it('shows an added and a removed setting', () => {
    expect(shown({ voice: 'marin' }, { model: 'm' })).toEqual(['voice', '-marin', 'model', '+m']);
  });

  it('shows the changed lines of a text with their neighbours only', () => {
    const before = ['1', '2', '3', '4', '5', '6', '7', '8', '9'].join('\n');
    const after = ['1', '2', '3', '4', 'five', '6', '7', '8', '9'].join('\n');
    const lines = [' …', ' 3', ' 4', '-5', '+five', ' 6', ' 7', ' …'];
    expect(shown({ text: before }, { text: after })).toEqual(['text', ...lines]);
  });

  it('finds a line that was inserted and one that was moved away', () => {
    expect(shown({ text: 'a\nb\nc' }, { text: 'x\na\nc' })).toEqual(['text', '+x', ' a', '-b', ' c']);
  });

  it('compares two long texts without a common line at once', () => {
    const lines = (name: string): string => Array.from({ length: 5_000 }, (_, index) => `${name} ${index}`).join('\n');
    const began = performance.now();
    expect(differencesOf({ text: lines('a') }, { text: lines('b') })[0]?.lines).toHaveLength(10_000);
    expect(performance.now() - began).toBeLessThan(1_000);
  });
});
