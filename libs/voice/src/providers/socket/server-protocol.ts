import { isInsideAddress, readJson, retryAfterMs, VERSION } from '@app/common';
import { lookup } from 'node:dns';
import type { IncomingMessage } from 'node:http';
import { isIP, type LookupFunction } from 'node:net';
import { ProviderBusy, ProviderUnavailable } from '../voice-provider.js';

/** An error from a server, as an HTTP body or an event. */
export interface ServerError {
  code?: string | null;
  type?: string;
  message?: string;
}

/** The bytes that are read of an error body. */
const MAX_BODY = 8 * 1024;
/** The characters that are kept of a server's message. */
const MAX_MESSAGE = 300;

/** Codes after which a retry fails again: key, account or model must change first. */
const FINAL_CODES = new Set([
  'invalid_api_key',
  'insufficient_quota',
  'billing_hard_limit_reached',
  'model_not_found',
  'unsupported_country_region_territory',
  'account_deactivated',
]);

const TLS_FAULTS: [RegExp, string][] = [
  [/^CERT_HAS_EXPIRED$/, 'its certificate has expired'],
  [/^CERT_NOT_YET_VALID$/, 'its certificate is not valid yet; check the clock of this machine'],
  [
    /SELF_SIGNED_CERT|^UNABLE_TO_(?:VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT)/,
    'its certificate authority is not trusted; add it with NODE_EXTRA_CA_CERTS',
  ],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'its certificate is for another name'],
  [/^EPROTO$|^ERR_SSL_/, 'the TLS handshake failed; check that the port expects wss://'],
];

/** Reads an error of unknown shape; some servers send numbers as codes. */
export function serverErrorOf(error: unknown): ServerError {
  const { code, type, message }: Record<string, unknown> =
    typeof error === 'object' && error !== null ? { ...error } : {};
  return { code: wordsOf(code), type: wordsOf(type), message: wordsOf(message) };
}

const wordsOf = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;

/** Whether a retry is useless. */
export const isPermanent = ({ code }: ServerError): boolean => FINAL_CODES.has(code ?? '');

/** The error of a connection that never opened: DNS, routing or TLS. */
export function connectionError(name: string, error: Error & { code?: string }): Error {
  if (error instanceof InsecureEndpoint) return new ProviderUnavailable(error.message);
  const { code = '' } = error;
  const tls = TLS_FAULTS.find(([pattern]) => pattern.test(code));
  if (tls) return new ProviderUnavailable(`The TLS connection to ${name} failed: ${tls[1]} (${code}).`);
  return new Error(`The server of ${name} cannot be reached${code && ` (${code})`}.`);
}

/** The error of an HTTP response other than 101. Reads a bounded part of its body. `busyMs`: the wait after a 429 that names none. */
export async function httpError(name: string, response: IncomingMessage, busyMs?: number): Promise<Error> {
  const { statusCode = 0, headers } = response;
  const waitMs = retryAfterMs(headers['retry-after']) ?? (statusCode === 429 ? busyMs : undefined);
  return statusError(name, statusCode, await faultIn(response), waitMs);
}

/** The error of an HTTP status. `waitMs`: the time that the server asked for. */
export function statusError(name: string, status: number, fault: ServerError, waitMs?: number): Error {
  const said = fault.message ? `: ${shorten(fault.message)}` : '.';
  if (isPermanent(fault))
    return new ProviderUnavailable(`The server of ${name} refused the connection (${fault.code})${said}`);
  if (status === 401 || status === 403)
    return new ProviderUnavailable(`The server of ${name} rejected the key (HTTP ${status})${said}`);
  if (status === 404)
    return new ProviderUnavailable(`The server of ${name} has no such address or model (HTTP 404)${said}`);
  if (waitMs !== undefined)
    return new ProviderBusy(`The server of ${name} asked for a later retry (HTTP ${status})${said}`, waitMs);
  if (status === 429 || status >= 500)
    return new Error(`The server of ${name} is overloaded or broken (HTTP ${status})${said}`);
  return new ProviderUnavailable(`The server of ${name} rejected the connection (HTTP ${status})${said}`);
}

/** The error of a server that rejected the session. */
export function sessionError(name: string, error: unknown): Error {
  const fault = serverErrorOf(error);
  const sentence = `The server of ${name} rejected the session (${fault.code ?? fault.type ?? 'error'}): ${shorten(fault.message ?? '')}`;
  if (isPermanent(fault) || fault.type === 'invalid_request_error') return new ProviderUnavailable(sentence);
  return new Error(sentence);
}

/** Servers repeat a wrong key in their message. */
export const withoutKey = (key: string | undefined, text: string): string => (key ? text.replaceAll(key, '…') : text);

