import { expect, it } from '@jest/globals';
import { timeZonesOf } from './number-time-zones.js';
import { isTimeZone } from './zone-offsets.js';

const AUSTRALIA = [
  'Australia/Adelaide',
  'Australia/Brisbane',
  'Australia/Eucla',
  'Australia/Lord_Howe',
  'Australia/Perth',
  'Australia/Sydney',
  'Indian/Christmas',
  'Indian/Cocos',
];

it('a Russian mobile number may be in any zone of the country', () => {
  expect(timeZonesOf('+79161234567')).toEqual(expect.arrayContaining(['Europe/Moscow', 'Asia/Kamchatka']));
});

it.each([
  ['+4930123456', ['Europe/Berlin']],
  ['+14155550100', ['America/Los_Angeles']],
  ['+18085550100', ['Pacific/Honolulu']],
  ['+9779812345678', ['Asia/Katmandu']],
  ['+61891234567', ['Australia/Adelaide', 'Australia/Perth']],
  ['+61412345678', AUSTRALIA],
  ['+611300123456', AUSTRALIA],
  ['+34612345678', ['Atlantic/Canary', 'Europe/Madrid']],
  ['+34912345678', ['Europe/Madrid']],
  ['+64211234567', ['Pacific/Auckland', 'Pacific/Chatham']],
  ['+6281234567890', ['Asia/Jakarta', 'Asia/Jayapura', 'Asia/Makassar']],
  ['+593991234567', ['America/Guayaquil', 'Pacific/Galapagos']],
  ['+97699112233', ['Asia/Choibalsan', 'Asia/Hovd', 'Asia/Ulaanbaatar']],
  ['+77011234567', ['Asia/Almaty', 'Asia/Aqtobe']],
  ['+5511987654321', ['America/Sao_Paulo']],
  ['+5592987654321', ['America/Manaus']],
  ['+12423570000', ['America/Nassau']],
  ['+4915112345678', ['Europe/Berlin']],
  ['+18005550100', []],
  ['+18885550100', []],
  ['+15225550100', []],
  ['+9005550100', ['Europe/Istanbul']],
  ['+448001111111', ['Europe/Guernsey', 'Europe/Isle_of_Man', 'Europe/Jersey', 'Europe/London']],
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
