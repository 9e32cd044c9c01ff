import type { CooperativeYield } from '@app/common';
import { indexedText } from '../blocks.js';
import { Dictionary, resized } from './dictionary.js';
import { CHUNKS_PER_SEGMENT, type Segment, type SegmentSource } from './agent-index.js';
import { scanTerms, type TakeTerm, WORD } from './terms.js';
import { WordList } from './word-list.js';

/** What the index reads of a chunk. */
export interface IndexedChunk {
  /** `knowledge_chunks.id` */
  id: number;
  text: string;
  headingPath: string[];
}

/** Between two looks at the clock while postings are sorted. */
const POSTINGS_PER_LOOK = 4_096;

/** Takes the chunks of a knowledge base in reading order and makes a segment of them. */
export class SegmentBuilder {
  private readonly dictionary = new Dictionary();
  private readonly words = new WordList();
  private readonly ids: number[] = [];
  private readonly prints: number[] = [];
  private readonly lengths: number[] = [];
  /** Postings chunk by chunk, those of chunk c before `ranges[c]`. */
  private termIds = new Uint32Array(4_096);
  private frequencies = new Uint8Array(4_096);
  private readonly ranges: number[] = [];
  private postings = 0;
  /** By term: one more than where its newest posting stands, and how many chunks have it. */
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
    const count: TakeTerm = (low, high, kind, units, from, to) => {
      this.count(first, low, high, kind === WORD ? units : undefined, from, to);
      print[0] = Math.imul(print[0]!, 31) + low;
      print[1] = Math.imul(print[1]! ^ high, 0x01000193);
    };
    scanTerms(indexedText({ headingPath: chunk.headingPath, text: '' }, this.source.title), count);
    // Two knowledge bases with the same text have titles of their own: the titles are no part of it.
    print.fill(0);
    scanTerms(chunk.text, count);
    this.ids.push(chunk.id);
    this.prints.push((print[0]! >>> 0) * 2 ** 20 + (print[1]! >>> 12));
    this.lengths.push(Math.min(this.terms - before, 65_535));
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

  /** Sorts the postings by term; the builder is of no use afterwards. */
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
      if (at % POSTINGS_PER_LOOK === 0 && pacing.due) await pacing.pause();
    }
    return { chunks, frequencies };
  }
}

/** What the objects around the arrays take, about: it matters for an agent with thousands of short texts. */
const OBJECTS = 6_000;
