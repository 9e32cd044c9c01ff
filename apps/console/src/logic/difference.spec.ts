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
    const lines = (name: string, length: number): string =>
      Array.from({ length }, (_, index) => `${name} ${index}`).join('\n');
    const compared = (length: number) =>
      differencesOf({ text: lines('a', length) }, { text: lines('b', length) })[0]?.lines;
    expect(compared(5_000)).toHaveLength(10_000);
    // The fastest of several: neighbours make a run slower, never faster.
    const durations = Array.from({ length: 5 }, () => {
      const began = performance.now();
      compared(5_000);
      return performance.now() - began;
    });
    expect(Math.min(...durations)).toBeLessThan(1_000);
  });
});
