import type { NaptrRecord } from 'node:dns';
import { isIP } from 'node:net';
import { remoteKey, targetKey } from '../transport/connections.js';
import { type DnsLookups, inSrvOrder, type SrvRecord } from './dns-lookups.js';
import type { Target, TlsSettings, TransportName } from '../transport/flow.js';
import { bareHost, uriHost } from '../messages/sip-address.js';

/** The host name has no address of a supported family, or the resolver failed. */
export class UnresolvedHost extends Error {
  constructor(cause: unknown) {
    super('the host name has no usable address', { cause });
    this.name = 'UnresolvedHost';
  }
}

/** `checkAddress` refused the resolved address; no message was sent. */
export class RefusedTarget extends Error {
  constructor(cause: unknown) {
    super('the address is not allowed as a destination', { cause });
    this.name = 'RefusedTarget';
  }
}

/** Throws when messages to `address`, a resolved IP literal, are forbidden. */
export type CheckAddress = (address: string) => void;

export interface NextHop {
  host: string;
  port?: number;
  /** Absent: RFC 3263 decides. A `sips:` URI means `tls`. */
  transport?: TransportName;
  tls?: TlsSettings;
  /** Among several hops: lower first. */
  priority?: number;
}

/** The hop as a SIP URI without a user. */
export function hopUri({ host, port, transport }: NextHop): string {
  const via = transport === undefined || transport === 'udp' ? '' : `;transport=${transport}`;
  return `sip:${uriHost(bareHost(host))}${port === undefined ? '' : `:${port}`}${via}`;
}

/** Capabilities of the endpoint. */
export interface LocateOptions {
  transports: TransportName[];
  /** The supported address families, the preferred first. */
  families: (4 | 6)[];
  check: CheckAddress;
}

type ServerAddress = Omit<Target, 'tls'>;

/** A hop with more addresses is a mistake or an attack. */
const MAX_TARGETS = 16;
const MAX_RECORDS = 8;

/** RFC 3263 §4.1 */
const NAPTR_SERVICES: Record<string, TransportName> = { 'SIP+D2U': 'udp', 'SIP+D2T': 'tcp', 'SIPS+D2T': 'tls' };
const SRV_PREFIX: Record<TransportName, string> = { udp: '_sip._udp.', tcp: '_sip._tcp.', tls: '_sips._tcp.' };

/**
 * All targets of the hops in the order to try: by priority of the hops, then by RFC 3263. Messages go exactly to the checked addresses,
 * so that a name that changes between two look-ups has no effect.
 * @throws UnresolvedHost, RefusedTarget when none is left
 */
export async function locate(hops: NextHop[], dns: DnsLookups, options: LocateOptions): Promise<Target[]> {
  const literal = hops.length === 1 ? literalTarget(hops[0]!, options.families) : undefined;
  const found = literal ? [literal] : await targetsOfAll(hops, dns, options);
  let blocked: unknown;
  const allowed = found.filter(({ address }) => {
    try {
      options.check(address);
      return true;
    } catch (error) {
      blocked = error;
      return false;
    }
  });
  if (allowed.length > 0) return allowed.slice(0, MAX_TARGETS);
  throw blocked === undefined ? new UnresolvedHost('no address') : new RefusedTarget(blocked);
}

/** A literal address that needs no DNS: most targets of most calls, and the ACK and BYE of each. */
export function literalTarget({ host, port, transport, tls }: NextHop, families: (4 | 6)[]): Target | undefined {
  const family = isIP(host);
  const known = port !== undefined && transport !== 'tls' && tls === undefined;
  return known && (family === 4 || family === 6) && families.includes(family)
    ? { transport: transport ?? 'udp', address: host, port }
    : undefined;
}

async function targetsOfAll(hops: NextHop[], dns: DnsLookups, options: LocateOptions): Promise<Target[]> {
  const inOrder = hops.toSorted((a, b) => (a.priority ?? 0) - (b.priority ?? 0));
  return distinct((await Promise.all(inOrder.map((hop) => targetsOf(hop, dns, options)))).flat());
}

async function targetsOf(hop: NextHop, dns: DnsLookups, options: LocateOptions): Promise<Target[]> {
  const host = bareHost(hop.host).replace(/\.$/, '');
  const addresses = (await resolveHop(host, hop, dns, options)).slice(0, MAX_TARGETS);
  // RFC 5922 §7.1: the certificate is checked for the configured name, never for a name from DNS.
  const tls = { ...hop.tls, serverName: hop.tls?.serverName ?? host };
  return addresses.map((one) => (one.transport === 'tls' ? { ...one, tls } : one));
}

/** RFC 3263 §4.1 and §4.2 */
async function resolveHop(
  host: string,
  hop: NextHop,
  dns: DnsLookups,
  options: LocateOptions,
): Promise<ServerAddress[]> {
  // TLS settings of a hop imply TLS.
  const transport = hop.transport ?? (hop.tls ? 'tls' : undefined);
  const { port } = hop;
  if (isIP(host) !== 0 || port !== undefined || isLocal(host))
    return addressed({ name: host, port: port ?? defaultPort(transport ?? 'udp') }, transport ?? 'udp', dns, options);
  const services = transport ? await srvOf(host, transport, dns) : await chosenService(host, dns, options.transports);
  if (services) return services.addresses(dns, options);
  const fallback = transport ?? 'udp';
  return addressed({ name: host, port: defaultPort(fallback) }, fallback, dns, options);
}

/** The SRV records of one transport. */
class SrvService {
  constructor(
    private readonly transport: TransportName,
    private readonly records: SrvRecord[],
  ) {}

  /** False when the domain declares that the service does not exist. */
  get any(): boolean {
    return this.records.length > 0;
  }

