import { VERSION } from '@app/common';
import { createHmac } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { Egress, EgressRequest, EgressResponse } from './egress.js';
import { responseText } from './response-body.js';

/** One attempt at a request to an endpoint of an account: a webhook, or the action of a tool. */
export interface SignedRequest extends Omit<EgressRequest, 'headers' | 'body'> {
  /** `webhook-id`: the same in every attempt. */
  id: string;
  url: string;
  /** Empty: no body. */
  body: string;
  /** Those of the account, newest first: two during a rotation. */
  secrets: readonly string[];
  /** Headers of the service in addition to those of the signature; names in lower case. */
  own: Record<string, string>;
  /** Headers of the owner of the endpoint, which replace the service's; names in lower case. */
  given?: Record<string, string> | undefined;
}

/** What became of a signed request. A failure of the endpoint is a result. */
type SignedExchange = { latencyMs: number; requestHeaders: Record<string, string> } & (
  { response: EgressResponse; head: string } | { error: unknown }
);

const USER_AGENT = `Trunkline/${VERSION}`;
const HEAD_BYTES = 16 * 1024;
const REDACTED = '[redacted]';

/**
 * Signs a request and sends it once. `requestHeaders` are those that were sent, without the owner's values; `head` is the text of the
 * response's first 16 KiB.
 */
export async function sendSigned(egress: Egress, request: SignedRequest): Promise<SignedExchange> {
  const { id, url, body, secrets, own, given, method, signal, totalTimeoutMs, maxBodyBytes, beforeWrite } = request;
  const headers = signedHeaders(id, body, secrets);
  if (body !== '') headers['content-type'] = 'application/json';
  for (const name of Object.keys(own)) headers[name] = own[name]!;
  const requestHeaders = given ? { ...headers, ...redacted(given) } : headers;
  const sent = given ? { ...headers, ...given } : headers;
  // Written out: a rest of properties and its spread cost as much as the signature, for every delivery.
  const options = { method, signal, totalTimeoutMs, maxBodyBytes, beforeWrite, headers: sent, body: body || undefined };
  const startedAt = performance.now();
  try {
    const response = await egress.request(url, options);
    // PostgreSQL cannot store NUL in text.
    const head = responseText(response, response.body.subarray(0, HEAD_BYTES)).replaceAll('\0', '');
    return { response, head, latencyMs: response.latencyMs, requestHeaders };
  } catch (error) {
    return { error, latencyMs: Math.round(performance.now() - startedAt), requestHeaders };
  }
}

function signedHeaders(id: string, body: string, secrets: readonly string[]): Record<string, string> {
  const timestamp = Math.floor(Date.now() / 1000);
  return {
    'user-agent': USER_AGENT,
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': sign(secrets, id, timestamp, body),
  };
}

const redacted = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.keys(headers).map((name) => [name, REDACTED]));

/**
 * The value of `webhook-signature` (Standard Webhooks, https://www.standardwebhooks.com): one `v1,<base64>` per live secret, so that
 * a receiver that knows only one of them during a rotation can verify.
 * @param timestamp whole seconds since 1970, as sent in `webhook-timestamp`.
 * @param body the exact text that is sent; empty when there is no body.
 */
export const sign = (secrets: readonly string[], id: string, timestamp: number, body: string): string =>
  secrets.map((secret) => `v1,${signature(secret, `${id}.${timestamp}.${body}`)}`).join(' ');

/** Not by the package `standardwebhooks`: docs/decisions/0070-packages-and-own-implementations.md. Tests compare both. */
function signature(secret: string, content: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return createHmac('sha256', key).update(content).digest('base64');
}
