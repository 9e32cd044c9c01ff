import type { FairSemaphore } from '@app/common';
import { embedChunks } from '../embed/embed-chunks.js';
import type { ReadingFacts, ReadingInput, ReadingListener } from '../reading/reading.js';
import { embedStored, type EmbedParts } from './embed-stored.js';
import type { HeldDocument } from './held-document.js';
import { obtainSource, type Source, type SourceParts } from './obtain-source.js';
import type { ScratchFolder } from './scratch-folder.js';

export type ReadDocument = (input: ReadingInput, on: ReadingListener, signal?: AbortSignal) => Promise<ReadingFacts>;

export interface ProcessParts extends SourceParts, EmbedParts {
  read: ReadDocument;
  /** As many as there are readers; accounts take turns. */
  readers: FairSemaphore<number>;
  scratch: ScratchFolder;
}

/** For the log: what was done and how long each part of it took. */
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

/**
 * Makes a document's next generation and lets searches see it. Throws LeaseLost, the signal's reason, a DocumentProblem, or an
 * error of database or storage; what was written so far is in no search's sight then.
 */
export function processDocument(parts: ProcessParts, held: HeldDocument, signal: AbortSignal): Promise<ProcessReport> {
  return parts.scratch.withFile(async (path) => {
    const time = stopwatch();
    await held.enter('fetch', 0);
    const source = await obtainSource(parts, held.claim, path, signal);
    const fetch_ms = time();
    if ('unchanged' in source) {
      await held.keepServing(source.unchanged);
      return { unchanged: true, fetch_ms };
    }
    await held.enter('sniff', PROGRESS.fetched);
    const endTurn = await parts.readers.acquire(held.claim.account_id, signal);
    const wait_ms = time();
    const facts = await read(parts, held, { ...source, path }, signal).finally(endTurn);
    const read_ms = time();
    const chunks_without_vector = await embed(parts, held, facts, signal);
    const embed_ms = time();
    await held.enter('index', PROGRESS.embedded);
    signal.throwIfAborted();
    await held.serve(generationFacts(facts, source));
    const times = { fetch_ms, wait_ms, read_ms, embed_ms, index_ms: time() };
    const { type, pages, chunks } = facts;
    return { unchanged: false, type, bytes: source.bytes, pages, chunks, chunks_without_vector, ...times };
  });
}

async function read(
  parts: ProcessParts,
  held: HeldDocument,
  input: ReadingInput,
  signal: AbortSignal,
): Promise<ReadingFacts> {
  const { accountId, knowledgeBaseId } = held.place;
  await held.enter('parse', PROGRESS.fetched);
  const on: ReadingListener = {
    chunks: async (batch) => {
      if (held.stage !== 'chunk') await held.enter('chunk', held.progress);
      // Without an embedder: only the hashes, by which a later one knows what is unchanged.
      const hashing = { embedder: undefined, sql: parts.pool, log: parts.log, accountId, knowledgeBaseId };
      await embedChunks(hashing, batch, signal);
      await held.insert(batch);
    },
    progress: (fraction) => (held.progress = between(PROGRESS.fetched, PROGRESS.read, fraction)),
  };
  const { path, type, charset } = input;
  return parts.read({ path, type, ...(charset !== undefined && { charset }) }, on, signal);
}

async function embed(
  parts: ProcessParts,
  held: HeldDocument,
  { chunks }: ReadingFacts,
  signal: AbortSignal,
): Promise<number> {
  if (!parts.vectors) return chunks;
  await held.enter('embed', PROGRESS.read);
  const onProgress = (fraction: number) => (held.progress = between(PROGRESS.read, PROGRESS.embedded, fraction));
  return embedStored(parts, held, chunks, signal, onProgress);
}

const generationFacts = ({ words, characters }: ReadingFacts, { page }: Source) => ({
  words,
  characters,
  ...(page && { etag: page.etag, lastModified: page.lastModified, contentHash: page.sha256 }),
});

const between = (from: number, to: number, fraction: number): number => from + (to - from) * Math.min(1, fraction);

/** Milliseconds since it was last asked. */
function stopwatch(): () => number {
  let last = performance.now();
  return () => {
    const before = last;
    last = performance.now();
    return Math.round(last - before);
  };
}
