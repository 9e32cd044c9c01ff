import {
  BlockedAddress,
  Encryption,
  endSpan,
  retryAfterMs,
  secureNamesIn,
  startSpan,
  traceParentOf,
  withSecureValues,
} from '@app/common';
import { connectionProblem, Egress, sendSigned } from '@app/egress';
import { Injectable } from '@nestjs/common';
import type { Attempt } from '../domain/attempt-outcome.js';
import { openRequest } from '../domain/sealed-request.js';
import { openHeaders } from '../domain/webhook-headers.js';
import type { OpenDelivery } from '../domain/webhook-stream.js';
import { SigningSecretsService } from '../secrets/webhook-secrets.service.js';

const STATUS_TIMEOUT_MS = 10_000;
const POST_CALL_TIMEOUT_MS = 15_000;
const KEPT_ANSWER_BYTES = 16 * 1024;
const REDACTED = '[redacted]';

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
    let given: Record<string, string> | undefined;
    try {
      given = this.givenHeaders(delivery);
    } catch {
      // Not a fault of the endpoint: they were encrypted with another SECRET_KEY.
      return unanswered('The headers of the webhook cannot be read.');
    }
    const exchange = await sendSigned(this.egress, {
      id: delivery.id,
      url: targetUrl(delivery),
      method: delivery.method,
      body: hasBody(delivery) ? delivery.body : '',
      secrets,
      own: ownHeaders(delivery, traceParent),
      given,
      signal,
      totalTimeoutMs: delivery.type === 'post-call' ? POST_CALL_TIMEOUT_MS : STATUS_TIMEOUT_MS,
      maxBodyBytes: KEPT_ANSWER_BYTES,
      beforeWrite: checkLease,
    });
    const { latencyMs, requestHeaders } = exchange;
    if ('error' in exchange) {
      const { error } = exchange;
      if (signal.aborted || error instanceof LeaseExpired) throw error;
      const kind = error instanceof BlockedAddress ? 'refused' : 'failed';
      return { ...unanswered(connectionProblem(error)), sent: true, result: { kind }, latencyMs, requestHeaders };
    }
    const { status, headers } = exchange.response;
    return {
      sent: true,
      result: { kind: 'answered', status, retryAfterMs: retryAfterMs(headers['retry-after']) },
      status,
      error: null,
      latencyMs,
      responseHead: exchange.head,
      requestHeaders,
    };
  }

  /** Throws when they were encrypted with another SECRET_KEY. */
  private givenHeaders(delivery: OpenDelivery): Record<string, string> | undefined {
    if (!delivery.headers_sealed) return undefined;
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

/** A GET has a query instead of its body; the action of a tool without a payload has an empty body. */
const hasBody = (delivery: OpenDelivery): boolean => delivery.method !== 'GET' && delivery.body !== '';

function ownHeaders(delivery: OpenDelivery, traceParent?: string): Record<string, string> {
  const headers: Record<string, string> = {
    'webhook-attempt': String(delivery.attempts + 1),
    'webhook-sequence': String(delivery.sequence),
  };
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
