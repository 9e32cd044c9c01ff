import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { parseRtp, writeRtpHeader } from './rtp-packet.js';
import { newLocalSrtp, SRTP_SUITES, type SrtpKey } from './srtp-keys.js';
import { derive, GcmTransform, Keystream, MAX_SRTP_TAG_BYTES, SrtpOpener, SrtpSealer } from './srtp.js';

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');

/** RFC 3711 appendix B.3. */
const MASTER_KEY = hex('E1F97A0D3E018BE0D64FA32C06DE4139');
const MASTER_SALT = hex('0EC675AD498AFEEBB6960B3AABE6');

describe('RFC 3711 appendix B', () => {
  it('B.2: the keystream of AES in counter mode', () => {
    const bytes = Buffer.alloc(48);
    new Keystream(hex('2B7E151628AED2A6ABF7158809CF4F3C'), hex('F0F1F2F3F4F5F6F7F8F9FAFBFCFD')).apply(bytes, 0, 0);
    expect(bytes).toEqual(
      hex('E03EAD0935C95E80E166B16DD92B4EB4 D23513162B02D0F72A43A2FE4A5F97AB 41E95B3BB0A2E8DD477901E4FCA894C0'),
    );
  });

  it.each([
    ['encryption', 0, 'C61E7A93744F39EE10734AFE3FF7A087'],
    ['salt', 2, '30CBBC08863D8C85D49DB34A9AE1'],
    ['authentication', 1, 'CEBE321F6FF7716B6FD4AB49AF256A156D38BAA4'],
  ])('B.3: the derived key for %s', (_, label, expected) => {
    expect(derive(MASTER_KEY, MASTER_SALT, label, expected.length / 2)).toEqual(hex(expected));
  });
});

describe('whole packets of other implementations', () => {
  /** The reference packets of libsrtp's test driver. */
  const key: SrtpKey = {
    tag: 1,
    suite: 'AES_CM_128_HMAC_SHA1_80',
    key: Buffer.concat([MASTER_KEY, MASTER_SALT]).toString('base64'),
  };
  const rtp = hex('800f1234decafbadcafebabe abababababababababababababababab');
  const srtp = hex('800f1234decafbadcafebabe4e55dc4ce79978d88ca4d215949d2402b78d6acc99ea179b8dbb');
  const rtcp = hex('81c8000bcafebabe abababababababababababababababab');
  const srtcp = hex('81c8000bcafebabe7128035be487b9bdbef89041f977a5a880000001993e08cd54d6c1230798');

  it('RTP is sealed and opened as in the reference', () => {
    const packet = Buffer.concat([rtp, Buffer.alloc(MAX_SRTP_TAG_BYTES)]);
    const length = new SrtpSealer(key).sealRtp(packet, rtp.length);
    expect(packet.subarray(0, length)).toEqual(srtp);
    expect(new SrtpOpener(key).openRtp(Buffer.from(srtp))).toEqual(rtp);
  });

  it('RTCP is sealed and opened as in the reference', () => {
    const sealer = new SrtpSealer(key);
    sealer.sealRtcp(Buffer.from(rtcp)); // the reference has index 1
    expect(sealer.sealRtcp(Buffer.from(rtcp))).toEqual(srtcp);
    expect(new SrtpOpener(key).openRtcp(Buffer.from(srtcp))).toEqual(rtcp);
  });

  it('with the short tag RTP has four bytes of tag and RTCP ten (RFC 4568 §6.2)', () => {
    const short: SrtpKey = { ...key, suite: 'AES_CM_128_HMAC_SHA1_32' };
    const packet = Buffer.concat([rtp, Buffer.alloc(MAX_SRTP_TAG_BYTES)]);
    const length = new SrtpSealer(short).sealRtp(packet, rtp.length);
    expect(packet.subarray(0, length)).toEqual(srtp.subarray(0, -6));
    expect(new SrtpOpener(short).openRtp(Buffer.from(srtp.subarray(0, -6)))).toEqual(rtp);
    expect(new SrtpOpener(short).openRtcp(Buffer.from(srtcp))).toEqual(rtcp);
  });

  it('AES-GCM is sealed and opened as in the reference', () => {
    const gcm: SrtpKey = {
      tag: 3,
      suite: 'AEAD_AES_128_GCM',
      key: hex('000102030405060708090a0b0c0d0e0f a0a1a2a3a4a5a6a7a8a9aaab').toString('base64'),
    };
    const sealedRtp = hex('800f1234decafbadcafebabe c5002ede04cfdd2eb91159e0880aa06e d2976826f796b201df3131a127e8a392');
    const sealedRtcp = hex(
      '81c8000bcafebabe c98b8b5df0392a55852b6c21ac8e7025 c52c6fbea2b3b446ea31123ba88ce61e 80000001',
    );
    const packet = Buffer.concat([rtp, Buffer.alloc(MAX_SRTP_TAG_BYTES)]);
    const sealer = new SrtpSealer(gcm);
    expect(packet.subarray(0, sealer.sealRtp(packet, rtp.length))).toEqual(sealedRtp);
    sealer.sealRtcp(Buffer.from(rtcp));
    expect(sealer.sealRtcp(Buffer.from(rtcp))).toEqual(sealedRtcp);
    expect(new SrtpOpener(gcm).openRtp(Buffer.from(sealedRtp))).toEqual(rtp);
    expect(new SrtpOpener(gcm).openRtcp(Buffer.from(sealedRtcp))).toEqual(rtcp);
  });

  it('RFC 7714 §16.1.1: AES-GCM over RTP', () => {
    const gcm = new GcmTransform('rtp', hex('000102030405060708090a0b0c0d0e0f'), hex('517569642070726f2071756f'));
    const [header, body] = [hex('8040f17b8041f8d35501a0b2'), Buffer.from('Gallia est omnis divisa in partes tres')];
    const tag = gcm.seal(header, body, Buffer.alloc(0), { ssrc: 0x5501a0b2, index: 0xf17b });
    expect(body).toEqual(hex('f24de3a3fb34de6cacba861c9d7e4bcabe633bd50d294e6f42a5f47a51c7d19b36de3adf8833'));
    expect(tag).toEqual(hex('899d7f27beb16a9152cf765ee4390cce'));
  });

  it('RFC 7714 §17.1: AES-GCM over RTCP', () => {
    const gcm = new GcmTransform('rtcp', hex('000102030405060708090a0b0c0d0e0f'), hex('517569642070726f2071756f'));
    const header = hex('81c8000d4d617273');
    const body = hex('4e5450314e545032525450200000042a0000e9304c756e61deadbeefdeadbeefdeadbeefdeadbeefdeadbeef');
    const tag = gcm.seal(header, body, hex('800005d4'), { ssrc: 0x4d617273, index: 0x5d4 });
    expect(body).toEqual(
      hex('63e94885dcdab67ca727d7662f6b7e997ff5c0f76c06f32dc676a5f1730d6fda4ce09b4686303ded0bb9275b'),
    );
    expect(tag).toEqual(hex('c84aa45896cf4d2fc5abf87245d9eade'));
  });
});

