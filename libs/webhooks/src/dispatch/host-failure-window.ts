import { LRUCache } from 'lru-cache';
import { performance } from 'node:perf_hooks';
import { hasTooManyFailures, type BreakerLimits, type HostReport } from '../domain/breaker.js';
import { routeOf, type AccountHost } from '../domain/webhook-stream.js';

/** How long a suspected host gets no requests while the database decides. */
const SUSPECTED_MS = 1_000;
const MAX_HOSTS = 10_000;

export interface AccountHostReport extends AccountHost, HostReport {}

/** A breaker after a report; `changed`: this report opened or closed it. */
export interface HostStatus extends AccountHost {
  /** Null: closed. */
  openForMs: number | null;
  /** Of all dispatchers in its window. */
  requests: number;
  failures: number;
  changed: boolean;
}

interface FailureWindow extends AccountHost {
  /** Since the last report of this dispatcher. */
  report: HostReport;
  since: number;
  /** All dispatchers at the last report, and this dispatcher since then. Successes are reported only beside failures. */
  seen: { requests: number; failures: number };
}

/** The results of one dispatcher by host since its last report, and the hosts to which it sends nothing. A host that works costs nothing. */
export class HostFailureWindows {
  private readonly windows = new LRUCache<string, FailureWindow>({ max: MAX_HOSTS });
  private readonly openUntil = new LRUCache<string, number>({ max: MAX_HOSTS });

  constructor(private readonly limits: BreakerLimits) {}

  /** Time until requests to this host are allowed again; 0: they are allowed. */
  blockedMs(of: AccountHost): number {
    const until = this.openUntil.get(routeOf(of));
    return until === undefined ? 0 : Math.max(until - performance.now(), 0);
  }

  /** @returns whether there is something to report, and whether the report is urgent: until then a suspected host gets no requests. */
  record(of: AccountHost, failed: boolean, probe: boolean): 'nothing' | 'report' | 'suspected' {
    const window = this.windowOf(of);
    for (const counts of [window.report, window.seen]) {
      counts.requests++;
      if (failed) counts.failures++;
    }
    if (probe) window.report.probe = failed ? 'failed' : 'ok';
    if (window.seen.failures === 0 && !probe) return 'nothing';
    if (!failed || !hasTooManyFailures(window.seen, this.limits)) return 'report';
    if (this.blockedMs(of) === 0) this.openUntil.set(routeOf(of), performance.now() + SUSPECTED_MS);
    return 'suspected';
  }

  probeUnused(of: AccountHost): void {
    this.windowOf(of).report.probe ??= 'unused';
  }

  get hasReports(): boolean {
    return this.toReport().length > 0;
  }

  /** The reports to send now; later results go into the next ones. */
  takeReports(): AccountHostReport[] {
    return this.toReport().map((window) => {
      const { account_id, host, report } = window;
      window.report = noRequests();
      return { account_id, host, ...report };
    });
  }

  /** After a failure to store these reports. */
  restore(reports: readonly AccountHostReport[]): void {
    for (const earlier of reports) {
      // However old the window is: a new one would not contain the failures, and would report nothing.
      const window = this.windows.get(routeOf(earlier));
      if (window) window.report = join(earlier, window.report);
    }
  }

  /** The state of all dispatchers, after the last report of this one was stored. */
  update({ account_id, host, openForMs, requests, failures }: HostStatus): void {
    const route = routeOf({ account_id, host });
    const window = this.windows.get(route);
    if (window) {
      window.since = performance.now();
      window.seen = { requests: requests + window.report.requests, failures: failures + window.report.failures };
    }
    if (openForMs !== null) this.openUntil.set(route, performance.now() + openForMs);
    // The failures since the report may be too many again: then the host stays blocked until the next report.
    else if (!window || !hasTooManyFailures(window.seen, this.limits)) this.openUntil.delete(route);
  }

  private toReport(): FailureWindow[] {
    return [...this.windows.values()].filter(
      ({ report, seen }) => report.probe !== undefined || (report.requests > 0 && seen.failures > 0),
    );
  }

  private windowOf({ account_id, host }: AccountHost): FailureWindow {
    const route = routeOf({ account_id, host });
    const now = performance.now();
    const known = this.windows.get(route);
    if (known && (known.report.probe || known.report.failures > 0 || now - known.since < this.limits.windowMs))
      return known;
    const fresh = { account_id, host, report: noRequests(), since: now, seen: noRequests() };
    this.windows.set(route, fresh);
    return fresh;
  }
}

const noRequests = (): HostReport => ({ requests: 0, failures: 0 });

const join = (earlier: HostReport, later: HostReport): HostReport => ({
  requests: later.requests + earlier.requests,
  failures: later.failures + earlier.failures,
  ...((later.probe ?? earlier.probe) && { probe: later.probe ?? earlier.probe }),
});
