import { describe, expect, it } from '@jest/globals';
import { HeldStreams, mayTakePlace, type HeldStream } from './held-streams.js';

const LIMITS = { places: 16, perHost: 4, held: 256, heldPerRoute: 32 };

let ids = 0;
const stream = (account_id: number, host: string): HeldStream => ({
  id: String(++ids),
  account_id,
  host,
  blocked_ms: null,
  disabled_reason: null,
  lease: 'test/1',
  leasedAt: 0,
  readAt: 0,
  open: [],
  probe: false,
});

/** Adds streams of an account, each to a host of its own. */
function addHosts(held: HeldStreams, account: number, count: number): void {
  for (let n = 0; n < count; n++) held.add(stream(account, `${account}-${n}.example`));
}

/** Takes until no stream has a place. @returns posts under way by account. */
function takeAll(held: HeldStreams): Record<number, number> {
  const taken: Record<number, number> = {};
  for (let one = held.take(); one; one = held.take()) taken[one.account_id] = (taken[one.account_id] ?? 0) + 1;
  return taken;
}

it.each([
  [0, 1, true],
  [0, 0, false],
  [2, 1, true],
  [3, 1, false],
  [11, 5, true],
  [12, 4, false],
])('an account with %i posts under way and %i places free: another one begins: %s', (own, free, expected) => {
  expect(mayTakePlace(own, free)).toBe(expected);
});

describe('accounts with more streams than places', () => {
  it.each([
    [1, { 1: 12 }],
    [2, { 1: 7, 2: 7 }],
    [3, { 1: 5, 2: 5, 3: 5 }],
  ])('%i of them share the places and leave some free', (accounts, expected) => {
    const held = new HeldStreams(LIMITS);
    for (let account = 1; account <= accounts; account++) addHosts(held, account, 20);
    expect(takeAll(held)).toEqual(expected);
    expect(held.canStart(1)).toBe(false);
    held.add(stream(9, 'late.example'));
    expect(held.take()).toMatchObject({ account_id: 9 });
  });

  it('have as much room for claims as could be held beside them, and the next account has all that is free', () => {
    const held = new HeldStreams(LIMITS);
    addHosts(held, 1, 128);
    addHosts(held, 2, 30);
    const room = held.room();
    expect(room.accounts).toEqual(
      new Map([
        [1, -30],
        [2, 68],
      ]),
    );
    expect(room.perOtherAccount).toBe(98);
  });

  it('are claimed for again when half of what they held is done', () => {
    const held = new HeldStreams({ ...LIMITS, held: 8 });
    const own = Array.from({ length: 4 }, (_, n) => stream(1, `${n}.example`));
    for (const one of own) held.add(one);
    expect(held.room().accounts.get(1)).toBe(0);
    expect(own.map((one) => held.drop(one))).toEqual([false, true, false, false]);
  });
});

it('an account gets no more turns by more hosts', () => {
  const held = new HeldStreams(LIMITS);
  addHosts(held, 1, 5);
  held.add(stream(2, 'one.example'));
  held.add(stream(2, 'one.example'));
  expect([held.take(), held.take(), held.take(), held.take()].map((one) => one?.account_id)).toEqual([1, 2, 1, 2]);
});