const PAYLOAD = Buffer.alloc(160, 0x5a);

function packet(sequence: number, ssrc = 7): { bytes: Buffer; length: number } {
  const bytes = Buffer.alloc(12 + PAYLOAD.length + MAX_SRTP_TAG_BYTES);
  writeRtpHeader(bytes, { payloadType: 0, marker: false, sequence, timestamp: sequence * 160, ssrc });
  PAYLOAD.copy(bytes, 12);
  return { bytes, length: 12 + PAYLOAD.length };
}

function sealed(sealer: SrtpSealer, sequence: number, ssrc?: number): Buffer {
  const { bytes, length } = packet(sequence & 0xffff, ssrc);
  return bytes.subarray(0, sealer.sealRtp(bytes, length));
}

/** Opens a copy: opening decrypts in place. */
function opened(opener: SrtpOpener, datagram: Buffer): Buffer | undefined {
  const plain = opener.openRtp(Buffer.from(datagram));
  return plain && parseRtp(plain)?.payload;
}

describe.each(SRTP_SUITES)('%s', (suite) => {
  const key = newLocalSrtp('required')!.keys.find((one) => one.suite === suite)!;

  it('encrypts the payload and decrypts it again', () => {
    const datagram = sealed(new SrtpSealer(key), 1);
    expect(datagram.includes(PAYLOAD.subarray(0, 4))).toBe(false);
    expect(opened(new SrtpOpener(key), datagram)).toEqual(PAYLOAD);
  });

  it('accepts each packet once, in any order', () => {
    const [sealer, opener] = [new SrtpSealer(key), new SrtpOpener(key)];
    const [first, second, third] = [1, 2, 3].map((sequence) => sealed(sealer, sequence)) as [Buffer, Buffer, Buffer];
    const order = [first, third, second, third, first];
    expect(order.map((one) => opened(opener, one) !== undefined)).toEqual([true, true, true, false, false]);
  });

  it('rejects packets older than its window', () => {
    const [sealer, opener] = [new SrtpSealer(key), new SrtpOpener(key)];
    const old = sealed(sealer, 1);
    for (let sequence = 2; sequence < 140; sequence++) opened(opener, sealed(sealer, sequence));
    expect(opened(opener, old)).toBeUndefined();
  });

  it('continues over a sequence rollover, with a late packet from before', () => {
    const [sealer, opener] = [new SrtpSealer(key), new SrtpOpener(key)];
    const numbers = [65_533, 65_534, 65_535, 65_536, 65_537];
    const datagrams = numbers.map((sequence) => sealed(sealer, sequence));
    const order = [0, 1, 3, 2, 4].map((index) => datagrams[index]!);
    expect(order.map((one) => opened(opener, one) !== undefined)).toEqual([true, true, true, true, true]);
    expect(opened(opener, datagrams[3]!)).toBeUndefined();
    for (let sequence = 65_538; sequence < 3 * 65_536; sequence += 20_000) {
      expect(opened(opener, sealed(sealer, sequence))).toEqual(PAYLOAD);
    }
  });

  it('rejects packets with a changed bit and packets of another key', () => {
    const opener = new SrtpOpener(key);
    const datagram = sealed(new SrtpSealer(key), 9);
    for (const at of [0, 1, 3, 8, 12, 100, datagram.length - 1]) {
      const forged = Buffer.from(datagram);
      forged[at]! ^= 1;
      expect(opener.openRtp(forged)).toBeUndefined();
    }
    const other = newLocalSrtp('required')!.keys.find((one) => one.suite === suite)!;
    expect(opened(opener, sealed(new SrtpSealer(other), 9))).toBeUndefined();
    expect(opened(opener, datagram)).toEqual(PAYLOAD); // and none of them moved the window
  });

  it('follows a remote party that changes its SSRC', () => {
    const opener = new SrtpOpener(key);
    for (const ssrc of [1, 2, 3, 4, 5, 6]) {
      expect(opened(opener, sealed(new SrtpSealer(key), 30_000 + ssrc, ssrc))).toEqual(PAYLOAD);
    }
  });

  it('tracks four sources and forgets the oldest when a fifth one arrives', () => {
    const opener = new SrtpOpener(key);
    const sourcesOf = (sequence: number, ssrcs: number[]) => {
      const taken = ssrcs.map((ssrc) => opened(opener, sealed(new SrtpSealer(key), sequence, ssrc)) !== undefined);
      return ssrcs.filter((_, index) => taken[index]);
    };
    const four = [1, 2, 3, 4];
    const backwards = four.toReversed();
    expect([sourcesOf(1, four), sourcesOf(2, backwards)]).toEqual([four, backwards]);
    expect([sourcesOf(1, four), sourcesOf(2, four)]).toEqual([[], []]);
    expect(sourcesOf(1, [5, 1])).toEqual([5, 1]);
  });

  it('starts at sequence number 0 and rejects earlier ones', () => {
    const opener = new SrtpOpener(key);
    expect(opened(opener, sealed(new SrtpSealer(key), 0))).toEqual(PAYLOAD);
    expect(opened(opener, sealed(new SrtpSealer(key), 65_535))).toBeUndefined();
  });

  it('numbers RTCP packets separately, each index once', () => {
    const [sealer, opener] = [new SrtpSealer(key), new SrtpOpener(key)];
    const report = hex('80c90001 00000007');
    const datagram = sealer.sealRtcp(Buffer.from(report));
    expect(opener.openRtcp(Buffer.from(datagram))).toEqual(report);
    expect(opener.openRtcp(Buffer.from(datagram))).toBeUndefined();
    const next = sealer.sealRtcp(Buffer.from(report));
    next[next.length - 12]! ^= 1;
    expect(opener.openRtcp(next)).toBeUndefined();
  });

  it('never throws on garbage', () => {
    const opener = new SrtpOpener(key);
    for (let length = 0; length < 300; length++) {
      const garbage = randomBytes(length);
      expect([opener.openRtp(garbage), opener.openRtcp(Buffer.from(garbage))]).toEqual([undefined, undefined]);
    }
    expect(opener.openRtp(randomBytes(65_507))).toBeUndefined();
    expect(opener.openRtcp(randomBytes(65_507))).toBeUndefined();
  });
});

it.each([
  ['AES_CM_128_HMAC_SHA1_80', 30],
  ['AES_CM_128_HMAC_SHA1_32', 30],
  ['AEAD_AES_128_GCM', 28],
])('key and salt of %s have %d bytes', (suite, bytes) => {
  const offered = newLocalSrtp('required')!.keys.find((one) => one.suite === suite)!;
  expect(Buffer.from(offered.key, 'base64')).toHaveLength(bytes);
});

it('every call gets fresh keys, and none when the policy is off', () => {
  const keys = [newLocalSrtp('required'), newLocalSrtp('optional')].flatMap((one) => one!.keys.map(({ key }) => key));
  expect(new Set(keys).size).toBe(6);
  expect(newLocalSrtp('off')).toBeUndefined();
});
