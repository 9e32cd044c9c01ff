import { beforeEach, describe, expect, it } from '@jest/globals';
import { WaitingLines } from './waiting-line.js';

const ACCOUNT = 1;
const LIMIT = 100_000;
let now: number;
let lines: WaitingLines;
beforeEach(() => {
  now = 0;
  lines = new WaitingLines(() => now);
});

describe('a line', () => {
  it('that was never seen is counted by every order', () => {
    expect([1, 2].map(() => lines.isUnknown(ACCOUNT))).toEqual([true, true]);
    expect(lines.takePlenty(ACCOUNT, 1, LIMIT)).toBe(false);
  });

  it.each([
    [0, 10_000],
    [50_000, 5_000],
    [90_000, 1_000],
    [100_000, 0],
  ])('of %i is believed for %i ms', (waiting, ms) => {
    lines.saw(ACCOUNT, waiting, LIMIT);
    now = ms - 1;
    if (ms > 0) expect(lines.isUnknown(ACCOUNT)).toBe(false);
    now = ms;
    expect(lines.isUnknown(ACCOUNT)).toBe(true);
  });

  it('is looked at by one of many orders at once, and by another one when that took too long', () => {
    lines.saw(ACCOUNT, 50_000, LIMIT);
    now = 5_000;
    expect([1, 2, 3].map(() => lines.isUnknown(ACCOUNT))).toEqual([true, false, false]);
    expect(lines.takePlenty(ACCOUNT, 1, LIMIT)).toBe(true);
    now = 6_000;
    expect([1, 2].map(() => lines.isUnknown(ACCOUNT))).toEqual([true, false]);
    lines.saw(ACCOUNT, 60_000, LIMIT);
    expect(lines.isUnknown(ACCOUNT)).toBe(false);
  });

  it('that was out of sight for long is counted by every order', () => {
    lines.saw(ACCOUNT, 50_000, LIMIT);
    now = 6_000;
    expect([1, 2].map(() => lines.isUnknown(ACCOUNT))).toEqual([true, true]);
  });

  it('gives places without a count until 10,000 are left', () => {
    lines.saw(ACCOUNT, 89_998, LIMIT);
    expect([1, 2, 1, 1].map((count) => lines.takePlenty(ACCOUNT, count, LIMIT))).toEqual([true, false, true, false]);
    expect(lines.takePlenty(2, 1, LIMIT)).toBe(false);
  });

  it('is forgotten when 10,000 others were seen since', () => {
    for (let account = 0; account <= 10_000; account++) lines.saw(account, 0, LIMIT);
    expect([0, 1].map((account) => lines.isUnknown(account))).toEqual([true, false]);
  });
});
