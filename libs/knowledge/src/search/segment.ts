import type { CooperativeYield } from '@app/common';
import { toIndexedText } from '../blocks.js';
import { Dictionary, resized, WordList } from './dictionary.js';
import { PIECE, scanTerms, type TermConsumer, WORD } from './terms.js';

/** One generation of a knowledge base under one title. Its chunks never change. */
export interface IndexSource {
  knowledgeBaseId: number;
  generation: number;
  title: string;
}

/** Consecutive chunks of one source in a segment: those with the numbers `from` to `to - 1`. */
export interface SegmentPart {
  source: IndexSource;
  /** Number of chunks of the source before this part, in other segments. */
  before: number;
  from: number;
  to: number;
}

/** An inverted index of up to `CHUNKS_PER_SEGMENT` chunks of any number of knowledge bases, without their texts. */
export interface Segment {
  /** In the order of their chunks. */
  parts: SegmentPart[];
  /** `knowledge_chunks.id` of each chunk. */
  ids: Float64Array;
  /** The chunks by ascending id; undefined if `ids` ascends. */
  byId: Uint16Array | undefined;
  /** Hash of each chunk's words in order, by which duplicates are recognised. 0: the chunk has no words. */
  prints: Float64Array;
  /** Terms per chunk. */
  lengths: Uint16Array;
  /** Table and tokens of each chunk, see `tableAt` and `tokensAt`. */
  tableRows: Uint32Array;
  dictionary: Dictionary;
  words: WordList;
  /**
   * The chunks of term t are `chunks[offsets[t]..offsets[t + 1])`, in any order; `frequencies` contains its
   * occurrences in each.
   */
  offsets: Uint32Array;
  chunks: Uint16Array;
  frequencies: Uint8Array;
  /** Memory in bytes. */
  bytes: number;
}

/** A pass over a segment stays short, and 16 bits identify a chunk. */
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

/** Builds a segment from the chunks of knowledge bases, each in reading order. */
export class SegmentBuilder {
  private readonly parts: SegmentPart[] = [];
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

  get full(): boolean {
    return this.ids.length === CHUNKS_PER_SEGMENT;
  }

  get empty(): boolean {
    return this.ids.length === 0;
  }

