import { type FieldErrors, InvalidFields } from '@app/common';
import { isSameOrigin } from '@app/egress';
import { MASK, type StoredWebhook, type WebhookHeader } from '@app/webhooks';
import type { z } from 'zod';
import type { AgentChange } from './agent-schema.js';

/** The fields of a request and the names of the unknown ones, which are ignored. */
interface ReadRequest<T> {
  fields: T;
  ignored: string[];
}

type Schema<T> = z.ZodType<T>;

/** Reads a JSON body. Throws InvalidFields with the path of each problem (`call_transfer.phone_number`). */
export function readRequest<T>(schema: Schema<T>, body: unknown): ReadRequest<T> {
  const known: unknown = JSON.parse(JSON.stringify(body));
  const ignored: string[] = [];
  for (;;) {
    const read = schema.safeParse(known);
    if (read.success) return { fields: read.data, ignored };
    const unknown = read.error.issues.flatMap((issue) =>
      issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [],
    );
    if (unknown.length === 0) throw new InvalidFields(fieldErrors(read.error.issues));
    for (const path of unknown) remove(known, path);
    ignored.push(...unknown.map((path) => path.join('.')));
  }
}

function remove(value: unknown, path: readonly PropertyKey[]): void {
  const parent = path.slice(0, -1).reduce((inner, key) => (inner as Record<PropertyKey, unknown>)[key], value);
  Reflect.deleteProperty(parent as object, path.at(-1) ?? '');
}

function fieldErrors(issues: readonly z.core.$ZodIssue[]): FieldErrors {
  const errors: FieldErrors = {};
  for (const { path, message } of issues) {
    const field = path.join('.');
    (errors[field || 'body'] ??= []).push(sentence(field, message));
  }
  return errors;
}

/** The messages of the schema are predicates (`must be text`) or sentences. */
function sentence(field: string, message: string): string {
  if (/^[A-Z]/.test(message)) return message;
  const name = field.includes('.') ? field : field.replaceAll('_', ' ');
  return `The ${name || 'body'} field ${message === 'is missing' ? 'is required' : message}.`;
}

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
    errors[`${field}.headers.${index}.value`] = [kept.problem];
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
