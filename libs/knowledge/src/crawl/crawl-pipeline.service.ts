import { Inject, Injectable, Optional } from '@nestjs/common';
import { TextMeter } from '../chunk/text-meter.js';
import { DocumentProblem, isProcessingErrorCode } from '../extract/document-problem.js';
import { PageFetcherService } from '../fetch/page-fetcher.service.js';
import type { ClaimedDocument } from '../ingest/document-claims.repository.js';
import type { DocumentLease } from '../ingest/document-leases.service.js';
import {
  DEFAULT_INGEST_SETTINGS,
  type IngestSettings,
  type ProcessReport,
} from '../ingest/document-pipeline.service.js';
import { CHUNKS_OF_PAGE } from '../knowledge-chunks.repository.js';
import { hasShrunk, type RefreshResult, shrunkTo } from '../refresh/refresh-schedule.js';
import { RefreshGuardService } from '../ingest/refresh-guard.service.js';
import { INGEST_SETTINGS } from '../tokens.js';
import { VectorIndexService } from '../vectors/vector-index.service.js';
import { CrawlPageReaderService } from './crawl-page-reader.service.js';
import { type CrawlFacts, CrawlPagesRepository } from './crawl-pages.repository.js';
import { CRAWL_BYTES, type CrawlSettings, depthOf, pagesOf } from './crawl-settings.js';
import { pageKey, pageUrl, UrlFilter } from './page-url.js';

/** Pages of one crawl at a time; a site with a Crawl-delay gets one. */
const AT_ONCE = 2;
/** Progress in percent when all pages are read. */
const READ = 95;

const LIMIT_REACHED = { code: 'PAGE_LIMIT', sentence: 'The crawl has reached its limit of pages or bytes.' };

/** The pages were tried several times already. */
class FailedCrawl extends DocumentProblem {
  override readonly retryable = false;
}

/**
 * Builds the next generation of a crawl page by page, in slices: after some seconds the crawl returns to the queue, so that other
 * documents take turns. Every page is stored in one transaction with its links; a killed worker loses the pages that it was reading.
 */
@Injectable()
export class CrawlPipelineService {
  private readonly sliceMs: number;

  constructor(
    private readonly pages: CrawlPagesRepository,
    private readonly reader: CrawlPageReaderService,
    private readonly fetcher: PageFetcherService,
    private readonly vectorIndex: VectorIndexService,
    @Inject(RefreshGuardService) private readonly refreshes: Pick<RefreshGuardService, 'serve'>,
    @Optional() @Inject(INGEST_SETTINGS) settings?: Partial<IngestSettings>,
  ) {
    this.sliceMs = settings?.sliceMs ?? DEFAULT_INGEST_SETTINGS.sliceMs;
  }

  /** Works on a crawl until it ends or the slice is over. Throws like DocumentPipeline.process. */
  async process(lease: DocumentLease, signal: AbortSignal): Promise<ProcessReport> {
    const { claim, place } = lease;
    const endsAt = performance.now() + this.sliceMs;
    const start = startOf(claim);
    await lease.write((tx) => this.pages.begin(place, claim.serving, { url: start.href, hash: pageKey(start) }, tx));
    for (;;) {
      const facts = await this.pages.facts(place);
      lease.progress = progressOf(facts);
      if (facts.due_in === null) return this.serve(lease, facts, signal);
      if (isFull(facts, claim.crawl ?? {})) {
        await lease.write((tx) => this.pages.skipPending(place, LIMIT_REACHED, tx));
        continue;
      }
      const wait = facts.due_in || (performance.now() < endsAt ? await this.readNext(lease, facts, signal) : 0);
      if (wait === undefined) continue;
      await lease.pause(wait);
      return { unchanged: false, paused: true, pages: facts.visited };
    }
  }

  /** @returns the pause that the site requests; undefined without one. */
  private async readNext(lease: DocumentLease, facts: CrawlFacts, signal: AbortSignal): Promise<number | undefined> {
    const { claim, place } = lease;
    const settings = claim.crawl ?? {};
    const isBegun = facts.start_state !== 'pending';
    const { origin } = new URL(facts.start_url);
    const delay = await this.fetcher.crawlDelayMs(new URL(facts.start_url));
    const atOnce = isBegun && delay === 0 ? Math.min(AT_ONCE, pagesOf(settings) - facts.visited) : 1;
    const due = await this.pages.next(place, claim.serving, atOnce);
    const filter = new UrlFilter(settings);
    const maxDepth = depthOf(settings, facts.start_kind === 'sitemap');
    const context = { lease, origin, filter, maxDepth, chunks: facts.chunks };
    const read = due.map((page, at) => {
      const first = facts.next_ordinal + at * CHUNKS_OF_PAGE;
      return this.reader.read(page, { ...context, isStart: page.id === facts.start_id, first }, signal);
    });
    for (const result of await Promise.allSettled(read)) if (result.status === 'rejected') throw result.reason;
    return delay === 0 ? undefined : delay;
  }

  private async serve(lease: DocumentLease, facts: CrawlFacts, signal: AbortSignal): Promise<ProcessReport> {
    const { claim } = lease;
    if (facts.readable === 0) throw nothingReadable(facts);
    const refresh = claim.serving === null ? undefined : await this.compare(lease, facts, claim.serving);
    await lease.enter('index', READ);
    await this.vectorIndex.add(lease.place);
    signal.throwIfAborted();
    const { words, characters, chunks } = facts;
    const meter = new TextMeter();
    for (const text of await this.pages.sample(lease.place)) meter.add(text);
    const served = { words, characters, ...(await meter.measures()), ...(refresh && { refresh }) };
    const broken = await this.refreshes.serve(lease, served, signal);
    const report = { pages: facts.readable, bytes: Number(facts.bytes), chunks };
    const isSame = refresh !== undefined && refresh.added + refresh.changed + refresh.removed === 0;
    return { unchanged: isSame, ...report, ...(broken > 0 && { held_by_tests: broken }), ...(refresh && { refresh }) };
  }

  /** Throws REFRESH_SHRANK if a scheduled refresh would lose more than half of the pages or of the text. */
  private async compare({ claim, place }: DocumentLease, facts: CrawlFacts, serving: number): Promise<RefreshResult> {
    const before = await this.pages.readable(claim.id, serving);
    const sentence = hasShrunk(before, facts.readable)
      ? shrunkTo('pages', before, facts.readable)
      : shrunkTo('characters', claim.character_count, facts.characters);
    if (claim.refreshing && (hasShrunk(before, facts.readable) || hasShrunk(claim.character_count, facts.characters)))
      throw new DocumentProblem('REFRESH_SHRANK', sentence);
    return this.pages.difference(place, serving);
  }
}

function startOf({ source_reference: url }: ClaimedDocument): URL {
  const start = url === null ? undefined : pageUrl(url, url);
  if (!start) throw new DocumentProblem('URL_BLOCKED');
  return start;
}

const isFull = ({ visited, bytes }: CrawlFacts, settings: CrawlSettings): boolean =>
  visited >= pagesOf(settings) || Number(bytes) >= CRAWL_BYTES;

const progressOf = ({ visited, pending }: CrawlFacts): number => (READ * visited) / Math.max(1, visited + pending);

function nothingReadable({ start_state: state, start_error_code: code }: CrawlFacts): FailedCrawl {
  const isKnown = code !== null && isProcessingErrorCode(code) && (state === 'failed' || code === 'ROBOTS_DISALLOWED');
  return new FailedCrawl(isKnown ? code : 'NO_READABLE_PAGES');
}
