import { describe, expect, it } from '@jest/globals';
import { RtpSource } from './rtp-source.js';

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
  return { source, kinds: sequences.map((sequence) => source.arrive(packet(sequence)).arrival) };
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
    ['two lost at the wrap', [65_534, 65_537], { received: 2, lost: 2, reordered: 0, duplicates: 0 }],
    ['a late one is not lost', [1, 3, 2, 4], { received: 4, lost: 0, reordered: 1, duplicates: 0 }],
    ['one before the first', [10, 9, 11], { received: 3, lost: 0, reordered: 1, duplicates: 0 }],
    ['doubled', [1, 2, 2, 3, 1], { received: 3, lost: 0, reordered: 0, duplicates: 2 }],
    [
      'a sender that starts over keeps its earlier loss',
      [1, 3, 40_000, 40_001, 40_003],
      { received: 4, lost: 2, reordered: 0, duplicates: 0 },
    ],
    ['one stray packet changes nothing', [1, 2, 40_000, 3], { received: 3, lost: 0, reordered: 0, duplicates: 0 }],
  ])('%s', (_name, sequences, expected) => expect(counted(arrivals(sequences).source)).toEqual(expected));

  it('detects a restarted numbering', () => {
    expect(arrivals([1, 2, 40_000, 40_001]).kinds).toEqual(['first', 'new', 'stray', 'first']);
  });

  it('estimates jitter as RFC 3550 does: 16th part of each deviation', () => {
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
