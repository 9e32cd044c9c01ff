import type { EvidenceBatch } from '@app/calls';
import type { SipEvent } from '@app/telephony';
import { describe, expect, it } from '@jest/globals';
import { CallEvidence, MAX_BYTES, MAX_MESSAGE_BYTES, MAX_MESSAGES } from './evidence-writer.service.js';

const START = Date.UTC(2026, 0, 2);

const event = (wire: string, more: Partial<SipEvent> = {}): SipEvent => ({
  direction: 'out',
  at: START,
  method: 'INVITE',
  summary: 'INVITE',
  transport: 'udp',
  local: { address: '192.0.2.1', port: 5060 },
  remote: { address: '192.0.2.2', port: 5062 },
  wire,
  ...more,
});

function drained(evidence: CallEvidence): EvidenceBatch {
  const batch: EvidenceBatch = { legs: [], messages: [], repeats: [] };
  evidence.drainInto(batch);
  return batch;
}

function oneLeg(): CallEvidence {
  const evidence = new CallEvidence('c');
  evidence.addLeg('outbound');
  return evidence;
}

describe('CallEvidence', () => {
  it('keeps messages in order, byte for byte, over all legs of the call', () => {
    const evidence = oneLeg();
    expect(evidence.addLeg('outbound')).toBe(2);
    evidence.add(1, event('INVITE \0\xff'));
    evidence.add(2, event('INVITE \0\xff'));
    const { messages } = drained(evidence);
    expect(messages.map(({ leg, seq }) => [leg, seq])).toEqual([
      [1, 1],
      [2, 2],
    ]);
    expect(Buffer.from(messages[0]!.message, 'base64').toString('latin1')).toBe('INVITE \0\xff');
    expect(messages[0]).toMatchObject({
      local_port: 5060,
      remote_address: '192.0.2.2',
      at: '2026-01-02T00:00:00.000Z',
    });
    expect(drained(evidence)).toEqual({ legs: [], messages: [], repeats: [] });
  });

  it('counts repetitions of a message, before and after it was written', () => {
    const evidence = oneLeg();
    evidence.add(1, event('INVITE'));
    evidence.add(1, event('INVITE', { at: START + 500 }));
    evidence.add(1, event('INVITE', { direction: 'in' }));
    expect(drained(evidence)).toMatchObject({
      messages: [{ retransmissions: 1, repeated_at: ['2026-01-02T00:00:00.500Z'] }, { retransmissions: 0 }],
      repeats: [],
    });
    for (let i = 0; i < 20; i++) evidence.add(1, event('INVITE', { at: START + 1_000 }));
    const { messages, repeats } = drained(evidence);
    expect(messages).toEqual([]);
    expect(repeats).toMatchObject([{ call_id: 'c', seq: 1, retransmissions: 21 }]);
    expect(repeats[0]!.repeated_at).toHaveLength(16);
  });

  it('hands over messages that later repetitions do not change', () => {
    const evidence = oneLeg();
    evidence.add(1, event('INVITE'));
    const { messages } = drained(evidence);
    evidence.add(1, event('INVITE'));
    expect(messages[0]).toMatchObject({ retransmissions: 0, repeated_at: [] });
  });

  it.each([
    ['too many messages', Array.from({ length: MAX_MESSAGES + 3 }, (_, i) => `BYE ${i}`), 3],
    ['a message that is too long', ['BYE', 'x'.repeat(MAX_MESSAGE_BYTES + 1)], 1],
    ['too many bytes', Array.from({ length: 6 }, (_, i) => `${i}`.padEnd(60_000)), 6 - Math.floor(MAX_BYTES / 60_000)],
  ])('leaves out %s and says how many', (_what, wires, left) => {
    const evidence = oneLeg();
    for (const wire of wires) evidence.add(1, event(wire));
    const { legs, messages } = drained(evidence);
    expect(messages).toHaveLength(wires.length - left);
    expect(legs).toMatchObject([{ leg: 1, left_out: left }]);
  });

  it('leaves out all messages while the process has no room', () => {
    const evidence = oneLeg();
    evidence.add(1, event('INVITE'), false);
    expect(drained(evidence)).toMatchObject({ messages: [], legs: [{ left_out: 1 }] });
  });
});
