import type { ApiPath } from './api-path.js';
import { reportIgnored } from './ignored-notice.js';
import { session } from './session.js';

/** Where the page comes from is where the API is. */
const BASE = new URL('../api/v1/', location.href.split('#')[0]);

/** What the API answered, in its own words: `errors` has sentences by field. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly errors: Readonly<Record<string, readonly string[]>> = {},
    readonly retryAfterMs?: number,
  ) {
    super(message);
  }
}

type Query = Readonly<Record<string, string | number | undefined>>;

interface RequestOptions {
  query?: Query;
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal;
}

export function urlOf(path: ApiPath, query: Query = {}): URL {
  const url = new URL(String(path), BASE);
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== '') url.searchParams.set(name, String(value));
  return url;
}

export const authorization = (): Record<string, string> => ({ Authorization: `Bearer ${session.token ?? ''}` });

/** Throws ApiError for an answer that is none of 2xx; 401 signs out. */
export async function request(method: string, path: ApiPath, options: RequestOptions = {}): Promise<Response> {
  const { query, body, headers, signal } = options;
  const url = urlOf(path, query);
  const response = await reach(url, {
    method,
    headers: {
      Accept: 'application/json',
      ...authorization(),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
    cache: 'no-store',
  });
  reportIgnored(method, url, (name) => response.headers.get(name));
  if (response.ok) return response;
  throw refused(response.status, await response.text(), response.headers.get('retry-after'));
}

/** The JSON of an answer. */
export const ask = async <T>(method: string, path: ApiPath, options: RequestOptions = {}): Promise<T> =>
  (await (await request(method, path, options)).json()) as T;

async function reach(url: URL, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new ApiError(0, 'The service cannot be reached. Is it running, and is this computer connected?');
  }
}

/** An answer that says no, as an error; `text` is its body. */
export function refused(status: number, text: string, retryAfter: string | null = null): ApiError {
  if (status === 401) document.dispatchEvent(new CustomEvent('signed-out'));
  const wait = Number(retryAfter);
  const retryAfterMs = retryAfter !== null && wait > 0 ? wait * 1_000 : undefined;
  const { message, errors } = parsed(text);
  return new ApiError(status, message ?? `The service answered with status ${status}.`, errors ?? {}, retryAfterMs);
}

function parsed(text: string): { message?: string; errors?: Record<string, string[]> } {
  try {
    return JSON.parse(text) as { message?: string; errors?: Record<string, string[]> };
  } catch {
    // A proxy between us and the API answers with a page of its own.
    return {};
  }
}

export const isAbort = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError';

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
