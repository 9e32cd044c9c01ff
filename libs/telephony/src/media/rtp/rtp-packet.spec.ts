import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { parseRtp, RTP_HEADER_BYTES, sequenceDistance, timestampDistance, writeRtpHeader } from './rtp-packet.js';

const header = { payloadType: 8, marker: true, sequence: 65_535, timestamp: 0xfffffff0, ssrc: 0xdeadbeef };

function packet(payload: Buffer): Buffer {
  const bytes = Buffer.alloc(RTP_HEADER_BYTES + payload.length);
  writeRtpHeader(bytes, header);
  payload.copy(bytes, RTP_HEADER_BYTES);
  return bytes;
}

const withBits = (bytes: Buffer, bits: number): Buffer => Buffer.from(bytes).fill(0x80 | bits, 0, 1);

describe('RTP packets', () => {
  it('can be parsed after writing', () => {
    const payload = Buffer.from('payload');
    expect(parseRtp(packet(payload))).toEqual({ ...header, payload });
  });

  it('skips contributing sources, a header extension and padding', () => {
    const sources = Buffer.alloc(8);
    const extension = Buffer.from([0xbe, 0xde, 0, 1, 1, 2, 3, 4]);
    const padding = Buffer.from([0, 0, 3]);
    const bytes = withBits(packet(Buffer.concat([sources, extension, Buffer.from('voice'), padding])), 0x20 | 0x10 | 2);
    expect(parseRtp(bytes)?.payload.toString()).toBe('voice');
  });

  it.each([
    ['an empty datagram', Buffer.alloc(0)],
    ['eleven bytes', packet(Buffer.alloc(0)).subarray(0, 11)],
    ['version 1', packet(Buffer.alloc(160)).fill(0x40, 0, 1)],
    ['an RTCP sender report', packet(Buffer.alloc(16)).fill(200, 1, 2)],
    ['more sources than bytes', withBits(packet(Buffer.alloc(8)), 15)],
    ['an extension without its length', withBits(packet(Buffer.alloc(2)), 0x10)],
    ['an extension longer than the datagram', withBits(packet(Buffer.from([0, 0, 0xff, 0xff])), 0x10)],
    ['more padding than payload', withBits(packet(Buffer.from([0, 0, 200])), 0x20)],
    ['padding of no bytes', withBits(packet(Buffer.from([1, 2, 0])), 0x20)],
    ['more than 300 ms', packet(Buffer.alloc(2_401))],
  ])('%s is not an RTP packet', (_name, bytes) => expect(parseRtp(bytes)).toBeUndefined());

  it('never throws and never reads beyond the datagram, whatever arrives', () => {
    const datagrams = Array.from({ length: 20_000 }, (_, i) => randomBytes(1 + (i % 64)));
    for (const bytes of datagrams) bytes.fill(0x80 | (bytes.readUInt8(0) & 0x3f), 0, 1);
    const tooLong = datagrams.filter((bytes) => (parseRtp(bytes)?.payload.length ?? 0) > bytes.length);
    expect(tooLong).toEqual([]);
  });

  it.each([
    [65_535, 0, 1],
    [0, 65_535, -1],
    [10, 20, 10],
    [0, 32_767, 32_767],
  ])('sequence numbers: from %d to %d is %d', (from, to, distance) =>
    expect(sequenceDistance(from, to)).toBe(distance),
  );

  it.each([
    [0xffffffff, 0, 1],
    [160, 0, -160],
  ])('timestamps: from %d to %d is %d', (from, to, distance) => expect(timestampDistance(from, to)).toBe(distance));
});
