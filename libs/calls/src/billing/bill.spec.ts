import { describe, expect, it } from '@jest/globals';
import type { UsageItem, UsageKind } from '@app/voice';
import { carrierUsage, costOf, DEFAULT_PRICE_BOOK, type PriceBook } from './bill.js';

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
  ])('a call to %s is priced as %s', (destination, source) => {
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
  ])('the usage %j costs %d micro-USD', (usage, amount) => expect(costOf(usage, book).cost_micros).toBe(amount));

  it('equal usage is added up before rounding, and the totals are the sum of the rounded lines', () => {
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

  describe('of tokens', () => {
    const price = (kind: UsageKind, source: string, unit_price_micro_usd: number) => ({
      kind,
      source,
      unit_price_micro_usd,
    });
    const tokens = (source: string, count: number, kind: UsageKind = 'output_audio_tokens'): UsageItem => ({
      kind,
      quantity: count / 1000,
      unit: 'thousand_tokens',
      source,
    });
    const models: PriceBook = {
      version: 'models',
      prices: [
        price('output_audio_tokens', 'a:*', 1),
        price('output_audio_tokens', 'a:big*', 64_000),
        price('output_audio_tokens', 'a:big-mini*', 20_000),
        price('output_audio_tokens', 'a:big-1', 70_000),
        price('cached_audio_tokens', 'a:big*', 400),
      ],
    };

    it.each([
      ['a:big', 64_000],
      ['a:big-2025-08-28', 64_000],
      ['a:big-mini-2', 20_000],
      ['a:big-1', 70_000],
      ['a:else', 1],
    ])('the model %s has the price of the longest matching source', (source, unit) => {
      expect(costOf([tokens(source, 1000)], models).lines[0]?.unit_price_micro_usd).toBe(unit);
    });

    it('token prices are exact to a single token', () => {
      const usage = Array.from({ length: 333 }, () => tokens('a:big', 7));
      const cached = Array.from({ length: 3 }, () => tokens('a:big', 1, 'cached_audio_tokens'));
      const cost = costOf([...usage, ...cached], models);
      expect(cost.lines).toMatchObject([
        { quantity: 2.331, amount_micro_usd: 149_184 },
        { quantity: 0.003, amount_micro_usd: 1 },
      ]);
    });

    it('the AI part of the cost excludes tools and carrier', () => {
      const calls: UsageItem = { kind: 'tool_calls', quantity: 2, unit: 'call', source: 'tools' };
      const all = { ...models, prices: [...models.prices, ...book.prices, price('tool_calls', 'tools', 500)] };
      const cost = costOf([tokens('a:big', 1000), calls, carrierUsage(all, 'sip:a@b', 1000)], all);
      expect([cost.cost_micros, cost.realtime_cost_micros]).toEqual([65_050, 64_000]);
    });
  });

  it('usage without a price is listed as unpriced', () => {
    const cost = costOf([{ ...agent(5), source: 'new-provider' }], book);
    expect(cost.unpriced).toEqual(['agent_seconds new-provider']);
    expect(cost.lines).toMatchObject([{ quantity: 5, amount_micro_usd: 0 }]);
  });

  it('the default price book prices everything that the sandbox uses', () => {
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
