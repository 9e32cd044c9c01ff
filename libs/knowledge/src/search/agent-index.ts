import type { Dictionary } from './dictionary.js';
import type { WordList } from './word-list.js';

/** Everything that a search of one agent may find, as of one version. */
export interface AgentIndex {
  /** `agents.knowledge_version` */
  version: string;
  /** In the order of their knowledge bases, so that ties are broken alike in every process. */
  segments: Segment[];
  chunks: number;
  /** By chunk, segment after segment: what BM25 makes of its length. */
  norms: Float32Array;
  bytes: number;
}

/** BM25's constants. On XQuAD 0.9 to 1.2 and 0.5 to 0.9 give the same to .003. */
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

/** A chunk by where it stands in an index. */
export interface ChunkPlace {
  segment: Segment;
  chunk: number;
}

/** Where a chunk stands; undefined when the index does not have it. */
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
