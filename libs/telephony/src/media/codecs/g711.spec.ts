import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { decode, decodeSample, encode, encodeSample, transcode, Volume } from './g711.js';
import { FRAME_BYTES, type G711 } from '../session/media-port.js';
import { levelDb } from '../signals/voice-activity.js';

const bytes = Array.from({ length: 256 }, (_, byte) => byte);

/** Magnitudes at the end of each segment: G.711 table 2a (times 4, to 16 bits) and table 1a (times 8). */
const MU_SEGMENT_ENDS = [30, 93, 219, 471, 975, 1_983, 3_999, 8_031].map((value) => value * 4);
const A_SEGMENT_ENDS = [31, 63, 126, 252, 504, 1_008, 2_016, 4_032].map((value) => value * 8);

/** SHA-256 of the output of the ITU-T G.191 algorithms (ulaw_compress, alaw_compress) for -32768, -32767 ... 32767. */
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

  it('converts between the laws through linear samples, and leaves audio of the same law unchanged', () => {
    const mu = encode('PCMU', everySample);
    expect([...transcode(mu, 'PCMU', 'PCMA')]).toEqual([...encode('PCMA', decode('PCMU', mu))]);
    expect(transcode(mu, 'PCMU', 'PCMU')).toBe(mu);
  });
});

const loud = (law: G711): Buffer =>
  encode(
    law,
    Int16Array.from({ length: FRAME_BYTES }, (_, i) => 8_000 * Math.sin((2 * Math.PI * i) / 16)),
  );

/** Levels of consecutive frames relative to the original. */
function levels(law: G711, volume: Volume, frames: number): number[] {
  return Array.from({ length: frames }, () => {
    const frame = Buffer.from(loud(law));
    volume.apply(law, frame, FRAME_BYTES);
    return Math.round(levelDb(law, frame) - levelDb(law, loud(law)));
  });
}

describe.each<G711>(['PCMU', 'PCMA'])('the volume of %s', (law) => {
  it('reaches the requested level within two frames and returns as fast', () => {
    const volume = new Volume();
    volume.attenuate(12);
    expect(levels(law, volume, 3)).toEqual([-6, -12, -12]);
    volume.attenuate(0);
    expect(levels(law, volume, 3)).toEqual([-6, 0, 0]);
  });

  it('leaves audio unchanged by default', () => {
    const frame = Buffer.from(loud(law));
    new Volume().apply(law, frame, FRAME_BYTES);
    expect(frame).toEqual(loud(law));
  });

  it('keeps silence silent, and changes only the given bytes', () => {
    const frame = Buffer.concat([encode(law, new Int16Array(80)), loud(law).subarray(0, 80)]);
    const volume = new Volume();
    volume.attenuate(6);
    volume.apply(law, frame, 80);
    expect(decode(law, frame.subarray(0, 80)).every((sample) => Math.abs(sample) <= 8)).toBe(true);
    expect(frame.subarray(80)).toEqual(loud(law).subarray(0, 80));
  });
});
