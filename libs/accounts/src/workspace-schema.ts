import { allowList } from '@app/common';
import { validateWebhookHeaders, validateWebhookUrl } from '@app/webhooks';
import { z } from 'zod';
import { conversation } from './conversation-node.js';
import { normaliseE164 } from './e164.js';
import { providerKeys } from './provider-node.js';
import { trunk } from './trunk-node.js';
import { flag, list, name, node, rate, report, text, whole } from './workspace-words.js';

/** Where a webhook may go is decided when it is sent, by the process that sends it; a file may be written elsewhere. */
const ANYWHERE = { httpsOnly: false, allow: allowList(['0.0.0.0/0', '::/0']) };

const e164 = text(40).transform((value, context) => {
  const number = normaliseE164(value);
  if (number) return number;
  context.addIssue({ code: 'custom', message: 'must be an E.164 number such as "+15550001111"' });
  return z.NEVER;
});

const prefix = text(16)
  .transform((value) => value.replace(/[\s().-]/g, ''))
  .refine((value) => /^\+\d{1,15}$/.test(value), 'must be the beginning of an E.164 number, such as "+1" or "+1900"');

const header = node({ key: text(128), value: text(2048) });

const webhook = (methods: [string, ...string[]]) =>
  node({
    url: text(2048).superRefine((value, context) => report(context, validateWebhookUrl(value, ANYWHERE))),
    method: z.enum(methods, `must be one of ${methods.join(', ')}`).default('POST'),
    headers: list(header).superRefine((value, context) => report(context, validateWebhookHeaders(value))),
  }).nullable();

const prefixes = z.array(prefix, 'must be a list of prefixes');

const limits = node({
  concurrent_calls: whole(1, 10_000).optional(),
  calls_per_second: rate.optional(),
  /** Calls that wait to be dialled. */
  queued_calls: whole(1, 10_000_000).optional(),
  /** Of each token; 0: any number, null: the installation's. */
  requests_per_minute: whole(0, 100_000_000).nullish(),
  daily_spend_usd: z.number('must be a number of US dollars').nonnegative('must not be negative').max(1e9).nullish(),
  /** Of recordings and of files of knowledge bases; null: any number. */
  storage_bytes: whole(0, Number.MAX_SAFE_INTEGER).nullish(),
  destinations: node({ allow: prefixes.optional(), deny: prefixes.optional() }).optional(),
});

/** Days that data is kept; null: until somebody deletes it. */
const days = whole(1, 36_500).nullish();

const retention = node({
  recordings_days: days,
  transcripts_days: days,
  deliveries_days: days,
  documents_days: days,
});

const number = node({ name, e164, active: flag.optional(), agent: name.nullish() });

const transfer = node({
  enabled: flag.optional(),
  phone_number: e164.nullish(),
  caller_id_number: name.nullish(),
});

/** Replaces what was stored as a whole: its keys make sense together only. */
const answeringMachine = node({
  detect: flag.default(true),
  on_machine: z
    .enum(['hang_up', 'leave_message', 'go_on'], 'must be one of hang_up, leave_message, go_on')
    .default('hang_up'),
  message: text(2_000).trim().default(''),
  wait_for_beep_seconds: whole(1, 120).default(30),
})
  .refine(({ on_machine, message }) => on_machine !== 'leave_message' || message !== '', {
    path: ['message'],
    error: 'must say something when on_machine is leave_message',
  })
  .nullish();

const agent = node({
  name,
  ...providerKeys,
  instructions: text(100_000).optional(),
  greeting: text(2_000).optional(),
  active: flag.optional(),
  max_call_seconds: whole(1, 14_400).optional(),
  ring_timeout_seconds: whole(1, 600).optional(),
  post_call_webhook: webhook(['POST', 'GET', 'PUT', 'PATCH']).optional(),
  call_status_webhook: webhook(['POST', 'PUT', 'PATCH']).optional(),
  call_transfer: transfer.optional(),
  answering_machine: answeringMachine,
  conversation,
});

const account = node({
  name,
  limits: limits.optional(),
  retention: retention.optional(),
  numbers: list(number),
  trunks: list(trunk),
  agents: list(agent),
});

/**
 * A workspace file. A key that is left out keeps what is stored (or its default when the record is new); `null` clears what
 * can be empty.
 */
export const workspaceSchema = node({ accounts: z.array(account, 'must be a list of accounts') });

export type Workspace = z.output<typeof workspaceSchema>;
export type AccountNode = z.output<typeof account>;
export type NumberNode = z.output<typeof number>;
export type AgentNode = z.output<typeof agent>;
export type WebhookNode = NonNullable<z.output<ReturnType<typeof webhook>>>;
