import { describe, expect, it } from '@jest/globals';
import type { TransferRecord } from '../domain/call.js';
import { DEFAULT_PRICE_BOOK } from './bill.js';
import { billOf, chargedLegs, connectedMs, toolUsage } from './call-bill.js';

const transfer = (
  to: string,
  method: TransferRecord['method'],
  more: Partial<TransferRecord> = {},
): TransferRecord => ({
  ...{ to_number: to, from_number: '+15550001111', method, status: 'completed', mode: 'cold', destination: null },
  ...{ started_at: '2026-01-02T03:04:00.000+00:00', answered_at: null, joined_at: null, ended_at: null },
  ...{ hangup_cause: null, sip_code: null, accepted_by: null, declined_reason: null },
  ...more,
});

const outbound = { direction: 'outbound', channel: 'phone', to_number: '+15550009999' } as const;
const times = { answered_at: '2026-01-02T03:04:05.000+00:00', ended_at: '2026-01-02T03:04:07.500+00:00' };

describe('the legs that a carrier charges for', () => {
  it('are the leg of the call and every second leg that was answered', () => {
    const answered = transfer('+15550002222', 'bridge', times);
    const silent = transfer('+15550003333', 'bridge');
    expect(chargedLegs(outbound, 10_000, [silent, answered])).toEqual([
      { destination: '+15550009999', connectedMs: 10_000 },
      { destination: '+15550002222', connectedMs: 2_500 },
    ]);
  });

  it('of an inbound call have one price for every caller', () =>
    expect(chargedLegs({ ...outbound, direction: 'inbound' }, 10_000, [])).toEqual([
      { destination: 'inbound', connectedMs: 10_000 },
    ]));

  it('of a web call are those to phones', () => {
    const answered = transfer('+15550002222', 'bridge', times);
    const web = { direction: 'inbound', channel: 'web', to_number: 'web:1' } as const;
    expect(chargedLegs(web, 10_000, [answered])).toEqual([{ destination: '+15550002222', connectedMs: 2_500 }]);
  });

  it('do not include a call that the remote party placed after a REFER', () => {
    const referred = transfer('+15550002222', 'refer', times);
    expect(chargedLegs(outbound, 10_000, [referred])).toHaveLength(1);
  });
});

describe('a bill', () => {
  it('a bill lists the usage per model, and the usage that the price book has no price for', () => {
    const tokens = { quantity: 1.5, unit: 'thousand_tokens', source: 'openai-realtime:m' } as const;
    const bill = billOf(DEFAULT_PRICE_BOOK, [], [{ kind: 'output_audio_tokens', ...tokens }]);
    expect(bill.lines).toMatchObject([
      { description: 'Voice agent, speech it made (m)', quantity: 1.5, amount_micros: 0 },
    ]);
    expect(bill.unpriced).toEqual(['output_audio_tokens openai-realtime:m']);
  });

  it('a bill separates the tokens of the summary from those of the agent', () => {
    const tokens = { quantity: 1.5, unit: 'thousand_tokens', source: 'summary:m' } as const;
    const [line] = billOf(DEFAULT_PRICE_BOOK, [], [{ kind: 'input_text_tokens', ...tokens }]).lines;
    expect(line?.description).toBe('Summary, text it read (m)');
  });

  it.each([
    [2, true, 2],
    [0, true, undefined],
    [1, false, undefined],
  ])('a bill for %d tool calls, priced: %s, has %s', (calls, priced, quantity) => {
    const price = { kind: 'tool_calls', source: 'tools', unit_price_micro_usd: 0 } as const;
    const book = { version: 'v', prices: priced ? [price] : [] };
    expect(toolUsage(book, calls)[0]?.quantity).toBe(quantity);
  });
});

it('a second leg is billed from its answer to its end', () => {
  expect(connectedMs(transfer('+15550002222', 'bridge'))).toBe(0);
  expect(connectedMs(transfer('+15550002222', 'bridge', times))).toBe(2_500);
});
