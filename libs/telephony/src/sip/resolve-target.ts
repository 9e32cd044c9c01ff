import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { Target, TlsSettings, TransportName } from './flow.js';
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
  /** Absent: RFC 3263 decides. A `sips:` URI means `tls`. */
  transport?: TransportName;
  tls?: TlsSettings;
  /** Among several hops: lower first. */
  priority?: number;
}

/**
 * Every place the hops may be reached at, in the order to try. The addresses that were checked are the ones that are sent to, so
 * that a name which changes between two look-ups gets nowhere.
 * @throws UnresolvedHost, BlockedAddress when none is left
 */
export async function locate(hops: HostToReach[], family: 4 | 6, check: CheckAddress): Promise<Target[]> {
  const inOrder = hops.toSorted((a, b) => (a.priority ?? 0) - (b.priority ?? 0));
  const found = await Promise.allSettled(inOrder.map((hop) => resolveTarget(hop, family, check)));
  const targets = found.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  if (targets.length > 0) return targets;
  const problems = found.flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : []));
  throw problems.find((one) => one instanceof BlockedAddress) ?? problems[0] ?? new UnresolvedHost('no host to reach');
}

async function resolveTarget(to: HostToReach, family: 4 | 6, check: CheckAddress): Promise<Target> {
  const address = await addressOf(bareHost(to.host), family);
  try {
    check(address);
  } catch (error) {
    throw new BlockedAddress(error);
  }
  const { transport = 'udp' } = to;
  const port = to.port ?? (transport === 'tls' ? 5061 : 5060);
  if (transport !== 'tls') return { transport, address, port };
  return { transport, address, port, tls: { ...to.tls, serverName: to.tls?.serverName ?? bareHost(to.host) } };
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
