import { BlockedAddress } from '@app/common';
import { retryAfterMs } from '@app/common';
import type { Egress, EgressResponse } from '@app/egress';
import { EmbeddingsRefused, EmbeddingsUnavailable, normalise, vectorOf } from './embedder.js';
import type { HttpSettings } from './embedding-settings.js';
import type { TextKind, WireFormat } from './wire-formats.js';

/** The endpoint rejects these texts: one is too long, or there are too many. A smaller batch may succeed. */
export class TextsRefused extends EmbeddingsRefused {}

/** The endpoint may have requested a pause by Retry-After. */
export class RetryAfterRequested extends EmbeddingsUnavailable {
  constructor(
    message: string,
    readonly waitMs: number | undefined,
  ) {
    super(message);
  }
}

/** The endpoint answers 429: it takes no more for now. */
export class LimitReached extends RetryAfterRequested {}

interface RequestOptions {
  kind: TextKind;
  timeoutMs: number;
  signal: AbortSignal;
  /** Requests base64: a quarter of the bytes of a list of numbers, and 0.3 ms instead of 4 to parse 32 x 1536. */
  base64: boolean;
}

/** More than the size of 49,152 numbers (see `batchLimits`) as text. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/** Sends one batch once. @throws EmbeddingsUnavailable, EmbeddingsRefused, TextsRefused, or the signal's reason. */
export async function requestVectors(
  egress: Egress,
  settings: HttpSettings,
  texts: readonly string[],
  options: RequestOptions,
): Promise<(Float32Array | undefined)[]> {
  const response = await send(egress, settings, bodyOf(settings, texts, options), options);
  if (response.status !== 200) throw refusalOf(response);
  if (response.truncated) throw new EmbeddingsRefused('The response of the embeddings endpoint is too long.');
  return vectorsOf(response.body.toString('utf8'), texts.length, settings);
}

function bodyOf(settings: HttpSettings, texts: readonly string[], { kind, base64 }: RequestOptions): string {
  const { format, model, requestsDimensions } = settings;
  const dimensions = requestsDimensions ? settings.dimensions : undefined;
  return JSON.stringify(format.body({ model, texts, kind, base64, dimensions }));
}

async function send(
  egress: Egress,
  settings: HttpSettings,
  body: string,
  { kind, timeoutMs, signal }: RequestOptions,
): Promise<EgressResponse> {
  try {
    return await egress.request(settings.url, {
      method: 'POST',
      headers: { ...settings.headers, ...settings.format.headers?.(kind) },
      body,
      signal,
      totalTimeoutMs: timeoutMs,
      maxBodyBytes: MAX_ANSWER_BYTES,
    });
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof BlockedAddress)
      throw new EmbeddingsRefused(`EMBEDDINGS_URL cannot be used: ${error.message}`, { cause: error });
    throw new EmbeddingsUnavailable('The embeddings endpoint cannot be reached.', { cause: error });
  }
}

function refusalOf(response: EgressResponse): Error {
  const { status } = response;
  const sentence = `The embeddings endpoint answered ${status}${errorCode(response.body)}.`;
  if (status === 408 || status === 429 || status >= 500) {
    const waitMs = retryAfterMs(response.headers['retry-after']);
    return status === 429 ? new LimitReached(sentence, waitMs) : new RetryAfterRequested(sentence, waitMs);
  }
  if (status === 400 || status === 413 || status === 422) return new TextsRefused(sentence);
  const remedy = status === 401 || status === 403 ? 'the key' : 'EMBEDDINGS_URL and EMBEDDINGS_MODEL';
  return new EmbeddingsRefused(`${sentence} Check ${remedy}.`);
}

/** The identifier in OpenAI's errors. Their messages are left out: they may repeat the text or a part of the key. */
function errorCode(body: Buffer): string {
  const found = /"(?:code|type)"\s*:\s*"([a-z_0-9]{1,60})"/i.exec(body.subarray(0, 4096).toString('latin1'));
  return found?.[1] ? ` (${found[1]})` : '';
}

/**
 * The normalised vectors of a response in the order of the texts; undefined for zero vectors. Accepts base64 and lists of
 * numbers: some servers ignore the requested format.
 * @throws EmbeddingsUnavailable if the body is not JSON (a proxy's page), EmbeddingsRefused if it does not match the request.
 */
export function vectorsOf(
  body: string,
  texts: number,
  { dimensions, format }: { dimensions: number; format: WireFormat },
): (Float32Array | undefined)[] {
  const parsed = format.response.safeParse(jsonOf(body));
  if (!parsed.success) throw new EmbeddingsRefused("The embeddings endpoint does not follow the vendor's format.");
  const { data } = parsed;
  const vectors = new Array<Float32Array | undefined>(texts).fill(undefined);
  const places = new Set(data.map(({ index }, place) => index ?? place));
  if (data.length !== texts || places.size !== texts || Math.max(...places) >= texts)
    throw new EmbeddingsRefused(`The embeddings endpoint returned ${data.length} vectors for ${texts} texts.`);
  for (const [place, { index = place, embedding }] of data.entries())
    vectors[index] = normalise(ofLength(numbersOf(embedding), dimensions));
  return vectors;
}

function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (error) {
    throw new EmbeddingsUnavailable('The embeddings endpoint returned a body that is not JSON.', { cause: error });
  }
}

const numbersOf = (embedding: string | number[]): Float32Array =>
  typeof embedding === 'string' ? vectorOf(Buffer.from(embedding, 'base64')) : Float32Array.from(embedding);

function ofLength(vector: Float32Array, dimensions: number): Float32Array {
  if (vector.length === dimensions) return vector;
  throw new EmbeddingsRefused(
    `The model returns vectors of ${vector.length} numbers, not ${dimensions}: set EMBEDDINGS_DIMENSIONS=${vector.length}.`,
  );
}