export const shorten = (text: string): string =>
  text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE - 1)}…` : text;

async function faultIn(response: IncomingMessage): Promise<ServerError> {
  let body = '';
  try {
    for await (const chunk of response) {
      body += String(chunk);
      if (body.length > MAX_BODY) break;
    }
    return faultOf(JSON.parse(body));
  } catch {
    // Not every proxy sends JSON; the status is enough.
    return {};
  } finally {
    response.destroy();
  }
}

/**
 * The error in a JSON body: `error` (OpenAI, Google, Anthropic), `detail` as an object, a sentence or a list (ElevenLabs), or the body
 * itself (Deepgram, Cartesia).
 */
function faultOf(body: unknown): ServerError {
  if (!isObject(body)) return {};
  const said = body.error ?? body.detail ?? body;
  const first: unknown = Array.isArray(said) ? said[0] : said;
  if (!isObject(first)) return { message: wordsOf(first) };
  return serverErrorOf({
    ...first,
    code: first.code ?? first.status ?? first.err_code ?? first.error_code,
    message: first.message ?? first.msg ?? first.err_msg ?? first.title,
  });
}

type Kind = 'string' | 'number' | 'object';
/** A question mark allows a missing or null field. */
type Field = Kind | `${Kind}?`;

/** The required fields per event type, `item.name` inside of `item`; types that are not listed have none. */
export type FieldsOf<Event extends { type: string }> = Partial<Record<Event['type'], Record<string, Field>>>;

interface Wanted {
  path: string[];
  kind: Kind;
  optional: boolean;
}

/**
 * Parses a JSON message as an event and checks the fields that are used. Undefined: a violation of the protocol. The checks matter
 * because an exception in a handler would end all calls of the media thread.
 */
export function eventReader<Event extends { type: string }>(
  fields: FieldsOf<Event>,
): (message: string) => Event | undefined {
  const wanted = new Map(
    Object.entries<Record<string, Field>>(fields as Record<string, Record<string, Field>>).map(([type, of]) => [
      type,
      Object.entries(of).map(wantedOf),
    ]),
  );
  return (message) => {
    const event = parse(message);
    if (!isObject(event) || typeof event.type !== 'string') return undefined;
    const complete = (wanted.get(event.type) ?? []).every((field) => holds(event, field));
    return complete ? (event as unknown as Event) : undefined;
  };
}

const wantedOf = ([name, field]: [string, Field]): Wanted => ({
  path: name.split('.'),
  kind: field.replace('?', '') as Kind,
  optional: field.endsWith('?'),
});

function holds(event: Record<string, unknown>, { path, kind, optional }: Wanted): boolean {
  let value: unknown = event;
  for (const name of path) value = isObject(value) ? value[name] : undefined;
  if (value === undefined || value === null) return optional;
  // JSON has no Infinity, but `1e999` parses to it.
  return typeof value === kind && (kind !== 'number' || Number.isFinite(value));
}

function parse(message: string): unknown {
  try {
    return readJson(message);
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Tool arguments as JSON text. The protocol requires text; some servers send the object itself, or nothing for no arguments. */
export const argumentsJson = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value ?? {});

/** The URL and headers of one connection. */
export interface Endpoint {
  url: URL;
  headers: Record<string, string>;
  /** Present without TLS: refuses names that resolve outside the private network. */
  lookup?: LookupFunction;
}

interface ServerAddress {
  url: string;
  key?: string;
  model?: string;
  /** The headers with the key, of servers that take it otherwise than the Realtime servers. */
  authorization?: Record<string, string>;
}

/** The URL must not be used; the message is a sentence for the operator. */
export class InsecureEndpoint extends Error {}

/**
 * The URL of a server with the model in its query; a `deployment` in the operator's URL (Azure's dated API versions) names the
 * model already. Throws InsecureEndpoint when audio and key would be sent over the Internet without TLS.
 */
export function endpointOf({ url: base, key, model, authorization }: ServerAddress): Endpoint {
  const url = new URL(base);
  if (model !== undefined && !url.searchParams.has('deployment')) url.searchParams.set('model', model);
  const headers = { 'user-agent': `trunkline/${VERSION}`, ...(authorization ?? credentials(url, key)) };
  const endpoint = { url, headers };
  if (url.protocol === 'wss:' || url.protocol === 'https:') return endpoint;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !isInsideAddress(host)) throw new InsecureEndpoint(PLAIN);
  return { ...endpoint, lookup: insideOnly };
}

const PLAIN =
  'Speech and key would be sent over the Internet unencrypted: the address of the voice provider must be wss:// or https://.';

/**
 * Azure expects a key as `api-key`; its bearer tokens are those of Entra ID. The Gemini API takes its key in a header of Google's;
 * Vertex AI takes a bearer token.
 */
function credentials({ hostname, pathname }: URL, key: string | undefined): Record<string, string> {
  if (!key) return {};
  if (pathname.includes('/google.ai.generativelanguage.')) return { 'x-goog-api-key': key };
  if (/\.azure(?:-api)?\.(?:com|net|us|cn)$/.test(hostname)) return { 'api-key': key };
  return { authorization: `Bearer ${key}` };
}

const insideOnly: LookupFunction = (hostname, options, callback) =>
  lookup(hostname, options, (error, address, family) => {
    const addresses = typeof address === 'string' ? [address] : (address ?? []).map((one) => one.address);
    const outside = addresses.some((one) => !isInsideAddress(one));
    if (!error && outside) callback(new InsecureEndpoint(PLAIN), '', 0);
    else callback(error, address, family);
  });
