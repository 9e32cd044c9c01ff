import { describe, expect, it } from '@jest/globals';
import { FrameTimeline } from './frame-timeline.js';
import { silentFrame } from '../codecs/g711.js';

/** The played frames: the number of a frame, `-` for silence, `~` for a concealed frame. */
function timeline() {
  const frames: string[] = [];
  const places: string[] = [];
  const line = new FrameTimeline('PCMU', {
    frame: (frame, concealed) =>
      frames.push(concealed ? '~' : frame === silentFrame('PCMU') ? '-' : String(frame.readUInt8(0))),
    placed: (at, _audio, placing) => places.push(`${at / 160} ${placing}`),
    restarted: () => places.push('restarted'),
  });
  const audio = (frame: number, now: number, base = 0, lost = 0) =>
    line.audio((base + frame * 160) >>> 0, Buffer.alloc(160, frame), now, lost);
  return { frames, places, line, audio };
}

describe('frame timeline', () => {
  it('passes frames on as they arrive', () => {
    const { frames, audio } = timeline();
    [1, 2, 3].forEach((frame) => audio(frame, frame * 20));
    expect(frames).toEqual(['1', '2', '3']);
  });

  it('fills gaps in the timestamps with silence', () => {
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

  it('conceals lost frames and inserts silence where the sender paused', () => {
    const { frames, audio } = timeline();
    audio(1, 20);
    audio(4, 80, 0, 2);
    audio(6, 120);
    expect(frames).toEqual(['1', '~', '~', '4', '-', '6']);
  });

  it('emits frames by the clock while nothing arrives, and fills a gap once', () => {
    const { frames, audio, line } = timeline();
    audio(1, 20);
    for (let now = 40; now <= 140; now += 20) line.tick(now, 60);
    expect(frames).toHaveLength(3);
    audio(7, 140);
    expect(frames).toHaveLength(7);
    expect(frames.slice(3)).toEqual(['-', '-', '-', '7']);
  });

  it('fades to silence 60 ms after the last packet', () => {
    const { frames, audio, line } = timeline();
    audio(1, 0);
    for (let now = 20; now <= 400; now += 20) line.tick(now, 60);
    expect(frames.slice(-10)).toEqual(Array.from({ length: 10 }, () => '-'));
  });

  it('emits silence before the first packet', () => {
    const { frames, line } = timeline();
    for (let now = 1_000; now <= 1_120; now += 20) line.tick(now, 60);
    expect(frames).toEqual(['-', '-']);
  });

  it('places every packet in the recording, including packets too late to be heard', () => {
    const { frames, places, audio, line } = timeline();
    audio(1, 20);
    audio(3, 60, 0, 1);
    line.late(320, Buffer.alloc(160, 2), 80);
    audio(4, 80);
    expect(frames).toEqual(['1', '~', '3', '4']);
    expect(places).toEqual(['1 heard', '2 concealed', '3 heard', '2 late', '4 heard']);
  });

  it('fills no gap when the timestamps jump far ahead', () => {
    const { frames, places, audio } = timeline();
    audio(1, 20);
    audio(200, 40);
    expect(frames).toEqual(['1', '200']);
    expect(places).toContain('restarted');
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
