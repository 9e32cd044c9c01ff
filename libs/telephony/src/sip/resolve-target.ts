import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { Target, TransportName } from './flow.js';
import { bareHost } from './sip-uri.js';

/** A host name without an address of our family, or a resolver that failed. */
export class UnresolvedHost extends Error {
  constructor(cause: unknown) {
    super('the host name has no usable address', { cause });
    this.name = 'UnresolvedHost';
  }
}

/** `checkAddress` refused the resolved address: nothing was sent. */
export class BlockedAddress extends Error {
  constructor(cause: unknown) {
    super('the address is not allowed as a destination', { cause });
    this.name = 'BlockedAddress';
  }
}

/** Throws when nothing may be sent to `address`, a resolved IP literal. */
export type CheckAddress = (address: string) => void;

export interface HostToReach {
  host: string;
  port?: number;
  transport: TransportName;
}

/**
 * Name -> one checked address. The address that was checked is the one that is sent to, so that a name which changes
 * between two look-ups gets nowhere.
 * @throws UnresolvedHost, BlockedAddress
 */
export async function resolveTarget(to: HostToReach, family: 4 | 6, check: CheckAddress): Promise<Target> {
  const address = await addressOf(bareHost(to.host), family);
  try {
    check(address);
  } catch (error) {
    throw new BlockedAddress(error);
  }
  return { transport: to.transport, address, port: to.port ?? 5060 };
}

async function addressOf(host: string, family: 4 | 6): Promise<string> {
  const literal = isIP(host);
  if (literal === family) return host;
  if (literal !== 0) throw new UnresolvedHost(`an IPv${literal} address, but this endpoint speaks IPv${family}`);
  try {
    return (await lookup(host, { family })).address;
  } catch (error) {
    throw new UnresolvedHost(error);
  }
}
