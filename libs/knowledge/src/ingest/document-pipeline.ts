import { FairSemaphore } from '@app/common';
import { Inject, Injectable, Optional } from '@nestjs/common';
import { DocumentParser } from '../parsing/document-parser.js';
import type { ParseFacts, ParseInput, ParseListener } from '../parsing/parser-protocol.js';
import { INGEST_SETTINGS } from '../tokens.js';
import { DocumentEmbedding } from './document-embedding.js';
import type { DocumentLease } from './document-lease.js';
import { DocumentSource, type Source } from './document-source.js';
import { DEFAULT_INGEST_SETTINGS, type IngestSettings } from './ingest-settings.js';
import { ScratchFolder } from './scratch-folder.js';

/** For the log: the result, and how long each part of it took. */
export interface ProcessReport {
  unchanged: boolean;
  type?: string;
  bytes?: number;
  pages?: number;
  chunks?: number;
  chunks_without_vector?: number;
  fetch_ms?: number;
  wait_ms?: number;
  read_ms?: number;
  embed_ms?: number;
  index_ms?: number;
}

/** Where the share of each part in the progress ends. */
const PROGRESS = { fetched: 5, read: 60, embedded: 95 };

/** Fetch, parse, chunk, embed, swap: makes a document's next generation. */
@Injectable()
export class DocumentPipeline {
  private readonly parsers: FairSemaphore<number>;

  constructor(
    private readonly source: DocumentSource,
    @Inject(DocumentParser) private readonly parser: Pick<DocumentParser, 'parse'>,
    private readonly embedding: DocumentEmbedding,
    private readonly scratch: ScratchFolder,
    @Optional() @Inject(INGEST_SETTINGS) settings?: Partial<IngestSettings>,
  ) {
    this.parsers = new FairSemaphore(settings?.parsers ?? DEFAULT_INGEST_SETTINGS.parsers);
  }

  /**
   * Makes a document's next generation and lets searches see it. Throws LeaseLost, the signal's reason, a DocumentProblem, or an
   * error of database or storage; no search sees the chunks written until then.
   */
  process(lease: DocumentLease, signal: AbortSignal): Promise<ProcessReport> {
    return this.scratch.withFile(async (path) => {
      const time = stopwatch();
      await lease.enter('fetch', 0);
      const source = await this.source.fetch(lease.claim, path, signal);
      const fetch_ms = time();
      if ('unchanged' in source) {
        await lease.keepServing(source.unchanged);
        return { unchanged: true, fetch_ms };
      }
      await lease.enter('sniff', PROGRESS.fetched);
      const release = await this.parsers.acquire(lease.claim.account_id, signal);
      const wait_ms = time();
      const facts = await this.parse(lease, { ...source, path }, signal).finally(release);
      const read_ms = time();
      const chunks_without_vector = await this.embed(lease, facts, signal);
      const embed_ms = time();
      await lease.enter('index', PROGRESS.embedded);
      signal.throwIfAborted();
      await lease.serve(generationFacts(facts, source));
      const times = { fetch_ms, wait_ms, read_ms, embed_ms, index_ms: time() };
      const { type, pages, chunks } = facts;
      return { unchanged: false, type, bytes: source.bytes, pages, chunks, chunks_without_vector, ...times };
    });
  }

  private async parse(lease: DocumentLease, input: ParseInput, signal: AbortSignal): Promise<ParseFacts> {
    await lease.enter('parse', PROGRESS.fetched);
    const on: ParseListener = {
      chunks: async (batch) => {
        if (lease.stage !== 'chunk') await lease.enter('chunk', lease.progress);
        await this.embedding.hash(batch);
        await lease.insert(batch);
      },
      progress: (fraction) => (lease.progress = between(PROGRESS.fetched, PROGRESS.read, fraction)),
    };
    const { path, type, charset } = input;
    return this.parser.parse({ path, type, ...(charset !== undefined && { charset }) }, on, signal);
  }

  private async embed(lease: DocumentLease, { chunks }: ParseFacts, signal: AbortSignal): Promise<number> {
    if (!this.embedding.isConfigured) return chunks;
    await lease.enter('embed', PROGRESS.read);
    const onProgress = (fraction: number) => (lease.progress = between(PROGRESS.read, PROGRESS.embedded, fraction));
    return this.embedding.addVectors(lease, chunks, signal, onProgress);
  }
}

const generationFacts = ({ words, characters }: ParseFacts, { page }: Source) => ({
  words,
  characters,
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
