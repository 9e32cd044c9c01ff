import type { Segment } from './segment.js';

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
