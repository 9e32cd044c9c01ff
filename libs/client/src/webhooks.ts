import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import type { Schemas } from './schemas.js';

/** The body of a webhook of a call, or of a test; `type` says which. */
export type WebhookEvent = Schemas['CallStatusEventDto'] | Schemas['PostCallEventDto'] | Schemas['TestEventDto'];

/** The body of a tool's webhook action that has no `payload` of its own. */
export type ToolActionBody<Arguments = Record<string, unknown>> = Omit<Schemas['ToolActionBodyDto'], 'arguments'> & {
  arguments: Arguments;
};

/** A request of a tool's webhook action. */
export interface ToolRequest<Body = ToolActionBody> {
  /** Names this action of this invocation. It is the same on every try: an endpoint that knows it has already done the work. */
  id: string;
  /** Undefined for GET and DELETE: their values are in the query, which is not signed. */
  body: Body;
}

/** Headers of node:http, or of the Fetch API. */
export type WebhookHeaders = Record<string, string | string[] | undefined> | Headers;

/** No secret signed the request within the last five minutes: answer 400 and do nothing. */
export class WebhookRejected extends Error {
  override readonly name = 'WebhookRejected';
}

/**
 * Verifies a webhook of a call (Standard Webhooks: HMAC-SHA-256 of id, time and body, at most five minutes old).
 * @param rawBody exactly as received, not parsed and serialised again.
 * @param secrets `whsec_…`; two while a secret is rotated.
 * @returns the body; undefined for a post-call webhook with the method GET, which has none.
 * @throws WebhookRejected
 */
export function verifyWebhook(
  rawBody: string | Buffer,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
): WebhookEvent {
  return verified(rawBody, headers, secrets).body as WebhookEvent;
}

/**
 * Verifies a request of a tool's webhook action, which is signed as webhooks of calls are.
 * @typeParam Body the `payload` of the action; without one `ToolActionBody<Arguments>`; `undefined` for GET and DELETE.
 * @param rawBody exactly as received; an empty string for GET and DELETE.
 * @param secrets `whsec_…`; two while a secret is rotated.
 * @throws WebhookRejected
 */
export function verifyToolRequest<Body = ToolActionBody>(
  rawBody: string | Buffer,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
): ToolRequest<Body> {
  return verified(rawBody, headers, secrets) as ToolRequest<Body>;
}

function verified(
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
  throw new WebhookRejected(`The signature of the webhook was not accepted: ${reason}.`);
}

const lowerCased = (headers: Record<string, string | string[] | undefined>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name.toLowerCase(), value] as const] : [],
    ),
  );
