import { IGNORED_FIELDS_HEADER, ignoredFields, ignoredFieldText } from '@app/client';
import { signal } from '@preact/signals';
import type { ApiPath } from './path.js';

/** The API has the origin of this page. */
const BASE = new URL('../api/v1/', location.href.split('#')[0]);

const KEY = 'trunkline.token';

/** The token lives as long as the tab and is sent only in the Authorization header. */
export const session = {
  get token(): string | null {
    return sessionStorage.getItem(KEY);
  },
  begin(token: string): void {
    sessionStorage.setItem(KEY, token);
  },
  end(): void {
    sessionStorage.removeItem(KEY);
  },
};

/** An error response of the API; `errors` has sentences by field. */
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

/** Sentences by field, as the API returns them. */
export type FieldErrors = Record<string, ApiError['errors'][string]>;

export type Query = Readonly<Record<string, string | number | undefined>>;

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

export const CONSOLE_HEADER = 'Trunkline-Console';

/** Without a token, the cookie of a sign-in authenticates. The service accepts it only with this header, which foreign pages cannot send. */
export const authorization = (): Record<string, string> =>
  session.token === null ? { [CONSOLE_HEADER]: '1' } : { Authorization: `Bearer ${session.token}` };

/** Maximum number of sentences on screen; further ones repeat the same mistake. */
const MAX_SENTENCES = 5;

/** Sentences about fields that the service ignored: console and service may have different versions. */
export const ignored = signal<readonly string[]>([]);

export function reportIgnored(method: string, url: URL, headers: (name: string) => string | null): void {
  const path = url.pathname.slice(Math.max(0, url.pathname.indexOf('/api/v1/')));
  const fields = ignoredFields(headers(IGNORED_FIELDS_HEADER), method, path);
  if (fields.length === 0) return;
  ignored.value = [...new Set([...ignored.value, ...fields.map(ignoredFieldText)])].slice(0, MAX_SENTENCES);
}

/** Throws ApiError for a response outside 2xx; 401 signs out. */
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

/** The JSON body of a response. */
export const ask = async <T>(method: string, path: ApiPath, options: RequestOptions = {}): Promise<T> =>
  (await (await request(method, path, options)).json()) as T;

/** Saves a file of the API; a link would lack the token. */
export async function download(path: ApiPath, name: string, query: Query = {}): Promise<void> {
  const response = await request('GET', path, { query, headers: { Accept: '*/*' } });
  save(await response.blob(), name);
}

/** Saves a file. */
export function save(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  Object.assign(document.createElement('a'), { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1_000);
}

async function reach(url: URL, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new ApiError(0, 'The service cannot be reached. Is it running, and is this computer connected?');
  }
}

/** An error response as ApiError; `text` is its body. */
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
    // A proxy in front of the API answers with its own page.
    return {};
  }
}

export const isAbort = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError';

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
