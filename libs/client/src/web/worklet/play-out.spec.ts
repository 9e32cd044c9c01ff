import { describe, expect, it } from '@jest/globals';
import { FRAME_SAMPLES } from './frame-slicer.js';
import { BLOCK, play, voice } from '../../../test/played-line.js';
import { PlayOut, type PlayOutReport } from './play-out.js';

/** The samples of the service among those that were played: those before the first one are silence. */
const fromFirst = (played: number[]): number[] => played.slice(played.findIndex((sample) => sample !== 0));

/** Sample `at` of the service is `at`, so that its place is known; 0 is silence. */
const numbered = (at: number): number => (at % 30_000) + 1;

const seededJitter = (most: number) => {
  let seed = 1;
  return () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return (seed / 2_147_483_647) * most;
  };
};

describe('the play-out', () => {
  it.each([16_000, 44_100, 48_000])('plays at %i Hz what the service sent, sample for sample, 60 ms later', (rate) => {
    const { played, last } = play({ seconds: 5, rate, sample: numbered });
    // The first 5 ms are faded in.
    const from = played.findIndex((sample) => sample === numbered(80));
    expect(from).toBeLessThanOrEqual(65 * 16);
    const sent = played.slice(from);
    expect(sent).toEqual(sent.map((_, index) => numbered(index + 80)));
    expect(last).toMatchObject({ targetMs: 60, missingMs: 0 });
  });

  it('reports every 100 ms the position that has been heard, behind the latency of the sound card', () => {
    const { reports } = play({ seconds: 4, latency: 0.15 });
    expect(reports).toHaveLength(40);
    const heard = reports.map(({ playedMs }) => playedMs).slice(5);
    // 40 ms of buffer, 2 ms of the filter, 150 ms of the sound card.
    heard.forEach((ms, index) => expect(ms - (index + 6) * 100).toBeGreaterThan(-196));
    heard.forEach((ms, index) => expect(ms - (index + 6) * 100).toBeLessThan(-188));
  });

  it.each([
    ['evenly', 0, 60],
    ['up to 20 ms late', 20, 60],
    ['up to 80 ms late', 80, 120],
    ['up to 150 ms late', 150, 180],
    ['up to 400 ms late', 400, 200],
  ])('adapts to frames that come %s, and buffers no more than it must', (_title, most, largest) => {
    const { reports, last } = play({ seconds: 40, delay: seededJitter(most), onlyReports: true });
    expect(last.targetMs).toBeLessThanOrEqual(largest);
    // At most one gap in the second half.
    expect(last.missingMs - (reports.at(200)?.missingMs ?? NaN)).toBeLessThanOrEqual(60);
  });

  it('shrinks its buffer when the network is calm again', () => {
    const delay = (n: number) => (n > 200 && n < 210 ? (210 - n) * 20 : 0);
    const { reports } = play({ seconds: 80, delay, onlyReports: true });
    const targets = reports.map(({ targetMs }) => targetMs);
    expect(Math.max(...targets)).toBeGreaterThanOrEqual(140);
    expect(targets.at(-1)).toBe(60);
    expect(reports.at(-1)!.bufferedMs).toBeLessThanOrEqual(80);
  });

  it('conceals a missing frame with the voice before it, and fades out when more are missing', () => {
    const delay = (n: number) => (n >= 50 ? 400 : 0);
    const { played } = play({ seconds: 1.3, delay });
    const silence = played.findIndex((sample) => sample !== 0);
    // 50 frames were played; what follows continues the sine of 150 Hz.
    const gap = silence + 50 * FRAME_SAMPLES;
    const continued = played.slice(gap, gap + 80);
    continued.forEach((sample, at) => {
      const expected = voice(50 * FRAME_SAMPLES + at) * (1 - at / 960);
      expect(Math.abs(sample - expected)).toBeLessThan(900);
    });
    expect(played.slice(gap + 960, gap + 3_200).every((sample) => sample === 0)).toBe(true);
  });

  it('goes on after a stall with the frame after the last one it played', () => {
    const stalled = play({ seconds: 4, sample: numbered, delay: (n) => (n >= 50 && n < 65 ? 320 - (n - 50) * 20 : 0) });
    const sent = fromFirst(stalled.played).filter((sample) => sample > 100);
    for (const at of [5_000, 15_999, 17_000, 24_000]) expect(sent).toContain(numbered(at));
    expect(stalled.last.missingMs).toBeGreaterThan(100);
    expect(stalled.last.targetMs).toBe(200);
  });

  it('plays an utterance that is shorter than its buffer', () => {
    const { played, last } = play({ seconds: 1, delay: (n) => (n < 2 ? 0 : undefined) });
    expect(fromFirst(played).filter((sample) => sample !== 0).length).toBeGreaterThanOrEqual(640);
    expect(last.playedMs).toBe(40);
  });

  it('takes a pause of the service for a pause: no larger buffer, nothing missing', () => {
    const pausing = (n: number) => (n % 50 < 25 ? 0 : undefined);
    const quietEnds = (at: number) => ((at / FRAME_SAMPLES) % 50 >= 20 ? 0 : voice(at));
    const { last } = play({ seconds: 20, delay: pausing, sample: quietEnds });
    expect(last).toMatchObject({ targetMs: 60, missingMs: 0 });
  });

  it('skips silence to catch up after a stall', () => {
    const delay = (n: number) => (n >= 50 && n < 80 ? (80 - n) * 20 : 0);
    const sentences = (at: number) => ((at / 16_000) % 2 < 1.5 ? voice(at) : 0);
    const { reports } = play({ seconds: 10, delay, sample: sentences, onlyReports: true });
    expect(Math.max(...reports.map(({ bufferedMs }) => bufferedMs))).toBeGreaterThan(300);
    expect(reports.at(-1)!.bufferedMs).toBeLessThan(260);
  });

  it('plays nothing of what it had when it is cleared, without a click', () => {
    const { played, output, reports } = play({ seconds: 2, clearAt: 1_000, delay: (n) => (n < 50 ? 0 : undefined) });
    const silence = played.findIndex((sample) => sample !== 0);
    const sent = played.length - silence;
    expect(sent).toBeGreaterThan(16_000);
    // Played until the clear, then faded out within 5 ms.
    const lastSound = played.findLastIndex((sample) => sample !== 0);
    expect(lastSound).toBeLessThanOrEqual(16_000 + 80 + BLOCK);
    expect(reports.at(-1)!.playedMs).toBeGreaterThan(900);
    expect(reports.at(-1)!.playedMs).toBeLessThanOrEqual(962);
    expect(reports.at(-1)!.bufferedMs).toBe(0);
    const steps = output.slice(1).map((value, at) => Math.abs(value - (output.at(at) ?? NaN)));
    expect(Math.max(...steps)).toBeLessThan(0.05);
  });

  it('never holds more than 10 s', () => {
    const reports: PlayOutReport[] = [];
    const playOut = new PlayOut(48_000, 1, (report) => reports.push(report));
    for (let n = 0; n < 2_000; n += 1) playOut.push(new Int16Array(FRAME_SAMPLES).fill(1_000));
    expect(playOut['queued']).toBeLessThanOrEqual(160_000);
  });

  it('plays the user on the left and the agent on the right', () => {
    const playOut = new PlayOut(16_000, 2, () => {});
    for (let n = 0; n < 10; n += 1)
      playOut.push(Int16Array.from({ length: 2 * FRAME_SAMPLES }, (_, at) => (at % 2 === 0 ? 8_192 : -16_384)));
    const sides = [new Float32Array(1_280), new Float32Array(1_280)];
    playOut.render(sides);
    expect(sides.at(0)?.at(-1)).toBeCloseTo(0.25, 3);
    expect(sides.at(1)?.at(-1)).toBeCloseTo(-0.5, 3);
  });
});
