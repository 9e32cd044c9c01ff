import { APICallError } from '@ai-sdk/provider';
import { retryAfterMs } from '@app/common';
import { type ServerError, serverErrorOf, shorten, statusError, withoutKey } from '../../socket/server-protocol.js';
import { ProviderBusy, ProviderUnavailable } from '../../voice-provider.js';
import { TEMPORARY } from '../vendor-http.js';

/** For a server that is overloaded and names no time. */
const BUSY_MS = 1_000;
/** Too many requests; Anthropic's servers are overloaded. */
const BUSY = new Set([429, 529]);

/** The error of a failed answer, as `generate` of a LanguageModel rejects. `key` never appears in its message. */
export function modelError(name: string, error: unknown, key: string | undefined): Error {
  if (error instanceof ProviderUnavailable || error instanceof ProviderBusy) return error;
  if (APICallError.isInstance(error) && error.statusCode !== undefined && error.statusCode !== 200)
    return callError(name, error.statusCode, error, key);
  // The package wraps errors that happen while it reads.
  if (APICallError.isInstance(error) && error.cause !== undefined) return modelError(name, error.cause, key);
  const { message = 'no reason' } =
    error instanceof Error ? error : serverErrorOf(typeof error === 'string' ? { message: error } : error);
  return new Error(shorten(`The answer of ${name} failed: ${withoutKey(key, message)}`));
}

function callError(name: string, status: number, error: APICallError, key: string | undefined): Error {
  const body = bodyOf(error.responseBody);
  const fault = faultIn(body);
  const said = { ...fault, message: withoutKey(key, fault.message ?? '') };
  if (TEMPORARY.has(status)) return new Error(`The server of ${name} gave up the request (HTTP ${status}).`);
  const waitMs = BUSY.has(status) || status === 503 ? askedPauseMs(error.responseHeaders ?? {}, body) : undefined;
  return statusError(name, status, said, waitMs ?? (BUSY.has(status) ? BUSY_MS : undefined));
}

/** `{error: {…}}`; some servers send a list of it, or a text. */
function faultIn(body: unknown): ServerError {
  const { error } = ((Array.isArray(body) ? body[0] : body) ?? {}) as { error?: unknown };
  return serverErrorOf(typeof error === 'string' ? { message: error } : error);
}

/** In milliseconds: a header, or a `RetryInfo` of Google. */
function askedPauseMs(headers: Record<string, string>, body: unknown): number | undefined {
  const ms = Number(headers['retry-after-ms'] ?? Number.NaN);
  if (ms >= 0 && Number.isFinite(ms)) return ms;
  const { error } = ((Array.isArray(body) ? body[0] : body) ?? {}) as { error?: { details?: unknown } };
  const details = Array.isArray(error?.details) ? (error.details as ({ retryDelay?: unknown } | null)[]) : [];
  const delay = details.map((one) => one?.retryDelay).find((value) => typeof value === 'string');
  const seconds = /^(\d+(?:\.\d+)?)s$/.exec(delay ?? '')?.[1];
  return retryAfterMs(headers['retry-after']) ?? (seconds === undefined ? undefined : Number(seconds) * 1_000);
}

function bodyOf(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}
