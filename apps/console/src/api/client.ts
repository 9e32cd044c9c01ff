import { IGNORED_FIELDS_HEADER, ignoredFields, ignoredFieldText } from '@app/client';
import { signal } from '@preact/signals';
import { type ApiPath, apiPath } from './path.js';
import type { Agent, AgentVersion, Campaign, ListOf, PhoneNumber, Trunk } from './types.js';

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
  const url = URL.createObjectURL(await response.blob());
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

/** A request as a command to paste. `$TOKEN` stands for the token, which must not appear on screen. */
export function curl(method: string, path: ApiPath, body?: object): string {
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${urlOf(path).href}`,
    `-H "Authorization: Bearer $TOKEN"`,
    ...(body ? [`-H 'Content-Type: application/json'`, `-d '${JSON.stringify(body)}'`] : []),
  ];
  return lines.join(' \\\n  ');
}

export function curlUpload(path: ApiPath, title: string, file: string): string {
  return [
    `curl ${urlOf(path).href}`,
    `-H "Authorization: Bearer $TOKEN"`,
    `-F title='${title}' -F source_type=file -F file=@${file}`,
  ].join(' \\\n  ');
}

const PER_PAGE = 100;
/** A select of more than 1,000 options is useless. */
const MAX_PAGES = 10;

async function list<T>(path: ApiPath, signal: AbortSignal): Promise<T[]> {
  const all: T[] = [];
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const { data, meta } = await ask<ListOf<T>>('GET', path, { query: { per_page: PER_PAGE, page }, signal });
    all.push(...data);
    if (page >= meta.last_page) break;
  }
  return all;
}

export const agentsOf = (signal: AbortSignal): Promise<Agent[]> => list<Agent>(apiPath`agents`, signal);
export const numbersOf = (signal: AbortSignal): Promise<PhoneNumber[]> => list<PhoneNumber>(apiPath`numbers`, signal);
export const trunksOf = (signal: AbortSignal): Promise<Trunk[]> => list<Trunk>(apiPath`trunks`, signal);

export const campaignsOf = (signal: AbortSignal): Promise<Campaign[]> => list<Campaign>(apiPath`campaigns`, signal);
export const versionsOf = (agentId: string, signal: AbortSignal): Promise<AgentVersion[]> =>
  list<AgentVersion>(apiPath`agents/${agentId}/versions`, signal);

/** The name that `npm start` gives to the trunk of its sandbox phone. */
const SANDBOX_TRUNK = 'sandbox-phone';

/** `127.0.0.1:5070`; undefined without a sandbox phone. */
export function sandboxPhone(trunks: readonly Trunk[]): string | undefined {
  const target = trunks.find(({ name, active }) => name === SANDBOX_TRUNK && active)?.targets[0];
  return target && `${target.host}:${target.port ?? 5060}`;
}
