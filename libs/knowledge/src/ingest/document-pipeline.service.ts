import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { Storage } from '@app/storage';
import { Inject, Injectable, Optional } from '@nestjs/common';
import { FairSemaphore } from '@app/common';
import { DocumentParserService, DOCUMENTS_AT_ONCE, PARSER_PROCESSES } from '../parsing/document-parser.service.js';
import { DocumentProblem } from '../extract/document-problem.js';
import type { DocumentType } from '../extract/document-formats.js';
import { type FetchedPage, PageFetcherService } from '../fetch/page-fetcher.service.js';
import { FILE_BYTES } from '../limits.js';
import type { ClaimedDocument } from './document-claims.repository.js';
import { VectorIndexService } from '../vectors/vector-index.service.js';
import type { DocumentLease } from './document-leases.service.js';
import type { ParseFacts, ParseInput, ParseListener } from '../parsing/parser-protocol.js';
import { hasShrunk, type RefreshResult, shrunkTo } from '../refresh/refresh-schedule.js';
import { INGEST_SETTINGS } from '../tokens.js';
import { RefreshGuardService } from './refresh-guard.service.js';
import { ScratchFolderService } from './scratch-folder.service.js';

/** Concurrency and intervals of a worker. */
export interface IngestSettings {
  /** Documents of one process in work at a time; accounts share all places but one. */
  atOnce: number;
  /** Documents parsed at a time; accounts take turns. */
  parsers: number;
  leaseMs: number;
  /** Interval of renewing leases and storing progress. */
  beatMs: number;
  /** For one try of one document. */
  deadlineMs: number;
  /** After this time, a crawl returns to the queue so that others take turns. */
  sliceMs: number;
}

export const DEFAULT_INGEST_SETTINGS: IngestSettings = {
  atOnce: DOCUMENTS_AT_ONCE,
  parsers: PARSER_PROCESSES,
  leaseMs: 60_000,
  beatMs: 1_000,
  deadlineMs: 300_000,
  sliceMs: 20_000,
};

/** A document in a local file, ready to be read. */
interface Source {
  /** See ParseInput. */
  type: ParseInput['type'];
  charset?: string;
  bytes: number;
  /** For a URL: its validators, by which the next fetch recognises a change. */
  page?: Pick<FetchedPage, 'etag' | 'lastModified' | 'sha256'>;
}

/** The page of a URL is the same as in the serving generation. */
interface Unchanged {
  unchanged: { etag: string | null; lastModified: string | null };
}

/** Copies documents from the storage or from the web into a local file. */
@Injectable()
export class DocumentSourceService {
  constructor(
    private readonly storage: Storage,
    private readonly pages: PageFetcherService,
  ) {}

  /** Writes the document to `path`. Throws a DocumentProblem, the signal's reason, or the storage's error. */
  fetch(claim: ClaimedDocument, path: string, signal: AbortSignal): Promise<Source | Unchanged> {
    return claim.source_type === 'url' ? this.fetchUrl(claim, path, signal) : this.copyFile(claim, path, signal);
  }

  private async copyFile(claim: ClaimedDocument, path: string, signal: AbortSignal): Promise<Source> {
    const stored = claim.file_key === null ? undefined : await this.storage.open(claim.file_key);
    if (!stored || claim.file_type === null) throw new DocumentProblem('FILE_MISSING');
    if (stored.size > FILE_BYTES) {
      stored.stream.destroy();
      throw new DocumentProblem('TOO_LARGE_EXPANDED', 'The file is larger than 10 MB.');
    }
    await pipeline(stored.stream, createWriteStream(path, { mode: 0o600 }), { signal });
    return { type: claim.file_type as DocumentType, bytes: stored.size };
  }

  private async fetchUrl(claim: ClaimedDocument, path: string, signal: AbortSignal): Promise<Source | Unchanged> {
    // Validators are only used if the last fetched copy is visible to searches.
    const served = claim.serving !== null;
    const known = served ? { etag: claim.etag, lastModified: claim.last_modified } : undefined;
    const request = { accountId: claim.account_id, url: claim.source_reference ?? '', into: path, known };
    const page = await this.pages.fetch(request, signal);
    if (page === 'unchanged') return { unchanged: { etag: null, lastModified: null } };
    if (served && claim.content_hash?.equals(page.sha256)) return { unchanged: page };
    const { type, text, charset, bytes } = page;
    const expected = { ...(type && { type }), ...(text && { text }) };
    return { type: expected, ...(charset !== undefined && { charset }), bytes, page };
  }
}

/** For the log: the result and the duration of each stage. */
export interface ProcessReport {
  unchanged: boolean;
  /** A crawl returned to the queue with its progress. */
  paused?: boolean;
  /** Of a crawl, compared with the generation before. */
  refresh?: RefreshResult;
  type?: string;
  bytes?: number;
  pages?: number;
  chunks?: number;
  /** The number of retrieval tests that hold the generation back. */
  held_by_tests?: number;
  /** Set if the text looks garbled. */
  quality_reason?: string;
  fetch_ms?: number;
  wait_ms?: number;
  read_ms?: number;
  index_ms?: number;
}

