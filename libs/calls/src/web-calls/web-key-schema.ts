import { coded, name, node, text, whole } from '@app/common/field-schemas';
import { z } from 'zod';

const MAX_ORIGINS = 20;
const MAX_ORIGIN_LENGTH = 255;
const MAX_VARIABLES = 50;
const MAX_PER_MINUTE = 1_000;
const MAX_CONCURRENT = 1_000;
const MAX_SPEND_USD = 1_000_000;
const SECONDS = { least: 10, most: 7_200 };
const MICROS = 1_000_000;

/** As browsers send it in `Origin`: RFC 6454 §6.2, without a path and in lower case. */
function isOrigin(written: string): boolean {
  if (!URL.canParse(written)) return false;
  const { origin, protocol } = new URL(written);
  return (protocol === 'https:' || protocol === 'http:') && origin === written;
}

const origin = text(MAX_ORIGIN_LENGTH).refine(
  isOrigin,
  coded('invalid_format', 'must be an origin such as https://www.example.com: scheme, host and port, without a path'),
);

const distinct = (values: readonly string[]): boolean => new Set(values).size === values.length;

export const newWebKey = node({
  name: name.describe('Purpose of the key.'),
  agent_id: whole(1, 2_147_483_647).describe('ID of the agent that pages may call with the key.'),
  origins: z
    .array(origin, 'must be a list')
    .min(1, 'must have at least one origin')
    .max(MAX_ORIGINS, `must not have more than ${MAX_ORIGINS} origins`)
    .refine(distinct, coded('duplicate', 'must not name an origin twice'))
    .meta({ uniqueItems: true })
    .describe(
      'Origins of the pages that may use the key, compared exactly: scheme, host, and the port unless it is the default.',
    ),
  calls_per_minute: whole(1, MAX_PER_MINUTE).default(6).describe('Calls that one address may create in a minute.'),
  concurrent_calls: whole(1, MAX_CONCURRENT)
    .default(10)
    .describe('Calls of the key at once, within the limit of the account.'),
  daily_spend_usd: z
    .number('must be a number')
    .min(0.01, 'must be at least 0.01')
    .max(MAX_SPEND_USD, `must be at most ${MAX_SPEND_USD}`)
    .nullish()
    .describe('Cost of the calls of the key in a UTC day, in US dollars. Null: the limit of the account alone.'),
  max_seconds: whole(SECONDS.least, SECONDS.most)
    .default(600)
    .describe('Maximum length of a call in seconds, within that of the agent.'),
  variables_allowed: z
    .array(text(64), 'must be a list')
    .max(MAX_VARIABLES, `must not have more than ${MAX_VARIABLES} names`)
    .refine(distinct, coded('duplicate', 'must not name a variable twice'))
    .meta({ uniqueItems: true })
    .default([])
    .describe('Names of the variables of the agent that pages may set. Empty: none.'),
});

/** Fields of `PATCH /web-keys/{id}`. Without defaults: an absent field keeps its value. */
export const changedWebKey = newWebKey
  .extend({
    calls_per_minute: newWebKey.shape.calls_per_minute.unwrap(),
    concurrent_calls: newWebKey.shape.concurrent_calls.unwrap(),
    max_seconds: newWebKey.shape.max_seconds.unwrap(),
    variables_allowed: newWebKey.shape.variables_allowed.unwrap(),
  })
  .partial();

type Fields = z.output<typeof changedWebKey>;

/** The columns of the given fields. */
export function webKeyColumns({ daily_spend_usd: spend, ...fields }: Fields) {
  const columns = {
    name: fields.name,
    agentId: fields.agent_id,
    origins: fields.origins,
    callsPerMinute: fields.calls_per_minute,
    concurrentCalls: fields.concurrent_calls,
    dailySpendMicros: spend === undefined ? undefined : spend === null ? null : String(Math.round(spend * MICROS)),
    maxSeconds: fields.max_seconds,
    variablesAllowed: fields.variables_allowed,
  };
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined)) as Partial<
    typeof columns
  >;
}
