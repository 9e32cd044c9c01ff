import { orAborted, startDeadline } from '@app/common';
import { type Egress, EgressTimeout, followRedirects, readUpTo, TooManyRedirects } from '@app/egress';
import { DocumentProblem } from '../extract/document-problem.js';
import { fetchProblem, httpProblem } from './fetch-problem.js';
import { LRUCache } from 'lru-cache';
import robotsParser from 'robots-parser';

interface RobotsOptions {
  egress: Egress;
  /** `Trunkline/1.2.3`; rules apply to the name before the slash. */
  agent: string;
}

const CACHE_MS = 5 * 60_000;
const CACHED_SITES = 32;
const TIMEOUT_MS = 8_000;
const TOO_SLOW = `The server did not send its robots.txt within ${TIMEOUT_MS / 1_000} seconds.`;
/** RFC 9309 §2.3.1.2: five redirects at least, also to other hosts. */
const REDIRECTS = 5;

/**
 * Checks whether sites allow their pages to be fetched (RFC 9309). A 4xx and an endless redirect mean "no rules" (§2.3.1.2,
 * §2.3.1.3); a 5xx or an unreachable server means "nothing is allowed" (§2.3.1.4) and is temporary: the page is retried later.
 * The same applies to 429.
 */
export class Robots {
  private readonly sites = new LRUCache<string, Promise<RobotsRules>>({ max: CACHED_SITES, ttl: CACHE_MS });

  constructor(private readonly options: RobotsOptions) {}

  /** Throws a DocumentProblem if the page must not be fetched, or not now. */
  async check(url: URL, signal: AbortSignal): Promise<void> {
    const rules = await orAborted(this.rulesOf(url.origin), signal);
    if (!rules.allows(url)) throw new DocumentProblem('ROBOTS_DISALLOWED');
  }

  /** The Crawl-delay of the site, at most MAX_DELAY_MS; 0 without one. Never throws. */
  async crawlDelayMs(url: URL): Promise<number> {
    return this.rulesOf(url.origin).then(
      ({ delayMs }) => delayMs,
      () => 0,
    );
  }

  private rulesOf(origin: string): Promise<RobotsRules> {
    const known = this.sites.get(origin);
    if (known) return known;
    const rules = this.load(new URL('/robots.txt', origin));
    this.sites.set(origin, rules);
    // Failures are not cached: the next page requests the file again.
    rules.catch(() => this.sites.peek(origin) === rules && this.sites.delete(origin));
    return rules;
  }

  /** Independent of the signal of the first page: others may be waiting for the same file. */
  private async load(url: URL): Promise<RobotsRules> {
    const { egress, agent } = this.options;
    const deadline = startDeadline(TIMEOUT_MS, undefined, () => new EgressTimeout(TIMEOUT_MS));
    try {
      const headers = { 'user-agent': agent, accept: 'text/plain, */*;q=0.1', 'accept-encoding': 'identity' };
      const request = { headers, signal: deadline.signal, maxRedirects: REDIRECTS };
      const response = await followRedirects(egress, url.href, request);
      // The body is read for every status, so that the connection can be reused.
      const { body } = await readUpTo(response.body, ROBOTS_BYTES);
      if (response.status >= 500 || response.status === 429) throw httpProblem(response.status, response.headers);
      return response.status >= 200 && response.status < 300 ? robotsRules(url, body.toString(), agent) : allowAll;
    } catch (error) {
      if (error instanceof TooManyRedirects) return allowAll;
      if (deadline.signal.aborted) throw new DocumentProblem('URL_TIMEOUT', TOO_SLOW);
      throw fetchProblem(error);
    } finally {
      deadline.clear();
    }
  }
}

/** RFC 9309 §2.5 requires 500 KiB at least. */
const ROBOTS_BYTES = 512 * 1024;
const LINES = 20_000;
/**
 * A pattern with `*` is matched at every position of the path: 10,000 such characters on a path of 2,048 take 20 ms
 * at most.
 */
const WILDCARD_CHARACTERS = 10_000;

// The package's types describe an ES module, its code is a CommonJS function.
const parse = robotsParser as unknown as (typeof robotsParser)['default'];

interface RobotsRules {
  allows(url: URL): boolean;
  /** Between two pages. */
  delayMs: number;
}

const allowAll: RobotsRules = { allows: () => true, delayMs: 0 };
/** A longer delay would keep a crawl of 50 pages running for hours. */
const MAX_DELAY_MS = 60_000;

/** The rules of a robots.txt for our agent. Lines beyond the limits are ignored: a file must not block the process. */
function robotsRules(robotsUrl: URL, text: string, agent: string): RobotsRules {
  const robots = parse(robotsUrl.href, bound(text));
  const delay = Number(robots.getCrawlDelay(agent));
  const delayMs = Number.isFinite(delay) ? Math.min(Math.max(0, delay * 1_000), MAX_DELAY_MS) : 0;
  return { allows: (url) => robots.isAllowed(url.href, agent) ?? true, delayMs };
}

function bound(text: string): string {
  let wildcards = 0;
  const kept = text.split(/\r\n|\r|\n/, LINES).filter((line) => {
    if (line.includes('*')) wildcards += line.length;
    return !line.includes('*') || wildcards <= WILDCARD_CHARACTERS;
  });
  return kept.join('\n');
}
