import type { LegEnd } from '@app/telephony';
import { DEFAULT_PRICE_BOOK } from '@app/voice';
import { describe, expect, it } from '@jest/globals';
import { billOf, chargedLegs, toolUsage } from './call-ending.service.js';
import type { TransferRecord } from '@app/calls';
import { connectedMs, statusOf, TransferLog } from './transfer-record.js';

const NOW = '2026-01-02T03:04:00.000+00:00';

const transfers = new TransferLog(
  { recordTransfers: () => Promise.resolve() },
  { error: () => undefined },
  { call: { id: 'c', owner: 'd' }, now: () => new Date(NOW), note: () => undefined },
);
const attempt = (to: string, method: TransferRecord['method'], more: Partial<TransferRecord> = {}) =>
  transfers.add({ to, from: '+15550001111', method, mode: 'cold', destination: null }, more);

const outbound = { direction: 'outbound', to_number: '+15550009999' } as const;
const times = { answered_at: '2026-01-02T03:04:05.000+00:00', ended_at: '2026-01-02T03:04:07.500+00:00' };

describe('the legs that a carrier charges for', () => {
  it('are the leg of the call and every second leg that was answered', () => {
    const answered = attempt('+15550002222', 'bridge', times);
    const silent = attempt('+15550003333', 'bridge');
    expect(chargedLegs(outbound, 10_000, [silent, answered])).toEqual([
      { destination: '+15550009999', connectedMs: 10_000 },
      { destination: '+15550002222', connectedMs: 2_500 },
    ]);
  });

  it('of an inbound call have one price for every caller', () =>
    expect(chargedLegs({ ...outbound, direction: 'inbound' }, 10_000, [])).toEqual([
      { destination: 'inbound', connectedMs: 10_000 },
    ]));

  it('do not include a call that the remote party placed after a REFER', () => {
    const referred = attempt('+15550002222', 'refer', times);
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
    [['order', 'end_call', 'order', 'search_knowledge_base'], true, 2],
    [['end_call', 'call_transfer', 'send_dtmf'], true, undefined],
    [['order'], false, undefined],
  ])('a bill for the tools %j, priced: %s, counts %s tool calls', (names, priced, quantity) => {
    const price = { kind: 'tool_calls', source: 'tools', unit_price_micro_usd: 0 } as const;
    const book = { version: 'v', prices: priced ? [price] : [] };
    expect(toolUsage(book, names)[0]?.quantity).toBe(quantity);
  });
});

const joined = { answered_at: '2026-01-02T03:04:05.000+00:00', joined_at: '2026-01-02T03:04:05.000+00:00' };
const end = (more: Partial<LegEnd>) => ({ endedBy: 'callee', ...more }) as LegEnd;

describe('the record of a transfer', () => {
  it.each([
    [end({ status: 'busy', cause: 'user_busy', sipCode: 486 }), {}, 'busy', 486],
    [end({ status: 'no_answer', cause: 'no_answer' }), {}, 'no_answer', null],
    [end({ status: 'cancelled', cause: 'cancelled' }), {}, 'cancelled', null],
    [end({ status: 'completed', cause: 'normal_clearing' }), joined, 'completed', null],
    [end({ status: 'completed', cause: 'normal_clearing' }), {}, 'cancelled', null],
    [end({ status: 'completed', cause: 'agent_hangup' }), { declined_reason: 'key' as const }, 'declined', null],
  ])('contains the end %j', (legEnd, before, status, sip_code) => {
    const record = attempt('+15550002222', 'bridge', before);
    transfers.ended(record, legEnd);
    expect(record).toMatchObject({ ended_at: NOW, status, hangup_cause: legEnd.cause, sip_code });
  });

  it.each([
    [486, 'busy'],
    [603, 'busy'],
    [480, 'no_answer'],
    [503, 'failed'],
    [undefined, 'failed'],
  ])('of a transfer by REFER that ended with %s says %s', (status, told) => expect(statusOf(status)).toBe(told));

  it('gives the billed time from the answer to the end', () => {
    expect(connectedMs(attempt('+15550002222', 'bridge'))).toBe(0);
    expect(connectedMs(attempt('+15550002222', 'bridge', times))).toBe(2_500);
  });
});
