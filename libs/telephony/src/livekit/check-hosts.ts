import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { BlockedAddress, UnresolvedHost, type CheckAddress } from '../sip/resolve-target.js';

/** The addresses of a host name. */
export type LookUp = (host: string) => Promise<string[]>;

const systemLookUp: LookUp = async (host) => (await lookup(host, { all: true })).map(({ address }) => address);

/**
 * Refuses hosts of which an address must not be called. LiveKit resolves the name again, and by NAPTR and SRV records too, so that this
 * keeps out what is written down and not what a hostile name server changes meanwhile.
 * @throws BlockedAddress, UnresolvedHost
 */
export async function checkHosts(hosts: string[], check: CheckAddress, lookUp: LookUp = systemLookUp): Promise<void> {
  for (const host of new Set(hosts)) {
    const literal = host.replace(/^\[(.*)\]$/, '$1');
    for (const address of isIP(literal) ? [literal] : await resolved(literal, lookUp)) judge(address, check);
  }
}

async function resolved(host: string, lookUp: LookUp): Promise<string[]> {
  try {
    return await lookUp(host);
  } catch (error) {
    throw new UnresolvedHost(error);
  }
}

function judge(address: string, check: CheckAddress): void {
  try {
    check(address);
  } catch (error) {
    throw new BlockedAddress(error);
  }
}
