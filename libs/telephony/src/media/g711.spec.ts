import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { decode, decodeSample, encode, encodeSample, transcode } from './g711.js';
import type { G711 } from './media-port.js';

const bytes = Array.from({ length: 256 }, (_, byte) => byte);

/** Magnitudes at the end of each segment: G.711 table 2a (times 4, to 16 bits) and table 1a (times 8). */
const MU_SEGMENT_ENDS = [30, 93, 219, 471, 975, 1_983, 3_999, 8_031].map((value) => value * 4);
const A_SEGMENT_ENDS = [31, 63, 126, 252, 504, 1_008, 2_016, 4_032].map((value) => value * 8);

/** SHA-256 of what the algorithms of ITU-T G.191 (ulaw_compress, alaw_compress) make of -32768, -32767 ... 32767. */
const REFERENCE: [G711, string][] = [
  ['PCMU', '90c29de505fb68e766118303bd552a16005dcf810873698bee1d8f3b247ce28c'],
  ['PCMA', '38488f6fd710f4686360edc4d38639f96c491595ef93f8eb8d62d5e07ca6ce7b'],
];

const everySample = Int16Array.from({ length: 65_536 }, (_, index) => index - 32_768);

describe('G.711', () => {
  it.each(MU_SEGMENT_ENDS.map((value, segment) => [segment, value]))(
    'mu-law segment %d ends at %d',
    (segment, value) => {
      const lastStep = ~((segment << 4) | 0x0f) & 0xff;
      expect(decodeSample('PCMU', lastStep)).toBe(value);
      expect(decodeSample('PCMU', lastStep & 0x7f)).toBe(-value);
    },
  );

  it.each(A_SEGMENT_ENDS.map((value, segment) => [segment, value]))('A-law segment %d ends at %d', (segment, value) => {
    const lastStep = (0x80 | (segment << 4) | 0x0f) ^ 0x55;
    expect(decodeSample('PCMA', lastStep)).toBe(value);
    expect(decodeSample('PCMA', lastStep ^ 0x80)).toBe(-value);
  });

  it.each<G711>(['PCMU', 'PCMA'])('%s reproduces every byte; only negative zero becomes zero', (codec) => {
    const back = bytes.map((byte) => encodeSample(codec, decodeSample(codec, byte)));
    expect(back.filter((byte, i) => byte !== i)).toEqual(codec === 'PCMU' ? [0xff] : []);
  });

  it.each(REFERENCE)('%s encodes every sample as the reference does', (codec, digest) => {
    expect(createHash('sha256').update(encode(codec, everySample)).digest('hex')).toBe(digest);
  });

  it('converts between the laws through linear samples, and within one law not at all', () => {
    const mu = encode('PCMU', everySample);
    expect([...transcode(mu, 'PCMU', 'PCMA')]).toEqual([...encode('PCMA', decode('PCMU', mu))]);
    expect(transcode(mu, 'PCMU', 'PCMU')).toBe(mu);
  });
});
