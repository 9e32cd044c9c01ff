import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import type { Schemas } from './schemas.js';

/** A body that the service sends: `type` tells which. That of a tool's action is what its payload says. */
export type WebhookEvent = Schemas['CallStatusEventDto'] | Schemas['PostCallEventDto'] | Schemas['TestEventDto'];

/** The request did not come from the service, or not just now: answer 400 and do nothing. */
export class WebhookRejected extends Error {
  override readonly name = 'WebhookRejected';
}

/**
 * The event of a webhook request, when one of the secrets signed it within the last five minutes (Standard Webhooks).
 * @param rawBody exactly as received, not parsed and serialised again.
 * @param secrets `whsec_…`; two while a secret is rotated.
 * @throws WebhookRejected
 */
export function verifyWebhook(
  rawBody: string | Buffer,
  headers: Record<string, string | string[] | undefined> | Headers,
  secrets: string | readonly string[],
): WebhookEvent {
  const given = headers instanceof Headers ? Object.fromEntries(headers) : lowerCased(headers);
  let reason = 'there is no secret to verify it with';
  for (const secret of [secrets].flat()) {
    try {
      return new Webhook(secret).verify(rawBody, given) as WebhookEvent;
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error;
      reason = error.message;
    }
  }
  throw new WebhookRejected(`The webhook is not to be trusted: ${reason}.`);
}

const lowerCased = (headers: Record<string, string | string[] | undefined>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name.toLowerCase(), value] as const] : [],
    ),
  );
