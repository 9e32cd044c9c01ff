import { describe, expect, it } from '@jest/globals';
import type { CampaignPacing } from './campaign.js';
import { type CallRoom, isBroken, nextCallAfter, pickNumber, planRelease } from './release-plan.js';

const now = new Date('2026-11-23T10:00:00Z');
const ago = (seconds: number): Date => new Date(now.getTime() - seconds * 1_000);

const pacing: CampaignPacing = {
  concurrent_calls: null,
  calls_per_second: null,
  reserve_percent: 0,
  ramp_up_seconds: 0,
  breaker: null,
};
const room: CallRoom = { limit: 50, live: 0, queued: 0, trunkFree: null, campaigns: 1 };

interface Case {
  pacing?: Partial<CampaignPacing>;
  room?: Partial<CallRoom>;
  calling?: number;
  resumedAt?: Date;
  nextCallAt?: Date;
}

const planned = ({ pacing: paced, room: given, calling = 0, resumedAt = ago(3_600), nextCallAt }: Case) =>
  planRelease(
    { pacing: { ...pacing, ...paced }, calling, resumedAt, nextCallAt: nextCallAt ?? null },
    { ...room, ...given },
    now,
  );

describe('the calls that a campaign may create', () => {
  it.each<[string, Case, number]>([
    ['are as many as the account allows', {}, 50],
    ['leave the reserve to other calls', { pacing: { reserve_percent: 20 } }, 40],
    ['count live and queued calls of the account', { room: { live: 20, queued: 25 } }, 5],
    ['are none when other calls use the share', { pacing: { reserve_percent: 20 }, room: { live: 41 } }, 0],
    ['are at least one in an account with one call', { pacing: { reserve_percent: 90 }, room: { limit: 1 } }, 1],
    ['stay below the limit of the campaign', { pacing: { concurrent_calls: 10 }, calling: 4, room: { live: 4 } }, 6],
    ['fit on the trunk', { room: { trunkFree: 3 } }, 3],
    ['are none on a full trunk', { room: { trunkFree: -1 } }, 0],
    ['are shared among the campaigns of the account', { room: { campaigns: 4, live: 10 } }, 10],
    ['are one at the start of the ramp-up', { pacing: { ramp_up_seconds: 100 }, resumedAt: now }, 1],
    ['grow within the ramp-up', { pacing: { ramp_up_seconds: 100 }, resumedAt: ago(30) }, 15],
    ['are all after the ramp-up', { pacing: { ramp_up_seconds: 100 }, resumedAt: ago(100) }, 50],
    ['are one at first with calls per second', { pacing: { calls_per_second: 5 } }, 1],
    ['are those of the time since the last one', { pacing: { calls_per_second: 5 }, nextCallAt: ago(0.5) }, 3],
    ['are those of one second after a pause', { pacing: { calls_per_second: 5 }, nextCallAt: ago(600) }, 6],
  ])('%s', (_, given, calls) => expect(planned(given)).toEqual({ calls, waitMs: 0 }));

  it('wait for the next allowance of the calls per second', () =>
    expect(planned({ pacing: { calls_per_second: 0.5 }, nextCallAt: ago(-1.5) })).toEqual({ calls: 0, waitMs: 1_500 }));

  it('use up the allowance', () => {
    const campaign = { pacing: { ...pacing, calls_per_second: 4 }, calling: 0, resumedAt: null, nextCallAt: ago(0.25) };
    expect(nextCallAfter(campaign, 2, now)).toEqual(ago(-0.25));
    expect(nextCallAfter({ ...campaign, pacing }, 2, now)).toBeNull();
  });

  it('never exceed the calls per second, however often it is looked', () => {
    let [total, nextCallAt]: [number, Date | null] = [0, null];
    for (let ms = 0; ms < 10_000; ms += 37) {
      const at = new Date(now.getTime() + ms);
      const campaign = { pacing: { ...pacing, calls_per_second: 7 }, calling: 0, resumedAt: now, nextCallAt };
      const { calls } = planRelease(campaign, room, at);
      if (calls > 0) nextCallAt = nextCallAfter(campaign, calls, at);
      total += calls;
      expect(total).toBeLessThanOrEqual(7 * (ms / 1_000) + 1);
    }
    expect(total).toBeGreaterThanOrEqual(69);
  });
});

describe('the displayed number', () => {
  const numbers = [
    { id: 1, e164: '+493012345' },
    { id: 2, e164: '+498912345' },
    { id: 3, e164: '+12125550100' },
    { id: 4, e164: '+493099999' },
  ];

  it('changes with each attempt', () =>
    expect([0, 1, 2, 3, 4].map((n) => pickNumber('round_robin', numbers, n, '+49301').id)).toEqual([1, 2, 3, 4, 1]));

  it.each<[string, string, number, number]>([
    ['of the same city', '+498955555', 7, 2],
    ['of the same country', '+13105550100', 7, 3],
    ['in turn among equals', '+4930555', 0, 1],
    ['in turn among equals', '+4930555', 1, 4],
    ['of a SIP URI with a number', 'sip:+498955555@carrier.example', 7, 2],
    ['in turn where none is near', 'sip:desk@pbx.example', 5, 2],
  ])('is the nearest: %s', (_, toNumber, attempt, id) =>
    expect(pickNumber('nearest_prefix', numbers, attempt, toNumber).id).toBe(id),
  );
});

describe('the breaker of a campaign', () => {
  const breaker = { calls: 10, failure_percent: 50 };

  it.each<[string, string, boolean]>([
    ['stays closed before it has seen enough calls', 'fffffffff', false],
    ['opens when half of the last calls failed', '-f-f-f-f-f', true],
    ['stays closed below', '-f-f-f-f--', false],
    ['counts the last calls only', 'ffffffffff----------', false],
    ['opens at the end of good calls', '----------fffff-----'.slice(0, 15), true],
  ])('%s', (_, results, broken) => expect(isBroken(breaker, results)).toBe(broken));

  it('never opens without a limit', () => expect(isBroken(null, 'f'.repeat(1_000))).toBe(false));
});