  /** @param number of the chunk within its source, from 0. */
  add(chunk: IndexedChunk, source: IndexSource, number: number): void {
    const part = this.parts.at(-1);
    const at = this.ids.length;
    if (part?.source === source) part.to += 1;
    else this.parts.push({ source, before: number, from: at, to: at + 1 });
    const first = this.postings;
    const before = this.terms;
    const print = new Int32Array(2);
    const count: TermConsumer = (low, high, kind, units, from, to) => {
      this.count(first, low, high, kind === WORD || kind === PIECE ? units : undefined, from, to);
      print[0] = Math.imul(print[0]!, 31) + low;
      print[1] = Math.imul(print[1]! ^ high, 0x01000193);
    };
    scanTerms(toIndexedText({ headingPath: chunk.headingPath, text: '' }, source.title), count);
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
    const ids = Float64Array.from(this.ids);
    const prints = Float64Array.from(this.prints);
    const lengths = Uint16Array.from(this.lengths);
    const tableRows = Uint32Array.from(this.tableRows);
    const { parts, dictionary, words } = this;
    return sized({ parts, ids, prints, lengths, tableRows, dictionary, words, offsets, chunks, frequencies });
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

/** Approximate size of the objects around the arrays. */
const OBJECTS = 6_000;
const PART = 200;

function sized(segment: Omit<Segment, 'byId' | 'bytes'>): Segment {
  const { ids, prints, lengths, tableRows, offsets, chunks, frequencies, dictionary, words, parts } = segment;
  const ascends = ids.every((id, at) => at === 0 || id > ids[at - 1]!);
  const byId = ascends ? undefined : Uint16Array.from(ids.keys()).sort((a, b) => ids[a]! - ids[b]!);
  const arrays = [ids, prints, lengths, tableRows, offsets, chunks, frequencies, ...(byId ? [byId] : [])];
  const own = arrays.reduce((total, array) => total + array.byteLength, 0);
  return { ...segment, byId, bytes: own + dictionary.bytes + words.bytes + parts.length * PART + OBJECTS };
}

/** Chunks that a combined segment takes from another. */
interface Taken {
  segment: Segment;
  /** Parts of the segment. */
  parts: SegmentPart[];
}

/**
 * One segment of the given parts, at most CHUNKS_PER_SEGMENT chunks. Needs neither the texts nor the database: without it, one
 * changed knowledge base among thousands would cause all of them to be read again.
 */
export async function combine(taken: Taken[], pacing: CooperativeYield): Promise<Segment> {
  const size = taken.reduce((total, { parts }) => total + chunksIn(parts), 0);
  const [ids, prints, lengths] = [new Float64Array(size), new Float64Array(size), new Uint16Array(size)];
  const tableRows = new Uint32Array(size);
  const parts: SegmentPart[] = [];
  let next = 0;
  const numbered = taken.map(({ segment, parts: wanted }) => {
    const numbers = new Int32Array(segment.ids.length).fill(-1);
    for (const { source, before, from, to } of wanted) {
      parts.push({ source, before, from: next, to: next + to - from });
      for (let chunk = from; chunk < to; chunk += 1) {
        ids[next] = segment.ids[chunk]!;
        prints[next] = segment.prints[chunk]!;
        lengths[next] = segment.lengths[chunk]!;
        tableRows[next] = segment.tableRows[chunk]!;
        numbers[chunk] = next++;
      }
    }
    return { segment, numbers };
  });
  return sized({ parts, ids, prints, lengths, tableRows, ...(await combinePostings(numbered, pacing)) });
}

const chunksIn = (parts: SegmentPart[]): number => parts.reduce((total, { from, to }) => total + to - from, 0);

/** A segment with the new number of each of its chunks, -1: left out. */
interface Renumbered {
  segment: Segment;
  numbers: Int32Array;
}

type Postings = Pick<Segment, 'dictionary' | 'words' | 'offsets' | 'chunks' | 'frequencies'>;

async function combinePostings(renumbered: Renumbered[], pacing: CooperativeYield): Promise<Postings> {
  const dictionary = new Dictionary();
  const words = new WordList();
  const most = renumbered.reduce((total, { segment }) => total + segment.dictionary.size, 0);
  const counts = new Uint32Array(most);
  const termIds: Int32Array[] = [];
  for (const one of renumbered) {
    const known = dictionary.size;
    const ofSegment = await termsOf(one, dictionary, counts, pacing);
    termIds.push(ofSegment);
    one.segment.words.copyTo(words, (term) => (ofSegment[term]! >= known ? ofSegment[term]! : -1));
  }
  dictionary.trim();
  words.trim();
  const offsets = new Uint32Array(dictionary.size + 1);
  for (let term = 0; term < dictionary.size; term += 1) offsets[term + 1] = offsets[term]! + counts[term]!;
  const next = offsets.slice(0, dictionary.size);
  const chunks = new Uint16Array(offsets[dictionary.size]!);
  const frequencies = new Uint8Array(chunks.length);
  for (const [at, { segment, numbers }] of renumbered.entries())
    for (let term = 0; term < segment.dictionary.size; term += 1) {
      const termId = termIds[at]![term]!;
      if (termId < 0) continue;
      for (let posting = segment.offsets[term]!; posting < segment.offsets[term + 1]!; posting += 1) {
        const chunk = numbers[segment.chunks[posting]!]!;
        if (chunk < 0) continue;
        const place = next[termId]!++;
        chunks[place] = chunk;
        frequencies[place] = segment.frequencies[posting]!;
      }
      if (term % TERMS_PER_CHECK === 0 && pacing.due) await pacing.pause();
    }
  return { dictionary, words, offsets, chunks, frequencies };
}

/** Terms of a segment handled between two checks of the clock. */
const TERMS_PER_CHECK = 256;

/** The new number of each term of a segment, -1: none of the chunks has it. Adds its postings to `counts`. */
async function termsOf(
  { segment, numbers }: Renumbered,
  dictionary: Dictionary,
  counts: Uint32Array,
  pacing: CooperativeYield,
): Promise<Int32Array> {
  const termIds = new Int32Array(segment.dictionary.size).fill(-1);
  for (let term = 0; term < termIds.length; term += 1) {
    let postings = 0;
    for (let at = segment.offsets[term]!; at < segment.offsets[term + 1]!; at += 1)
      if (numbers[segment.chunks[at]!]! >= 0) postings += 1;
    if (postings > 0) {
      const termId = dictionary.addFrom(segment.dictionary, term);
      termIds[term] = termId;
      counts[termId]! += postings;
    }
    if (term % TERMS_PER_CHECK === 0 && pacing.due) await pacing.pause();
  }
  return termIds;
}

/** With more segments, looking up a query's terms in each of them takes noticeable time: 80 ms with 5,000. */
const MAX_SMALL_SEGMENTS = 8;

/** Combines the smallest segments until there are few. */
export async function compact(segments: Segment[], pacing: CooperativeYield): Promise<Segment[]> {
  const bySize = segments.toSorted((a, b) => a.ids.length - b.ids.length);
  while (bySize.length > MAX_SMALL_SEGMENTS) {
    const [one, other] = [bySize[0]!, bySize[1]!];
    if (one.ids.length + other.ids.length > CHUNKS_PER_SEGMENT) break;
    const both = [one, other].map((segment) => ({ segment, parts: segment.parts }));
    bySize.splice(0, 2, await combine(both, pacing));
    bySize.sort((a, b) => a.ids.length - b.ids.length);
  }
  return bySize;
}
