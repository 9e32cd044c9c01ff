import { isTimeZone, timeOfDayProblem, WEEKDAYS } from '@app/common/time-windows';
import { z } from 'zod';
import { CLOSED_ACTIONS, MAX_QUEUE_WAIT_SECONDS, QUEUE_TIMEOUT_ACTIONS } from '../domain/number-front.js';
import { e164 } from '../schemas/e164-schema.js';
import { coded, flag, language, list, name, node, report, reportMissing, text, whole } from '@app/common/field-schemas';

const timeOfDay = (end: 'from' | 'to') =>
  text(5).superRefine((value, context) => report(context, timeOfDayProblem(value, end), 'invalid_format'));

const window = node({
  days: z
    .array(z.enum(WEEKDAYS, `must be one of ${WEEKDAYS.join(', ')}`), 'must be a list of weekdays')
    .min(1, 'must not be empty')
    .describe('Weekdays on which the window begins.'),
  from: timeOfDay('from').describe('Local time of day, such as 09:30.'),
  to: timeOfDay('to').describe(
    'Local time of day; 24:00 is midnight. A time that is not after `from` is on the next day.',
  ),
});

const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** `Date` moves 30 February to March. */
function isDate(value: string): boolean {
  const at = new Date(`${value}T00:00:00Z`);
  return DATE.test(value) && !Number.isNaN(at.getTime()) && at.toISOString().startsWith(value);
}

const hours = node({
  time_zone: text(64)
    .refine(
      (value) => value !== '' && isTimeZone(value),
      coded('invalid_format', 'must be a time zone such as "Europe/Berlin"'),
    )
    .describe('IANA time zone of the windows, such as Europe/Berlin.'),
  windows: list(window)
    .refine((windows) => windows.length <= 50, coded('too_many', 'must not have more than 50 windows'))
    .describe('Times at which the agent answers; an empty list: at any time.'),
  excluded_dates: list(text(10).refine(isDate, coded('invalid_format', 'must be a date such as "2026-12-25"')))
    .refine((dates) => dates.length <= 400, coded('too_many', 'must not have more than 400 dates'))
    .describe('Local dates on which no window begins, such as holidays.'),
});

const closedKeys = {
  action: z
    .enum(CLOSED_ACTIONS, `must be one of ${CLOSED_ACTIONS.join(', ')}`)
    .describe(
      '`say_and_hang_up`: the call is answered, the message is spoken, and the call ends. `reject`: the call is not answered (480). `agent`: another agent answers.',
    ),
  message: text(1_000).trim().nullish().describe('The spoken message of `say_and_hang_up`.'),
  language: language.nullish().describe('Language of the message, such as en or de-DE.'),
};

const HOURS = 'When the agent answers; null: always. The value replaces the stored one as a whole.';
const QUEUE =
  'Callers wait for a free place when the account or the trunk has reached its concurrent calls; null: they hear the busy tone. The value replaces the stored one as a whole.';
const CLOSED = 'Calls outside the hours; null: they are rejected. The value replaces the stored one as a whole.';

interface GivenClosed {
  action: (typeof CLOSED_ACTIONS)[number];
  message?: string | null;
}

/** The keys that an action needs. */
const complete =
  <Key extends string>(agentKey: Key) =>
  (closed: GivenClosed & Partial<Record<Key, string | number | null>>, context: z.RefinementCtx): void => {
    const missing = (key: string): void => reportMissing(context, key, `the action ${closed.action} needs it`);
    if (closed.action === 'say_and_hang_up' && !closed.message) missing('message');
    if (closed.action === 'agent' && (closed[agentKey] ?? null) === null) missing(agentKey);
  };

const announce = node({
  position: flag.default(true).describe('Whether callers hear their place in the queue.'),
  every_seconds: whole(5, 600).default(30).describe('Seconds between two announcements.'),
  message: text(500)
    .trim()
    .nullish()
    .describe(
      'Spoken announcement, with {{position}} for the place; null: a sentence in the language (English, German).',
    ),
  language: language.nullish().describe('Language of announcements, such as en or de-DE; null: English.'),
});

