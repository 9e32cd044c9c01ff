import { createHash } from 'node:crypto';
import { RE2JS } from 're2js';
import type { CrawlSettings } from './crawl-settings.js';

const MAX_URL = 2_048;

/** Parameters of campaigns, clicks and sessions: the page is the same without them. */
const TRACKING =
  /^(?:utm_\w+|gclid|gclsrc|dclid|gbraid|wbraid|fbclid|msclkid|yclid|twclid|ttclid|igshid|li_fat_id|mc_[ce]id|_ga|_gl|_hs(?:enc|mi)|hsctatracking|mkt_tok|phpsessid|jsessionid|sessionid)$/i;

/** Files that contain no text, by extension; links to them are not followed. */
const NO_PAGE =
  /\.(?:jpe?g|png|gif|webp|avif|svg|ico|bmp|tiff?|css|m?js|json|map|xml|rss|atom|woff2?|ttf|otf|eot|mp[34]|m4[av]|webm|og[gva]|wav|avi|mov|zip|gz|tgz|bz2|xz|7z|rar|tar|exe|msi|dmg|pkg|deb|rpm|apk|iso|jar|ics|vcf|pptx?|xlsx?|od[tsp]|epub|psd|ai|eps)$/i;

/** The URL of a link without fragment and tracking parameters; undefined if it cannot lead to a page. */
export function pageUrl(link: string, base: URL | string): URL | undefined {
  if (!URL.canParse(link, String(base))) return undefined;
  const url = new URL(link, base);
  if (!/^https?:$/.test(url.protocol) || url.username !== '' || url.href.length > MAX_URL) return undefined;
  url.hash = '';
  url.pathname = url.pathname.replace(/;jsessionid=[^/;]*/gi, '').replace(/\/{2,}/g, '/');
  const tracking = [...url.searchParams.keys()].filter((name) => TRACKING.test(name));
  // Writing parameters changes their spelling: other addresses stay as the site writes them.
  for (const name of tracking) url.searchParams.delete(name);
  if (url.search === '') url.search = '';
  return url;
}

export const leadsToPage = (url: URL): boolean => !NO_PAGE.test(url.pathname);

/** Identifies a page: addresses that differ by a slash at the end, or by a name of the index file, are the same page. */
export function pageKey(url: URL): Buffer {
  const path = url.pathname.replace(/\/index\.(?:html?|php|aspx?)$/i, '/').replace(/\/$/, '');
  return createHash('sha256').update(`${url.origin}${path}${url.search}`).digest();
}

export const isSamePage = (one: URL, other: URL): boolean => pageKey(one).equals(pageKey(other));

type Matcher = (url: URL) => boolean;

/** The patterns of a crawl: a page must match one of `include`, if there are any, and none of `exclude`. */
export class UrlFilter {
  private readonly include: Matcher[];
  private readonly exclude: Matcher[];

  constructor({ include = [], exclude = [] }: CrawlSettings) {
    this.include = include.map(matcherOf);
    this.exclude = exclude.map(matcherOf);
  }

  allows(url: URL): boolean {
    const fits = (matches: Matcher): boolean => matches(url);
    return (this.include.length === 0 || this.include.some(fits)) && !this.exclude.some(fits);
  }
}

/**
 * `*` matches within a segment of the path, `**` across segments, `?` is a literal; a pattern without a star matches the page and
 * everything below it. Patterns without a query apply to the path only. RE2 matches in linear time: a pattern of a tenant must not
 * block the worker.
 */
function matcherOf(pattern: string): Matcher {
  const subject = subjectOf(pattern);
  if (!pattern.includes('*')) return isBelow(pattern, subject);
  const program = RE2JS.compile(
    `^${pattern
      .split(/(\/\*\*$|\*\*\/?|\*)/)
      .map(expression)
      .join('')}$`,
  );
  return (url) => program.test(subject(url));
}

const WILDCARDS: Record<string, string> = { '/**': '(?:/.*)?', '**/': '(?:.*/)?', '**': '.*', '*': '[^/]*' };

const expression = (part: string): string => WILDCARDS[part] ?? RE2JS.quote(part);

function subjectOf(pattern: string): (url: URL) => string {
  const [, query] = pattern.split('?');
  const isWhole = /^https?:/.test(pattern);
  return (url) => `${isWhole ? url.origin : ''}${url.pathname}${query === undefined ? '' : url.search}`;
}

function isBelow(pattern: string, subject: (url: URL) => string): Matcher {
  const prefix = pattern.replace(/\/$/, '');
  return (url) => {
    const path = subject(url);
    return path.startsWith(prefix) && (path.length === prefix.length || '/?&'.includes(path[prefix.length]!));
  };
}
