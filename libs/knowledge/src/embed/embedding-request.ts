import { BlockedAddress } from '@app/common';
import { retryAfterMs } from '@app/common';
import type { Egress, EgressResponse } from '@app/egress';
import { EmbeddingsRefused, EmbeddingsUnavailable, normalise, vectorOf } from './embedder.js';
import type { HttpSettings } from './embedding-settings.js';
import { z } from 'zod';

/** The endpoint rejects these texts: one is too long, or there are too many. A smaller batch may succeed. */
export class TextsRefused extends EmbeddingsRefused {}

/** The endpoint requested a pause by Retry-After. */
export class RetryAfterRequested extends EmbeddingsUnavailable {
  constructor(
    message: string,
    readonly waitMs: number,
  ) {
    super(message);
  }
}

interface RequestOptions {
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
  const response = await send(egress, settings, bodyOf(settings, texts, options.base64), options);
  if (response.status !== 200) throw refusalOf(response);
  if (response.truncated) throw new EmbeddingsRefused('The response of the embeddings endpoint is too long.');
  return vectorsOf(response.body.toString('utf8'), texts.length, settings.dimensions);
}

function bodyOf(settings: HttpSettings, texts: readonly string[], base64: boolean): string {
  return JSON.stringify({
    model: settings.model,
    input: texts,
    ...(base64 && { encoding_format: 'base64' }),
    ...(settings.requestsDimensions && { dimensions: settings.dimensions }),
  });
}

async function send(
  egress: Egress,
  settings: HttpSettings,
  body: string,
  { timeoutMs, signal }: RequestOptions,
): Promise<EgressResponse> {
  try {
    return await egress.request(settings.url, {
      method: 'POST',
      headers: settings.headers,
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
    return waitMs === undefined ? new EmbeddingsUnavailable(sentence) : new RetryAfterRequested(sentence, waitMs);
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

const answer = z.object({
  data: z.array(
    z.object({ index: z.number().int().min(0).optional(), embedding: z.union([z.string(), z.array(z.number())]) }),
  ),
});

/**
 * The normalised vectors of a response in the order of the texts; undefined for zero vectors. Accepts base64 and lists of
 * numbers: some servers ignore the requested format.
 * @throws EmbeddingsUnavailable if the body is not JSON (a proxy's page), EmbeddingsRefused if it does not match the request.
 */
export function vectorsOf(body: string, texts: number, dimensions: number): (Float32Array | undefined)[] {
  const parsed = answer.safeParse(jsonOf(body));
  if (!parsed.success) throw new EmbeddingsRefused("The embeddings endpoint does not follow OpenAI's response format.");
  const { data } = parsed.data;
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
