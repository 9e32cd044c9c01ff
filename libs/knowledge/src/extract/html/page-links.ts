import { readFile } from 'node:fs/promises';
import { Parser } from 'htmlparser2';
import { cleanLine } from '../block-writer.js';
import { decodeHtml } from './html-source.js';

/** What a crawl needs to know of a page besides its text. */
export interface PageHead {
  title?: string;
  /** Absolute. */
  canonical?: string;
  /** Absolute, in order, each once; without those that must not be followed. */
  links: string[];
  /** The page must not be indexed, by its robots tag or the header of its response. */
  noindex: boolean;
}

/** The address of a page and its response header `X-Robots-Tag`. */
export interface CrawledPage {
  url: string;
  robotsTag?: string;
  /** The operator ignores the rules of sites for robots. */
  ignoresRobots?: boolean;
}

const MAX_LINKS = 2_000;
const TITLE_CHARACTERS = 300;

/** Title, canonical address and links of an HTML file. Linear in its size, whatever its structure. */
export async function readPageHead(path: string, page: CrawledPage, charset?: string): Promise<PageHead> {
  return pageHead(decodeHtml(await readFile(path), charset).text, page);
}

export function pageHead(html: string, page: CrawledPage): PageHead {
  const reader = new HeadReader(page);
  const parser = new Parser(
    {
      onopentag: (name, attributes) => reader.open(name, attributes),
      ontext: (text) => reader.text(text),
      onclosetag: (name) => reader.close(name),
    },
    { decodeEntities: true, lowerCaseTags: true, lowerCaseAttributeNames: true },
  );
  parser.write(html);
  parser.end();
  return reader.head();
}

class HeadReader {
  private readonly robots = new Set<string>();
  private readonly links = new Set<string>();
  private base: string;
  private canonical: string | undefined;
  private title: string | undefined;
  private openTitle: string | undefined;
  /** A `<title>` in a drawing is not the title of the page. */
  private drawings = 0;

  constructor(private readonly page: CrawledPage) {
    this.base = page.url;
    this.addRules(rulesOfHeader(page.robotsTag ?? ''));
  }

  open(name: string, attributes: Record<string, string>): void {
    const { href } = attributes;
    if (name === 'svg') this.drawings++;
    else if (name === 'title' && this.drawings === 0) this.openTitle ??= '';
    else if (name === 'base' && href) this.base = resolve(href, this.base) ?? this.base;
    else if (name === 'link' && href && has(attributes['rel'], 'canonical'))
      this.canonical ??= resolve(href, this.base);
    else if (name === 'meta' && /^(?:robots|trunkline)$/i.test(attributes['name'] ?? ''))
      this.addRules(attributes['content'] ?? '');
    else if ((name === 'a' || name === 'area') && href && this.mayFollow(attributes['rel'])) this.link(href);
  }

  text(text: string): void {
    if (this.openTitle !== undefined && this.openTitle.length < TITLE_CHARACTERS) this.openTitle += text;
  }

  close(name: string): void {
    if (name === 'svg') this.drawings--;
    if (name !== 'title' || this.openTitle === undefined || this.drawings > 0) return;
    this.title ??= cleanLine(this.openTitle).slice(0, TITLE_CHARACTERS) || undefined;
    this.openTitle = undefined;
  }

  head(): PageHead {
    const { title, canonical, robots } = this;
    const follows = !robots.has('nofollow') && !robots.has('none');
    return {
      ...(title !== undefined && { title }),
      ...(canonical !== undefined && { canonical }),
      links: follows ? [...this.links] : [],
      noindex: robots.has('noindex') || robots.has('none'),
    };
  }

  private mayFollow(rel: string | undefined): boolean {
    return this.page.ignoresRobots === true || !has(rel, 'nofollow');
  }

  private link(href: string): void {
    const url = this.links.size < MAX_LINKS ? resolve(href, this.base) : undefined;
    if (url !== undefined) this.links.add(url);
  }

  private addRules(rules: string): void {
    if (this.page.ignoresRobots) return;
    for (const rule of rules.toLowerCase().split(/[\s,]+/)) this.robots.add(rule);
  }
}

/** `X-Robots-Tag: otherbot: noindex` applies to that robot only. */
const rulesOfHeader = (header: string): string =>
  header
    .split(',')
    .map((rule) => rule.trim())
    .filter((rule) => !rule.includes(':') || /^trunkline\s*:/i.test(rule))
    .map((rule) => rule.replace(/^trunkline\s*:\s*/i, ''))
    .join(',');

const has = (list: string | undefined, word: string): boolean => (list ?? '').toLowerCase().split(/\s+/).includes(word);

function resolve(href: string, base: string): string | undefined {
  if (!URL.canParse(href.trim(), base)) return undefined;
  const url = new URL(href.trim(), base);
  url.hash = '';
  return /^https?:$/.test(url.protocol) ? url.href : undefined;
}
