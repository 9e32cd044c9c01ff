import { describe, expect, it } from '@jest/globals';
import { DEFAULT_PRICE_BOOK } from '@app/voice';
import { billOf, chargedLegs, toolUsage } from './bill.js';
import { newTransfer } from './transfer-record.js';

const outbound = { direction: 'outbound', to_number: '+15550009999' } as const;
const times = { answered_at: '2026-01-02T03:04:05.000+00:00', ended_at: '2026-01-02T03:04:07.500+00:00' };

describe('what a carrier charges for', () => {
  it('is the leg of the call, and each second leg that was answered', () => {
    const answered = { ...newTransfer('+15550002222', '+15550001111', 'bridge', times.answered_at), ...times };
    const silent = newTransfer('+15550003333', '+15550001111', 'bridge', times.answered_at);
    expect(chargedLegs(outbound, 10_000, [silent, answered])).toEqual([
      { destination: '+15550009999', connectedMs: 10_000 },
      { destination: '+15550002222', connectedMs: 2_500 },
    ]);
  });

  it('of an inbound call is its one price, for every caller', () =>
    expect(chargedLegs({ ...outbound, direction: 'inbound' }, 10_000, [])).toEqual([
      { destination: 'inbound', connectedMs: 10_000 },
    ]));

  it('is not a call that the far end placed', () => {
    const referred = { ...newTransfer('+15550002222', null, 'refer', times.answered_at), ...times };
    expect(chargedLegs(outbound, 10_000, [referred])).toHaveLength(1);
  });
});

describe('a bill', () => {
  it('says per model what was used, and which of it the price book does not know', () => {
    const tokens = { quantity: 1.5, unit: 'thousand_tokens', source: 'openai-realtime:m' } as const;
    const bill = billOf(DEFAULT_PRICE_BOOK, [], [{ kind: 'output_audio_tokens', ...tokens }]);
    expect(bill.lines).toMatchObject([
      { description: 'Voice agent, speech it made (m)', quantity: 1.5, amount_micros: 0 },
    ]);
    expect(bill.unpriced).toEqual(['output_audio_tokens openai-realtime:m']);
  });

  it('tells the tokens of a summary from those of the agent', () => {
    const tokens = { quantity: 1.5, unit: 'thousand_tokens', source: 'summary:m' } as const;
    const [line] = billOf(DEFAULT_PRICE_BOOK, [], [{ kind: 'input_text_tokens', ...tokens }]).lines;
    expect(line?.description).toBe('Summary, text it read (m)');
  });

  it.each([
    [['order', 'end_call', 'order', 'search_knowledge_base'], true, 2],
    [['end_call', 'call_transfer', 'send_dtmf'], true, undefined],
    [['order'], false, undefined],
  ])('for the tools %j, priced: %s, counts %s', (names, priced, quantity) => {
    const price = { kind: 'tool_calls', source: 'tools', unit_price_micro_usd: 0 } as const;
    const book = { version: 'v', prices: priced ? [price] : [] };
    expect(toolUsage(book, names)[0]?.quantity).toBe(quantity);
  });
});
