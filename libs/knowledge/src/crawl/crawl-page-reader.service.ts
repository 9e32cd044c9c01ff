import { CooperativeYield } from '@app/common';
import type { Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import { DocumentProblem } from '../extract/document-problem.js';
import type { PageHead } from '../extract/html/page-links.js';
import { type FetchedPage, PageFetcherService } from '../fetch/page-fetcher.service.js';
import { RetryAfterProblem } from '../fetch/fetch-problem.js';
import type { DocumentLease } from '../ingest/document-leases.service.js';
import { DocumentPipelineService } from '../ingest/document-pipeline.service.js';
import { ScratchFolderService } from '../ingest/scratch-folder.service.js';
import { chunkOfPage, KnowledgeChunksRepository, type NewChunk } from '../knowledge-chunks.repository.js';
import { CHUNKS_PER_KNOWLEDGE_BASE } from '../limits.js';
import type { ParseFacts, ParseInput } from '../parsing/parser-protocol.js';
import { CrawlPagesRepository, type NewPage, type PendingPage } from './crawl-pages.repository.js';
import { KNOWN_PAGES } from './crawl-settings.js';
import { isSamePage, leadsToPage, pageKey, pageUrl, type UrlFilter } from './page-url.js';
import { isSitemap, readSitemap } from './sitemap.js';

/** The crawl that a page belongs to. */
interface PageContext {
  lease: DocumentLease;
  isStart: boolean;
  /** Pages of other origins are skipped; the start decides it. */
  origin: string;
  filter: UrlFilter;
  /** Links beyond it are ignored. */
  maxDepth: number;
  /** Ordinal of the first chunk of the page. */
  first: number;
  /** Chunks of the other pages. */
  chunks: number;
}

/** The page is not part of the crawl. */
class SkippedPage extends Error {
  constructor(
    readonly code: 'DUPLICATE_PAGE' | 'OTHER_SITE' | 'EXCLUDED' | 'PAGE_NOINDEX',
    message: string,
  ) {
    super(message);
  }
}

const PAGE_TRIES = 3;
const WAITS_MS = [2_000, 15_000];
/** Longer waits would keep a crawl running for hours. */
const MAX_WAIT_MS = 60_000;
const GONE = new Set(['HTTP_404', 'HTTP_410']);

/** Reads one page of a crawl: fetch, parse, chunks; its result and its links are stored in one transaction. */
@Injectable()
export class CrawlPageReaderService {
  constructor(
    private readonly pages: CrawlPagesRepository,
    private readonly chunks: KnowledgeChunksRepository,
    private readonly fetcher: PageFetcherService,
    private readonly pipeline: DocumentPipelineService,
    private readonly scratch: ScratchFolderService,
  ) {}

  /** Throws LeaseLost, the signal's reason, or an error of the database; a problem of the page is stored with it. */
  async read(page: PendingPage, context: PageContext, signal: AbortSignal): Promise<void> {
    const visit = new PageVisit(page, context);
    try {
      await this.scratch.withFile((path) => this.visit(visit, path, signal));
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof SkippedPage || error instanceof DocumentProblem) await this.end(visit, error);
      else throw error;
    }
  }

  private async visit(visit: PageVisit, path: string, signal: AbortSignal): Promise<void> {
    const { page, context } = visit;
    const { known } = page;
    const accountId = context.lease.claim.account_id;
    const validators = known ? { etag: known.etag, lastModified: known.last_modified } : undefined;
    const fetched = await this.fetcher.fetch({ accountId, url: page.url, into: path, known: validators }, signal);
    if (fetched === 'unchanged') return this.keep(visit, {});
    visit.arrive(fetched);
    if ((context.isStart || page.kind === 'sitemap') && (await isSitemap(path))) return this.addSitemap(visit, path);
    if (page.kind === 'sitemap') throw new DocumentProblem('UNSUPPORTED_FORMAT', 'The address leads to no sitemap.');
    if (known?.content_hash === fetched.sha256.toString('base64')) return this.keep(visit, { page: fetched });
    await this.requireUnique(visit, fetched);
    const facts = await this.parse(visit, fetched, path, signal);
    if (visit.head?.noindex) throw new SkippedPage('PAGE_NOINDEX', 'The page asks robots not to index it.');
    await this.complete(visit, fetched, facts);
  }

  private parse(visit: PageVisit, fetched: FetchedPage, path: string, signal: AbortSignal): Promise<ParseFacts> {
    const { type, text, charset, robotsTag } = fetched;
    const ignoresRobots = !this.fetcher.honoursRobots;
    const input: ParseInput = {
      path,
      type: { ...(type && { type }), ...(text && { text }) },
      ...(charset !== undefined && { charset }),
      page: { url: fetched.url.href, ignoresRobots, ...(robotsTag !== undefined && { robotsTag }) },
    };
    const on = {
      head: (head: PageHead) => void (visit.head = head),
      chunks: (batch: NewChunk[]) => this.store(visit, batch),
    };
    return this.pipeline.parseInTurn(visit.context.lease.claim.account_id, input, on, signal);
  }

  /** The first batch decides under which address the page is stored. */
  private async store(visit: PageVisit, batch: NewChunk[]): Promise<void> {
    const { context } = visit;
    visit.chunks += batch.length;
    if (context.chunks + visit.chunks > CHUNKS_PER_KNOWLEDGE_BASE) throw new DocumentProblem('TOO_MANY_CHUNKS');
    if (!context.filter.allows(visit.address)) throw new SkippedPage('EXCLUDED', 'The patterns exclude the page.');
    if (visit.storedAs === undefined) await context.lease.write((tx) => this.chooseAddress(visit, tx));
    const pageId = visit.storedAs;
    const chunks = batch.map((chunk) => ({ ...chunkOfPage(chunk, context.first), pageId }));
    await context.lease.insert(chunks);
  }

  private async chooseAddress(visit: PageVisit, tx: Sql): Promise<void> {
    const { page, context, address } = visit;
    const { place } = context.lease;
    if (isSamePage(address, new URL(page.url))) return void (visit.storedAs = page.id);
    const target = { ...newPage(address), depth: page.depth };
    if (context.isStart && (await this.pages.move(place, page.id, target, tx))) return void (visit.storedAs = page.id);
    visit.storedAs = await this.pages.addOne(place, target, tx);
    if (visit.storedAs === undefined) throw duplicateOf(address.href);
  }

  private async complete(visit: PageVisit, fetched: FetchedPage, facts: ParseFacts): Promise<void> {
    const { page, context, head, storedAs = page.id } = visit;
    const { words, characters, chunks } = facts;
    const title = head?.title ?? facts.title ?? nameOf(fetched.url);
    const links = await visit.links();
    await context.lease.write(async (tx) => {
      await this.requireUnique(visit, fetched, tx);
      const text = { words, characters, chunks };
      await this.pages.settle({ id: storedAs, state: 'completed', title, page: fetched, text }, tx);
      if (storedAs !== page.id) await this.skip(page.id, duplicateOf(visit.address.href), tx);
      await this.addLinks(visit, links, tx);
      await this.pages.count(context.lease.claim.id, tx);
    });
  }

  private async requireUnique({ page, context }: PageVisit, { sha256 }: FetchedPage, tx?: Sql): Promise<void> {
    const twin = await this.pages.withContent(context.lease.place, sha256, tx);
    if (twin !== undefined && twin !== page.url) throw duplicateOf(twin);
  }

  /** Keeps the passages of the serving generation, of an unchanged page or of one that cannot be read at the moment. */
  private async keep({ page, context }: PageVisit, result: { page?: FetchedPage; problem?: DocumentProblem }) {
    const { lease, first } = context;
    const { known } = page;
    const { serving } = lease.claim;
    if (!known || serving === null) throw new Error('Only a known page can be kept.');
    const { problem } = result;
    const state = problem ? 'failed' : 'unchanged';
    const error = problem && { error: { code: problem.code, sentence: problem.message } };
    await lease.write(async (tx) => {
      await this.chunks.dropPage(lease.place, first, tx);
      await this.chunks.copyPage(lease.place, { serving, pageId: known.id }, { pageId: page.id, first }, tx);
      await this.pages.keep({ id: page.id, state, ...error, ...(result.page && { page: result.page }) }, known, tx);
      await this.pages.count(lease.claim.id, tx);
    });
  }

  private async addSitemap(visit: PageVisit, path: string): Promise<void> {
    const { page, context, address } = visit;
    const { place, claim } = context.lease;
    const ofSite = (link: string): URL | undefined => visit.linked(link);
    const { pages, sitemaps } = await readSitemap(path, KNOWN_PAGES, (link, isIndex) => {
      const url = ofSite(link);
      return isIndex ? url : url && visit.wants(url) ? url : undefined;
    });
    await context.lease.write(async (tx) => {
      if (context.isStart) await this.pages.move(place, page.id, newPage(address), tx);
      await this.pages.settle({ id: page.id, state: 'completed', kind: 'sitemap' }, tx);
      await this.pages.add(place, { kind: 'sitemap', depth: 0, most: KNOWN_PAGES }, sitemaps.map(newPage), tx);
      await this.pages.add(place, { kind: 'page', depth: 0, most: KNOWN_PAGES }, pages.map(newPage), tx);
      await this.pages.count(claim.id, tx);
    });
  }

  private async addLinks({ page, context }: PageVisit, links: NewPage[], tx: Sql): Promise<void> {
    const level = { kind: 'page' as const, depth: page.depth + 1, most: KNOWN_PAGES };
    await this.pages.add(context.lease.place, level, links, tx);
  }

  private async end(visit: PageVisit, problem: SkippedPage | DocumentProblem): Promise<void> {
    const { page, context } = visit;
    const { lease, first } = context;
    const error = { code: problem.code, sentence: problem.message };
    const wait = problem instanceof DocumentProblem ? waitMs(problem, page.attempt) : undefined;
    const isSkipped = problem instanceof SkippedPage || problem.code === 'ROBOTS_DISALLOWED';
    if (wait === undefined && !isSkipped && page.known && !GONE.has(problem.code)) return this.keep(visit, { problem });
    const links = await visit.links();
    await lease.write(async (tx) => {
      await this.chunks.dropPage(lease.place, first, tx);
      if (wait !== undefined) return this.pages.postpone(page.id, wait, error, tx);
      // A page without text, or with the text of another one, may still lead to others.
      await this.addLinks(visit, links, tx);
      await this.pages.settle({ id: page.id, state: isSkipped ? 'skipped' : 'failed', error }, tx);
      await this.pages.count(lease.claim.id, tx);
    });
  }

  private skip(id: string, { code, message }: SkippedPage, tx: Sql): Promise<void> {
    return this.pages.settle({ id, state: 'skipped', error: { code, sentence: message } }, tx);
  }
}

