import { type FaultSurface, readFields } from '@app/accounts';
import { type FieldErrors, InvalidFields, withCode } from '@app/common';
import { API_WORDS, FILE_WORDS } from '@app/common/field-schemas';
import { isSameOrigin } from '@app/egress';
import { MASK, type StoredWebhook, type WebhookHeader } from '@app/webhooks';
import type { z } from 'zod';
import type { AgentChange } from './agent-schema.js';

/** The sentences about agents, in which nested fields have their path. */
const AGENTS: FaultSurface = {
  words: { ...FILE_WORDS, missing: API_WORDS.missing },
  nameOf: (field) => (field.includes('.') ? field : field.replaceAll('_', ' ')),
};

/** Reads a JSON body. Throws InvalidFields with the path of each problem (`call_transfer.phone_number`). */
export const readRequest = <T extends z.ZodType>(
  schema: T,
  body: unknown,
): { fields: z.output<T>; ignored: string[] } => readFields(schema, body, AGENTS);

export const AGENT_WEBHOOK_FIELDS = ['post_call_webhook', 'call_status_webhook', 'pre_call_webhook'] as const;
type WebhookField = (typeof AGENT_WEBHOOK_FIELDS)[number];

/** A stored webhook with its decrypted headers. */
type OpenWebhook = StoredWebhook & { headers: readonly WebhookHeader[] };

/**
 * The fields with stored values in place of masks. A webhook that moves to another origin needs new values: otherwise a client that may
 * change an agent could send its secrets to a host of its choice. Throws InvalidFields.
 */
export function withStoredHeaders<T extends Pick<AgentChange, WebhookField>>(
  fields: T,
  stored: (field: WebhookField) => OpenWebhook | null,
): T {
  const errors: FieldErrors = {};
  const merged = AGENT_WEBHOOK_FIELDS.flatMap((field) => {
    const webhook = fields[field];
    if (!webhook?.headers.some(({ value }) => value === MASK)) return [];
    const headers = unmaskHeaders(field, webhook, stored(field), errors);
    return [[field, { ...webhook, headers }]];
  });
  if (Object.keys(errors).length > 0) throw new InvalidFields(errors);
  return { ...fields, ...Object.fromEntries(merged) };
}

/** The headers of a webhook with stored values in place of masks; the others are reported in `errors`. */
export function unmaskHeaders(
  field: string,
  webhook: { url: string; headers: WebhookHeader[] },
  stored: OpenWebhook | null,
  errors: FieldErrors,
): WebhookHeader[] {
  return webhook.headers.map((header, index) => {
    const kept = header.value === MASK ? storedValue(webhook, header.key, stored) : header.value;
    if (typeof kept === 'string') return { ...header, value: kept };
    errors[`${field}.headers.${index}.value`] = [withCode('missing', kept.problem)];
    return header;
  });
}

function storedValue({ url }: { url: string }, key: string, stored: OpenWebhook | null): string | { problem: string } {
  const header = stored?.headers.find((one) => one.key.toLowerCase() === key.toLowerCase());
  if (!stored || !header) return { problem: `The value ${MASK} stands for a stored value, and there is none.` };
  if (!isSameOrigin(stored.url, url))
    return { problem: 'The value must be given anew: the webhook goes to another host.' };
  return header.value;
}
