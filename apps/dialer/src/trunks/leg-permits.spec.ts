import { type KnownHost, routeOf, type SipRoute } from '@app/accounts';
import { describe, expect, it } from '@jest/globals';
import { type PermittedLeg, permitsOf } from './leg-permits.js';

const DIRECT: PermittedLeg = {
  ...{ account_id: 1, trunk_id: null, trunk: null, destinations_allow: [], destinations_deny: ['+44'] },
  ...{ daily_spend_micros: null, spent_micros: '0' },
};
const OVER_TRUNK: PermittedLeg = { ...DIRECT, trunk_id: 7, trunk: { dial_formats: null } };
const CONTACT = 'sip:+12025550100@192.0.2.1';
const TARGET = { address: '192.0.2.1', port: 5060 };

interface Facts {
  route?: SipRoute | Error;
  /** What is known about the host of the contact; instead of `route`. */
  host?: KnownHost;
  isListed?: boolean;
  /** Undefined: the trunk is full. */
  dialIn?: number;
  mayGoDirectly?: boolean;
}

function permits(leg: PermittedLeg, { route = { kind: 'direct' }, isListed = false, ...facts }: Facts = {}) {
  const claimed: number[] = [];
  const failures: unknown[] = [];
  const made = permitsOf(leg, {
    routes: {
      routeForDialling: async (_account, limits, uri, over) => {
        if (facts.host) return routeOf(limits, uri, facts.host, over);
        if (route instanceof Error) throw route;
        return route;
      },
      mayGoDirectly: async (_account, _limits, _uri, to) => to.map(() => facts.mayGoDirectly ?? false),
    },
    isListed: async () => isListed,
    claim: async (trunkId) => {
      claimed.push(trunkId);
      return 'dialIn' in facts ? facts.dialIn : 0;
    },
    failed: (error) => failures.push(error),
  });
  return { ...made, claimed, failures };
}

describe('a redirection of a call', () => {
  it('to another host is followed without a line of a trunk', async () => {
    const { redirectAllowed, claimed } = permits(DIRECT);
    expect([await redirectAllowed(CONTACT), claimed]).toEqual([true, []]);
  });

  it('to the host of a trunk of the account takes a line of that trunk, once', async () => {
    const { redirectAllowed, targetAllowed, claimed } = permits(DIRECT, { route: { kind: 'trunk', trunkId: 9 } });
    expect(await redirectAllowed(CONTACT)).toBe(true);
    expect(await redirectAllowed('sip:+12025550101@192.0.2.1')).toBe(true);
    expect(claimed).toEqual([9]);
    expect(await targetAllowed(CONTACT, [TARGET])).toEqual([true]);
    expect(await targetAllowed('sip:+12025550199@192.0.2.1', [TARGET, TARGET])).toEqual([false, false]);
  });

  it('within the trunk of the call takes no second line', async () => {
    const { redirectAllowed, claimed } = permits(OVER_TRUNK, { route: { kind: 'trunk', trunkId: 7 } });
    expect([await redirectAllowed(CONTACT), claimed]).toEqual([true, []]);
  });

  it('to the host of several trunks of the account stays on the trunk of the call', async () => {
    const trunks = [3, 7, 9].map((id) => ({ id, dial_formats: null }));
    const { redirectAllowed, claimed } = permits(OVER_TRUNK, { host: { trunks, isForeign: false } });
    expect([await redirectAllowed(CONTACT), claimed]).toEqual([true, []]);
  });

  it.each<[string, PermittedLeg, string, Facts]>([
    ['a full trunk', DIRECT, CONTACT, { route: { kind: 'trunk', trunkId: 9 }, dialIn: undefined }],
    ['a host that the account must not call', DIRECT, CONTACT, { route: { kind: 'refused', problem: 'Blocked.' } }],
    ['a number on the do-not-call list', DIRECT, CONTACT, { isListed: true }],
    ['a denied number', DIRECT, 'sip:+442071838750@192.0.2.1', {}],
    ['an emergency number', DIRECT, 'sip:911@192.0.2.1', {}],
    ['a format that the trunk of the call does not accept', OVER_TRUNK, 'sip:2025550100@192.0.2.1', {}],
  ])('to %s is not followed', async (_, leg, uri, facts) => {
    expect(await permits(leg, facts).redirectAllowed(uri)).toBe(false);
  });

  it('is not followed when the database cannot be asked', async () => {
    const { redirectAllowed, failures } = permits(DIRECT, { route: new Error('The database is unavailable.') });
    expect([await redirectAllowed(CONTACT), failures.length]).toEqual([false, 1]);
  });
});
