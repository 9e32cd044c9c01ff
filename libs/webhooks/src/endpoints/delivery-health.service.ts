import type { Log } from '@app/common';
import { metrics } from '@app/metrics';
import { LOG } from '@app/common/settings';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { performance } from 'node:perf_hooks';
import { DISPATCH_SETTINGS, type DispatchSettings } from '../dispatch/dispatch-settings.js';
import { hostFailed } from '../domain/breaker.js';
import type { WebhookType } from '../domain/delivery-record.js';
import { type DisabledReason, endpointOf, type EndpointReport, withAttempt } from '../domain/endpoint-health.js';
import type { AttemptResult } from '../domain/retry-schedule.js';
import { type AccountHost, routeOf } from '../domain/webhook-stream.js';
import { type EndpointStatus, HealthReportsService } from './health-reports.service.js';
import { HostFailureWindows, type HostStatus } from '../dispatch/host-failure-window.js';
import { WebhookStreamsRepository } from '../dispatch/webhook-streams.repository.js';

/** An attempt that was sent. */
interface SentAttempt extends AccountHost {
  url: string;
  type: WebhookType;
  result: AttemptResult;
  /** It was the probe of a half-open breaker. */
  probe: boolean;
}

/** The first report is stored at once, later ones at most this often. */
const SPACING_MS = 100;
const RETRY_MS = 1_000;
/** Interval of reports about an endpoint without changes. */
const REPEAT_MS = 60_000;
/** Cached for this time, for streams that were claimed before the database had the state: later claims return it. */
const DISABLED_MS = 5_000;
const MAX_ENDPOINTS = 10_000;

interface DisabledEndpoint {
  reason: DisabledReason;
  until: number;
  /** Before the statement that stored or returned it was sent; Infinity: it is not stored. */
  storedAt: number;
}

interface EndpointTally {
  account_id: number;
  url: string;
  create: boolean;
  report: EndpointReport | undefined;
  lastFailed: boolean | undefined;
  reportedAt: number;
}

/**
 * The health of hosts and endpoints as one dispatcher sees it between two claims. It reports to the other dispatchers through the database;
 * an endpoint that works costs one update a minute.
 */
@Injectable()
export class DeliveryHealthService {
  private readonly hosts: HostFailureWindows;
  private readonly endpoints = new LRUCache<string, EndpointTally>({ max: MAX_ENDPOINTS });
  private readonly disabled = new LRUCache<string, DisabledEndpoint>({ max: MAX_ENDPOINTS });
  private readonly parking = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  private reporting: Promise<void> | undefined;
  private reportedAt = -Infinity;
  private failing = false;
  private stopped = false;

  constructor(
    private readonly streams: WebhookStreamsRepository,
    private readonly reports: HealthReportsService,
    @Inject(DISPATCH_SETTINGS) private readonly settings: DispatchSettings,
    @Inject(LOG) private readonly log: Log,
  ) {
    this.hosts = new HostFailureWindows(settings.breaker);
  }

  /** Time until requests to this host are allowed again; 0: they are allowed. */
  blockedMs(of: AccountHost): number {
    return this.hosts.blockedMs(of);
  }

  /**
   * Undefined: the endpoint is active as far as this process knows. A stream that was claimed after the state was stored has an endpoint that
   * was enabled since.
   */
  disabledReason(stream: { account_id: number; claimedAt: number }, url: string): DisabledReason | undefined {
    const found = this.disabled.get(keyOf(stream.account_id, endpointOf(url)));
    if (!found || found.until <= performance.now() || stream.claimedAt > found.storedAt) return undefined;
    return found.reason;
  }

  record(attempt: SentAttempt): void {
    this.recordHost(attempt);
    this.recordEndpoint(attempt);
  }

  /** The stream with the probe had nothing to send. */
  probeUnused(of: AccountHost): void {
    this.hosts.probeUnused(of);
    this.reportSoon();
  }

  /** Takes the due streams of a host out of claims for a time. One statement at a time per route; the next claim repeats a failed one. */
  park(of: AccountHost, waitMs: number): void {
    const route = routeOf(of);
    if (this.parking.has(route) || this.stopped) return;
    this.parking.add(route);
    this.streams
      .park(of, waitMs, this.settings.breaker.spreadMs)
      .catch((err: unknown) => this.log.warn({ err, account_id: of.account_id }, 'webhook streams could not be parked'))
      .finally(() => this.parking.delete(route));
  }

