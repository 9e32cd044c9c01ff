import { flag, list, name, node, report, text, whole } from '@app/common/field-schemas';
import { readFields } from '@app/accounts';
import { variablesProblems, type VariableValue } from '@app/agents';
import { MAX_METADATA_BYTES } from '@app/calls';
import { isoTime } from '@app/common';
import { isTimeZone, timeOfDayProblem, WEEKDAYS } from '@app/common/time-windows';
import { HANGUP_CAUSES } from '@app/telephony';
import { z } from 'zod';
import { CAMPAIGN_DEFAULTS, NUMBER_ROTATIONS } from './campaign.js';

const id = whole(1, 2_147_483_647);
const MAX_NUMBERS = 1_000;
const MAX_WINDOWS = 50;
const MAX_DATES = 366;
/** Thirty days. */
const MAX_DELAY_MINUTES = 43_200;

const timeOfDay = (end: 'from' | 'to') =>
  text(5).superRefine((value, context) => report(context, timeOfDayProblem(value, end)));

const window = node({
  days: z
    .array(z.enum(WEEKDAYS, `must be one of ${WEEKDAYS.join(', ')}`), 'must be a list of weekdays')
    .min(1, 'must not be empty'),
  from: timeOfDay('from'),
  to: timeOfDay('to'),
});

const timeZone = text(64).refine(isTimeZone, 'must be an IANA time zone such as Europe/Berlin');
const date = z.iso.date('must be a date such as 2026-12-25');
const instant = z.iso
  .datetime({ offset: true, error: 'must be a time with its offset, such as 2026-12-01T09:00:00+00:00' })
  .transform((value) => isoTime(new Date(value)));

const schedule = node({
  time_zone: timeZone,
  windows: z.array(window, 'must be a list').max(MAX_WINDOWS, `must not be more than ${MAX_WINDOWS}`),
  excluded_dates: z.array(date, 'must be a list of dates').max(MAX_DATES, `must not be more than ${MAX_DATES}`),
  start_at: instant.nullable(),
  end_at: instant.nullable(),
}).refine(({ start_at: start, end_at: end }) => !start || !end || new Date(end) > new Date(start), {
  path: ['end_at'],
  error: 'must be after start_at',
});

const DELAY = `must be minutes from 0 to ${MAX_DELAY_MINUTES}`;
const delay = z.number(DELAY).min(0, DELAY).max(MAX_DELAY_MINUTES, DELAY);
const CAUSES: readonly string[] = HANGUP_CAUSES;

const NAMED = 'must be a name or a path such as address.city';
const scalar = z.union([text(200), z.number(), flag], 'must be text, a number, true or false');
const MAX_ANSWERS = 20;

const unless = node({
  field: text(200).min(1, NAMED).optional(),
  rubric: text(64).min(1, NAMED).optional(),
  equals: z
    .union([scalar.transform((one) => [one]), z.array(scalar).min(1)], 'must be a value or a list of values')
    .refine((all) => all.length <= MAX_ANSWERS, `must not be more than ${MAX_ANSWERS}`),
  delay_minutes: delay.default(60),
  wait_minutes: whole(1, 1_440).default(10),
}).refine(({ field, rubric }) => (field === undefined) !== (rubric === undefined), {
  error: 'must have either field or rubric',
});

const retry = node({
  max_attempts: whole(1, 20),
  delay_minutes: node({
    busy: delay.optional(),
    no_answer: delay.optional(),
    machine: delay.optional(),
    failed: delay.optional(),
  }),
  causes: z.record(z.string(), delay.nullable(), 'must be a map of hangup causes').superRefine((causes, context) => {
    for (const cause of Object.keys(causes))
      if (!CAUSES.includes(cause))
        context.addIssue({ code: 'custom', path: [cause], message: 'must be a hangup cause of failed calls' });
  }),
  unless: unless.nullish(),
});

const RATE = 'must be a number from 0.01 to 1000';
const pacing = node({
  concurrent_calls: whole(1, 10_000).nullable(),
  calls_per_second: z.number(RATE).min(0.01, RATE).max(1_000, RATE).nullable(),
  reserve_percent: whole(0, 90),
  ramp_up_seconds: whole(0, 86_400),
  breaker: node({ calls: whole(5, 1_000), failure_percent: whole(1, 100) }).nullable(),
});

const metadata = z
  .record(z.string(), z.unknown(), 'must be an object')
  .refine((value) => Buffer.byteLength(JSON.stringify(value)) <= MAX_METADATA_BYTES, {
    error: `must not be greater than ${MAX_METADATA_BYTES} bytes`,
  })
  .nullable();

const variables = z
  .record(z.string(), z.custom<VariableValue>(), 'must be an object')
  .superRefine((values, context) => {
    for (const [path, sentence] of variablesProblems('variables', values))
      context.addIssue({
        code: 'custom',
        path: path.split('.').slice(1),
        message: sentence.replace(/^The \S+ field (.*)\.$/, '$1'),
      });
  })
  .nullable();

const webhook = node({
  url: text(2048),
  method: z.enum(['POST', 'PUT', 'PATCH'], 'must be one of POST, PUT, PATCH').default('POST'),
  headers: list(node({ key: text(128), value: text(2048) })),
}).nullable();

const campaign = node({
  name,
  agent_id: id,
  agent_version: whole(1, 2_147_483_647).nullable(),
  number_ids: z
    .array(id, 'must be a list of ids')
    .min(1, 'must not be empty')
    .max(MAX_NUMBERS, `must not be more than ${MAX_NUMBERS}`)
    .refine((ids) => new Set(ids).size === ids.length, 'must not name a number twice'),
  rotation: z.enum(NUMBER_ROTATIONS, `must be one of ${NUMBER_ROTATIONS.join(', ')}`),
  trunk_id: id.nullable(),
  record: flag,
  metadata,
  variables,
  schedule,
  retry,
  pacing,
  webhook,
});

/** The settings of a campaign as a request has them. */
export type CampaignNode = z.output<typeof campaign>;

/** Settings that may change while the campaign runs. */
const CHANGEABLE_WHILE_RUNNING: readonly (keyof CampaignNode)[] = ['name', 'schedule', 'retry', 'pacing'];

const OPTIONAL = {
  agent_version: null,
  rotation: 'round_robin',
  trunk_id: null,
  record: true,
  metadata: null,
  variables: null,
  webhook: null,
} as const;

type Fields = Readonly<Record<string, unknown>>;

/**
 * The settings of a request over the stored ones (null: the defaults), and the paths of unknown fields. Of `schedule`, `retry` and
 * `pacing` the given fields are replaced. Throws InvalidFields with every problem.
 */
export function readCampaign(before: CampaignNode | null, fields: Fields): { node: CampaignNode; ignored: string[] } {
  const base = before ?? { ...OPTIONAL, ...CAMPAIGN_DEFAULTS };
  const merged = {
    ...base,
    ...fields,
    schedule: mergeMap(base.schedule, fields.schedule),
    retry: mergeMap(base.retry, fields.retry),
    pacing: mergeMap(base.pacing, fields.pacing),
  };
  const { fields: node, ignored } = readFields(campaign, merged);
  return { node, ignored };
}

const mergeMap = (base: object, given: unknown): unknown =>
  given === undefined ? base : typeof given === 'object' && !Array.isArray(given) ? { ...base, ...given } : given;

/** The fields that a running campaign may not change. */
export const fixedWhileRunning = (fields: Fields): string[] =>
  Object.keys(fields).filter(
    (field) => field in campaign.shape && !(CHANGEABLE_WHILE_RUNNING as readonly string[]).includes(field),
  );
