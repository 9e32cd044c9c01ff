import { describe, expect, it } from '@jest/globals';
import { DtmfDeduplicator } from './dtmf.js';
import type { DtmfTransport } from '../session/media-port.js';

type Press = [way: DtmfTransport, digit: string, atMs: number, durationMs?: number];

describe('keys of a call', () => {
  it.each<[string, Press[], string]>([
    [
      'one way',
      [
        ['rtp', '1', 0],
        ['rtp', '1', 150],
        ['rtp', '2', 300],
      ],
      '112',
    ],
    [
      'in the signalling',
      [
        ['signalling', '1', 0],
        ['signalling', '1', 150],
      ],
      '11',
    ],
    [
      'both ways',
      [
        ['rtp', '1', 0],
        ['signalling', '1', 40],
      ],
      '1',
    ],
    [
      'by both methods, the signalling first',
      [
        ['signalling', '#', 0],
        ['rtp', '#', 40],
      ],
      '#',
    ],
    [
      'a key twice, by both methods',
      [
        ['rtp', '5', 0],
        ['signalling', '5', 40],
        ['rtp', '5', 200],
        ['signalling', '5', 240],
      ],
      '55',
    ],
    [
      'by both methods, one of them later',
      [
        ['rtp', '1', 0],
        ['rtp', '2', 200],
        ['signalling', '1', 220],
        ['signalling', '2', 400],
      ],
      '12',
    ],
    [
      'different keys',
      [
        ['rtp', '1', 0],
        ['signalling', '2', 40],
      ],
      '12',
    ],
    [
      'the same key later by the other method',
      [
        ['rtp', '1', 0],
        ['signalling', '1', 1_000],
      ],
      '11',
    ],
    [
      'a long press, with the signalling when the key goes down',
      [
        ['signalling', '1', 0],
        ['rtp', '1', 1_500, 1_500],
      ],
      '1',
    ],
    [
      'a long press, with the signalling when the key goes up',
      [
        ['rtp', '1', 1_500, 1_500],
        ['signalling', '1', 1_520, 1_500],
      ],
      '1',
    ],
    [
      'a press of ten seconds that is heard as a tone',
      [
        ['signalling', '*', 0],
        ['audible', '*', 10_000, 9_900],
      ],
      '*',
    ],
    [
      'a long press after a short one of the same key by the other method',
      [
        ['signalling', '1', 0],
        ['rtp', '1', 3_000, 1_500],
      ],
      '11',
    ],
  ])('%s', (_, presses, expected) => {
    let heard = '';
    const keys = new DtmfDeduplicator((digit) => (heard += digit));
    for (const [way, digit, atMs, durationMs = 100] of presses) keys.press(way, digit, durationMs, atMs);
    expect(heard).toBe(expected);
  });
});
