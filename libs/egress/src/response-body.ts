import { isUtf8 } from 'node:buffer';
import { Transform, type Duplex, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { decodeText } from '@app/common/text-files';
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
    await pipeline([response.body, raw, ...decodersOf(response, limits), decoded, sink], { signal });
  } catch (error) {
    discard(response);
    sink.destroy();
    throw signal.aborted ? signal.reason : error;
  }
  return written;
}

/** One decoder per coding, the last applied one first (RFC 9110 §8.4), each within the limit of the decoded body. */
function decodersOf({ headers }: StreamedResponse, { maxDecodedBytes }: BodyLimits): Duplex[] {
  const codings = contentCodings(headers);
  if (codings.length > MAX_CODINGS) throw new UnknownEncoding('The body has too many content encodings.');
  return codings.toReversed().flatMap((coding) => {
    const decoder = DECODERS.get(coding);
    if (!decoder) throw new UnknownEncoding('The body has an unsupported content encoding.');
    return [decoder(), upTo(maxDecodedBytes)];
  });
}

const MAX_CODINGS = 3;

/** `deflate` is not requested: many servers implement it incorrectly (RFC 9110 §8.4.1.2). */
const DECODERS: ReadonlyMap<string, () => Duplex> = new Map<string, () => Duplex>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['br', createBrotliDecompress],
  ['deflate', createInflate],
]);

/** The registered codings that change the content (IANA HTTP Content Coding Registry). */
const CODINGS = new Set(
  'aes128gcm br compress dcb dcz deflate exi gzip pack200-gzip x-compress x-gzip zstd'.split(' '),
);

/**
 * The codings of a response in lower case, in the order in which they were applied. Servers also send values that are not codings,
 * such as `none` or `utf-8`, with content that is not encoded: these are left out, as browsers do.
 */
export const contentCodings = (headers: StreamedResponse['headers']): string[] =>
  String(headers['content-encoding'] ?? '')
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => CODINGS.has(coding));

/** One for all responses: the dispatcher reads each webhook's response. */
const UTF8 = new TextDecoder();

/**
 * The body as text in the charset that its Content-Type names, without a byte order mark. Without a charset: UTF-8, or windows-1252
 * if it is not UTF-8.
 */
export function responseText({ headers }: Pick<StreamedResponse, 'headers'>, body: Uint8Array): string {
  const [, charset = 'utf-8'] =
    /;\s*charset\s*=\s*"?([\w.:+-]{1,40})/i.exec(String(headers['content-type'] ?? '')) ?? [];
  if (/^utf-16(?:le|be)?$/i.test(charset)) return new TextDecoder(charset).decode(body);
  return isUtf8(body) ? UTF8.decode(body) : decodeText(body, [charset, 'windows-1252']).text;
}

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
