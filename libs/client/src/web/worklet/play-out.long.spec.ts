import { describe, expect, it } from '@jest/globals';
import { play } from '../../../test/played-line.js';

describe('the play-out, beside a sound card with a clock of its own', () => {
  it.each([0.001, 0.0002, -0.0002, -0.001])(
    'plays 10 minutes of a sound card whose clock differs by %f without a gap and within 40 ms',
    (skew) => {
      const { reports } = play({ seconds: 600, rate: 16_000, skew, onlyReports: true });
      expect(reports.at(-1)!.missingMs).toBe(0);
      const levels = reports.slice(50).map(({ bufferedMs }) => bufferedMs);
      expect(Math.max(...levels) - Math.min(...levels)).toBeLessThanOrEqual(40);
      // What was played is behind what was sent by the buffer only.
      const behind = reports.slice(50).map(({ playedMs }, index) => ((index + 51) * 100) / (1 + skew) - playedMs);
      expect(Math.max(...behind) - Math.min(...behind)).toBeLessThanOrEqual(40);
    },
  );
});
