import { describe, expect, it } from '@jest/globals';
import { hasShrunk, nextRefresh, scheduleProblem } from './refresh-schedule.js';

const NOW = new Date('2026-03-01T10:30:00Z');

describe('a refresh schedule', () => {
  it.each(['daily', 'weekly', '0 3 * * *', '30 */2 * * MON-FRI', '0 0 1 * *', '0 * * * *', '15 4 * * THU'])(
    'is accepted: %s',
    (schedule) => expect(scheduleProblem(schedule)).toBeUndefined(),
  );

  it.each<[unknown, RegExp]>([
    ['* * * * *', /once an hour/],
    ['*/30 * * * *', /once an hour/],
    ['0,30 3 * * *', /once an hour/],
    ['hourly', /daily, weekly or a cron/],
    ['0 0 3 * * *', /daily, weekly or a cron/],
    ['H 3 * * *', /daily, weekly or a cron/],
    ['0 25 * * *', /daily, weekly or a cron/],
    ['@daily', /daily, weekly or a cron/],
    ['0 0 31 2 *', /daily, weekly or a cron/],
    ['', /daily, weekly or a cron/],
    ['constructor', /daily, weekly or a cron/],
    [5, /must be a string/],
  ])('is rejected: %j', (schedule, sentence) => expect(scheduleProblem(schedule)).toMatch(sentence));

  it.each([
    ['daily', 0, '2026-03-02T10:30:00.000Z'],
    ['weekly', 0, '2026-03-08T10:30:00.000Z'],
    ['0 3 * * *', 0, '2026-03-02T03:00:00.000Z'],
    ['0 3 * * *', 0.5, '2026-03-02T03:02:30.000Z'],
  ])('%s with the random number %d is next due at %s', (schedule, random, time) =>
    expect(nextRefresh(schedule, NOW, random).toISOString()).toBe(time),
  );
});

it.each([
  [100, 50, false],
  [100, 49, true],
  [0, 0, false],
])('content that goes from %d to %d has shrunk: %s', (before, after, shrunk) =>
  expect(hasShrunk(before, after)).toBe(shrunk),
);