  async addresses(dns: DnsLookups, options: LocateOptions): Promise<ServerAddress[]> {
    const inOrder = inSrvOrder(this.records).slice(0, MAX_RECORDS);
    return (await Promise.all(inOrder.map((one) => addressed(one, this.transport, dns, options)))).flat();
  }
}

/** Undefined: there are no SRV records. A record of "." declares that the service does not exist (RFC 2782). */
async function srvOf(host: string, transport: TransportName, dns: DnsLookups, name = SRV_PREFIX[transport] + host) {
  const records = await dns.srv(name);
  if (records.length === 0) return undefined;
  return new SrvService(
    transport,
    records.filter((one) => one.name !== '' && one.name !== '.'),
  );
}

/** NAPTR names the preferred transport of the domain; without it the first one with SRV records is used. */
async function chosenService(host: string, dns: DnsLookups, transports: TransportName[]) {
  for (const { service, replacement } of usable(await dns.naptr(host), transports)) {
    const transport = NAPTR_SERVICES[service.toUpperCase()]!;
    const services = await srvOf(host, transport, dns, replacement);
    if (services) return services;
  }
  const offered = await Promise.all(transports.map((transport) => srvOf(host, transport, dns)));
  return offered.find((one) => one?.any) ?? offered.find((one) => one !== undefined);
}

/**
 * Every address and port at which a host may take requests, over all transports: those of its SRV records and of the name itself. For
 * comparing hosts, so neither an order nor a limit of the transports applies.
 */
export async function allAddresses(
  { host, port }: Pick<NextHop, 'host' | 'port'>,
  dns: DnsLookups,
): Promise<{ address: string; port: number | undefined }[]> {
  if (isLocal(host)) return ['127.0.0.1', '::1'].map((address) => ({ address, port }));
  const direct = bothFamilies(host, port, dns);
  if (port !== undefined || isIP(host) !== 0) return direct;
  const named = usable(await dns.naptr(host), [...ALL_TRANSPORTS]).map(({ replacement }) => replacement);
  const services = [...new Set([...named, ...ALL_TRANSPORTS.map((transport) => SRV_PREFIX[transport] + host)])];
  const records = (await Promise.all(services.map((name) => dns.srv(name)))).flat().slice(0, MAX_TARGETS);
  const usableRecords = records.filter(({ name }) => name !== '' && name !== '.');
  const found = usableRecords.map((record) => bothFamilies(record.name, record.port, dns));
  return (await Promise.all([direct, ...found])).flat();
}

const ALL_TRANSPORTS: readonly TransportName[] = ['udp', 'tcp', 'tls'];

async function bothFamilies(
  name: string,
  port: number | undefined,
  dns: DnsLookups,
): Promise<{ address: string; port: number | undefined }[]> {
  if (isIP(name) !== 0) return [{ address: name, port }];
  const addresses = await Promise.all([dns.addresses(name, 4), dns.addresses(name, 6)]);
  return addresses.flat().map((address) => ({ address, port }));
}

function usable(records: NaptrRecord[], transports: TransportName[]): NaptrRecord[] {
  const spoken = records.filter(({ flags, service }) => {
    const transport = NAPTR_SERVICES[service.toUpperCase()];
    return flags.toLowerCase() === 's' && transport !== undefined && transports.includes(transport);
  });
  return spoken.toSorted((a, b) => a.order - b.order || a.preference - b.preference).slice(0, MAX_RECORDS);
}

async function addressed(
  { name, port }: { name: string; port: number },
  transport: TransportName,
  dns: DnsLookups,
  { families }: LocateOptions,
): Promise<ServerAddress[]> {
  const literal = isIP(name);
  const addresses = literal
    ? families.filter((family) => family === literal).map(() => name)
    : (await Promise.all(families.map((family) => dns.addresses(name, family)))).flat();
  return addresses.map((address) => ({ transport, address, port }));
}

function defaultPort(transport: TransportName): number {
  return transport === 'tls' ? 5061 : 5060;
}

/** RFC 6761 §6.3: DNS has no service records for it. */
function isLocal(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost');
}

function distinct(targets: Target[]): Target[] {
  const seen = new Set<string>();
  return targets.filter(({ transport, address, port, tls }) => {
    const key = `${transport} ${address} ${port} ${tls?.serverName ?? ''}`;
    return !seen.has(key) && seen.add(key);
  });
}

const MAX_REMEMBERED = 1_000;
/** How long a failed target comes last without Retry-After. */
const REST_MS = 30_000;
const MAX_REST_MS = 600_000;

/** Recently failed targets, which are tried last (in the spirit of RFC 3263 §4.3). */
export class FailedTargets {
  private readonly until = new Map<string, number>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** @param retryAfterMs of a 503 */
  add(target: Target, retryAfterMs = REST_MS): void {
    const key = keyOf(target);
    this.until.delete(key);
    const oldest = this.until.size >= MAX_REMEMBERED ? this.until.keys().next().value : undefined;
    if (oldest !== undefined) this.until.delete(oldest);
    this.until.set(key, this.now() + Math.min(retryAfterMs, MAX_REST_MS));
  }

  has(target: Target): boolean {
    return (this.until.get(keyOf(target)) ?? 0) > this.now();
  }

  /** The same targets with recently failed ones last, each group in its original order. */
  last(targets: Target[]): Target[] {
    if (this.until.size === 0 || targets.length === 1) return targets;
    return [...targets.filter((one) => !this.has(one)), ...targets.filter((one) => this.has(one))];
  }
}

/** A target may fail with the TLS settings of one caller and work with those of another. */
function keyOf(target: Target): string {
  const { transport, address, port, tls } = target;
  return `${transport} ${tls ? targetKey(target) : remoteKey(address, port)}`;
}
