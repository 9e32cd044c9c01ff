import { describe, expect, it } from '@jest/globals';
import { SpeechWatch } from './speech-watch.js';

/** Seconds at which silence is reported; each pair: seconds, and the levels of microphone and agent. */
function reports(...parts: [seconds: number, input: number, output: number][]): number[] {
  const watch = new SpeechWatch();
  const found: number[] = [];
  let ticks = 0;
  for (const [seconds, input, output] of parts) {
    for (let tick = 0; tick < seconds * 10; tick += 1) {
      ticks += 1;
      if (watch.isSilent(input, output)) found.push(ticks / 10);
    }
  }
  return found;
}

const [VOICE, NOTHING, NOISE] = [0.2, 0, 0.001];

describe('the watch for a silent microphone', () => {
  it.each<[string, Parameters<typeof reports>, number[]]>([
    ['reports 10 s without a sound, once', [[40, NOTHING, NOTHING]], [10]],
    ['takes the noise of a quiet room for silence', [[11, NOISE, NOTHING]], [10]],
    ['does not report a voice', [[60, VOICE, NOTHING]], []],
    [
      'counts from the last sound',
      [
        [9, NOTHING, NOTHING],
        [0.1, VOICE, NOTHING],
        [9.9, NOTHING, NOTHING],
      ],
      [],
    ],
    [
      'does not count while the agent speaks',
      [
        [5, NOTHING, NOTHING],
        [60, NOTHING, VOICE],
        [5, NOTHING, NOTHING],
      ],
      [70],
    ],
    [
      'reports again after a sound',
      [
        [10, NOTHING, NOTHING],
        [1, VOICE, NOTHING],
        [10, NOTHING, NOTHING],
      ],
      [10, 21],
    ],
  ])('%s', (_title, parts, expected) => expect(reports(...parts)).toEqual(expected));
});
