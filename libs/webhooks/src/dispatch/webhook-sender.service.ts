import {
  BlockedAddress,
  Encryption,
  endSpan,
  retryAfterMs,
  secureNamesIn,
  startSpan,
  traceParentOf,
  VERSION,
  withSecureValues,
} from '@app/common';
import { Egress, type EgressResponse, responseText } from '@app/egress';
import { Injectable } from '@nestjs/common';
import { type Attempt, connectionProblem } from '../domain/attempt-outcome.js';
import { openRequest } from '../domain/sealed-request.js';
import { openHeaders, sign } from '../domain/webhook-headers.js';
import type { OpenDelivery } from '../domain/webhook-stream.js';
import { SigningSecretsService } from '../secrets/webhook-secrets.service.js';

const STATUS_TIMEOUT_MS = 10_000;
const POST_CALL_TIMEOUT_MS = 15_000;
const KEPT_ANSWER_BYTES = 16 * 1024;
const REDACTED = '[redacted]';
const USER_AGENT = `Trunkline/${VERSION}`;

interface SendOptions {
  /** Ends the attempt: then `send` throws its reason. */
  signal: AbortSignal;
  /** Throws LeaseExpired when the request must not be written any more. Called immediately before it is written. */
  checkLease: () => void;
}

/** Another dispatcher may have the stream, or may get it before this attempt ends. Nothing was sent. */
export class LeaseExpired extends Error {
  override readonly name = 'LeaseExpired';

  constructor() {
    super('The lease of the stream is too old for an attempt.');
  }
}

/** Signs deliveries and sends each once. */
@Injectable()
export class WebhookSenderService {
  constructor(
    private readonly egress: Egress,
    private readonly encryption: Encryption,
    private readonly secrets: SigningSecretsService,
  ) {}

  /**
   * Makes one attempt, in a span of the call's trace that the header `traceparent` contains. Any behaviour of the receiver is a result;
   * throws only the reason of the signal, and LeaseExpired.
   */
  async send(stored: OpenDelivery, options: SendOptions): Promise<Attempt> {
    const delivery = this.withRequest(stored);
    // A replay of a delivery: its digits are gone.
    if (delivery.type === 'tool-action' && secureNamesIn(delivery.url + delivery.body).length > 0)
      return { ...unanswered(DIGITS_DELETED), result: { kind: 'refused' } };
    const attempt = await this.sendInSpan(delivery, options);
    return delivery === stored || attempt.responseHead === null ? attempt : { ...attempt, responseHead: REDACTED };
  }

  /** An answer may repeat what was sent. */
  private withRequest(delivery: OpenDelivery): OpenDelivery {
    if (!delivery.request_sealed) return delivery;
    return { ...delivery, ...openRequest(this.encryption, delivery.request_sealed) };
  }

  private async sendInSpan(delivery: OpenDelivery, options: SendOptions): Promise<Attempt> {
    const secrets = await this.secrets.of(delivery.account_id);
    const span = startSpan('webhook delivery', { kind: 'CLIENT', parent: delivery.trace_parent });
    if (!span) return this.attempt(delivery, secrets, options);
    span.setAttributes(attributesOf(delivery));
    try {
      const attempt = await this.attempt(delivery, secrets, options, traceParentOf(span));
      const { status } = attempt;
      const failed = status === null || status >= 400;
      endSpan(span, { failed, attributes: { 'http.response.status_code': status ?? undefined } });
      return attempt;
    } catch (error) {
      endSpan(span, { failed: true });
      throw error;
    }
  }

  private async attempt(
    delivery: OpenDelivery,
    secrets: string[],
    { signal, checkLease }: SendOptions,
    traceParent?: string,
  ): Promise<Attempt> {
    if (secrets.length === 0) return unanswered('The account has no webhook secret to sign with.');
    const own = ownHeaders(delivery, secrets, traceParent);
    const startedAt = performance.now();
    let logged = own;
    try {
      const given = delivery.headers_sealed ? this.givenHeaders(delivery) : undefined;
      if (given) logged = { ...own, ...Object.fromEntries(Object.keys(given).map((name) => [name, REDACTED])) };
      const response = await this.egress.request(targetUrl(delivery), {
        method: delivery.method,
        headers: given ? { ...own, ...given } : own,
        body: hasBody(delivery) ? delivery.body : undefined,
        signal,
        totalTimeoutMs: delivery.type === 'post-call' ? POST_CALL_TIMEOUT_MS : STATUS_TIMEOUT_MS,
        maxBodyBytes: KEPT_ANSWER_BYTES,
        beforeWrite: checkLease,
      });
      return answered(response, logged);
    } catch (error) {
      if (signal.aborted || error instanceof LeaseExpired) throw error;
      const latencyMs = Math.round(performance.now() - startedAt);
      const kind = error instanceof BlockedAddress ? 'refused' : 'failed';
      const failed = { sent: true, result: { kind }, latencyMs, requestHeaders: logged } as const;
      return { ...unanswered(connectionProblem(error)), ...failed };
    }
  }

  private givenHeaders(delivery: OpenDelivery): Record<string, string> {
    const headers = openHeaders(this.encryption, delivery.headers_sealed);
    const digits = new Map(delivery.digits);
    return Object.fromEntries(headers.map(({ key, value }) => [key.toLowerCase(), withSecureValues(value, digits)]));
  }
}

const DIGITS_DELETED = 'The secret digits of this request were deleted after its delivery.';

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
  const asked = retryAfterMs(response.headers['retry-after']);
  return {
    sent: true,
    result: { kind: 'answered', status: response.status, retryAfterMs: asked },
    status: response.status,
    error: null,
    latencyMs: response.latencyMs,
    // PostgreSQL cannot store NUL in text.
    responseHead: responseText(response, response.body).replaceAll('\0', ''),
    requestHeaders,
  };
}

/** A GET has a query instead of its body; the action of a tool without a payload has an empty body. */
const hasBody = (delivery: OpenDelivery): boolean => delivery.method !== 'GET' && delivery.body !== '';

function ownHeaders(delivery: OpenDelivery, secrets: string[], traceParent?: string): Record<string, string> {
  const timestamp = Math.floor(Date.now() / 1000);
  const signed = hasBody(delivery) ? delivery.body : '';
  const headers: Record<string, string> = {
    'user-agent': USER_AGENT,
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

/**
 * A GET has no body: its query contains the call and its status, after the unchanged query of the URL. The URL of a tool's action is
 * complete.
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

const attributesOf = ({ id, call_id, account_id, type, event, attempts, method, url }: OpenDelivery) => ({
  'trunkline.delivery_id': id,
  'trunkline.call_id': call_id ?? undefined,
  'trunkline.account_id': account_id,
  'trunkline.webhook.type': type,
  'trunkline.webhook.event': event,
  'trunkline.webhook.attempt': attempts + 1,
  'http.request.method': method,
  'server.address': new URL(url).hostname,
});
