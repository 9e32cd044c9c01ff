import { describe, expect, it } from '@jest/globals';
import { type KnownHost, routeOf } from './sip-route.js';

const open = { allow: [], deny: [] };
const usOnly = { allow: ['+1'], deny: [] };
const plain = { id: 4, dial_formats: null };
const pbx = { id: 7, dial_formats: { extensions: { min_digits: 3, max_digits: 5 } } };
const at = (user: string): string => `sip:${user}@192.0.2.1`;
const elsewhere: KnownHost = { trunks: [], isForeign: false };
const own: KnownHost = { trunks: [plain, pbx], isForeign: false };
const both: KnownHost = { trunks: [plain], isForeign: true };
const foreign: KnownHost = { trunks: [], isForeign: true };

describe('the route of a further destination of a leg over a trunk', () => {
  const second = { id: 9, dial_formats: null };
  const host: KnownHost = { trunks: [plain, pbx, second], isForeign: false };
  it.each<[string, string, number | null, number]>([
    ['that trunk, and not another one at its host', '+12025550100', 9, 9],
    ['a trunk that accepts the format when that trunk does not', '1001', 9, 7],
    ['the first trunk at the host of another carrier', '+12025550100', 5, 4],
    ['the first trunk at the host for a leg without a trunk', '+12025550100', null, 4],
  ])('is %s', (_, user, id, trunkId) =>
    expect(routeOf(open, at(user), host, { id, settings: plain })).toEqual({ kind: 'trunk', trunkId }),
  );
});

describe('the route of a SIP URI without a chosen trunk', () => {
  it.each<[string, string, typeof usOnly, KnownHost, object]>([
    ['the first trunk of the account', '+12025550100', open, own, { kind: 'trunk', trunkId: 4 }],
    ['the first trunk whose rules allow it', '1001', open, own, { kind: 'trunk', trunkId: 7 }],
    ['the trunk of the account for a name', 'alice', open, own, { kind: 'trunk', trunkId: 4 }],
    [
      'the trunk of the account at the host of a foreign one',
      '+12025550100',
      open,
      both,
      { kind: 'trunk', trunkId: 4 },
    ],
    ['the host for a name at a foreign trunk', 'alice', open, foreign, { kind: 'direct' }],
    ['the host elsewhere', '+442071838750', open, elsewhere, { kind: 'direct' }],
    ['the host for an extension elsewhere', '1001', usOnly, elsewhere, { kind: 'direct' }],
  ])('is %s', (_, user, limits, host, route) => expect(routeOf(limits, at(user), host)).toEqual(route));

  it.each<[string, string, typeof usOnly, KnownHost, RegExp]>([
    ['a national number at an own trunk', '09061234567', open, own, /E\.164/],
    ['an emergency number at an own trunk', '911', open, { trunks: [plain], isForeign: false }, /E\.164/],
    ['a number that the lists forbid at an own trunk', '+442071838750', usOnly, own, /not allowed/],
    ['a number at a foreign trunk', '+12025550100', open, foreign, /^Calls to this destination are not allowed/],
    ['a national number at a foreign trunk', '2025550100', open, foreign, /^Calls to this destination are not allowed/],
    ['an escaped number at a foreign trunk', '%2B12025550100', open, foreign, /^Calls to this destination are not/],
    ['an extension at a foreign trunk', '1001', open, foreign, /^Calls to this destination are not allowed/],
    ['an emergency number elsewhere', '112', open, elsewhere, /^Calls to this destination are not allowed/],
    ['a number that the lists forbid elsewhere', '442071838750', usOnly, elsewhere, /not allowed/],
  ])('does not exist for %s', (_, user, limits, host, problem) =>
    expect(routeOf(limits, at(user), host)).toEqual({ kind: 'refused', problem: expect.stringMatching(problem) }),
  );
});
