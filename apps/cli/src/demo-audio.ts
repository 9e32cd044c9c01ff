const HEADER_BYTES = 44;
const SILENCE_RMS = 100;

/** Root mean square of each channel of a stereo 16-bit WAV: left is the callee, right the agent. */
export function channelLoudness(wav: Buffer): { callee: number; agent: number } {
  const sums = [0, 0];
  const frames = Math.floor((wav.length - HEADER_BYTES) / 4);
  for (let frame = 0; frame < frames; frame++) {
    const at = HEADER_BYTES + frame * 4;
    sums[0]! += wav.readInt16LE(at) ** 2;
    sums[1]! += wav.readInt16LE(at + 2) ** 2;
  }
  const [callee, agent] = sums.map((sum) => Math.round(Math.sqrt(sum / Math.max(1, frames))));
  return { callee: callee ?? 0, agent: agent ?? 0 };
}

export const isAudible = (loudness: number): boolean => loudness > SILENCE_RMS;
