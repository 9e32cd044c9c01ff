import { coded, flag, list, name, node, report, text, whole } from '@app/common/field-schemas';
import { readFields } from '@app/accounts';
import { MAX_VALUE_LENGTH, MAX_VARIABLES, variableFaults, type VariableValue } from '@app/agents';
import { MAX_METADATA_BYTES } from '@app/calls';
import { isoTime } from '@app/common';
import { isTimeZone, timeOfDayProblem, WEEKDAYS } from '@app/common/time-windows';
import { HANGUP_CAUSES } from '@app/telephony';
import { MAX_HEADERS } from '@app/webhooks';
import { z } from 'zod';
import { CAMPAIGN_DEFAULTS, NUMBER_ROTATIONS } from './campaign.js';

const id = whole(1, 2_147_483_647);
const MAX_NUMBERS = 1_000;
const MAX_WINDOWS = 50;
const MAX_DATES = 366;
/** Thirty days. */
const MAX_DELAY_MINUTES = 43_200;

const timeOfDay = (end: 'from' | 'to') =>
  text(5).superRefine((value, context) => report(context, timeOfDayProblem(value, end), 'invalid_format'));

const window = node({
  days: z
    .array(z.enum(WEEKDAYS, `must be one of ${WEEKDAYS.join(', ')}`), 'must be a list of weekdays')
    .min(1, 'must not be empty')
    .describe('Weekdays.'),
  from: timeOfDay('from').describe('First local time, `HH:MM`.'),
  to: timeOfDay('to').describe(
    'Local time of the end, `HH:MM` or `24:00`. A time that is not after `from` is on the following day.',
  ),
});

const timeZone = text(64).refine(
  isTimeZone,
  coded('invalid_format', 'must be an IANA time zone such as Europe/Berlin'),
);
const date = z.iso.date('must be a date such as 2026-12-25');
const instant = z.iso
  .datetime({ offset: true, error: 'must be a time with its offset, such as 2026-12-01T09:00:00+00:00' })
  .transform((value) => isoTime(new Date(value)));

const scheduleFields = node({
  time_zone: timeZone.describe(
    'IANA time zone of contacts without a time zone of their own whose number belongs to none: SIP URIs and numbers of no area. `UTC` unless it is given.',
  ),
  windows: z
    .array(window, 'must be a list')
    .max(MAX_WINDOWS, `must not be more than ${MAX_WINDOWS}`)
    .describe(
      'When contacts may be called, in their local time: that of `time_zone` of the contact, else of the area of its number. In an area with several time zones, the window must be open in all of them. Empty: always.',
    ),
  excluded_dates: z
    .array(date, 'must be a list of dates')
    .max(MAX_DATES, `must not be more than ${MAX_DATES}`)
    .describe('Local dates on which no window begins, `YYYY-MM-DD`.'),
  start_at: instant.nullable().describe('No contact is called before this time. Null: immediately.'),
  end_at: instant.nullable().describe('No contact is called after this time, and the campaign ends. Null: no end.'),
});

const schedule = scheduleFields.refine(
  ({ start_at: start, end_at: end }) => !start || !end || new Date(end) > new Date(start),
  {
    path: ['end_at'],
    error: 'must be after start_at',
  },
);

const DELAY = `must be minutes from 0 to ${MAX_DELAY_MINUTES}`;
const delay = z.number(DELAY).min(0, DELAY).max(MAX_DELAY_MINUTES, DELAY);
const CAUSES: readonly string[] = HANGUP_CAUSES;

const NAMED = 'must be a name or a path such as address.city';
const scalar = z.union([text(200), z.number(), flag], 'must be text, a number, true or false');
const MAX_ANSWERS = 20;

const VALUES = 'must be a value or a list of values';
const values = z
  .array(scalar, VALUES)
  .min(1, 'must not be empty')
  .max(MAX_ANSWERS, `must not be more than ${MAX_ANSWERS}`);

const unless = node({
  field: text(200).min(1, NAMED).optional().describe('Path of a value of the analysis. Either this or `rubric`.'),
  rubric: text(64).min(1, NAMED).optional().describe('Name of a question of the rubric.'),
  equals: z
    .preprocess((given) => (scalar.safeParse(given).success ? [given] : given), values)
    .describe('The values that count as reached. A single value is accepted as well.'),
  delay_minutes: delay.default(60).describe('Minutes until the next attempt.'),
  wait_minutes: whole(1, 1_440)
    .default(10)
    .describe(
      'Minutes that a contact waits for the analysis of its call. Afterwards, and after a failed analysis, the answer counts.',
    ),
}).refine(({ field, rubric }) => (field === undefined) !== (rubric === undefined), {
  error: 'must have either field or rubric',
});

const retry = node({
  max_attempts: whole(1, 20).describe(
    `Maximum number of calls to a contact, the first one included; ${CAMPAIGN_DEFAULTS.retry.max_attempts}.`,
  ),
  delay_minutes: node({
    busy: delay.optional().describe('Minutes until the next attempt when the contact is busy.'),
    no_answer: delay.optional().describe('Minutes until the next attempt after a call without an answer.'),
    machine: delay.optional().describe('Minutes until the next attempt after an answering machine.'),
    failed: delay.optional().describe('Minutes until the next attempt after a failed call.'),
  }).describe('Minutes until the next attempt, by outcome. An outcome that is missing here is not repeated.'),
  causes: z
    .record(z.string(), delay.nullable(), 'must be a map of hangup causes')
    .superRefine((causes, context) => {
      for (const cause of Object.keys(causes))
        if (!CAUSES.includes(cause))
          context.addIssue({ code: 'custom', path: [cause], message: 'must be a hangup cause of failed calls' });
    })
    .describe('Minutes by the `hangup_cause` of a failed call, which precede `failed`. Null: not repeated.'),
  unless: unless
    .nullable()
    .default(null)
    .describe(
      'A contact that answered is called again unless the analysis of the call says this. A value without evidence does not count. Null: every answer of a person counts.',
    ),
});

