import { describe, expect, it } from '@jest/globals';
import { costOf } from './cost.js';
import { carrierUsage, DEFAULT_PRICE_BOOK, type PriceBook } from './price-book.js';
import type { UsageItem } from './usage.js';

const book: PriceBook = {
  version: 'test',
  prices: [
    { kind: 'agent_seconds', source: 'sandbox', unit_price_micro_usd: 333 },
    { kind: 'carrier_seconds', source: 'carrier:default', unit_price_micro_usd: 500 },
    { kind: 'carrier_seconds', source: 'carrier:sip', unit_price_micro_usd: 50 },
    { kind: 'carrier_seconds', source: 'carrier:+1', unit_price_micro_usd: 150 },
    { kind: 'carrier_seconds', source: 'carrier:+1900', unit_price_micro_usd: 90_000 },
  ],
};
const agent = (quantity: number): UsageItem => ({ kind: 'agent_seconds', quantity, unit: 'second', source: 'sandbox' });

describe('carrierUsage', () => {
  it.each([
    ['+15550001111', 'carrier:+1'],
    ['+19005551234', 'carrier:+1900'],
    ['+4930123456', 'carrier:default'],
    ['sip:answer@127.0.0.1:5070', 'carrier:sip'],
  ])('%s is priced as %s', (destination, source) => {
    const usage = carrierUsage(book, destination, 12_345.6);
    expect(usage).toEqual({ kind: 'carrier_seconds', quantity: 12.346, unit: 'second', source });
  });
});

describe('costOf', () => {
  it.each([
    [[agent(1)], 333],
    [[agent(0.001)], 0],
    [[agent(0.002)], 1],
    [[agent(0.1), agent(0.2)], 100],
    [[agent(2_678_400)], 891_907_200],
    [[], 0],
  ])('%j costs %d micro-USD', (usage, amount) => expect(costOf(usage, book).cost_micros).toBe(amount));

  it('adds equal usage up before it rounds, and adds its lines up to the totals', () => {
    const usage = [agent(1.111), carrierUsage(book, '+15550001111', 61_007), agent(0.002), agent(0.003)];
    const cost = costOf(usage, book);
    expect(cost.lines).toEqual([
      { ...agent(1.116), unit_price_micro_usd: 333, amount_micro_usd: 372 },
      expect.objectContaining({ quantity: 61.007, unit_price_micro_usd: 150, amount_micro_usd: 9151 }),
    ]);
    expect(cost.cost_micros).toBe(372 + 9151);
    expect(cost.realtime_cost_micros).toBe(372);
    expect(cost.price_book_version).toBe('test');
  });

  it('names what the book has no price for', () => {
    const cost = costOf([{ ...agent(5), source: 'new-provider' }], book);
    expect(cost.unpriced).toEqual(['agent_seconds new-provider']);
    expect(cost.lines).toMatchObject([{ quantity: 5, amount_micro_usd: 0 }]);
  });

  it('has a price for everything that can be used today', () => {
    const usage = [
      agent(1),
      carrierUsage(DEFAULT_PRICE_BOOK, '+99', 1000),
      carrierUsage(DEFAULT_PRICE_BOOK, 'sip:a@b', 1000),
    ];
    const cost = costOf(usage, DEFAULT_PRICE_BOOK);
    expect(cost.unpriced).toEqual([]);
    expect(cost.lines.every((line) => line.amount_micro_usd > 0)).toBe(true);
  });
});
