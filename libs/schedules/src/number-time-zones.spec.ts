import { expect, it } from '@jest/globals';
import { timeZonesOf } from './number-time-zones.js';
import { isTimeZone } from './zone-offsets.js';

it.each([
  ['+4930123456', ['Europe/Berlin']],
  ['+14155550100', ['America/Los_Angeles']],
  ['+18085550100', ['Pacific/Honolulu']],
  ['+9779812345678', ['Asia/Katmandu']],
  ['+61891234567', ['Australia/Adelaide', 'Australia/Perth']],
  ['+18005550100', []],
  ['+18885550100', []],
  ['+15225550100', []],
  ['+9005550100', ['Europe/Istanbul']],
  ['+448001111111', ['Europe/Guernsey', 'Europe/Isle_of_Man', 'Europe/London']],
  ['+80012345678', []],
  ['+870773111632', []],
  ['+881612345678', []],
  ['+883510012345', []],
  ['+979123456789', []],
  ['+0', []],
  ['+', []],
  ['', []],
  ['sip:ada@example.com', []],
])('the time zones of %s are %j', (number, zones) => {
  expect(timeZonesOf(number)).toEqual(zones);
  expect(zones.every(isTimeZone)).toBe(true);
});
