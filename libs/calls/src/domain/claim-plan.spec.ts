import { describe, expect, it } from '@jest/globals';
import { type Gate, planClaims, type WaitingCall } from './claim-plan.js';

const queue = (...trunks: (number | null)[]): WaitingCall[] => trunks.map((trunkId, i) => ({ id: `c${i}`, trunkId }));
const gate = (free: number, rate?: number, nextAt = -1000): Gate => ({ free, rate, nextAt });
const plenty = { capacity: 100, horizonMs: 500 };
const idsOf = (calls: { id: string }[]) => calls.map((call) => call.id).join(' ');

describe('a claim of queued calls', () => {
  it('takes as many calls as the account has capacity for, the oldest first', () => {
    expect(idsOf(planClaims(queue(null, null, null), gate(2), new Map(), plenty).calls)).toBe('c0 c1');
  });

  it('takes no more calls than the dialer has capacity for', () => {
    expect(idsOf(planClaims(queue(null, null, null), gate(9), new Map(), { ...plenty, capacity: 1 }).calls)).toBe('c0');
  });

  it('skips the calls of a full trunk and takes those of other trunks', () => {
    const trunks = new Map([
      [1, gate(1)],
      [2, gate(5)],
    ]);
    expect(idsOf(planClaims(queue(1, 1, 2, null, 1), gate(9), trunks, plenty).calls)).toBe('c0 c2 c3');
  });

  it('paces calls by the rate of the account, half a second ahead at most', () => {
    const { calls, account } = planClaims(queue(null, null, null, null, null), gate(9, 4), new Map(), plenty);
    expect(calls.map((call) => call.dialIn)).toEqual([0, 250, 500]);
    expect(account.nextAt).toBe(750);
  });

  it('paces calls by the slower rate of account and trunk', () => {
    const { calls, trunks } = planClaims(queue(1, 1), gate(9, 10), new Map([[1, gate(9, 4)]]), plenty);
    expect(calls.map((call) => call.dialIn)).toEqual([0, 250]);
    expect(trunks.get(1)?.nextAt).toBe(500);
  });

  it('skips the calls of a trunk whose next start is far away and takes the others', () => {
    const { calls } = planClaims(queue(1, 1, 1, 1, null), gate(9), new Map([[1, gate(9, 4)]]), plenty);
    expect(calls.map(({ id, dialIn }) => `${id} ${dialIn}`)).toEqual(['c0 0', 'c1 250', 'c2 500', 'c4 500']);
  });

  it('takes nothing while the next start of the account is far away', () => {
    expect(planClaims(queue(null), gate(9, 1, 900), new Map(), plenty).calls).toEqual([]);
  });
});
