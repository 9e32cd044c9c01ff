import { orAborted, startDeadline } from '@app/common';
import { type Egress, followRedirects, readUpTo, TooManyRedirects } from '@app/egress';
import { DocumentProblem } from '../extract/document-problem.js';
import { fetchProblem, httpProblem } from './fetch-problem.js';
import robotsParser from 'robots-parser';

interface RobotsOptions {
  egress: Egress;
  /** `Trunkline/1.2.3`; rules are looked for under the name before the slash. */
  agent: string;
  keepMs?: number;
}

const KEEP_MS = 5 * 60_000;
const KEPT_SITES = 32;
const TIMEOUT_MS = 8_000;
/** RFC 9309 §2.3.1.2: five redirects at least, also to other hosts. */
const REDIRECTS = 5;

/**
 * Whether sites allow their pages to be fetched (RFC 9309). A 4xx and an endless redirect mean "no rules" (§2.3.1.2, §2.3.1.3); a 5xx or a
 * server that cannot be reached means "nothing is allowed" (§2.3.1.4), which passes: the page is tried again later. So is 429.
 */
export class Robots {
  private readonly sites = new Map<string, { rules: Promise<RobotsRules>; until: number }>();

  constructor(private readonly options: RobotsOptions) {}

  /** Throws a DocumentProblem when the page must not be fetched, or not now. */
  async check(url: URL, signal: AbortSignal): Promise<void> {
    const allows = await orAborted(this.rulesOf(url.origin), signal);
    if (!allows(url)) throw new DocumentProblem('ROBOTS_DISALLOWED');
  }

  private rulesOf(origin: string): Promise<RobotsRules> {
    const known = this.sites.get(origin);
    if (known && known.until > Date.now()) return known.rules;
    const rules = this.load(new URL('/robots.txt', origin));
    this.sites.delete(origin);
    this.sites.set(origin, { rules, until: Date.now() + (this.options.keepMs ?? KEEP_MS) });
    const [oldest] = this.sites.keys();
    if (this.sites.size > KEPT_SITES && oldest !== undefined) this.sites.delete(oldest);
    // A failure is not kept: the next page asks again.
    rules.catch(() => this.sites.get(origin)?.rules === rules && this.sites.delete(origin));
    return rules;
  }

  /** Not bound to the page that asked first: others may be waiting for the same file. */
  private async load(url: URL): Promise<RobotsRules> {
    const { egress, agent } = this.options;
    const deadline = startDeadline(TIMEOUT_MS, undefined, () => new Error(`No robots.txt within ${TIMEOUT_MS} ms.`));
    try {
      const headers = { 'user-agent': agent, accept: 'text/plain, */*;q=0.1', 'accept-encoding': 'identity' };
      const request = { headers, signal: deadline.signal, maxRedirects: REDIRECTS };
      const response = await followRedirects(egress, url.href, request);
      // Read in any case, up to the limit: the connection can be used again.
      const { body } = await readUpTo(response.body, ROBOTS_BYTES);
      if (response.status >= 500 || response.status === 429) throw httpProblem(response.status, response.headers);
      return response.status >= 200 && response.status < 300 ? robotsRules(url, body.toString(), agent) : allowAll;
    } catch (error) {
      if (error instanceof TooManyRedirects) return allowAll;
      throw fetchProblem(error);
    } finally {
      deadline.clear();
    }
  }
}

/** RFC 9309 §2.5 asks for 500 KiB at least. */
const ROBOTS_BYTES = 512 * 1024;
const LINES = 20_000;
/** A pattern with `*` is tried at every place of the path: 10,000 such characters on 2,048 of a path cost 20 ms at most. */
const WILDCARD_CHARACTERS = 10_000;

// Its types describe an ES module, its code is a CommonJS function.
const parse = robotsParser as unknown as (typeof robotsParser)['default'];

type RobotsRules = (url: URL) => boolean;

const allowAll: RobotsRules = () => true;

/** The rules of a robots.txt for us. Lines beyond the limits are ignored: a file must not block the process. */
function robotsRules(robotsUrl: URL, text: string, agent: string): RobotsRules {
  const robots = parse(robotsUrl.href, bounded(text));
  return (url) => robots.isAllowed(url.href, agent) ?? true;
}

function bounded(text: string): string {
  let wildcards = 0;
  const kept = text.split(/\r\n|\r|\n/, LINES).filter((line) => {
    if (line.includes('*')) wildcards += line.length;
    return !line.includes('*') || wildcards <= WILDCARD_CHARACTERS;
  });
  return kept.join('\n');
}
