import { type Env, KeyedSemaphore, type Log } from '@app/common';
import { ENV, LOG } from '@app/common/settings';
import { type Responder, sipPlace, SipPlaces } from '@app/telephony';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { isIP } from 'node:net';
import { sipHostOf } from '../domain/parse-destination.js';
import { type KnownHost, type LegTrunk, routeOf, type SipRoute } from '../domain/sip-route.js';
import type { AnsweringTarget } from './trunk-health.js';
import { type OwnTrunk, TrunkPlacesRepository } from './trunk-places.repository.js';

type Limits = Parameters<typeof routeOf>[0];

type TargetHost = AnsweringTarget['target'];

type SipHost = NonNullable<ReturnType<typeof sipHostOf>>;

/** A request of the API does not wait longer for DNS; the dialer asks again. */
const REQUEST_MS = 1_000;
const DIAL_MS = 4_000;
/** Hosts of one account that the resolver of the system is asked for at the same time: it has four threads in a process. */
const MAX_DIALLED_HOSTS = 2;

/** A place of a trunk is written once in this time. */
const WRITTEN_MS = 60_000;
const MAX_REMEMBERED = 10_000;

/**
 * Compares the hosts of SIP URIs with the trunks of all accounts: a SIP URI at the carrier of a trunk must not evade that trunk. Every way
 * by which a SIP URI becomes an INVITE asks here: creation, dialling, transfers, redirections and testers.
 */
@Injectable()
export class SipRoutesService {
  private readonly forRequests: SipPlaces;
  private readonly forDialling: SipPlaces;
  private readonly dialled = new KeyedSemaphore<number>(MAX_DIALLED_HOSTS);
  /** The phone of `npm start`. It is not a carrier: every account may call it. */
  private readonly sandboxPhone: string | undefined;
  /** Look-ups of requests that run, by account and place: requests at the same time for one host share one. */
  private readonly lookUps = new Map<string, Promise<KnownHost>>();
  /** The places that are stored: the trunk, its target and the address that responded. */
  private readonly written = new LRUCache<string, true>({ max: MAX_REMEMBERED, ttl: WRITTEN_MS });

  constructor(
    private readonly trunks: TrunkPlacesRepository,
    @Inject(ENV) env: Pick<Env, 'SIP_DNS_SERVERS' | 'SANDBOX_SIP_PORT'>,
    @Inject(LOG) log: Log,
  ) {
    const { SIP_DNS_SERVERS: servers, SANDBOX_SIP_PORT: port } = env;
    const sipLog = {
      debug: (message: string, fields: object) => log.debug(fields, message),
      warn: (message: string, fields: object) => log.warn(fields, message),
    };
    this.forRequests = new SipPlaces({ servers, withoutSystem: true, log: sipLog });
    this.forDialling = new SipPlaces({ servers, log: sipLog });
    this.sandboxPhone = port === 0 ? undefined : sipPlace({ host: '127.0.0.1', port });
  }

  /**
   * What is known about the host of each SIP URI, by URI, within a second. A host that DNS does not resolve in this time is compared by its
   * name, and again before it is dialled.
   */
  async hostsForRequest(accountId: number, uris: readonly string[]): Promise<Map<string, KnownHost>> {
    const [uri, ...others] = uris;
    const host = uri === undefined || others.length > 0 ? undefined : sipHostOf(uri);
    if (uri === undefined || !host) return this.hosts(accountId, uris, this.forRequests, REQUEST_MS);
    return new Map([[uri, await this.hostOfRequest(accountId, host)]]);
  }

  /**
   * The route of a number or SIP URI that is about to be dialled; call it outside of transactions. `leg`: see `routeOf`.
   */
  async routeForDialling(accountId: number, limits: Limits, uri: string, leg?: LegTrunk): Promise<SipRoute> {
    const known = await this.dialledHost(accountId, uri);
    return routeOf(limits, uri, known.get(uri) ?? UNKNOWN, leg);
  }

  /**
   * Whether an INVITE for the SIP URI may go to each resolved address and port past all trunks, in their order. DNS may have changed since
   * the route was chosen.
   */
  async mayGoDirectly(
    accountId: number,
    limits: Limits,
    uri: string,
    to: readonly { address: string; port: number }[],
  ): Promise<boolean[]> {
    const places = to.map(({ address, port }) => [sipPlace({ host: address, port })]);
    const known = await this.compare(accountId, places, DIAL_MS);
    return known.map((one) => routeOf(limits, uri, one).kind === 'direct');
  }

  /** The responder has answered a call over the trunk. It is stored for the targets that have its address. */
  async answeredCall(trunkId: number, targets: readonly TargetHost[], responder: Responder): Promise<void> {
    await this.answered(trunkId, await this.targetsAt(targets, responder));
  }

