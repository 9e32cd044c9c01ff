import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import type { Schemas } from './schemas.js';

/** The body of a webhook, by `type`. */
export type WebhookEvent = Schemas['CallStatusEventDto'] | Schemas['PostCallEventDto'] | Schemas['TestEventDto'];

/** The body of a webhook action without a `payload`. */
export type ToolActionBody<Arguments = Record<string, unknown>> = Omit<Schemas['ToolActionBodyDto'], 'arguments'> & {
  arguments: Arguments;
};

/** A request of a webhook action. */
export interface ToolRequest<Body = ToolActionBody> {
  /** Identifies this action of this invocation, the same for every attempt: an endpoint that has seen it has processed the request. */
  id: string;
  /** Undefined for GET and DELETE, whose values are in the unsigned query. */
  body: Body;
}

/** Headers of node:http, or of the Fetch API. */
export type WebhookHeaders = Record<string, string | string[] | undefined> | Headers;

/** The request has no valid signature of the last five minutes: respond with 400 and ignore it. */
export class WebhookRejected extends Error {
  override readonly name = 'WebhookRejected';
}

/**
 * Verifies a webhook (Standard Webhooks: HMAC-SHA-256 of id, time and body, at most five minutes old).
 * @param rawBody exactly as received, not parsed and re-serialized.
 * @param secrets `whsec_…`; two during a secret rotation.
 * @returns the body; undefined for a post-call webhook with the method GET, which has no body.
 * @throws WebhookRejected
 */
export function verifyWebhook(
  rawBody: string | Buffer,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
): WebhookEvent {
  return verify(rawBody, headers, secrets).body as WebhookEvent;
}

/**
 * Verifies a request of a webhook action, which is signed like a webhook.
 * @typeParam Body the `payload` of the action; without one `ToolActionBody<Arguments>`; `undefined` for GET and DELETE.
 * @param rawBody exactly as received; an empty string for GET and DELETE.
 * @param secrets `whsec_…`; two during a secret rotation.
 * @throws WebhookRejected
 */
export function verifyToolRequest<Body = ToolActionBody>(
  rawBody: string | Buffer,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
): ToolRequest<Body> {
  return verify(rawBody, headers, secrets) as ToolRequest<Body>;
}

function verify(
  rawBody: string | Buffer,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
): ToolRequest<unknown> {
  const given = headers instanceof Headers ? Object.fromEntries(headers) : lowerCased(headers);
  let reason = 'no secret was given';
  for (const secret of [secrets].flat()) {
    try {
      const body = new Webhook(secret).verify(rawBody, given);
      return { id: given['webhook-id'] ?? '', body };
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error;
      reason = error.message;
    }
  }
  throw new WebhookRejected(`The signature of the webhook is invalid: ${reason}.`);
}

const lowerCased = (headers: Record<string, string | string[] | undefined>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name.toLowerCase(), value] as const] : [],
    ),
  );