const onTimeout = node({
  action: z
    .enum(QUEUE_TIMEOUT_ACTIONS, `must be one of ${QUEUE_TIMEOUT_ACTIONS.join(', ')}`)
    .default('hang_up')
    .describe('`hang_up`: the call ends. `transfer`: the caller is connected to another number.'),
  to_number: e164.nullish().describe('Number of the action `transfer`, in E.164 format.'),
  message: text(1_000)
    .trim()
    .nullish()
    .describe('Spoken before the call ends, for `transfer` when the number was not reached; null: it ends at once.'),
}).superRefine(({ action, to_number: number }, context) => {
  if (action === 'transfer' && !number) reportMissing(context, 'to_number', 'the action transfer needs it');
});

const queue = node({
  enabled: flag.default(true).describe('false: callers hear the busy tone when no place is free.'),
  max_waiting: whole(1, 1_000)
    .default(20)
    .describe('Waiting callers of the number; further callers hear the busy tone.'),
  max_wait_seconds: whole(5, MAX_QUEUE_WAIT_SECONDS).default(300).describe('Seconds after which a waiting call ends.'),
  announce: announce.prefault({}).describe('What waiting callers hear about their place.'),
  on_timeout: onTimeout.prefault({}).describe('What happens after the maximum wait.'),
  music: flag.default(true).describe('Whether waiting callers hear music between announcements.'),
});

const numberKeys = {
  name: name.describe('Name of the number, unique in the account.'),
  e164: e164.describe('The phone number in E.164 format, unique in the account.'),
  active: flag.optional().describe('false: the number places and receives no calls.'),
  hours: hours.nullish().describe(HOURS),
  queue: queue.nullish().describe(QUEUE),
};

const agentName = name
  .nullish()
  .describe('Name of the agent that answers calls to the number; null: they are refused.');

/** A number of a workspace file: agents by their names. */
export const number = node({
  ...numberKeys,
  agent: agentName,
  closed: node({ ...closedKeys, agent: name.nullish().describe('Name of the agent of the action `agent`.') })
    .superRefine(complete('agent'))
    .nullish()
    .describe(CLOSED),
});

const id = whole(1, 2_147_483_647);

/** A number of `POST /numbers`: agents by their ids, the name may be absent. */
export const newNumber = node({
  ...numberKeys,
  name: numberKeys.name.optional(),
  agent_id: id.nullish().describe('ID of the agent that answers calls to the number; null: they are refused.'),
  closed: node({ ...closedKeys, agent_id: id.nullish().describe('ID of the agent of the action `agent`.') })
    .superRefine(complete('agent_id'))
    .nullish()
    .describe(CLOSED),
});

/** Fields of `PATCH /numbers/{id}`. */
export const changedNumber = newNumber.partial();

export type NumberNode = z.output<typeof number>;
type GivenFront = Pick<z.output<typeof changedNumber>, 'hours' | 'queue'> & {
  closed?: Pick<NonNullable<NumberNode['closed']>, keyof typeof closedKeys> | null;
};

const timeoutSettings = ({ action, to_number: number, message }: z.output<typeof onTimeout>) => ({
  action,
  to_number: action === 'transfer' ? (number ?? null) : null,
  message: message || null,
});

/** The columns of the hours, the closed action and the queue; undefined ones are not given. */
export function frontSettings({ hours, closed, queue }: GivenFront) {
  return {
    hours,
    closed: closed && { action: closed.action, message: closed.message || null, language: closed.language ?? null },
    queue: queue && {
      ...queue,
      announce: {
        ...queue.announce,
        message: queue.announce.message || null,
        language: queue.announce.language ?? null,
      },
      on_timeout: timeoutSettings(queue.on_timeout),
    },
  };
}