  /**
   * These targets of the trunk have answered. Only the addresses that responded are stored: with the other targets, or the other addresses
   * of a name, an account could claim hosts of others that never answered it.
   */
  async answered(trunkId: number, answers: readonly AnsweringTarget[]): Promise<void> {
    const fresh = answers.map(({ target, responder }) => {
      const place = sipPlace({ host: responder.address, port: responder.port });
      return { target: sipPlace(target), place, key: `${trunkId} ${sipPlace(target)} ${place}` };
    });
    const unwritten = fresh.filter(({ key }) => !this.written.has(key));
    if (unwritten.length === 0) return;
    for (const { key } of unwritten) this.written.set(key, true);
    try {
      const places = unwritten.flatMap(({ target, place }): [string, string][] => [
        [target, target],
        [place, target],
      ]);
      await this.trunks.answered(trunkId, new Map(places));
    } catch (error) {
      for (const { key } of unwritten) this.written.delete(key);
      throw error;
    }
  }

  private async targetsAt(targets: readonly TargetHost[], responder: Responder): Promise<AnsweringTarget[]> {
    const [only, ...others] = targets;
    if (only && others.length === 0) return [{ target: only, responder }];
    const place = sipPlace({ host: responder.address, port: responder.port });
    const places = await this.forRequests.of(targets, DIAL_MS);
    return targets.flatMap((target, index) => (places[index]?.includes(place) ? [{ target, responder }] : []));
  }

  /** A host that has to wait too long for its turn is compared by its name, as without an answer of DNS. */
  private async dialledHost(accountId: number, uri: string): Promise<Map<string, KnownHost>> {
    const host = sipHostOf(uri)?.host;
    if (host === undefined || isIP(host) > 0) return this.hosts(accountId, [uri], this.forDialling, DIAL_MS);
    const startedAt = performance.now();
    const signal = AbortSignal.timeout(DIAL_MS);
    const release = await this.dialled.acquire(accountId, signal).catch((error: unknown) => {
      if (!signal.aborted) throw error;
      return undefined;
    });
    if (!release) return this.hosts(accountId, [uri], this.forRequests, 0);
    try {
      return await this.hosts(accountId, [uri], this.forDialling, DIAL_MS - (performance.now() - startedAt));
    } finally {
      release();
    }
  }

  private hostOfRequest(accountId: number, host: SipHost): Promise<KnownHost> {
    const key = `${accountId} ${sipPlace(host)}`;
    const running = this.lookUps.get(key);
    if (running) return running;
    const lookUp = this.known(accountId, [host], this.forRequests, REQUEST_MS)
      .then(([known]) => known ?? UNKNOWN)
      .finally(() => this.lookUps.delete(key));
    this.lookUps.set(key, lookUp);
    return lookUp;
  }

  private async hosts(
    accountId: number,
    uris: readonly string[],
    resolver: SipPlaces,
    ms: number,
  ): Promise<Map<string, KnownHost>> {
    const named = uris.flatMap((uri) => {
      const host = sipHostOf(uri);
      return host ? [{ uri, host }] : [];
    });
    if (named.length === 0) return new Map();
    const hosts = named.map(({ host }) => host);
    const known = await this.known(accountId, hosts, resolver, ms);
    return new Map(named.map(({ uri }, index) => [uri, known[index] ?? UNKNOWN]));
  }

  /** What is known about each host, within `ms`. */
  private async known(
    accountId: number,
    hosts: readonly SipHost[],
    resolver: SipPlaces,
    ms: number,
  ): Promise<KnownHost[]> {
    const startedAt = performance.now();
    const places = await resolver.of(hosts, ms);
    const left = Math.max(0, ms - (performance.now() - startedAt));
    return this.compare(accountId, places, left);
  }

  /** What is known about each host, from all its places. */
  private async compare(accountId: number, hosts: readonly (readonly string[])[], ms: number): Promise<KnownHost[]> {
    const { own, answered, foreign } = await this.trunks.known(accountId, [...new Set(hosts.flat())]);
    const ofTrunks = await placesOfTrunks(own, this.forRequests, ms);
    for (const { trunk_id: id, place } of answered) ofTrunks.get(id)?.add(place);
    const blocked = new Set(foreign);
    if (this.sandboxPhone !== undefined) blocked.delete(this.sandboxPhone);
    return hosts.map((places) => ({
      trunks: own.filter(({ id }) => places.some((place) => ofTrunks.get(id)?.has(place))),
      isForeign: places.some((place) => blocked.has(place)),
    }));
  }
}

const UNKNOWN: KnownHost = { trunks: [], isForeign: false };

/** By the id of the trunk. */
async function placesOfTrunks(
  trunks: readonly OwnTrunk[],
  resolver: SipPlaces,
  ms: number,
): Promise<Map<number, Set<string>>> {
  const targets = trunks.flatMap(({ id, host, port, targets: several }) =>
    (several ?? [{ host, port }]).map((target) => ({ id, host: target.host, port: target.port })),
  );
  const places = await resolver.of(targets, ms);
  const found = new Map(trunks.map(({ id }) => [id, new Set<string>()]));
  for (const [index, { id }] of targets.entries()) for (const one of places[index] ?? []) found.get(id)?.add(one);
  return found;
}
