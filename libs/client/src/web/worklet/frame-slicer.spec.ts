import { describe, expect, it } from '@jest/globals';
import { FRAME_SAMPLES, FrameSlicer, type MicrophoneFrame } from './frame-slicer.js';

function sliced(rate: number, seconds: number, sample: (at: number) => number, block = 128): MicrophoneFrame[] {
  const frames: MicrophoneFrame[] = [];
  const slicer = new FrameSlicer(rate, (frame) => frames.push(frame));
  for (let at = 0; at < rate * seconds; at += block)
    slicer.push(Float32Array.from({ length: block }, (_, index) => sample(at + index)));
  return frames;
}

describe('a frame slicer', () => {
  it.each([16_000, 44_100, 48_000])('makes 50 frames of 640 bytes from a second at %i Hz', (rate) => {
    const frames = sliced(rate, 4, () => 0);
    expect([200, 201]).toContain(frames.length);
    expect(new Set(frames.map(({ frame }) => frame.byteLength))).toEqual(new Set([2 * FRAME_SAMPLES]));
  });

  it('writes little-endian samples, and clips what is louder than full scale', () => {
    const loud = sliced(48_000, 1, () => 1.5).at(-1)!;
    const quiet = sliced(48_000, 1, () => -0.25).at(-1)!;
    expect(new DataView(loud.frame).getInt16(100, true)).toBe(32_767);
    expect(new DataView(quiet.frame).getInt16(100, true)).toBeCloseTo(-8_192, -1);
    expect([loud.peak, quiet.peak]).toEqual([1, expect.closeTo(0.25, 2)]);
  });

  it('continues a tone from frame to frame', () => {
    const hertz = 400;
    const frames = sliced(48_000, 1, (at) => Math.sin((2 * Math.PI * hertz * at) / 48_000) / 2);
    const samples = frames.slice(2).flatMap(({ frame }) => Array.from(new Int16Array(frame)));
    const steepest = (2 * Math.PI * hertz * 16_384) / 16_000;
    for (let at = 1; at < samples.length; at += 1)
      expect(Math.abs((samples.at(at) ?? NaN) - (samples.at(at - 1) ?? NaN))).toBeLessThan(steepest * 1.01 + 2);
  });
});
