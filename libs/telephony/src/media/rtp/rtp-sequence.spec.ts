import { describe, expect, it } from '@jest/globals';
import { ReorderWindow, RtpSource } from './rtp-sequence.js';

/** `[sequence, arrival ms]` in the order of arrival; a single number advances the time. */
function released(steps: ([number, number] | number)[]): number[] {
  const out: number[] = [];
  const window = new ReorderWindow<number>({ release: (item) => out.push(item), late: () => undefined });
  for (const step of steps) {
    if (typeof step === 'number') window.expire(step);
    else window.push(step[0], step[0], step[1]);
  }
  return out;
}

/** This many packets at once; the first follows a lost one. */
const flood = (count: number) => Array.from({ length: count }, (_, n): [number, number] => [n + 3, 1]);

describe('reorder window', () => {
  it.each<[string, ([number, number] | number)[], number[]]>([
    [
      'packets in order do not wait',
      [
        [1, 0],
        [2, 20],
        [3, 40],
      ],
      [1, 2, 3],
    ],
    [
      'two swapped',
      [
        [1, 0],
        [3, 20],
        [2, 25],
      ],
      [1, 2, 3],
    ],
    [
      'three packets in reverse',
      [
        [1, 0],
        [4, 1],
        [3, 2],
        [2, 3],
        [5, 4],
      ],
      [1, 2, 3, 4, 5],
    ],
    ['a lost packet delays the next one', [[1, 0], [3, 40], 80], [1]],
    ['for 60 ms', [[1, 0], [3, 40], 100], [1, 3]],
    ['and all packets after it', [[1, 0], [3, 40], [4, 60], [6, 80], 100], [1, 3, 4]],
    ['too late', [[1, 0], [3, 40], 100, [2, 101], [4, 102], 200], [1, 3, 4]],
    ['32 packets wait for a lost one', [[1, 0], ...flood(32)], [1]],
    ['33 packets do not', [[1, 0], ...flood(33)], [1, ...flood(33).map(([sequence]) => sequence)]],
  ])('%s', (_name, steps, expected) => expect(released(steps)).toEqual(expected));

  it('releases waiting packets when the numbering restarts', () => {
    const out: number[] = [];
    const window = new ReorderWindow<number>({ release: (item) => out.push(item), late: () => undefined });
    window.push(1, 1, 0);
    window.push(3, 3, 1);
    window.reset();
    window.push(1_000, 1_000, 2);
    expect(out).toEqual([1, 3, 1_000]);
  });

  it('reports missing packets and late ones', () => {
    const out: string[] = [];
    const window = new ReorderWindow<number>({
      release: (item, missing) => out.push(`${item} after ${missing}`),
      late: (item) => out.push(`${item} late`),
    });
    window.push(1, 1, 0);
    window.push(4, 4, 20);
    window.expire(100);
    window.push(3, 3, 110);
    expect(out).toEqual(['1 after 0', '4 after 2', '3 late']);
  });

  /** Packets every 20 ms; every tenth is this late, or (undefined) lost. */
  function waitAfter(packets: number, lateMs: number | undefined): number {
    const window = new ReorderWindow<number>({ release: () => undefined, late: () => undefined });
    const arrivals: [number, number][] = [];
    for (let n = 0; n < packets; n++) {
      if (n % 10 !== 5) arrivals.push([n, n * 20]);
      else if (lateMs !== undefined) arrivals.push([n, n * 20 + lateMs]);
    }
    arrivals.sort(([, one], [, other]) => one - other);
    for (const [n, at] of arrivals) {
      window.expire(at);
      window.push(n, n, at);
    }
    return window.waitMs;
  }

  it.each([
    ['a clean network', 9, undefined, 60],
    ['packets that are 105 ms late', 200, 105, 105],
    ['packets that are 300 ms late', 400, 300, 120],
    ['lost packets', 1_000, undefined, 20],
  ])('%s: the wait adapts to the network', (_name, packets, lateMs, expected) => {
    expect(Math.abs(waitAfter(packets, lateMs) - expected)).toBeLessThanOrEqual(20);
  });
});

const packet = (sequence: number) => ({
  payloadType: 0,
  marker: false,
  sequence: sequence & 0xffff,
  timestamp: 0,
  ssrc: 1,
  payload: Buffer.alloc(0),
});

function arrivals(sequences: number[]): { source: RtpSource; kinds: string[] } {
  const source = new RtpSource(1);
  return { source, kinds: sequences.map((sequence) => source.arrive(packet(sequence))) };
}

const counted = ({ received, lost, reordered, duplicates }: RtpSource) => ({ received, lost, reordered, duplicates });

describe('statistics of a source', () => {
  it.each([
    ['everything in order', [1, 2, 3, 4], { received: 4, lost: 0, reordered: 0, duplicates: 0 }],
    [
      'across the wrap of the sequence number',
      [65_534, 65_535, 65_536, 65_537],
      { received: 4, lost: 0, reordered: 0, duplicates: 0 },
    ],
    ['two packets lost at the wrap', [65_534, 65_537], { received: 2, lost: 2, reordered: 0, duplicates: 0 }],
    ['a late packet is not lost', [1, 3, 2, 4], { received: 4, lost: 0, reordered: 1, duplicates: 0 }],
    ['a packet before the first one', [10, 9, 11], { received: 3, lost: 0, reordered: 1, duplicates: 0 }],
    ['doubled', [1, 2, 2, 3, 1], { received: 3, lost: 0, reordered: 0, duplicates: 2 }],
    [
      'a sender that restarts keeps its earlier loss',
      [1, 3, 40_000, 40_001, 40_003],
      { received: 4, lost: 2, reordered: 0, duplicates: 0 },
    ],
    ['one stray packet changes nothing', [1, 2, 40_000, 3], { received: 3, lost: 0, reordered: 0, duplicates: 0 }],
  ])('%s', (_name, sequences, expected) => expect(counted(arrivals(sequences).source)).toEqual(expected));

  it('detects a restarted numbering', () => {
    expect(arrivals([1, 2, 40_000, 40_001]).kinds).toEqual(['first', 'new', 'stray', 'first']);
  });

  it('estimates jitter as in RFC 3550: by a 16th of each deviation', () => {
    const source = new RtpSource(1);
    source.measureJitter(0, 1_000);
    source.measureJitter(160, 1_020);
    expect(source.jitterMs).toBe(0);
    source.measureJitter(320, 1_056);
    expect(source.jitterMs).toBeCloseTo(1, 6);
  });

  it('does not count the wrap of the timestamp as jitter', () => {
    const source = new RtpSource(1);
    source.measureJitter(0xffffffff - 159, 1_000);
    source.measureJitter(0, 1_020);
    expect(source.jitterMs).toBe(0);
  });
});
