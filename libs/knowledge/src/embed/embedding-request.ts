import { BlockedAddress } from '@app/common';
import type { Egress, EgressResponse } from '@app/egress';
import { vectorsOf } from './embedding-answer.js';
import { EmbeddingsRefused, EmbeddingsUnavailable } from './embedder.js';
import type { HttpSettings } from './embedding-settings.js';

/** The endpoint does not take these texts: one of them is too long, or there are too many. Fewer of them may do. */
export class TextsRefused extends EmbeddingsRefused {}

/** The endpoint asks to be left alone for so long. */
export class AskedToWait extends EmbeddingsUnavailable {
  constructor(
    message: string,
    readonly waitMs: number,
  ) {
    super(message);
  }
}

export interface RequestOptions {
  timeoutMs: number;
  signal: AbortSignal;
  /** Ask for base64: a quarter of the bytes of a list of numbers, and 0.3 ms instead of 4 to parse for 32 x 1536. */
  base64: boolean;
}

/** More than 49,152 numbers (see `batchLimits`) take as text. */
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
  if (response.truncated) throw new EmbeddingsRefused('The answer of the embeddings endpoint is too long.');
  return vectorsOf(response.body.toString('utf8'), texts.length, settings.dimensions);
}

function bodyOf(settings: HttpSettings, texts: readonly string[], base64: boolean): string {
  return JSON.stringify({
    model: settings.model,
    input: texts,
    ...(base64 && { encoding_format: 'base64' }),
    ...(settings.asksForDimensions && { dimensions: settings.dimensions }),
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
  const said = `The embeddings endpoint answered ${status}${errorCode(response.body)}.`;
  if (status === 408 || status === 429 || status >= 500) {
    const waitMs = retryAfterMs(response.headers['retry-after'], Date.now());
    return waitMs === undefined ? new EmbeddingsUnavailable(said) : new AskedToWait(said, waitMs);
  }
  if (status === 400 || status === 413 || status === 422) return new TextsRefused(said);
  const remedy = status === 401 || status === 403 ? 'the key' : 'EMBEDDINGS_URL and EMBEDDINGS_MODEL';
  return new EmbeddingsRefused(`${said} Check ${remedy}.`);
}

/** The identifier in OpenAI's errors. Their sentences stay out: they may repeat the text or a part of the key. */
function errorCode(body: Buffer): string {
  const found = /"(?:code|type)"\s*:\s*"([a-z_0-9]{1,60})"/i.exec(body.subarray(0, 4096).toString('latin1'));
  return found?.[1] ? ` (${found[1]})` : '';
}

/** RFC 9110 §10.2.3: seconds or a date. */
export function retryAfterMs(header: string | string[] | undefined, now: number): number | undefined {
  if (typeof header !== 'string') return undefined;
  const ms = /^\d+(?:\.\d+)?$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now;
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}