/** What is known of a page while it is read. */
class PageVisit {
  head: PageHead | undefined;
  /** The row of the page's address, see chooseAddress. */
  storedAs: string | undefined;
  chunks = 0;
  private url: URL;

  constructor(
    readonly page: PendingPage,
    readonly context: PageContext,
  ) {
    this.url = new URL(page.url);
  }

  /** Throws SkippedPage if redirects led to a page that is not part of the crawl. */
  arrive({ url }: FetchedPage): void {
    const { isStart, origin, filter } = this.context;
    if (!isStart && url.origin !== origin) throw new SkippedPage('OTHER_SITE', `The address leads to ${url.origin}.`);
    this.url = pageUrl(url.href, url) ?? url;
    const isElsewhere = !isSamePage(this.url, new URL(this.page.url));
    if (!isStart && isElsewhere && !filter.allows(this.url))
      throw new SkippedPage('EXCLUDED', `The address leads to ${url.href}, which the patterns exclude.`);
  }

  /** The canonical address, or the one after redirects. */
  get address(): URL {
    const canonical = this.head?.canonical === undefined ? undefined : pageUrl(this.head.canonical, this.url);
    return canonical && this.isCredible(canonical) ? canonical : this.url;
  }

  /** Faulty templates name the front page as the canonical address of every page. */
  private isCredible(canonical: URL): boolean {
    const isFront = canonical.pathname === '/' && this.url.pathname !== '/';
    return canonical.origin === this.url.origin && !isFront && this.context.filter.allows(canonical);
  }

