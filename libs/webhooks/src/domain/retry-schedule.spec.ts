import { describe, expect, it } from '@jest/globals';
import { afterAttempt, RETRY_SCHEDULE, type AttemptResult, type Tries } from './retry-schedule.js';

const S = 1_000;
const MIN = 60 * S;
const H = 60 * MIN;
const middle = () => 0.5;

const fast = (attempt: number): Tries => ({ lane: 'pending', attempt, slowTries: 0 });
const slow = (slowTries: number): Tries => ({ lane: 'slow', attempt: 6 + slowTries, slowTries });
const status = (code: number, retryAfterMs?: number): AttemptResult => ({
  kind: 'answered',
  status: code,
  retryAfterMs,
});
const failed: AttemptResult = { kind: 'failed' };

describe('after an attempt', () => {
  it.each<[string, Tries, AttemptResult, object]>([
    ['200', fast(1), status(200), { state: 'delivered', slowTries: 0 }],
    ['204 in the slow lane', slow(3), status(204), { state: 'delivered', slowTries: 3 }],
    ['299', fast(1), status(299), { state: 'delivered', slowTries: 0 }],
    ['300', fast(1), status(300), { state: 'pending', slowTries: 0, delayMs: 1 * S }],
    ['no answer', fast(1), failed, { state: 'pending', slowTries: 0, delayMs: 1 * S }],
    ['500, second', fast(2), status(500), { state: 'pending', slowTries: 0, delayMs: 5 * S }],
    ['500, third', fast(3), status(500), { state: 'pending', slowTries: 0, delayMs: 15 * S }],
    ['500, fourth', fast(4), status(500), { state: 'pending', slowTries: 0, delayMs: 45 * S }],
    ['500, fifth', fast(5), status(500), { state: 'slow', slowTries: 0, delayMs: 5 * MIN }],
    ['a redirect', fast(1), status(302), { state: 'pending', slowTries: 0, delayMs: 1 * S }],
    ['408', fast(1), status(408), { state: 'pending', slowTries: 0, delayMs: 1 * S }],
    ['425', fast(1), status(425), { state: 'pending', slowTries: 0, delayMs: 1 * S }],
    ['400', fast(1), status(400), { state: 'slow', slowTries: 0, delayMs: 5 * MIN }],
    ['401', fast(1), status(401), { state: 'slow', slowTries: 0, delayMs: 5 * MIN }],
    ['404', fast(2), status(404), { state: 'slow', slowTries: 0, delayMs: 5 * MIN }],
    ['410', fast(1), status(410), { state: 'dead', slowTries: 0 }],
    ['a refused target', fast(1), { kind: 'refused' }, { state: 'refused', slowTries: 0 }],
    ['slow lane, first', slow(0), failed, { state: 'slow', slowTries: 1, delayMs: 30 * MIN }],
    ['slow lane, seventh', slow(6), status(500), { state: 'slow', slowTries: 7, delayMs: 24 * H }],
    ['slow lane, eighth', slow(7), status(500), { state: 'dead', slowTries: 8 }],
    ['500 after a 401', { ...slow(0), attempt: 2 }, status(500), { state: 'slow', slowTries: 1, delayMs: 30 * MIN }],
    ['404 in the slow lane', slow(1), status(404), { state: 'slow', slowTries: 2, delayMs: 2 * H }],
    [
      '429 with a Retry-After of 10 s',
      fast(1),
      status(429, 10 * S),
      { state: 'pending', slowTries: 0, delayMs: 10 * S },
    ],
    [
      '502 with a Retry-After of 10 s',
      fast(1),
      status(502, 10 * S),
      { state: 'pending', slowTries: 0, delayMs: 10 * S },
    ],
    ['504 with a Retry-After of a minute', fast(1), status(504, MIN), { state: 'pending', slowTries: 0, delayMs: MIN }],
    [
      '503 with a shorter Retry-After',
      fast(4),
      status(503, 10 * S),
      { state: 'pending', slowTries: 0, delayMs: 45 * S },
    ],
    ['429 with a Retry-After of an hour', fast(1), status(429, H), { state: 'slow', slowTries: 0, delayMs: H }],
    [
      '503 with a Retry-After of a year',
      slow(0),
      status(503, 8760 * H),
      { state: 'slow', slowTries: 1, delayMs: 24 * H },
    ],
    [
      '500, whose Retry-After is ignored',
      fast(1),
      status(500, 30 * S),
      { state: 'pending', slowTries: 0, delayMs: 1 * S },
    ],
  ])('%s', (_, tries, result, step) => expect(afterAttempt(tries, result, RETRY_SCHEDULE, middle)).toEqual(step));

  it('a receiver that never answers is tried for three days, as docs/webhook-delivery.md says', () => {
    const waits: number[] = [];
    let tries = fast(1);
    for (let step = afterAttempt(tries, failed, RETRY_SCHEDULE, middle); 'delayMs' in step;) {
      waits.push(step.delayMs);
      tries = { lane: step.state, attempt: tries.attempt + 1, slowTries: step.slowTries };
      step = afterAttempt(tries, failed, RETRY_SCHEDULE, middle);
    }
    const slowLane = [5 * MIN, 30 * MIN, 2 * H, 5 * H, 10 * H, 14 * H, 20 * H, 24 * H];
    expect(waits).toEqual([1 * S, 5 * S, 15 * S, 45 * S, ...slowLane]);
  });

  it.each([
    [0, 4 * S],
    [1, 6 * S],
  ])('the wait is spread by a fifth: random %d gives %d ms', (random, delayMs) =>
    expect(afterAttempt(fast(2), failed, RETRY_SCHEDULE, () => random)).toMatchObject({ delayMs }),
  );

  it('the next attempt is never earlier than Retry-After', () =>
    expect(afterAttempt(fast(1), status(429, 10 * S), RETRY_SCHEDULE, () => 0)).toMatchObject({ delayMs: 10 * S }));
});