const RATE = 'must be a number from 0.01 to 1000';
const pacing = node({
  concurrent_calls: whole(1, 10_000)
    .nullable()
    .describe('Maximum number of concurrent calls of the campaign. Null: the limit of the account.'),
  calls_per_second: z
    .number(RATE)
    .min(0.01, RATE)
    .max(1_000, RATE)
    .nullable()
    .describe('Maximum number of new calls per second. Null: as many as account and trunk allow.'),
  reserve_percent: whole(0, 90).describe(
    `Percentage of the concurrent calls of the account that is reserved for other calls; ${CAMPAIGN_DEFAULTS.pacing.reserve_percent}.`,
  ),
  ramp_up_seconds: whole(0, 86_400).describe(
    'Seconds after a start or resumption within which the concurrent calls grow to their limit; 0.',
  ),
  breaker: node({
    calls: whole(5, 1_000).describe('Number of last calls that count.'),
    failure_percent: whole(1, 100).describe('Percentage of failed calls among them.'),
  })
    .nullable()
    .describe('Pauses the campaign when too many of its last calls failed. Null: never.'),
});

const metadata = z
  .record(z.string(), z.unknown(), 'must be an object')
  .refine((value) => Buffer.byteLength(JSON.stringify(value)) <= MAX_METADATA_BYTES, {
    error: `must not be greater than ${MAX_METADATA_BYTES} bytes`,
  })
  .nullable()
  .describe(`Metadata of all calls, under that of each contact; at most ${MAX_METADATA_BYTES} bytes.`);

const variableValue = z
  .custom<VariableValue>()
  .meta({ anyOf: [{ type: 'string', maxLength: MAX_VALUE_LENGTH }, { type: 'number' }, { type: 'boolean' }] });

const variables = z
  .record(z.string(), variableValue, 'must be an object')
  .superRefine((values, context) => {
    for (const { name: variable, problem } of variableFaults(values))
      context.addIssue({ code: 'custom', path: variable === undefined ? [] : [variable], message: problem });
  })
  .meta({ maxProperties: MAX_VARIABLES })
  .nullable()
  .describe("Values of the agent's variables, under those of each contact.");

const webhook = node({
  url: text(2048).meta({ format: 'uri' }).describe('URL.'),
  method: z.enum(['POST', 'PUT', 'PATCH'], 'must be one of POST, PUT, PATCH').default('POST').describe('HTTP method.'),
  headers: list(
    node({ key: text(128).describe('Name of the header.'), value: text(2048).describe('Value; masked in responses.') }),
  )
    .meta({ maxItems: MAX_HEADERS })
    .describe('Headers of the webhook.'),
})
  .nullable()
  .describe('Receives `campaign.started`, `campaign.paused` and `campaign.completed`.');

export const campaign = node({
  name: name.describe('Name, unique in the account.'),
  agent_id: id.describe('ID of the agent that handles the calls. It must be active.'),
  agent_version: id
    .nullable()
    .describe('Published version of the agent. Null: the version that is published when a call is created.'),
  number_ids: z
    .array(id, 'must be a list of ids')
    .min(1, 'must not be empty')
    .max(MAX_NUMBERS, `must not be more than ${MAX_NUMBERS}`)
    .refine((ids) => new Set(ids).size === ids.length, coded('duplicate', 'must not name a number twice'))
    .describe('IDs of the phone numbers to call from. They must be active.'),
  rotation: z
    .enum(NUMBER_ROTATIONS, `must be one of ${NUMBER_ROTATIONS.join(', ')}`)
    .describe(
      'Which of the numbers a call shows: the next one each time (`round_robin`, the default), or the one that shares most leading digits with the number of the contact.',
    ),
  trunk_id: id.nullable().describe('ID of the SIP trunk that carries the calls. Required to call phone numbers.'),
  record: flag.describe('Whether to record the calls; true.'),
  require_disclosure: flag.describe(
    'Whether contacts are refused for whom the agent has no disclosure in its language and for their number; false.',
  ),
  metadata,
  variables,
  schedule: schedule.describe('When contacts may be called.'),
  retry: retry.describe('When contacts are called again.'),
  pacing: pacing.describe('How fast contacts are called.'),
  webhook,
});

const KEPT = 'Absent fields keep their value.';

/** The fields of a request; `readCampaign` checks them over the stored ones or the defaults. */
export const campaignRequest = campaign
  .partial({
    agent_version: true,
    rotation: true,
    trunk_id: true,
    record: true,
    require_disclosure: true,
    metadata: true,
    variables: true,
    webhook: true,
  })
  .extend({
    schedule: scheduleFields.partial().optional().describe(`When contacts may be called. ${KEPT}`),
    retry: retry.partial().optional().describe(`When contacts are called again. ${KEPT}`),
    pacing: pacing.partial().optional().describe(`How fast contacts are called. ${KEPT}`),
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
  require_disclosure: false,
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