  /** Stores the last reports, in one attempt. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.reporting;
    await this.report();
  }

  private recordHost({ account_id, host, result, probe }: SentAttempt): void {
    const failed = hostFailed(result);
    if (failed === undefined) return probe ? this.probeUnused({ account_id, host }) : undefined;
    const effect = this.hosts.record({ account_id, host }, failed, probe);
    if (effect !== 'nothing') this.reportSoon(0, effect === 'suspected');
  }

  private recordEndpoint({ account_id, url: target, type, result }: SentAttempt): void {
    const url = endpointOf(target);
    const key = keyOf(account_id, url);
    const tally = this.endpoints.get(key) ?? newTally(account_id, url);
    this.endpoints.set(key, tally);
    const report = withAttempt(tally.report, result);
    const changed = tally.lastFailed !== report.failed || report.gone;
    tally.lastFailed = report.failed;
    if (report.gone) this.disable(key, 'gone');
    if (!changed && !tally.report && performance.now() - tally.reportedAt < REPEAT_MS) return;
    tally.report = report;
    tally.create ||= type !== 'tool-action' || report.failed;
    this.reportSoon();
  }

  private disable(key: string, reason: DisabledReason, storedAt = Infinity): void {
    this.disabled.set(key, { reason, until: performance.now() + DISABLED_MS, storedAt });
  }

  private reportSoon(afterMs = 0, urgent = false): void {
    if (this.reporting || this.stopped || (this.timer && !urgent)) return;
    clearTimeout(this.timer);
    const waitMs = urgent ? 0 : Math.max(afterMs, this.reportedAt + SPACING_MS - performance.now());
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.reporting = this.report().finally(() => {
        this.reporting = undefined;
        if (this.failing) this.reportSoon(RETRY_MS);
        else if (this.hosts.hasReports || this.endpointsToReport().length > 0) this.reportSoon();
      });
    }, waitMs);
  }

  private endpointsToReport(): EndpointTally[] {
    return [...this.endpoints.values()].filter(({ report }) => report !== undefined);
  }

  /** Never rejects: the next report contains what could not be stored. */
  private async report(): Promise<void> {
    const hostReports = this.hosts.takeReports();
    const endpoints = this.endpointsToReport();
    if (hostReports.length === 0 && endpoints.length === 0) return;
    const endpointReports = endpoints.flatMap(({ report, account_id, url, create }) =>
      report ? [{ ...report, account_id, url, create }] : [],
    );
    for (const tally of endpoints) tally.report = undefined;
    this.reportedAt = performance.now();
    try {
      const status = await this.reports.store(hostReports, endpointReports);
      this.failing = false;
      for (const tally of endpoints) tally.reportedAt = this.reportedAt;
      for (const host of status.hosts) this.updateHost(host);
      for (const endpoint of status.endpoints) this.updateEndpoint(endpoint);
    } catch (err) {
      if (!this.failing) this.log.warn({ err }, 'the health of webhook hosts cannot be stored and is reported again');
      this.failing = true;
      this.hosts.restore(hostReports);
      endpoints.forEach((tally, index) => (tally.report = join(endpointReports[index], tally.report)));
    }
  }

  private updateHost(status: HostStatus): void {
    this.hosts.update(status);
    const { account_id, host, openForMs, changed } = status;
    if (!changed) return;
    if (openForMs === null) return this.log.info({ account_id, host }, 'a host accepts webhooks again');
    metrics.breakerOpened.inc();
    this.log.warn({ account_id, host, wait_ms: Math.round(openForMs) }, 'webhooks to a failing host are held back');
    this.park({ account_id, host }, openForMs);
  }

  private updateEndpoint({ id, account_id, url, disabledReason, disabledNow }: EndpointStatus): void {
    const key = keyOf(account_id, url);
    if (disabledReason) this.disable(key, disabledReason, this.reportedAt);
    else this.disabled.delete(key);
    if (disabledNow)
      this.log.warn({ account_id, endpoint_id: id, reason: disabledReason }, 'a webhook endpoint was disabled');
  }
}

const keyOf = (accountId: number, url: string): string => `${accountId} ${url}`;

const newTally = (account_id: number, url: string): EndpointTally => ({
  account_id,
  url,
  create: false,
  report: undefined,
  lastFailed: undefined,
  reportedAt: -Infinity,
});

function join(earlier: EndpointReport | undefined, later: EndpointReport | undefined): EndpointReport | undefined {
  if (!later || !earlier) return later ?? earlier;
  return { ...later, succeeded: later.succeeded || earlier.succeeded, gone: later.gone || earlier.gone };
}
