const HEADER_BYTES = 44;
const FRAMES_PER_MS = 8;

/** Samples of one channel of a recording: the user is on the left, the agent on the right. */
export function sideOf(wav: Buffer, side: 'callee' | 'agent'): Int16Array {
  const frames = Math.floor((wav.length - HEADER_BYTES) / 4);
  const first = HEADER_BYTES + (side === 'callee' ? 0 : 2);
  return Int16Array.from({ length: frames }, (_, i) => wav.readInt16LE(first + 4 * i));
}

/** Root mean square of all samples, or of a range in milliseconds. */
export function loudness(pcm: Int16Array, fromMs = 0, toMs = Infinity): number {
  const part = pcm.subarray(fromMs * FRAMES_PER_MS, Math.min(pcm.length, toMs * FRAMES_PER_MS));
  return Math.sqrt(part.reduce((sum, sample) => sum + sample ** 2, 0) / Math.max(1, part.length));
}
