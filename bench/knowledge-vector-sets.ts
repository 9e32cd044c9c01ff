/** `texts`: distributed like embeddings. `no structure`: uniformly distributed directions. */
export type VectorKind = 'texts' | 'no structure';

const SUBJECTS = 500;
/** Embeddings of 384 to 1,536 numbers vary in a few dozen directions. */
const DIRECTIONS = 48;

let state = 1;
/** The same numbers in each run (Mulberry32). */
function random(): number {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
}

/** Nearly normal distribution: the sum of four numbers. */
const normal = (): number => random() + random() + random() + random() - 2;

/** Unit vectors. `texts`: clusters around subjects in a space of few directions, with a common direction and a little noise. */
export function manyVectors(count: number, dimensions: number, kind: VectorKind): Float32Array[] {
  state = 1;
  if (kind === 'no structure')
    return Array.from({ length: count }, () => unit(Float32Array.from({ length: dimensions }, normal)));
  const axes = Array.from({ length: DIRECTIONS }, () => Float32Array.from({ length: dimensions }, normal));
  const lean = Float32Array.from({ length: dimensions }, normal);
  const subjects = Array.from({ length: SUBJECTS }, () => Float32Array.from({ length: DIRECTIONS }, normal));
  return Array.from({ length: count }, (_, i) => {
    const vector = lean.map((value) => value * 4 + normal() * 1.5);
    const subject = subjects[i % SUBJECTS]!;
    for (const [k, axis] of axes.entries()) {
      const weight = subject[k]! + normal() * 0.7;
      for (let d = 0; d < dimensions; d++) vector[d]! += axis[d]! * weight;
    }
    return unit(vector);
  });
}

/** Queries near some of the vectors, like a question to its answer (cosine about 0.8), or anywhere. */
export function queriesNear(vectors: readonly Float32Array[], count: number, kind: VectorKind): Float32Array[] {
  return Array.from({ length: count }, (_, i) => {
    const near = vectors[(i * 7_919) % vectors.length]!;
    if (kind === 'no structure') return unit(near.map(() => normal()));
    const noise = 0.75 / Math.sqrt(near.length * (4 / 12));
    return unit(near.map((value) => value + normal() * noise));
  });
}

function unit(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return vector.map((value) => value / length);
}
