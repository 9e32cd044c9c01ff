import { describe, expect, it } from '@jest/globals';
import { type Gate, planClaims, type WaitingCall } from './claim-plan.js';

const line = (...trunks: (number | null)[]): WaitingCall[] => trunks.map((trunkId, i) => ({ id: `c${i}`, trunkId }));
const gate = (free: number, rate?: number, nextAt = -1000): Gate => ({ free, rate, nextAt });
const plenty = { capacity: 100, horizonMs: 500 };
const idsOf = (calls: { id: string }[]) => calls.map((call) => call.id).join(' ');

describe('planClaims', () => {
  it('takes as many as the account has room for, oldest first', () => {
    expect(idsOf(planClaims(line(null, null, null), gate(2), new Map(), plenty).calls)).toBe('c0 c1');
  });

  it('takes no more than the process can carry', () => {
    expect(idsOf(planClaims(line(null, null, null), gate(9), new Map(), { ...plenty, capacity: 1 }).calls)).toBe('c0');
  });

  it('lets a full trunk hold back its own calls only', () => {
    const trunks = new Map([
      [1, gate(1)],
      [2, gate(5)],
    ]);
    expect(idsOf(planClaims(line(1, 1, 2, null, 1), gate(9), trunks, plenty).calls)).toBe('c0 c2 c3');
  });

  it('paces calls by the account rate, half a second ahead at most', () => {
    const { calls, account } = planClaims(line(null, null, null, null, null), gate(9, 4), new Map(), plenty);
    expect(calls.map((call) => call.dialIn)).toEqual([0, 250, 500]);
    expect(account.nextAt).toBe(750);
  });

  it('paces by the slower of account and trunk', () => {
    const { calls, trunks } = planClaims(line(1, 1), gate(9, 10), new Map([[1, gate(9, 4)]]), plenty);
    expect(calls.map((call) => call.dialIn)).toEqual([0, 250]);
    expect(trunks.get(1)?.nextAt).toBe(500);
  });

  it('lets a trunk whose next start is far off hold back its own calls only', () => {
    const { calls } = planClaims(line(1, 1, 1, 1, null), gate(9), new Map([[1, gate(9, 4)]]), plenty);
    expect(calls.map(({ id, dialIn }) => `${id} ${dialIn}`)).toEqual(['c0 0', 'c1 250', 'c2 500', 'c4 500']);
  });

  it('takes nothing before the next start is near', () => {
    expect(planClaims(line(null), gate(9, 1, 900), new Map(), plenty).calls).toEqual([]);
  });
});
