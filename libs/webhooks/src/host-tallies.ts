import { performance } from 'node:perf_hooks';
import { tooManyFailures, type BreakerLimits, type HostNews } from './breaker.js';
import type { HostOf, KnownHost, NewsOfHost } from './hosts.js';
import { remember } from './remember.js';
import { routeOf } from './streams.js';

/** A host that is suspected is held back from until the database has decided, this long at most. */
const SUSPECTED_MS = 1_000;

interface HostTally extends HostOf {
  news: HostNews;
  since: number;
  /** Of the window: what was told of all dispatchers, and what came to this one since. With failures among them successes are told, too. */
  seen: { requests: number; failures: number };
}

/** What one dispatcher saw of hosts since it last told the others, and which of them it sends nothing to. A host that works costs nothing. */
export class HostTallies {
  private readonly tallies = new Map<string, HostTally>();
  private readonly openUntil = new Map<string, number>();

  constructor(private readonly limits: BreakerLimits) {}

  /** For how long nothing is sent on this way; 0 when it is open to us. */
  blockedMs(of: HostOf): number {
    const until = this.openUntil.get(routeOf(of));
    return until === undefined ? 0 : Math.max(until - performance.now(), 0);
  }

  /** @returns whether there is something to tell now, and whether it cannot wait: the host is held back from until it is told. */
  note(of: HostOf, failed: boolean, probe: boolean): 'nothing' | 'news' | 'suspected' {
    const tally = this.tallyOf(of);
    for (const counts of [tally.news, tally.seen]) {
      counts.requests++;
      if (failed) counts.failures++;
    }
    if (probe) tally.news.probe = failed ? 'failed' : 'ok';
    if (tally.seen.failures === 0 && !probe) return 'nothing';
    if (!failed || !tooManyFailures(tally.seen, this.limits)) return 'news';
    if (this.blockedMs(of) === 0) remember(this.openUntil, routeOf(of), performance.now() + SUSPECTED_MS);
    return 'suspected';
  }

  probeUnused(of: HostOf): void {
    this.tallyOf(of).news.probe ??= 'unused';
  }

  get hasNews(): boolean {
    return this.withNews().length > 0;
  }

  /** What is told now; what comes from now on is news again. */
  takeNews(): NewsOfHost[] {
    return this.withNews().map((tally) => {
      const { account_id, host, news } = tally;
      tally.news = nothing();
      return { account_id, host, ...news };
    });
  }

  /** They could not be told. */
  putBack(untold: readonly NewsOfHost[]): void {
    for (const earlier of untold) {
      // As it is, however old: a new one would not know that there were failures, and say nothing of them.
      const tally = this.tallies.get(routeOf(earlier));
      if (tally) tally.news = joined(earlier, tally.news);
    }
  }

  /** What all dispatchers know, now that this one has told what it saw until then. */
  known({ account_id, host, openForMs, requests, failures }: KnownHost): void {
    const route = routeOf({ account_id, host });
    const tally = this.tallies.get(route);
    if (tally) {
      tally.since = performance.now();
      tally.seen = { requests: requests + tally.news.requests, failures: failures + tally.news.failures };
    }
    if (openForMs !== null) remember(this.openUntil, route, performance.now() + openForMs);
    // What came meanwhile may be too much again: that is told next, and held back from until then.
    else if (!tally || !tooManyFailures(tally.seen, this.limits)) this.openUntil.delete(route);
  }

  private withNews(): HostTally[] {
    return [...this.tallies.values()].filter(
      ({ news, seen }) => news.probe !== undefined || (news.requests > 0 && seen.failures > 0),
    );
  }

  private tallyOf({ account_id, host }: HostOf): HostTally {
    const route = routeOf({ account_id, host });
    const now = performance.now();
    const known = this.tallies.get(route);
    if (known && (known.news.probe || known.news.failures > 0 || now - known.since < this.limits.windowMs))
      return known;
    const made = { account_id, host, news: nothing(), since: now, seen: nothing() };
    remember(this.tallies, route, made);
    return made;
  }
}

const nothing = () => ({ requests: 0, failures: 0 });

const joined = (earlier: HostNews, now: HostNews): HostNews => ({
  requests: now.requests + earlier.requests,
  failures: now.failures + earlier.failures,
  ...((now.probe ?? earlier.probe) && { probe: now.probe ?? earlier.probe }),
});
