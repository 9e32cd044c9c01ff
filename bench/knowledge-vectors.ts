import { performance } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createLog } from '@app/common';
import { PlainVectorStore, type NearChunk } from '@app/knowledge';
import { table } from './table.js';
import { manyVectors, queriesNear, type VectorKind } from './knowledge-vector-sets.js';

const DIMENSIONS = 384;
const LIMIT = 10;
const QUERIES = 50;

interface Measured {
  p50: number;
  p99: number;
  /** Maximum CPU time between two turns of the event loop while reading and searching; elapsed time would include other processes. */
  turnMs: number;
  recall: number;
  naiveP50: number;
  loadMs: number;
}

/** Compares the plain store, with rows in memory, with a straightforward loop over the same vectors; recall relative to that loop. */
export async function run(): Promise<void> {
  console.log(`vectors of ${DIMENSIONS} dimensions compared in the process, ${LIMIT} nearest, ${QUERIES} queries`);
  const rows: string[][] = [];
  for (const [count, kind] of [
    [10_000, 'texts'],
    [100_000, 'texts'],
    [100_000, 'no structure'],
  ] as const) {
    rows.push([`${count.toLocaleString('en-US')} ${kind}`, ...cells(await measure(count, kind))]);
  }
  table(
    ['', 'p50 ms', 'p99 ms', 'longest turn ms', 'recall@10', 'plain loop ms', 'times faster', 'first read ms'],
    rows,
  );
  console.log(
    '  bars: 10,000 p50 <= 10 ms; 100,000 texts recall >= 0.99. "no structure" is the worst case and does not occur with embedders',
  );
}

const cells = ({ p50, p99, turnMs, recall, naiveP50, loadMs }: Measured): string[] => [
  p50.toFixed(1),
  p99.toFixed(1),
  turnMs.toFixed(1),
  recall.toFixed(3),
  naiveP50.toFixed(1),
  (naiveP50 / p50).toFixed(1),
  loadMs.toFixed(0),
];

async function measure(count: number, kind: VectorKind): Promise<Measured> {
  const vectors = manyVectors(count, DIMENSIONS, kind);
  const store = new PlainVectorStore(
    rowsInMemory(vectors),
    createLog({ level: 'silent', role: 'bench' }),
    { model: 'bench', dimensions: DIMENSIONS },
    1024 ** 3,
  );
  const agent = { accountId: 1, agentId: 1, version: '1' };
  const queries = queriesNear(vectors, QUERIES, kind);
  const turns = watchTurns();
  const [loadMs] = await timed(() => store.nearest(agent, queries[0]!, LIMIT));
  // Sequential, so that garbage of the loop below does not affect the store.
  const near: [number, NearChunk[]][] = [];
  for (const query of queries) near.push(await timed(() => store.nearest(agent, query, LIMIT)));
  const turnMs = turns.stop();
  const naiveTimes: number[] = [];
  let found = 0;
  for (const [i, query] of queries.entries()) {
    const [ms, exact] = await timed(() => Promise.resolve(naive(vectors, query)));
    naiveTimes.push(ms);
    found += near[i]?.[1].filter(({ chunkId }) => exact.has(Number(chunkId))).length ?? 0;
  }
  const times = near.map(([ms]) => ms);
  const [p50, p99] = [percentile(times, 0.5), percentile(times, 0.99)];
  return {
    p50,
    p99,
    turnMs,
    recall: found / (QUERIES * LIMIT),
    naiveP50: percentile(naiveTimes, 0.5),
    loadMs,
  };
}

function watchTurns(): { stop: () => number } {
  let longest = 0;
  let stopped = false;
  let last = process.cpuUsage();
  const turn = (): void => {
    const { user, system } = process.cpuUsage(last);
    longest = Math.max(longest, (user + system) / 1_000);
    last = process.cpuUsage();
    if (!stopped) setImmediate(turn);
  };
  setImmediate(turn);
  return {
    stop: () => {
      stopped = true;
      return longest;
    },
  };
}

async function timed<T>(work: () => Promise<T>): Promise<[number, T]> {
  const begun = performance.now();
  const result = await work();
  return [performance.now() - begun, result];
}

const percentile = (values: number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;

/** A loop over arrays that computes every similarity and sorts them; ids from 1. */
function naive(vectors: Float32Array[], query: Float32Array): Set<number> {
  const scored = vectors.map((vector, i) => {
    let sum = 0;
    for (let k = 0; k < vector.length; k++) sum += vector[k]! * query[k]!;
    return { id: i + 1, sum };
  });
  scored.sort((a, b) => b.sum - a.sum);
  return new Set(scored.slice(0, LIMIT).map(({ id }) => id));
}

/** The reads of the store, without a database. */
const rowsInMemory = (vectors: Float32Array[]) => ({
  visibleChunks: () =>
    Promise.resolve({
      ids: Float64Array.from(vectors, (_, i) => i + 1),
      knowledgeBaseIds: new Int32Array(vectors.length).fill(1),
    }),
  vectors: async (_account: number, ids: readonly (number | undefined)[]) => {
    await nextTurn();
    return ids.map((id) => Buffer.from(vectors[(id ?? 0) - 1]!.buffer));
  },
});
