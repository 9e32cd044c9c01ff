import type { NaptrRecord } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';
import { withTimeout } from '../../timing.js';
import type { SipLog } from '../user-agent/sip-log.js';

/** node:dns returns no TTL for SRV and NAPTR. Short enough for a change of a carrier, long enough for a burst of calls. */
const FOUND_MS = 30_000;
const NOT_FOUND_MS = 5_000;
const MAX_REMEMBERED = 2_000;
/** Time per query, with one retry. Together with the address look-ups it stays within 5 s. */
const SERVICES_MS = 3_000;
const ADDRESSES_MS = 2_000;
const TRY_MS = 1_000;

interface DnsOptions {
  /** `192.0.2.53` or `192.0.2.53:5353`, IPv6 as `[2001:db8::1]:53`; the resolver of the system when absent. */
  servers?: string[];
  /**
   * Without `servers`, addresses are asked from DNS alone and not from the resolver of the system, whose look-ups occupy the thread pool
   * of the process until they end.
   */
  withoutSystem?: boolean;
  log: SipLog;
  now?: () => number;
}

interface CachedAnswer {
  answer: Promise<unknown[]>;
  until: number;
}

/** DNS look-ups for RFC 3263 with a short cache. A name without records and a failing server both give an empty list. */
export class DnsLookups {
  private readonly cache = new Map<string, CachedAnswer>();
  private readonly now: () => number;

  constructor(private readonly options: DnsOptions) {
    this.now = options.now ?? (() => performance.now());
  }

  naptr(name: string): Promise<NaptrRecord[]> {
    return this.cached(`NAPTR ${name}`, () => this.lookUp(SERVICES_MS, (resolver) => resolver.resolveNaptr(name)));
  }

  srv(name: string): Promise<SrvRecord[]> {
    return this.cached(`SRV ${name}`, () => this.lookUp(SERVICES_MS, (resolver) => resolver.resolveSrv(name)));
  }

  /** A or AAAA records. The system's resolver also knows /etc/hosts and search domains; configured servers do not. */
  addresses(name: string, family: 4 | 6): Promise<string[]> {
    return this.cached(`${family} ${name}`, () => {
      if (!this.options.servers?.length && !this.options.withoutSystem)
        return withTimeout(systemAddresses(name, family), ADDRESSES_MS, () => new DnsTimeout());
      return this.lookUp(ADDRESSES_MS, (resolver) =>
        family === 4 ? resolver.resolve4(name) : resolver.resolve6(name),
      );
    });
  }

  /** Concurrent look-ups share one query. */
  private cached<T>(key: string, load: () => Promise<T[]>): Promise<T[]> {
    const known = this.cache.get(key);
    if (known && known.until > this.now()) return known.answer as Promise<T[]>;
    const answer = load().catch((error: NodeJS.ErrnoException) => this.emptyAnswer<T>(error));
    const entry: CachedAnswer = { answer, until: Infinity };
    this.insert(key, entry);
    void answer.then((records) => (entry.until = this.now() + (records.length > 0 ? FOUND_MS : NOT_FOUND_MS)));
    return answer;
  }

  private insert(key: string, entry: CachedAnswer): void {
    this.cache.delete(key);
    const oldest = this.cache.size >= MAX_REMEMBERED ? this.cache.keys().next().value : undefined;
    if (oldest !== undefined) this.cache.delete(oldest);
    this.cache.set(key, entry);
  }

  private emptyAnswer<T>({ code, name }: NodeJS.ErrnoException): T[] {
    if (code !== 'ENOTFOUND' && code !== 'ENODATA')
      this.options.log.warn('DNS query for a SIP host failed', { code: code ?? name });
    return [];
  }

  private lookUp<T>(ms: number, question: (resolver: Resolver) => Promise<T[]>): Promise<T[]> {
    const resolver = new Resolver({ timeout: TRY_MS, tries: 2 });
    if (this.options.servers?.length) resolver.setServers(this.options.servers);
    return withTimeout(question(resolver), ms, () => {
      resolver.cancel();
      return new DnsTimeout();
    });
  }
}

async function systemAddresses(name: string, family: 4 | 6): Promise<string[]> {
  return (await lookup(name, { family, all: true })).map((one) => one.address);
}

class DnsTimeout extends Error {
  override readonly name = 'DnsTimeout';
}

export interface SrvRecord {
  name: string;
  port: number;
  /** Lower first. */
  priority: number;
  weight: number;
}

/**
 * RFC 2782: by priority; among equals at random, in proportion to the weights.
 * @param random from 0 to below 1
 */
export function inSrvOrder(records: SrvRecord[], random: () => number = Math.random): SrvRecord[] {
  const groups = new Map<number, SrvRecord[]>();
  for (const one of records) groups.set(one.priority, [...(groups.get(one.priority) ?? []), one]);
  const priorities = [...groups.keys()].toSorted((a, b) => a - b);
  return priorities.flatMap((priority) => drawn(groups.get(priority)!, random));
}

function drawn(group: SrvRecord[], random: () => number): SrvRecord[] {
  // Records of weight 0 come to the front, so that they have a small chance of being drawn first.
  const left = group.toSorted((a, b) => Math.sign(a.weight) - Math.sign(b.weight));
  const order: SrvRecord[] = [];
  while (left.length > 0) order.push(...left.splice(draw(left, random), 1));
  return order;
}

function draw(left: SrvRecord[], random: () => number): number {
  const total = left.reduce((sum, one) => sum + one.weight, 0);
  const point = Math.floor(random() * (total + 1));
  let sum = 0;
  return left.findIndex((one) => (sum += one.weight) >= point);
}
