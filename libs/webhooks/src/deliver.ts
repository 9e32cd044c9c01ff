import { BlockedAddress, type Encryption } from '@app/common';
import type { Egress, EgressResponse } from '@app/egress';
import { connectionProblem } from './connection-problem.js';
import { openHeaders } from './headers.js';
import { retryAfterMs, type AttemptResult } from './retry-schedule.js';
import { sign } from './sign.js';
import type { OpenDelivery } from './streams.js';

const STATUS_TIMEOUT_MS = 10_000;
const POST_CALL_TIMEOUT_MS = 15_000;
const KEPT_ANSWER_BYTES = 16 * 1024;
const REDACTED = '[redacted]';

/** One try to deliver, as the log keeps it. */
export interface Attempt {
  /** False: it is our fault that nothing was tried. */
  sent: boolean;
  result: AttemptResult;
  status: number | null;
  /** A sentence for the person who owns the endpoint; null after any answer. */
  error: string | null;
  latencyMs: number;
  /** The first 16 KiB of the answer. */
  responseHead: string | null;
  /** As sent, without the values that the user gave. */
  requestHeaders: Record<string, string>;
}

export interface Sender {
  egress: Egress;
  encryption: Encryption;
  /** `user-agent` */
  agent: string;
  /** Of the span of the attempt. */
  traceParent?: string;
  /** Ends the attempt: then `attemptDelivery` throws its reason. */
  signal: AbortSignal;
  /** Throws LeaseOver when the request must not be written any more. Called immediately before it is written. */
  checkLease: () => void;
}

/** Another dispatcher may have the stream, or may have it before this attempt ends. Nothing was sent. */
export class LeaseOver extends Error {
  override readonly name = 'LeaseOver';

  constructor() {
    super('The lease of the stream is too old for an attempt.');
  }
}

/** Sends a delivery once. Whatever the other side does is a result; throws only the reason of the signal, and LeaseOver. */
export async function attemptDelivery(delivery: OpenDelivery, secrets: string[], sender: Sender): Promise<Attempt> {
  if (secrets.length === 0) return unanswered('The account has no webhook secret to sign with.');
  const own = ownHeaders(delivery, secrets, sender);
  const startedAt = performance.now();
  const logged = { ...own };
  try {
    const given = givenHeaders(delivery, sender.encryption);
    for (const name of Object.keys(given)) logged[name] = REDACTED;
    const response = await sender.egress.request(targetUrl(delivery), {
      method: delivery.method,
      headers: { ...own, ...given },
      body: hasBody(delivery) ? delivery.body : undefined,
      signal: sender.signal,
      totalTimeoutMs: delivery.type === 'post-call' ? POST_CALL_TIMEOUT_MS : STATUS_TIMEOUT_MS,
      maxBodyBytes: KEPT_ANSWER_BYTES,
      beforeWrite: sender.checkLease,
    });
    return answered(response, logged);
  } catch (error) {
    if (sender.signal.aborted || error instanceof LeaseOver) throw error;
    const latencyMs = Math.round(performance.now() - startedAt);
    const kind = error instanceof BlockedAddress ? 'refused' : 'failed';
    return { ...unanswered(connectionProblem(error)), sent: true, result: { kind }, latencyMs, requestHeaders: logged };
  }
}

const unanswered = (error: string): Attempt => ({
  sent: false,
  result: { kind: 'failed' },
  status: null,
  error,
  latencyMs: 0,
  responseHead: null,
  requestHeaders: {},
});

function answered(response: EgressResponse, requestHeaders: Record<string, string>): Attempt {
  const header = response.headers['retry-after'];
  const asked = retryAfterMs(typeof header === 'string' ? header : undefined, Date.now());
  return {
    sent: true,
    result: { kind: 'answered', status: response.status, retryAfterMs: asked },
    status: response.status,
    error: null,
    latencyMs: response.latencyMs,
    // PostgreSQL stores no NUL in text.
    responseHead: response.body.toString('utf8').replaceAll('\0', ''),
    requestHeaders,
  };
}

/** The body of a GET is what its query is made of; an action of a tool that has none has an empty one. */
const hasBody = (delivery: OpenDelivery): boolean => delivery.method !== 'GET' && delivery.body !== '';

function ownHeaders(
  delivery: OpenDelivery,
  secrets: string[],
  { agent, traceParent }: Pick<Sender, 'agent' | 'traceParent'>,
): Record<string, string> {
  const timestamp = Math.floor(Date.now() / 1000);
  const signed = hasBody(delivery) ? delivery.body : '';
  const headers: Record<string, string> = {
    'user-agent': agent,
    'webhook-id': delivery.id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': sign(secrets, delivery.id, timestamp, signed),
    'webhook-attempt': String(delivery.attempts + 1),
    'webhook-sequence': String(delivery.sequence),
  };
  if (hasBody(delivery)) headers['content-type'] = 'application/json';
  if (delivery.type === 'tool-action') headers['idempotency-key'] = delivery.id;
  if (traceParent) headers.traceparent = traceParent;
  return headers;
}

function givenHeaders(delivery: OpenDelivery, encryption: Encryption): Record<string, string> {
  const headers = openHeaders(encryption, delivery.headers_sealed);
  return Object.fromEntries(headers.map(({ key, value }) => [key.toLowerCase(), value]));
}

/**
 * A GET has no body: the query says which call ended and how. What the URL brings along stays as it was written. The URL of a
 * tool's action has its query already.
 */
function targetUrl(delivery: OpenDelivery): string {
  if (hasBody(delivery) || delivery.type === 'tool-action') return delivery.url;
  const { data } = JSON.parse(delivery.body) as { data: { status?: string } };
  const fields = { id: delivery.id, type: delivery.type, call_id: delivery.call_id ?? '', status: data.status ?? '' };
  const query = new URLSearchParams(fields).toString();
  const url = new URL(delivery.url);
  url.search = url.search ? `${url.search}&${query}` : query;
  return url.href;
}
