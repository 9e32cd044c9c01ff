import type { IncomingMessage } from 'node:http';
import { ProviderBusy, ProviderUnavailable } from '../voice-provider.js';
import { InsecureEndpoint } from './endpoint.js';

/** An error from a server, as an HTTP body or an event. */
export interface ServerError {
  code?: string | null;
  type?: string;
  message?: string;
}

/** The bytes read of an error body. */
const MAX_BODY = 8 * 1024;
/** The characters kept of a foreign message. */
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

/** The error of an HTTP response other than 101. Reads a bounded part of its body. */
export async function httpError(name: string, response: IncomingMessage): Promise<Error> {
  const { statusCode: status = 0 } = response;
  const fault = await faultIn(response);
  const said = fault.message ? `: ${shortened(fault.message)}` : '.';
  if (isPermanent(fault))
    return new ProviderUnavailable(`The server of ${name} refused the connection (${fault.code})${said}`);
  if (status === 401 || status === 403)
    return new ProviderUnavailable(`The server of ${name} rejected the key (HTTP ${status})${said}`);
  if (status === 404)
    return new ProviderUnavailable(`The server of ${name} has no such address or model (HTTP 404)${said}`);
  const retryAfterMs = retryAfter(response.headers['retry-after']);
  if (retryAfterMs !== undefined)
    return new ProviderBusy(`The server of ${name} asked for a later retry (HTTP ${status})${said}`, retryAfterMs);
  if (status === 429 || status >= 500)
    return new Error(`The server of ${name} is overloaded or broken (HTTP ${status})${said}`);
  return new ProviderUnavailable(`The server of ${name} rejected the connection (HTTP ${status})${said}`);
}

/** The error of a server that rejected the session. */
export function sessionError(name: string, error: unknown): Error {
  const fault = serverErrorOf(error);
  const sentence = `The server of ${name} rejected the session (${fault.code ?? fault.type ?? 'error'}): ${shortened(fault.message ?? '')}`;
  if (isPermanent(fault) || fault.type === 'invalid_request_error') return new ProviderUnavailable(sentence);
  return new Error(sentence);
}

/** Seconds or an HTTP date (RFC 9110 §10.2.3), in milliseconds from now. */
export function retryAfter(header: string | undefined, now = Date.now()): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+$/.test(header)) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

export const shortened = (text: string): string =>
  text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE - 1)}…` : text;

async function faultIn(response: IncomingMessage): Promise<ServerError> {
  let body = '';
  try {
    for await (const chunk of response) {
      body += String(chunk);
      if (body.length > MAX_BODY) break;
    }
    return serverErrorOf((JSON.parse(body) as { error?: unknown } | null)?.error);
  } catch {
    // Not every proxy sends JSON; the status is enough.
    return {};
  } finally {
    response.destroy();
  }
}