/** Progress in percent at the end of each stage. */
const PROGRESS = { fetched: 5, read: 95 };

/** Builds a document's next generation: fetch, parse, chunk, swap. Vectors follow, see VectorBackfillService. */
@Injectable()
export class DocumentPipelineService {
  private readonly parsers: FairSemaphore<number>;

  constructor(
    private readonly source: DocumentSourceService,
    @Inject(DocumentParserService) private readonly parser: Pick<DocumentParserService, 'parse' | 'preferredAccounts'>,
    private readonly vectorIndex: VectorIndexService,
    private readonly scratch: ScratchFolderService,
    @Inject(RefreshGuardService) private readonly refreshes: Pick<RefreshGuardService, 'serve'>,
    @Optional() @Inject(INGEST_SETTINGS) settings?: Partial<IngestSettings>,
  ) {
    this.parsers = new FairSemaphore(settings?.parsers ?? DEFAULT_INGEST_SETTINGS.parsers);
  }

  /**
   * Builds a document's next generation and makes it visible to searches, unless retrieval tests hold it back. Throws LeaseLost, the
   * signal's reason, a DocumentProblem, or an error of database or storage; searches never see the chunks of a failed try.
   */
  process(lease: DocumentLease, signal: AbortSignal): Promise<ProcessReport> {
    return this.scratch.withFile(async (path) => {
      const time = stopwatch();
      const source = await this.source.fetch(lease.claim, path, signal);
      const fetch_ms = time();
      if ('unchanged' in source) {
        await lease.keepServing(source.unchanged);
        return { unchanged: true, fetch_ms };
      }
      lease.proceed('sniff', PROGRESS.fetched);
      let wait_ms = 0;
      const facts = await this.inTurn(lease.claim.account_id, signal, () => {
        wait_ms = time();
        const { type, charset } = source;
        return this.parse(lease, { path, type, ...(charset !== undefined && { charset }) }, signal);
      });
      const read_ms = time();
      await lease.enter('index', PROGRESS.read);
      await this.vectorIndex.add(lease.place);
      signal.throwIfAborted();
      requireContent(lease.claim, facts);
      const { type, pages, chunks } = facts;
      const broken = await this.refreshes.serve(lease, generationFacts(lease.claim, facts, source), signal);
      const times = { fetch_ms, wait_ms, read_ms, index_ms: time() };
      return {
        unchanged: false,
        type,
        bytes: source.bytes,
        pages,
        chunks,
        ...(broken > 0 && { held_by_tests: broken }),
        ...(facts.quality.reason !== null && { quality_reason: facts.quality.reason }),
        ...times,
      };
    });
  }

  /** See DocumentParserService. */
  get preferredAccounts(): number[] {
    return this.parser.preferredAccounts;
  }

  /** Parses a file when it is the account's turn. */
  parseInTurn(accountId: number, input: ParseInput, on: ParseListener, signal: AbortSignal): Promise<ParseFacts> {
    return this.inTurn(accountId, signal, () => this.parser.parse(accountId, input, on, signal));
  }

  private async inTurn<T>(accountId: number, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const release = await this.parsers.acquire(accountId, signal);
    return work().finally(release);
  }

  private async parse(lease: DocumentLease, input: ParseInput, signal: AbortSignal): Promise<ParseFacts> {
    await lease.enter('parse', PROGRESS.fetched);
    const on: ParseListener = {
      chunks: async (batch) => {
        if (lease.stage !== 'chunk') lease.proceed('chunk', lease.progress);
        await lease.insert(batch);
      },
      progress: (fraction) => (lease.progress = between(PROGRESS.fetched, PROGRESS.read, fraction)),
    };
    return this.parser.parse(lease.claim.account_id, input, on, signal);
  }
}

/** Throws REFRESH_SHRANK if a scheduled refresh would lose more than half of the text. */
function requireContent(claim: ClaimedDocument, { characters }: ParseFacts): void {
  if (claim.refreshing && hasShrunk(claim.character_count, characters))
    throw new DocumentProblem('REFRESH_SHRANK', shrunkTo('characters', claim.character_count, characters));
}

const ONE_PAGE = { added: 0, changed: 0, unchanged: 0, removed: 0, failed: 0 };

const generationFacts = (
  claim: ClaimedDocument,
  { words, characters, language, quality }: ParseFacts,
  { page }: Source,
) => ({
  words,
  characters,
  language,
  quality,
  ...(page && claim.serving !== null && { refresh: { ...ONE_PAGE, changed: 1 } }),
  ...(page && { etag: page.etag, lastModified: page.lastModified, contentHash: page.sha256 }),
});

const between = (from: number, to: number, fraction: number): number => from + (to - from) * Math.min(1, fraction);

/** Milliseconds since the last call. */
function stopwatch(): () => number {
  let last = performance.now();
  return () => {
    const before = last;
    last = performance.now();
    return Math.round(last - before);
  };
}
