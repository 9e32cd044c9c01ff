import { performance } from 'node:perf_hooks';
import type { Log } from '@app/common';
import type { Metrics } from '@app/metrics';
import { inTransaction } from '@app/database';
import type { Pool } from 'pg';
import { hostFailed, type BreakerLimits } from './breaker.js';
import { withAttempt, type EndpointNews } from './endpoint-health.js';
import { storeEndpointNews, type KnownEndpoint } from './endpoint-news.js';
import { endpointOf, type DisabledReason } from './endpoints.js';
import { HostTallies } from './host-tallies.js';
import { parkStreams, storeHostNews, type HostOf, type KnownHost } from './hosts.js';
import type { WebhookType } from './outbox.js';
import { remember } from './remember.js';
import type { AttemptResult } from './retry-schedule.js';
import { routeOf } from './streams.js';

/** One attempt that was made. */
export interface Outcome extends HostOf {
  url: string;
  type: WebhookType;
  result: AttemptResult;
  /** It was the one that a half-open breaker let through. */
  probe: boolean;
}

/** News are stored at once, then at most this often. */
const SPACING_MS = 100;
const RETRY_MS = 1_000;
/** An endpoint that goes on as it was is told of this often. */
const REPEATED_MS = 60_000;
/** Afterwards the next claim tells, which also sees that an endpoint was enabled. */
const DISABLED_MS = 5_000;

interface EndpointTally {
  account_id: number;
  url: string;
  create: boolean;
  news: EndpointNews | undefined;
  lastFailed: boolean | undefined;
  toldAt: number;
}

/**
 * What a dispatcher sees of hosts and endpoints, told to all dispatchers through the database, and what it knows of them between two
 * claims. An endpoint that works costs one update a minute.
 */
export class DeliveryHealth {
  private readonly hosts: HostTallies;
  private readonly endpoints = new Map<string, EndpointTally>();
  private readonly disabled = new Map<string, { reason: DisabledReason; until: number }>();
  private readonly parking = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  private telling: Promise<void> | undefined;
  private toldAt = -Infinity;
  private failing = false;
  private stopped = false;

  constructor(
    private readonly pool: Pool,
    private readonly log: Log,
    private readonly limits: BreakerLimits,
    private readonly metrics: Pick<Metrics, 'breakerOpened'> | undefined,
  ) {
    this.hosts = new HostTallies(limits);
  }

  /** For how long nothing is sent on this way; 0 when it is open to us. */
  blockedMs(of: HostOf): number {
    return this.hosts.blockedMs(of);
  }

  /** Undefined: it is active as far as is known here. */
  disabledReason(accountId: number, url: string): DisabledReason | undefined {
    const found = this.disabled.get(keyOf(accountId, endpointOf(url)));
    return found && found.until > performance.now() ? found.reason : undefined;
  }

  note(outcome: Outcome): void {
    this.noteHost(outcome);
    this.noteEndpoint(outcome);
  }

  /** The stream that was to try a host had nothing to send. */
  probeUnused(of: HostOf): void {
    this.hosts.probeUnused(of);
    this.tellSoon();
  }

  /** Keeps the streams of a host out of the way of claims. One at a time per route; a failure is made good by the next claim. */
  park(of: HostOf, waitMs: number): void {
    const route = routeOf(of);
    if (this.parking.has(route) || this.stopped) return;
    this.parking.add(route);
    parkStreams(this.pool, of, waitMs, this.limits.spreadMs)
      .catch((err: unknown) => this.log.warn({ err, account_id: of.account_id }, 'webhook streams could not be parked'))
      .finally(() => this.parking.delete(route));
  }

