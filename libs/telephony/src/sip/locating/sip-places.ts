import { reachedAddress } from '@app/common';
import { isIP } from 'node:net';
import { withTimeout } from '../../timing.js';
import { DnsLookups } from './dns-lookups.js';
import { allAddresses } from './locate.js';
import { bareHost } from '../messages/sip-address.js';
import type { SipLog } from '../user-agent/sip-log.js';

/** The ports of SIP: a server that has one of them has the others as well, for other transports. */
const SIP_PORTS = [5060, 5061];

/** Hosts that are resolved at the same time for one question. */
const MAX_HOSTS = 32;

interface SipHost {
  /** A name, or an address with or without brackets. */
  host: string;
  port?: number | null;
}

/**
 * The place at which a SIP server listens, as text that is equal for equal places: names in lower case without a final dot, addresses in
 * one spelling (IPv4 for its mapped and NAT64 addresses), and one port for 5060, 5061 and none.
 */
export function sipPlace({ host, port }: SipHost): string {
  const name = bareHost(host).toLowerCase().replace(/\.$/, '');
  const isUsual = port === undefined || port === null || SIP_PORTS.includes(port);
  return `${reachedAddress(name)} ${isUsual ? 'sip' : port}`;
}

/** Compares hosts of SIP URIs and of trunks by name and by the addresses that they resolve to, with bounded and cached look-ups. */
export class SipPlaces {
  private readonly dns: DnsLookups;

  /** `servers`: as for `DnsLookups`; `withoutSystem` protects the thread pool of a process that serves requests. */
  constructor(options: { servers?: string[]; withoutSystem?: boolean; log: SipLog }) {
    this.dns = new DnsLookups(options);
  }

  /**
   * The places of each host, in their order: itself, and the addresses that it resolves to within `ms`. Hosts that are not resolved in
   * time have one place, and so have those after the 32nd name.
   */
  async of(hosts: readonly SipHost[], ms: number): Promise<string[][]> {
    const names = [...new Set(hosts.filter(({ host }) => isIP(bareHost(host)) === 0).map(sipPlace))].slice(
      0,
      MAX_HOSTS,
    );
    const deadline = performance.now() + ms;
    return Promise.all(
      hosts.map(async (one) => {
        const own = sipPlace(one);
        if (!names.includes(own)) return [own];
        return [...new Set([own, ...(await this.resolved(one, deadline - performance.now()))])];
      }),
    );
  }

  private async resolved({ host, port }: SipHost, ms: number): Promise<string[]> {
    const name = bareHost(host).toLowerCase().replace(/\.$/, '');
    const work = allAddresses({ host: name, port: port ?? undefined }, this.dns);
    try {
      const found = await withTimeout(work, ms, () => new LookupTimeout());
      return found.map((one) => sipPlace({ host: one.address, port: one.port }));
    } catch (error) {
      if (error instanceof LookupTimeout) return [];
      throw error;
    }
  }
}

class LookupTimeout extends Error {
  override readonly name = 'LookupTimeout';
}
