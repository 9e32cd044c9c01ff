import { once } from 'node:events';
import { PassThrough, Readable, Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { BodyTooLarge, responseText, takeBody, UnknownEncoding } from './response-body.js';

const limits = { maxRawBytes: 100_000, maxDecodedBytes: 200_000 };
const signal = AbortSignal.timeout(20_000);

/** Collects the written chunks. */
class Kept extends Writable {
  readonly pieces: Buffer[] = [];

  override _write(piece: Buffer, _: string, done: () => void): void {
    this.pieces.push(piece);
    this.emit('piece');
    done();
  }

  get text(): string {
    return Buffer.concat(this.pieces).toString();
  }
}

const answer = (body: Readable, headers: Record<string, string> = {}) => ({ status: 200, headers, body });
const packed = (encoding: string, bytes: Buffer) =>
  answer(Readable.from(slices(bytes)), { 'content-encoding': encoding });

/** Delivers a body in pieces, like the network. */
function* slices(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += 1_000) yield bytes.subarray(at, at + 1_000);
}

const TEXT = 'All the news that is fit to print. '.repeat(1_000);
const plain = Buffer.from(TEXT);

it.each([
  ['identity', plain],
  ['', plain],
  ['gzip', gzipSync(plain)],
  ['X-GZIP', gzipSync(plain)],
  ['br', brotliCompressSync(plain)],
  ['deflate', deflateSync(plain)],
  ['none', plain],
  ['utf-8', plain],
  ['identity, gzip', gzipSync(plain)],
  ['gzip, br', brotliCompressSync(gzipSync(plain))],
])('a body with the encoding %j is decoded', async (encoding, bytes) => {
  const kept = new Kept();
  expect(await takeBody(packed(encoding, bytes), kept, limits, signal)).toBe(plain.length);
  expect(kept.text).toBe(TEXT);
});

it('a body of exactly the maximum length is complete', async () => {
  const kept = new Kept();
  const exactly = { maxRawBytes: plain.length, maxDecodedBytes: plain.length };
  const response = answer(Readable.from(slices(plain)), { 'content-length': String(plain.length) });
  expect(await takeBody(response, kept, exactly, signal)).toBe(plain.length);
  expect(kept.text).toBe(TEXT);
});

describe('a rejected body', () => {
  it('with an excessive content-length is not read', async () => {
    const body = new PassThrough();
    const response = answer(body, { 'content-length': '100001' });
    const kept = new Kept();
    await expect(takeBody(response, kept, limits, signal)).rejects.toThrow(BodyTooLarge);
    expect([body.destroyed, kept.destroyed]).toEqual([true, true]);
  });

  it('without an end is cut at the first byte beyond the limit', async () => {
    let sent = 0;
    const endless = Readable.from(
      (async function* () {
        for (;;) {
          await turn();
          sent += 10_000;
          yield Buffer.alloc(10_000);
        }
      })(),
    );
    await expect(takeBody(answer(endless), new Kept(), limits, signal)).rejects.toThrow(BodyTooLarge);
    expect(endless.destroyed).toBe(true);
    expect(sent).toBeLessThan(limits.maxRawBytes * 3);
  });

  const lots = Buffer.alloc(60_000_000);
  it.each([
    ['gzip', gzipSync(lots)],
    ['deflate', deflateSync(lots)],
    ['br', brotliCompressSync(lots, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } })],
  ])('that is a %s bomb is decoded only up to the limit', async (encoding, bomb) => {
    const kept = new Kept();
    await expect(takeBody(packed(encoding, bomb), kept, limits, signal)).rejects.toThrow(BodyTooLarge);
    expect(kept.pieces.reduce((bytes, piece) => bytes + piece.length, 0)).toBeLessThanOrEqual(limits.maxDecodedBytes);
    expect(kept.destroyed).toBe(true);
  });

  it('that is a bomb inside of a bomb is decoded only up to the limit', async () => {
    const twice = packed('gzip, gzip', gzipSync(gzipSync(lots)));
    await expect(takeBody(twice, new Kept(), limits, signal)).rejects.toThrow(BodyTooLarge);
  });

  it('is one with an unsupported encoding or with too many', async () => {
    const often = packed('gzip, gzip, gzip, gzip', plain);
    await expect(takeBody(often, new Kept(), limits, signal)).rejects.toThrow(UnknownEncoding);
    await expect(takeBody(packed('gzip, zstd', plain), new Kept(), limits, signal)).rejects.toThrow(UnknownEncoding);
    await expect(takeBody(packed('zstd', plain), new Kept(), limits, signal)).rejects.toThrow(UnknownEncoding);
  });

  it('is one that is truncated', async () => {
    const torn = packed('gzip', gzipSync(plain).subarray(0, 100));
    await expect(takeBody(torn, new Kept(), limits, signal)).rejects.toThrow('unexpected end of file');
  });

  it('that arrives slowly is ended by the signal', async () => {
    const stop = new AbortController();
    const body = new PassThrough();
    const kept = new Kept();
    const taken = takeBody(answer(body), kept, limits, stop.signal);
    const arrived = once(kept, 'piece');
    body.write('a');
    await arrived;
    stop.abort(new Error('too late'));
    await expect(taken).rejects.toThrow('too late');
    expect(body.destroyed).toBe(true);
  });
});

it.each([
  ['text/plain; charset=ISO-8859-1', Buffer.from('Größe', 'latin1'), 'Größe'],
  ['text/plain; charset="windows-1252"', Buffer.from([0x80]), '€'],
  ['text/plain;charset=shift_jis', Buffer.from([0x93, 0xfa, 0x96, 0x7b]), '日本'],
  ['text/plain; charset=utf-16le', Buffer.from('Größe', 'utf16le'), 'Größe'],
  ['text/plain; charset=iso-8859-1', Buffer.from('Größe'), 'Größe'],
  ['text/plain; charset=nonsense', Buffer.from('Größe', 'latin1'), 'Größe'],
  ['text/plain', Buffer.from('Größe', 'latin1'), 'Größe'],
  ['text/plain', Buffer.from('Größe'), 'Größe'],
  ['application/json', Buffer.from('\ufeff{}'), '{}'],
  ['', Buffer.from('a\0b'), 'a\0b'],
])('a body of type %j is read in its charset: %j', (type, body, expected) =>
  expect(responseText({ headers: { 'content-type': type } }, body)).toBe(expected),
);
