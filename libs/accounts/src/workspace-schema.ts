import { allowList } from '@app/common';
import { validateWebhookHeaders, validateWebhookUrl } from '@app/webhooks';
import { z } from 'zod';
import { normaliseE164 } from './e164.js';

/** Providers a file may name; those that this release can run. */
const PROVIDERS = ['sandbox', 'openai-realtime', 'openai-live'] as const;
const AVAILABLE: readonly string[] = ['sandbox'];

/** Where a webhook may go is decided when it is sent, by the process that sends it; a file may be written elsewhere. */
const ANYWHERE = { httpsOnly: false, allow: allowList(['0.0.0.0/0', '::/0']) };

const text = (max: number) =>
  z
    .string({
      error: ({ input }) =>
        typeof input === 'number' || typeof input === 'boolean'
          ? `must be text: put it in quotes, "${input}"`
          : input === undefined
            ? 'is missing'
            : 'must be text',
    })
    .max(max, `must not be longer than ${max} characters`);

const name = text(100).trim().min(1, 'must not be empty');
const whole = (min: number, max: number) => {
  const message = `must be a whole number from ${min} to ${max}`;
  return z.int(message).min(min, message).max(max, message);
};
const rate = z.number('must be a number').positive('must be more than 0').max(1000, 'must be at most 1000');
const flag = z.boolean('must be true or false');

const e164 = text(40).transform((value, context) => {
  const number = normaliseE164(value);
  if (number) return number;
  context.addIssue({ code: 'custom', message: 'must be an E.164 number such as "+15550001111"' });
  return z.NEVER;
});

const prefix = text(16)
  .transform((value) => value.replace(/[\s().-]/g, ''))
  .refine((value) => /^\+\d{1,15}$/.test(value), 'must be the beginning of an E.164 number, such as "+1" or "+1900"');

/** Goes into SIP headers and URIs as it is. */
const sipWord = (max: number) =>
  text(max).regex(/^[^\s<>"@;,\p{Cc}]+$/u, 'must not contain spaces, control characters or any of < > " @ ; ,');

/** A map that knows its keys: a misspelt one is an error instead of a setting that never takes effect. */
function node<T extends z.core.$ZodLooseShape>(shape: T) {
  const known = Object.keys(shape).join(', ');
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code === 'unrecognized_keys') return `is not known here; known are ${known}`;
      return issue.input === undefined ? 'is missing' : `must be a map of ${known}`;
    },
  });
}

const list = <T extends z.ZodType>(item: T) => z.array(item, 'must be a list').default([]);

const header = node({ key: text(128), value: text(2048) });

const webhook = (methods: [string, ...string[]]) =>
  node({
    url: text(2048).superRefine((value, context) => report(context, validateWebhookUrl(value, ANYWHERE))),
    method: z.enum(methods, `must be one of ${methods.join(', ')}`).default('POST'),
    headers: list(header).superRefine((value, context) => report(context, validateWebhookHeaders(value))),
  }).nullable();

/** One address, or a network that is smaller than the Internet: everybody would be the trunk otherwise. */
function isNetwork(value: string): boolean {
  try {
    return allowList([value]).every(([, bits]) => bits >= 8);
  } catch {
    return false;
  }
}

function report(context: z.RefinementCtx, message: string | undefined): void {
  if (message) context.addIssue({ code: 'custom', message });
}

const prefixes = z.array(prefix, 'must be a list of prefixes');

const limits = node({
  concurrent_calls: whole(1, 10_000).optional(),
  calls_per_second: rate.optional(),
  daily_spend_usd: z.number('must be a number of US dollars').nonnegative('must not be negative').max(1e9).nullish(),
  destinations: node({ allow: prefixes.optional(), deny: prefixes.optional() }).optional(),
});

const number = node({ name, e164, active: flag.optional(), agent: name.nullish() });

const network = text(64).refine(isNetwork, 'must be an address or a network such as "203.0.113.0/24"');

const inbound = node({
  enabled: flag.default(true),
  addresses: list(network),
  username: sipWord(128).nullish(),
  password: text(256).min(8, 'must have at least 8 characters').nullish(),
})
  .refine(({ username, password }) => !username === !password, 'needs both username and password, or neither of them')
  .refine(({ addresses, username }) => addresses.length > 0 || username, 'needs addresses, or username and password')
  .nullish();

const trunk = node({
  name,
  host: sipWord(253),
  port: whole(1, 65_535).nullish(),
  transport: z.enum(['udp', 'tcp'], 'must be udp or tcp').optional(),
  username: sipWord(128).nullish(),
  password: text(256).nullish(),
  from_domain: sipWord(253).nullish(),
  active: flag.optional(),
  concurrent_calls: whole(1, 10_000).nullish(),
  calls_per_second: rate.nullish(),
  inbound,
});

const provider = z
  .enum(PROVIDERS, `must be one of ${PROVIDERS.join(', ')}`)
  .refine((value) => AVAILABLE.includes(value), {
    error: ({ input }) => `${String(input)} is not available in this release; available: ${AVAILABLE.join(', ')}`,
  });

const transfer = node({
  enabled: flag.optional(),
  phone_number: e164.nullish(),
  caller_id_number: name.nullish(),
});

const agent = node({
  name,
  provider: provider.optional(),
  instructions: text(100_000).optional(),
  greeting: text(2_000).optional(),
  active: flag.optional(),
  max_call_seconds: whole(1, 14_400).optional(),
  ring_timeout_seconds: whole(1, 600).optional(),
  post_call_webhook: webhook(['POST', 'GET', 'PUT', 'PATCH']).optional(),
  call_status_webhook: webhook(['POST', 'PUT', 'PATCH']).optional(),
  call_transfer: transfer.optional(),
});

const account = node({
  name,
  limits: limits.optional(),
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
export type TrunkNode = z.output<typeof trunk>;
export type AgentNode = z.output<typeof agent>;
export type WebhookNode = NonNullable<z.output<ReturnType<typeof webhook>>>;
