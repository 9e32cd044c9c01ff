import { describe, expect, it } from '@jest/globals';
import type { LeasedStream } from '../domain/webhook-stream.js';
import { LeasedStreams, mayTakeSlot } from './leased-streams.js';

const LIMITS = { inFlight: 16, perHost: 4, streams: 256, perRoute: 32 };

let ids = 0;
const stream = (account_id: number, host: string): LeasedStream => ({
  id: String(++ids),
  account_id,
  host,
  blocked_ms: null,
  disabled_reason: null,
  lease: 'test/1',
  leasedAt: 0,
  claimedAt: 0,
  readAt: 0,
  open: [],
  probe: false,
});

/** Adds streams of an account, each to a host of its own. */
function addHosts(leased: LeasedStreams, account: number, count: number): void {
  for (let n = 0; n < count; n++) leased.add(stream(account, `${account}-${n}.example`));
}

/** Takes streams until none gets a slot. @returns requests in flight by account. */
function takeAll(leased: LeasedStreams): Record<number, number> {
  const taken: Record<number, number> = {};
  for (let one = leased.take(); one; one = leased.take()) taken[one.account_id] = (taken[one.account_id] ?? 0) + 1;
  return taken;
}

it.each([
  [0, 1, true],
  [0, 0, false],
  [2, 1, true],
  [3, 1, false],
  [11, 5, true],
  [12, 4, false],
])('an account with %i requests in flight and %i free slots may send another one: %s', (own, free, expected) => {
  expect(mayTakeSlot(own, free)).toBe(expected);
});

describe('accounts with more streams than slots', () => {
  it.each([
    [1, { 1: 12 }],
    [2, { 1: 7, 2: 7 }],
    [3, { 1: 5, 2: 5, 3: 5 }],
  ])('share the slots and leave some free when there are %i of them', (accounts, expected) => {
    const leased = new LeasedStreams(LIMITS);
    for (let account = 1; account <= accounts; account++) addHosts(leased, account, 20);
    expect(takeAll(leased)).toEqual(expected);
    expect(leased.canStart(1)).toBe(false);
    leased.add(stream(9, 'late.example'));
    expect(leased.take()).toMatchObject({ account_id: 9 });
  });

  it('may claim only what is left for the others, while the next account may claim all free streams', () => {
    const leased = new LeasedStreams(LIMITS);
    addHosts(leased, 1, 128);
    addHosts(leased, 2, 30);
    const room = leased.room();
    expect(room.accounts).toEqual(
      new Map([
        [1, -30],
        [2, 68],
      ]),
    );
    expect(room.perOtherAccount).toBe(98);
  });

  it('are claimed again when half of their streams are finished', () => {
    const leased = new LeasedStreams({ ...LIMITS, streams: 8 });
    const own = Array.from({ length: 4 }, (_, n) => stream(1, `${n}.example`));
    for (const one of own) leased.add(one);
    expect(leased.room().accounts.get(1)).toBe(0);
    expect(own.map((one) => leased.drop(one))).toEqual([false, true, false, false]);
  });
});

it('an account gets no more turns by sending to more hosts', () => {
  const leased = new LeasedStreams(LIMITS);
  addHosts(leased, 1, 5);
  leased.add(stream(2, 'one.example'));
  leased.add(stream(2, 'one.example'));
  expect([leased.take(), leased.take(), leased.take(), leased.take()].map((one) => one?.account_id)).toEqual([
    1, 2, 1, 2,
  ]);
});
