import { expect, it } from '@jest/globals';
import { timeZonesOf } from './number-time-zones.js';
import { isTimeZone } from './time-windows.js';

it.each([
  ['+4930123456', ['Europe/Berlin']],
  ['+14155550100', ['America/Los_Angeles']],
  ['+18085550100', ['Pacific/Honolulu']],
  ['+9779812345678', ['Asia/Katmandu']],
  ['+61891234567', ['Australia/Adelaide', 'Australia/Perth']],
  ['+0', []],
])('the time zones of %s are %j', (number, zones) => {
  expect(timeZonesOf(number)).toEqual(zones);
  expect(zones.every(isTimeZone)).toBe(true);
});
