import type { CooperativeYield } from '@app/common';
import { Dictionary, resized, WordList } from './dictionary.js';
import { indexedText } from '../blocks.js';
import { PIECE, scanTerms, type TermConsumer, WORD } from './terms.js';

/** The lexical index of one agent's searchable chunks, for one version of its knowledge. */
export interface AgentIndex {
  /** `agents.knowledge_version` */
  version: string;
  /** In the order of the knowledge bases, so that every process breaks ties in the same way. */
  segments: Segment[];
  chunks: number;
  /** BM25 length norm of each chunk, segment after segment. */
  norms: Float32Array;
  bytes: number;
}

/** Constants of BM25. On XQuAD, 0.9 to 1.2 and 0.5 to 0.9 differ by .003 at most. */
const K1 = 1;
const B = 0.75;

export function agentIndex(version: string, segments: Segment[]): AgentIndex {
  const chunks = sum(segments, (segment) => segment.ids.length);
  const norms = new Float32Array(chunks);
  const averageLength = sum(segments, (segment) => segment.terms) / Math.max(chunks, 1);
  let at = 0;
  for (const { lengths } of segments)
    for (const length of lengths) norms[at++] = K1 * (1 - B + (B * length) / averageLength);
  const bytes = sum(segments, (segment) => segment.bytes) + norms.byteLength;
  return { version, segments, chunks, norms, bytes };
}

const sum = <T>(all: T[], of: (one: T) => number): number => all.reduce((total, one) => total + of(one), 0);

/** The position of a chunk in an index. */
export interface ChunkPlace {
  segment: Segment;
  chunk: number;
}

/** Finds a chunk in the index; undefined if the index does not contain it. */
export function placeOf(index: AgentIndex, id: number): ChunkPlace | undefined {
  for (const segment of index.segments) {
    const chunk = segment.idsAscend ? bisect(segment.ids, id) : segment.ids.indexOf(id);
    if (chunk >= 0) return { segment, chunk };
  }
  return undefined;
}

function bisect(ids: Float64Array, id: number): number {
  let [low, high] = [0, ids.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ids[middle]! < id) low = middle + 1;
    else high = middle;
  }
  return ids[low] === id ? low : -1;
}

/**
 * The source of a segment: one generation of a knowledge base under one title. It never changes, so neither does the
 * segment.
 */
export interface SegmentSource {
  knowledgeBaseId: number;
  generation: number;
  title: string;
}

/** An inverted index of up to `CHUNKS_PER_SEGMENT` chunks in reading order, without their texts. */
export interface Segment extends SegmentSource {
  /** `knowledge_chunks.id` of each chunk. */
  ids: Float64Array;
  /** Whether the ids ascend, as they do if the chunks were written in reading order. */
  idsAscend: boolean;
  /** Hash of each chunk's words in order, by which duplicates are recognised. 0: the chunk has no words. */
  prints: Float64Array;
  /** Terms per chunk. */
  lengths: Uint16Array;
  /** Table and tokens of each chunk, see `tableAt` and `tokensAt`. */
  tableRows: Uint32Array;
  /** Total number of terms. */
  terms: number;
  dictionary: Dictionary;
  words: WordList;
  /**
   * The chunks of term t are `chunks[offsets[t]..offsets[t + 1])`, ascending; `frequencies` contains its occurrences
   * in each.
   */
  offsets: Uint32Array;
  chunks: Uint16Array;
  frequencies: Uint8Array;
  /** Memory in bytes. */
  bytes: number;
}

/** Larger knowledge bases have several segments: a pass over a segment stays short, and 16 bits identify a chunk. */
const CHUNKS_PER_SEGMENT = 16_384;

/** Number of chunks of the segment that contain the term. */
export const chunksWith = (segment: Segment, termId: number): number =>
  termId < 0 ? 0 : segment.offsets[termId + 1]! - segment.offsets[termId]!;

/** The tokens of a chunk need 9 bits, the rest is the number of its table. */
const TABLE = 512;

/** The number of a chunk's table in its document; 0: none, or the segment has no such chunk. */
export const tableAt = ({ tableRows }: Segment, chunk: number): number => Math.floor((tableRows[chunk] ?? 0) / TABLE);

/** The tokens of a chunk that is part of a table. */
export const tokensAt = ({ tableRows }: Segment, chunk: number): number => tableRows[chunk]! % TABLE;

/** The indexed part of a chunk. */
export interface IndexedChunk {
  /** `knowledge_chunks.id` */
  id: number;
  text: string;
  headingPath: string[];
  /** Number of its table in the document; 0: none. */
  table?: number;
  /** Without the header of its table. */
  tokens?: number;
}

/** Postings sorted between two checks of the clock. */
const POSTINGS_PER_CHECK = 4_096;

