import type { Dictionary } from './dictionary.js';
import type { WordList } from './word-list.js';

/** One generation of a knowledge base under one title: what a segment is an index of. It never changes, so neither does the segment. */
export interface SegmentSource {
  knowledgeBaseId: number;
  generation: number;
  title: string;
}

/** An inverted index of up to `CHUNKS_PER_SEGMENT` chunks, in reading order. Texts are not in it. */
export interface Segment extends SegmentSource {
  /** `knowledge_chunks.id` of each chunk. */
  ids: Float64Array;
  /** Whether the ids ascend, as they do when the chunks were written in reading order. */
  idsAscend: boolean;
  /** A hash of each chunk's words in order; equal for texts that say the same. 0: no word at all. */
  prints: Float64Array;
  /** Terms per chunk. */
  lengths: Uint16Array;
  /** Terms of all chunks together. */
  terms: number;
  dictionary: Dictionary;
  words: WordList;
  /** The chunks of term t are `chunks[offsets[t]..offsets[t + 1])`, ascending; how often it occurs in each is in `frequencies`. */
  offsets: Uint32Array;
  chunks: Uint16Array;
  frequencies: Uint8Array;
  /** Of memory. */
  bytes: number;
}

/** A larger knowledge base gets several segments: what one pass over a segment takes stays short, and 16 bits name a chunk. */
export const CHUNKS_PER_SEGMENT = 16_384;

/** How many chunks of the segment have the term. */
export const chunksWith = (segment: Segment, termId: number): number =>
  termId < 0 ? 0 : segment.offsets[termId + 1]! - segment.offsets[termId]!;
