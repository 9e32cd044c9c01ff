/** A vector as it is stored: float32, little endian, without a header. Node runs on little-endian machines only. */
export const bytesOf = (vector: Float32Array): Buffer =>
  Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);

/** The vector in stored bytes, as a copy of its own: a row's buffer need not begin at a multiple of four. */
export function vectorOf(bytes: Uint8Array): Float32Array {
  const vector = new Float32Array(bytes.byteLength >> 2);
  bytesOf(vector).set(bytes.subarray(0, vector.byteLength));
  return vector;
}

/** Makes a vector 1 long in place. @returns undefined for one that has no direction: zeros, or what is not a number. */
export function normalised(vector: Float32Array): Float32Array | undefined {
  let squares = 0;
  for (const value of vector) squares += value * value;
  if (!Number.isFinite(squares) || squares === 0) return undefined;
  const scale = 1 / Math.sqrt(squares);
  for (let i = 0; i < vector.length; i++) vector[i] = (vector[i] ?? 0) * scale;
  return vector;
}
