import { endSpan, startSpan, traceParentOf } from '@app/common';
import { attemptDelivery, type Attempt, type Sender } from './deliver.js';
import type { OpenDelivery } from './streams.js';

/** attemptDelivery with a span of the call's trace around it, which the receiver is told by `traceparent`. */
export async function tracedDelivery(delivery: OpenDelivery, secrets: string[], sender: Sender): Promise<Attempt> {
  const span = startSpan('webhook delivery', { kind: 'CLIENT', parent: delivery.trace_parent });
  if (!span) return attemptDelivery(delivery, secrets, sender);
  span.setAttributes(attributesOf(delivery));
  try {
    const attempt = await attemptDelivery(delivery, secrets, { ...sender, traceParent: traceParentOf(span) });
    const { status } = attempt;
    const failed = status === null || status >= 400;
    endSpan(span, { failed, attributes: { 'http.response.status_code': status ?? undefined } });
    return attempt;
  } catch (error) {
    endSpan(span, { failed: true });
    throw error;
  }
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