/** Builds a segment from the chunks of a knowledge base, added in reading order. */
export class SegmentBuilder {
  private readonly dictionary = new Dictionary();
  private readonly words = new WordList();
  private readonly ids: number[] = [];
  private readonly prints: number[] = [];
  private readonly lengths: number[] = [];
  private readonly tableRows: number[] = [];
  /** Postings chunk by chunk; those of chunk c end at `ranges[c]`. */
  private termIds = new Uint32Array(4_096);
  private frequencies = new Uint8Array(4_096);
  private readonly ranges: number[] = [];
  private postings = 0;
  /** By term: the index of its newest posting plus one, and the number of chunks that contain it. */
  private newest = new Uint32Array(1_024);
  private chunkCounts = new Uint32Array(1_024);
  private terms = 0;

  constructor(private readonly source: SegmentSource) {}

  get full(): boolean {
    return this.ids.length === CHUNKS_PER_SEGMENT;
  }

  add(chunk: IndexedChunk): void {
    const first = this.postings;
    const before = this.terms;
    const print = new Int32Array(2);
    const count: TermConsumer = (low, high, kind, units, from, to) => {
      this.count(first, low, high, kind === WORD || kind === PIECE ? units : undefined, from, to);
      print[0] = Math.imul(print[0]!, 31) + low;
      print[1] = Math.imul(print[1]! ^ high, 0x01000193);
    };
    scanTerms(indexedText({ headingPath: chunk.headingPath, text: '' }, this.source.title), count);
    // The hash excludes the title, so that it is the same for the same text in two knowledge bases.
    print.fill(0);
    scanTerms(chunk.text, count);
    this.ids.push(chunk.id);
    this.prints.push((print[0]! >>> 0) * 2 ** 20 + (print[1]! >>> 12));
    this.lengths.push(Math.min(this.terms - before, 65_535));
    this.tableRows.push((chunk.table ?? 0) * TABLE + Math.min(chunk.tokens ?? 0, TABLE - 1));
    this.ranges.push(this.postings);
  }

  private count(
    first: number,
    low: number,
    high: number,
    word: Uint16Array | undefined,
    from: number,
    to: number,
  ): void {
    this.terms += 1;
    const known = this.dictionary.size;
    const termId = this.dictionary.add(low, high);
    if (termId === known) this.learn(termId, word, from, to);
    const newest = this.newest[termId]!;
    if (newest > first) {
      if (this.frequencies[newest - 1]! < 255) this.frequencies[newest - 1]! += 1;
      return;
    }
    if (this.postings === this.termIds.length) this.grow();
    this.chunkCounts[termId]! += 1;
    this.termIds[this.postings] = termId;
    this.frequencies[this.postings] = 1;
    this.postings += 1;
    this.newest[termId] = this.postings;
  }

  private learn(termId: number, word: Uint16Array | undefined, from: number, to: number): void {
    if (termId === this.newest.length) {
      this.newest = resized(this.newest, termId * 2);
      this.chunkCounts = resized(this.chunkCounts, termId * 2);
    }
    if (word) this.words.add(termId, word, from, to);
  }

  private grow(): void {
    this.termIds = resized(this.termIds, this.postings * 2);
    this.frequencies = resized(this.frequencies, this.postings * 2);
  }

  /** Sorts the postings by term; the builder must not be used afterwards. */
  async seal(pacing: CooperativeYield): Promise<Segment> {
    const offsets = new Uint32Array(this.dictionary.size + 1);
    for (let term = 0; term < this.dictionary.size; term += 1)
      offsets[term + 1] = offsets[term]! + this.chunkCounts[term]!;
    const { chunks, frequencies } = await this.sorted(offsets, pacing);
    this.dictionary.trim();
    this.words.trim();
    const arrays = {
      ids: Float64Array.from(this.ids),
      prints: Float64Array.from(this.prints),
      lengths: Uint16Array.from(this.lengths),
      tableRows: Uint32Array.from(this.tableRows),
      offsets,
      chunks,
      frequencies,
    };
    const own = Object.values(arrays).reduce((sum, array) => sum + array.byteLength, 0);
    const bytes = own + this.dictionary.bytes + this.words.bytes;
    return {
      ...this.source,
      ...arrays,
      idsAscend: this.ids.every((id, at) => at === 0 || id > this.ids[at - 1]!),
      terms: this.terms,
      dictionary: this.dictionary,
      words: this.words,
      bytes: bytes + OBJECTS,
    };
  }

  private async sorted(
    offsets: Uint32Array,
    pacing: CooperativeYield,
  ): Promise<Pick<Segment, 'chunks' | 'frequencies'>> {
    const chunks = new Uint16Array(this.postings);
    const frequencies = new Uint8Array(this.postings);
    const next = offsets.slice(0, this.dictionary.size);
    let chunk = 0;
    for (let at = 0; at < this.postings; at += 1) {
      while (at >= this.ranges[chunk]!) chunk += 1;
      const place = next[this.termIds[at]!]!++;
      chunks[place] = chunk;
      frequencies[place] = this.frequencies[at]!;
      if (at % POSTINGS_PER_CHECK === 0 && pacing.due) await pacing.pause();
    }
    return { chunks, frequencies };
  }
}

/** Approximate size of the objects around the arrays; significant for an agent with thousands of short texts. */
const OBJECTS = 6_000;