  /** The URL of a link within the site. */
  linked(link: string): URL | undefined {
    const url = pageUrl(link, this.url);
    return url?.origin === this.url.origin ? url : undefined;
  }

  wants(url: URL): boolean {
    return leadsToPage(url) && this.context.filter.allows(url);
  }

  /** The pages that the page leads to. */
  async links(): Promise<NewPage[]> {
    if (!this.head || this.page.depth >= this.context.maxDepth) return [];
    const pacing = new CooperativeYield();
    const pages: NewPage[] = [];
    for (const link of this.head.links) {
      const url = this.linked(link);
      if (url && this.wants(url)) pages.push(newPage(url));
      if (pacing.due) await pacing.pause();
    }
    return pages;
  }
}

const newPage = (url: URL): NewPage => ({ url: url.href, hash: pageKey(url) });

const duplicateOf = (url: string): SkippedPage => new SkippedPage('DUPLICATE_PAGE', `The page is the same as ${url}.`);

/** The name of a file, as a title. */
function nameOf({ pathname }: URL): string | null {
  const name = pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(name) || null;
  } catch {
    return name;
  }
}

/** The time until the next try; undefined: the problem is final. */
function waitMs(problem: DocumentProblem, triesBefore: number): number | undefined {
  if (!problem.retryable || triesBefore + 1 >= PAGE_TRIES) return undefined;
  const wait = WAITS_MS[triesBefore] ?? MAX_WAIT_MS;
  return Math.min(MAX_WAIT_MS, problem instanceof RetryAfterProblem ? Math.max(wait, problem.afterMs) : wait);
}
