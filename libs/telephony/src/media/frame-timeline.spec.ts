import { describe, expect, it } from '@jest/globals';
import { FrameTimeline } from './frame-timeline.js';

const SILENCE = Buffer.alloc(160, 0xff);

function timeline() {
  const frames: string[] = [];
  const line = new FrameTimeline(
    () => SILENCE,
    (frame) => frames.push(frame === SILENCE ? '-' : String(frame.readUInt8(0))),
  );
  const audio = (frame: number, now: number, base = 0) =>
    line.audio((base + frame * 160) >>> 0, Buffer.alloc(160, frame), now);
  return { frames, line, audio };
}

describe('frame timeline', () => {
  it('hands frames on as they come', () => {
    const { frames, audio } = timeline();
    [1, 2, 3].forEach((frame) => audio(frame, frame * 20));
    expect(frames).toEqual(['1', '2', '3']);
  });

  it('puts silence where the timestamps say that frames are missing', () => {
    const { frames, audio } = timeline();
    audio(1, 20);
    audio(4, 80);
    expect(frames).toEqual(['1', '-', '-', '4']);
  });

  it('counts across the wrap of the timestamp', () => {
    const { frames, audio } = timeline();
    audio(1, 20, 0xffffffff - 159);
    audio(3, 60, 0xffffffff - 159);
    expect(frames).toEqual(['1', '-', '3']);
  });

  it('keeps pace with silence while nothing comes, and does not fill the same gap twice', () => {
    const { frames, audio, line } = timeline();
    audio(1, 20);
    for (let now = 40; now <= 120; now += 20) line.tick(now);
    expect(frames).toEqual(['1', '-', '-']);
    audio(7, 140);
    expect(frames).toEqual(['1', '-', '-', '-', '-', '-', '7']);
  });

  it('gives silence also when nothing has ever come', () => {
    const { frames, line } = timeline();
    for (let now = 1_000; now <= 1_100; now += 20) line.tick(now);
    expect(frames).toEqual(['-', '-']);
  });

  it('fills nothing when the sender jumped far ahead', () => {
    const { frames, audio } = timeline();
    audio(1, 20);
    audio(200, 40);
    expect(frames).toEqual(['1', '200']);
  });

  it.each([
    ['30 ms packets', 240, 2, 3],
    ['10 ms packets', 80, 4, 2],
    ['40 ms packets', 320, 1, 2],
  ])('cuts %s into frames of 20 ms', (_name, bytes, packets, expected) => {
    const { frames, line } = timeline();
    for (let i = 0; i < packets; i++) line.audio(i * bytes, Buffer.alloc(bytes, 7), i);
    expect(frames).toEqual(Array.from({ length: expected }, () => '7'));
  });
});
