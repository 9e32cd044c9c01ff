import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** RFC 6052: an IPv4 address behind the NAT64 of the own network; it is as public as the IPv4 address. */
const NAT64: AllowList = cidrs(['64:ff9b::/96']);

/** The address that a packet reaches: mapped (`::ffff:a.b.c.d`) and NAT64 addresses are their IPv4 address. */
function reached(address: string): Address {
  const parsed = ipaddr.process(address);
  return isWithin(parsed, NAT64) ? ipaddr.fromByteArray(parsed.toByteArray().slice(-4)) : parsed;
}

/** `reached` as text, in the spelling of ipaddr.js; other text is returned unchanged. */
export function reachedAddress(address: string): string {
  return isIP(address) === 0 ? address : reached(address).toString();
}

/** Networks that may be reached although they are not public. Made by `allowList`. */
export type AllowList = readonly [Address, number][];

/** The target is a private, reserved or otherwise forbidden address. The message contains no address that a name resolved to. */
export class BlockedAddress extends Error {
  override readonly name = 'BlockedAddress';
}

/** Networks that ipaddr.js classifies as unicast, in this or an earlier release, although they are not public. */
const NOT_PUBLIC_V4 = cidrs([
  '168.63.129.16/32', // Azure's virtual host
  '192.0.0.0/24', // RFC 6890 IETF protocol assignments
  '192.88.99.0/24', // RFC 7526 6to4 relays
  '198.18.0.0/15', // RFC 2544 benchmarks
  '240.0.0.0/4', // RFC 1112 reserved
]);
const NOT_PUBLIC_V6 = cidrs([
  '2001::/23', // RFC 2928 IETF assignments, among them Teredo
  '2001:db8::/32', // RFC 3849 documentation
  '2002::/16', // RFC 3056 6to4 carries any IPv4 address inside
  '3fff::/20', // RFC 9637 documentation
  '2620:4f:8000::/48', // RFC 7534 AS112
]);
/** RFC 4291 §2.4: the only block that is allocated as global unicast. */
const GLOBAL_UNICAST_V6 = cidrs(['2000::/3']);

function cidrs(list: readonly string[]): AllowList {
  return list.map((cidr) => ipaddr.parseCIDR(cidr));
}

/** Networks such as `10.20.0.0/16` and `fd00::/8`, or single addresses. Throws an Error that names an invalid entry. */
export function allowList(entries: readonly string[]): AllowList {
  return entries.map((entry) => {
    if (ipaddr.isValidCIDR(entry)) return ipaddr.parseCIDR(entry);
    if (isIP(entry) === 0) throw new Error(`${entry} is not a network such as 10.20.0.0/16`);
    const address = ipaddr.parse(entry);
    return [address, address.kind() === 'ipv4' ? 32 : 128];
  });
}

/** `address`: a textual IP address, IPv6 without brackets. Text that is not an IP address is refused. */
export function isAddressAllowed(address: string, allow: AllowList): boolean {
  // Not ipaddr.isValid: it also accepts 127.1 and 0x7f.1, which other parsers may read differently.
  if (isIP(address) === 0) return false;
  return isPublic(reached(address)) || isInNetworks(address, allow);
}

/** Throws BlockedAddress unless the address is public or in the allow-list. */
export function assertAddressAllowed(address: string, allow: AllowList): void {
  if (!isAddressAllowed(address, allow)) throw new BlockedAddress(`The address ${address} is not public.`);
}

/** True for an address that is not public. */
export function isInsideAddress(address: string): boolean {
  return !isAddressAllowed(address, []);
}

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  if (address.kind() === 'ipv4') return !isWithin(address, NOT_PUBLIC_V4);
  return isWithin(address, GLOBAL_UNICAST_V6) && !isWithin(address, NOT_PUBLIC_V6);
}

function isWithin(address: Address, networks: AllowList): boolean {
  return networks.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
}

/** Whether one of the networks contains the textual address, also as a mapped or NAT64 address. */
export function isInNetworks(address: string, networks: AllowList): boolean {
  if (isIP(address) === 0) return false;
  return isWithin(reached(address), networks) || isWithin(ipaddr.process(address), networks);
}

/** The network that one party usually has: an IPv4 address, or the /64 of an IPv6 address (RFC 6177). Other text is returned unchanged. */
export function networkOf(address: string): string {
  if (isIP(address) === 0) return address;
  const parsed = reached(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/64`).toString()}/64`;
}
