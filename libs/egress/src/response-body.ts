import { PassThrough, Transform, type Duplex, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { discard, type StreamedResponse } from './egress.js';

interface BodyLimits {
  /** As they arrive. */
  maxRawBytes: number;
  /** After unpacking: a few KB of gzip can stand for gigabytes. */
  maxDecodedBytes: number;
}

export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';
}

export class UnknownEncoding extends Error {
  override readonly name = 'UnknownEncoding';
}

/** What `takeBody` unpacks and is worth asking for. */
export const ACCEPT_ENCODING = 'gzip, br';

/**
 * Writes the body of an answer, unpacked, into `sink`, and ends it. Stops at the first byte over a limit, while unpacking too:
 * no more than a few pieces are ever in memory. @returns the bytes written.
 * @throws BodyTooLarge, UnknownEncoding, the signal's reason, or the error of the connection, the unpacking or the sink.
 */
export async function takeBody(
  response: StreamedResponse,
  sink: Writable,
  limits: BodyLimits,
  signal: AbortSignal,
): Promise<number> {
  let written = 0;
  try {
    if (Number(response.headers['content-length']) > limits.maxRawBytes) throw tooLarge(limits.maxRawBytes);
    const raw = upTo(limits.maxRawBytes);
    const decoded = upTo(limits.maxDecodedBytes, (bytes) => (written = bytes));
    await pipeline(response.body, raw, decoderOf(response), decoded, sink, { signal });
  } catch (error) {
    discard(response);
    sink.destroy();
    throw signal.aborted ? signal.reason : error;
  }
  return written;
}

/** `deflate` is not asked for: half of the servers that speak it mean something else (RFC 9110 §8.4.1.2). */
function decoderOf({ headers }: StreamedResponse): Duplex {
  const encoding = String(headers['content-encoding'] ?? 'identity');
  const make = DECODERS.get(encoding.trim().toLowerCase());
  if (!make) throw new UnknownEncoding('The body is packed in a way that was not asked for.');
  return make();
}

const DECODERS: ReadonlyMap<string, () => Duplex> = new Map<string, () => Duplex>([
  ['', () => new PassThrough()],
  ['identity', () => new PassThrough()],
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['br', createBrotliDecompress],
  ['deflate', createInflate],
]);

/** Passes pieces on and fails at the first byte too many. */
function upTo(limit: number, count?: (bytes: number) => void): Transform {
  let bytes = 0;
  return new Transform({
    transform(piece: Buffer, _, done) {
      bytes += piece.length;
      if (bytes > limit) return done(tooLarge(limit));
      count?.(bytes);
      done(null, piece);
    },
  });
}

const tooLarge = (limit: number): BodyTooLarge => new BodyTooLarge(`The body has more than ${limit} bytes.`);