  /** Tells what is left, once. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.telling;
    await this.tell();
  }

  private noteHost({ account_id, host, result, probe }: Outcome): void {
    const failed = hostFailed(result);
    if (failed === undefined) return probe ? this.probeUnused({ account_id, host }) : undefined;
    const news = this.hosts.note({ account_id, host }, failed, probe);
    if (news !== 'nothing') this.tellSoon(0, news === 'suspected');
  }

  private noteEndpoint({ account_id, url: target, type, result }: Outcome): void {
    const url = endpointOf(target);
    const key = keyOf(account_id, url);
    let tally = this.endpoints.get(key);
    if (!tally)
      remember(
        this.endpoints,
        key,
        (tally = { account_id, url, create: false, news: undefined, lastFailed: undefined, toldAt: -Infinity }),
      );
    const news = withAttempt(tally.news, result);
    const changed = tally.lastFailed !== news.failed || news.gone;
    tally.lastFailed = news.failed;
    if (news.gone) this.disable(key, 'gone');
    if (!changed && !tally.news && performance.now() - tally.toldAt < REPEATED_MS) return;
    tally.news = news;
    tally.create ||= type !== 'tool-action' || news.failed;
    this.tellSoon();
  }

  private disable(key: string, reason: DisabledReason): void {
    remember(this.disabled, key, { reason, until: performance.now() + DISABLED_MS });
  }

  private tellSoon(afterMs = 0, urgent = false): void {
    if (this.telling || this.stopped || (this.timer && !urgent)) return;
    clearTimeout(this.timer);
    const waitMs = urgent ? 0 : Math.max(afterMs, this.toldAt + SPACING_MS - performance.now());
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.telling = this.tell().finally(() => {
        this.telling = undefined;
        if (this.failing) this.tellSoon(RETRY_MS);
        else if (this.hosts.hasNews || this.newEndpoints().length > 0) this.tellSoon();
      });
    }, waitMs);
  }

  private newEndpoints(): EndpointTally[] {
    return [...this.endpoints.values()].filter(({ news }) => news !== undefined);
  }

  /** Never rejects: what could not be stored is told with the next news. */
  private async tell(): Promise<void> {
    const hostNews = this.hosts.takeNews();
    const endpoints = this.newEndpoints();
    if (hostNews.length === 0 && endpoints.length === 0) return;
    const endpointNews = endpoints.flatMap(({ news, account_id, url, create }) =>
      news ? [{ ...news, account_id, url, create }] : [],
    );
    for (const tally of endpoints) tally.news = undefined;
    this.toldAt = performance.now();
    try {
      const known = await inTransaction(this.pool, async (sql) => ({
        hosts: hostNews.length > 0 ? await storeHostNews(sql, hostNews, this.limits) : [],
        endpoints: endpointNews.length > 0 ? await storeEndpointNews(sql, endpointNews) : [],
      }));
      this.failing = false;
      for (const tally of endpoints) tally.toldAt = this.toldAt;
      for (const host of known.hosts) this.hostKnown(host);
      for (const endpoint of known.endpoints) this.endpointKnown(endpoint);
    } catch (err) {
      if (!this.failing) this.log.warn({ err }, 'the health of webhook hosts cannot be stored, it is kept');
      this.failing = true;
      this.hosts.putBack(hostNews);
      endpoints.forEach((tally, index) => (tally.news = later(endpointNews[index], tally.news)));
    }
  }

  private hostKnown(known: KnownHost): void {
    this.hosts.known(known);
    const { account_id, host, openForMs, changed } = known;
    if (!changed) return;
    if (openForMs === null) return this.log.info({ account_id, host }, 'a host takes webhooks again');
    this.metrics?.breakerOpened.inc();
    this.log.warn({ account_id, host, wait_ms: Math.round(openForMs) }, 'webhooks to a failing host are held back');
    this.park({ account_id, host }, openForMs);
  }

  private endpointKnown({ id, account_id, url, disabledReason, disabledNow }: KnownEndpoint): void {
    const key = keyOf(account_id, url);
    if (disabledReason) this.disable(key, disabledReason);
    else this.disabled.delete(key);
    if (disabledNow)
      this.log.warn({ account_id, endpoint_id: id, reason: disabledReason }, 'a webhook endpoint was disabled');
  }
}

const keyOf = (accountId: number, url: string): string => `${accountId} ${url}`;

function later(earlier: EndpointNews | undefined, now: EndpointNews | undefined): EndpointNews | undefined {
  if (!now || !earlier) return now ?? earlier;
  return { ...now, succeeded: now.succeeded || earlier.succeeded, gone: now.gone || earlier.gone };
}
