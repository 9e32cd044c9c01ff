import { afterEach, expect, it, jest } from '@jest/globals';
import { CallClock } from './call-clock.js';

afterEach(() => {
  jest.restoreAllMocks();
});

it.each([
  ['forward', 3_600_000],
  ['back', -3_600_000],
])('a system clock that is set %s during a call does not change the duration of the call', (_, step) => {
  const clock = new CallClock();
  const answered = clock.now().getTime();
  expect(Math.abs(answered - Date.now())).toBeLessThan(1_000);
  const real = Date.now();
  jest.spyOn(Date, 'now').mockReturnValue(real + step);
  expect(Math.abs(clock.now().getTime() - answered)).toBeLessThan(60_000);
  expect(Math.abs(new CallClock().now().getTime() - (real + step))).toBeLessThan(60_000);
});
