import type { Request } from 'express';
import ipaddr from 'ipaddr.js';

/** The address that limits count a request by, derived with TRUST_PROXY. */
export const clientAddress = ({ ip }: Request): string => limitedAddress(ip);

/** IPv6 addresses count by their /64, the network that a provider gives to one customer. */
export function limitedAddress(ip: string | undefined): string {
  if (ip === undefined || !ipaddr.isValid(ip)) return 'unknown';
  const address = ipaddr.process(ip);
  if (address instanceof ipaddr.IPv4) return address.toString();
  return `${address.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
