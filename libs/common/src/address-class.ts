import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Networks that may be reached although they are not public. Made by `allowList`. */
export type AllowList = readonly [Address, number][];

/** The target is inside, reserved or otherwise not to be talked to. The message names no address that a name resolved to. */
export class BlockedAddress extends Error {
  override readonly name = 'BlockedAddress';
}

/** What ipaddr.js calls unicast although it is not the public Internet, or was not in every release of it. */
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
/** RFC 4291 §2.4: all that is handed out as global unicast so far. */
const GLOBAL_UNICAST_V6 = cidrs(['2000::/3']);

function cidrs(list: readonly string[]): AllowList {
  return list.map((cidr) => ipaddr.parseCIDR(cidr));
}

/** `10.20.0.0/16`, `fd00::/8` or a single address. Throws an Error that names the entry that is none. */
export function allowList(entries: readonly string[]): AllowList {
  return entries.map((entry) => {
    if (ipaddr.isValidCIDR(entry)) return ipaddr.parseCIDR(entry);
    if (isIP(entry) === 0) throw new Error(`${entry} is not a network such as 10.20.0.0/16`);
    const address = ipaddr.parse(entry);
    return [address, address.kind() === 'ipv4' ? 32 : 128];
  });
}

/** `address`: an IP address in text, IPv6 without brackets. Anything that cannot be read as one is refused. */
export function isAddressAllowed(address: string, allow: AllowList): boolean {
  // Not ipaddr's own test: that one takes 127.1 and 0x7f.1 as well, which others may read differently.
  if (isIP(address) === 0) return false;
  // `process` unwraps ::ffff:a.b.c.d, so that a mapped address is judged as the IPv4 address it stands for.
  const parsed = ipaddr.process(address);
  return isPublic(parsed) || isWithin(parsed, allow);
}

/** Throws BlockedAddress unless the address is public or in the allow-list. */
export function assertAddressAllowed(address: string, allow: AllowList): void {
  if (!isAddressAllowed(address, allow)) throw new BlockedAddress(`The address ${address} is not public.`);
}

/** True for an address that only the allow-list makes reachable, or that is not reachable at all. */
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

/** True when one of the networks holds the address, as text; a mapped IPv4 address counts as IPv4. */
export function isInNetworks(address: string, networks: AllowList): boolean {
  return isIP(address) !== 0 && isWithin(ipaddr.process(address), networks);
}

/** What one party holds as a rule: an IPv4 address, or the /64 of an IPv6 address (RFC 6177). Other text is given back. */
export function networkOf(address: string): string {
  if (isIP(address) === 0) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/64`).toString()}/64`;
}
