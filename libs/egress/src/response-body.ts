import { PassThrough, Transform, type Duplex, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { discard, type StreamedResponse } from './egress.js';

interface BodyLimits {
  /** As received. */
  maxRawBytes: number;
  /** After decoding: a few KB of gzip can expand to gigabytes. */
  maxDecodedBytes: number;
}

export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';
}

export class UnknownEncoding extends Error {
  override readonly name = 'UnknownEncoding';
}

/** The requested encodings, which `takeBody` decodes. */
export const ACCEPT_ENCODING = 'gzip, br';

/**
 * Writes the decoded body of a response into `sink` and ends it. Stops at the first byte over a limit, also while decoding; only a
 * few pieces are in memory at a time. @returns the bytes written.
 * @throws BodyTooLarge, UnknownEncoding, the signal's reason, or the error of the connection, the decoder or the sink.
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

/** `deflate` is not requested: many servers implement it incorrectly (RFC 9110 §8.4.1.2). */
function decoderOf({ headers }: StreamedResponse): Duplex {
  const encoding = String(headers['content-encoding'] ?? 'identity');
  const make = DECODERS.get(encoding.trim().toLowerCase());
  if (!make) throw new UnknownEncoding('The body has an unsupported content encoding.');
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

/** Forwards pieces and fails at the first byte beyond the limit. */
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
