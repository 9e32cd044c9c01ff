import { describe, expect, it } from '@jest/globals';
import {
  allowList,
  assertAddressAllowed,
  BlockedAddress,
  isAddressAllowed,
  isInNetworks,
  networkOf,
} from './address-class.js';

const REFUSED =
  `127.0.0.1 0.0.0.0 10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 169.254.169.254 100.64.0.1 100.100.100.200
  168.63.129.16 192.0.0.192 192.0.2.1 192.31.196.1 192.52.193.1 192.88.99.1 192.175.48.1 198.18.0.1 198.19.255.255 198.51.100.1
  203.0.113.7 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255
  ::1 :: ::ffff:127.0.0.1 ::ffff:a9fe:a9fe ::ffff:0:127.0.0.1 ::127.0.0.1 64:ff9b::7f00:1 64:ff9b::a00:1 64:ff9b::a9fe:a9fe 64:ff9b:1::1 64:ff9b:1::808:808 2002:7f00:1:: fd00:ec2::254
  fe80::1 fe80::1%eth0 fec0::1 fc00::1 ff02::1 2001:db8::1 2001::1 2001:2::1 2001:10::1 2001:20::1 2001:1ff::1 3fff::1
  2620:4f:8000::1 100::1 5f00::1 4000::1`.split(/\s+/);

const PUBLIC =
  '1.1.1.1 8.8.8.8 172.15.0.1 172.32.0.1 192.0.1.1 ::ffff:8.8.8.8 64:ff9b::808:808 64:ff9b::8.8.8.8 2606:4700:4700::1111 2a00:1450:4001::1'.split(
    ' ',
  );

describe('an address', () => {
  it.each(REFUSED)('%s is refused', (address) => expect(isAddressAllowed(address, [])).toBe(false));
  it.each(PUBLIC)('%s is public', (address) => expect(isAddressAllowed(address, [])).toBe(true));
  it.each(['', 'example.com', '1.2.3.4/8', '8.8', '0x8.8.8.8', '[2606:4700::1]', '8.8.8.8 '])(
    '%j is not an address',
    (text) => expect(isAddressAllowed(text, [])).toBe(false),
  );

  it.each([
    ['10.1.2.3', ['10.0.0.0/8'], true],
    ['11.1.2.3', ['10.0.0.0/8'], true],
    ['192.168.0.9', ['10.0.0.0/8'], false],
    ['::ffff:10.1.2.3', ['10.0.0.0/8'], true],
    ['64:ff9b::a01:203', ['10.0.0.0/8'], true],
    ['64:ff9b::a01:203', ['64:ff9b::/96'], true],
    ['64:ff9b::a01:203', ['192.168.0.0/16'], false],
    ['fd00::7', ['10.0.0.0/8', 'fd00::/8'], true],
    ['127.0.0.1', ['127.0.0.1'], true],
    ['127.0.0.2', ['127.0.0.1'], false],
    ['::1', ['::1'], true],
    ['::2', ['::1'], false],
  ])('%s with the allow-list %j: %s', (address, entries, allowed) =>
    expect(isAddressAllowed(address, allowList(entries))).toBe(allowed),
  );

  it('is named in the error when it was given as an address', () =>
    expect(() => assertAddressAllowed('10.0.0.1', [])).toThrow(
      new BlockedAddress('The address 10.0.0.1 is not public.'),
    ));
});

it.each([
  ['10.1.2.3', true],
  ['::ffff:10.1.2.3', true],
  ['fd00::7', true],
  ['11.1.2.3', false],
  ['8.8.8.8', false],
  ['sip.example.com', false],
])('%s is in one of the networks: %s', (address, expected) =>
  expect(isInNetworks(address, allowList(['10.0.0.0/8', 'fd00::/8']))).toBe(expected),
);

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['sip.example.com', 'sip.example.com'],
])('%s belongs to the network %s', (address, network) => expect(networkOf(address)).toBe(network));

it.each(['10.0.0.0/33', 'loopback', '10.0.0'])('an allow-list with %s is refused', (entry) =>
  expect(() => allowList([entry])).toThrow(entry),
);
