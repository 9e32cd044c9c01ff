import { z } from 'zod';
import { agent } from './agent-schema.js';
import { e164, flag, list, name, node, rate, text, whole } from './schema-types.js';
import { trunk } from './trunk-schema.js';

const prefix = text(16)
  .transform((value) => value.replace(/[\s().-]/g, ''))
  .refine((value) => /^\+\d{1,15}$/.test(value), 'must be the beginning of an E.164 number, such as "+1" or "+1900"');

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

/** Days after which data is deleted; null: never. */
const days = whole(1, 36_500).nullish();

const retention = node({
  recordings_days: days,
  transcripts_days: days,
  deliveries_days: days,
  documents_days: days,
});

const number = node({ name, e164, active: flag.optional(), agent: name.nullish() });

const account = node({
  name,
  limits: limits.optional(),
  retention: retention.optional(),
  numbers: list(number),
  trunks: list(trunk),
  agents: list(agent),
});

/**
 * A workspace file. An absent key keeps the stored value (a new record gets the default); `null` clears a value that may be
 * empty.
 */
export const workspaceSchema = node({ accounts: z.array(account, 'must be a list of accounts') });

export type Workspace = z.output<typeof workspaceSchema>;
export type AccountNode = z.output<typeof account>;
export type NumberNode = z.output<typeof number>;
