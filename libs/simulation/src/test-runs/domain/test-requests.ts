import { type FieldErrors, InvalidFields } from '@app/common';
import { z } from 'zod';
import { CHANNELS, NOTIFICATIONS } from './test-plan.js';

const MAX_REPETITIONS = 100;
const MAX_NAMED = 50;
const MAX_URL_LENGTH = 2_048;
const MAX_NAME_LENGTH = 200;

const name = z
  .string('must be a string')
  .min(1, 'must not be empty')
  .max(MAX_NAME_LENGTH, `must not be greater than ${MAX_NAME_LENGTH} characters`);

const overrides = {
  repeat: z
    .int('must be an integer')
    .min(1, `must be between 1 and ${MAX_REPETITIONS}`)
    .max(MAX_REPETITIONS, `must be between 1 and ${MAX_REPETITIONS}`)
    .nullish()
    .describe('Number of conversations of each scenario. Null: `repeat` of the scenario.'),
  pass_rate: z
    .number('must be a number')
    .gt(0, 'must be above 0 and at most 1')
    .max(1, 'must be above 0 and at most 1')
    .nullish()
    .describe('Share of the conversations of each scenario that must pass. Null: `pass_rate` of the scenario.'),
  channel: z
    .enum(CHANNELS, `must be one of ${CHANNELS.join(', ')}`)
    .nullish()
    .describe('Channel of all scenarios. Null: `channel` of the scenario.'),
  webhook_url: z
    .string('must be a string')
    .max(MAX_URL_LENGTH, `must not be greater than ${MAX_URL_LENGTH} characters`)
    .nullish()
    .describe('Receives the webhook `test-run` at the end of a run.'),
  notify: z
    .enum(NOTIFICATIONS, `must be one of ${NOTIFICATIONS.join(', ')}`)
    .optional()
    .describe('When the webhook is sent: `always`, or `failure` unless the run passed.'),
};

/** The body of a request for a run. */
export const runRequest = z.object(
  {
    scenarios: z
      .array(z.union([name, z.record(z.string(), z.unknown())], 'must contain names or scenarios'), 'must be a list')
      .max(MAX_NAMED, `must not have more than ${MAX_NAMED} items`)
      .optional()
      .describe('Names of scenarios of the agent, or scenarios. Absent or empty: all scenarios of the agent.'),
    agent_version: z
      .int('must be an integer')
      .min(1, 'must be at least 1')
      .nullish()
      .describe('Version of the agent, drafts included. Null: the current settings.'),
    ...overrides,
  },
  'must be an object',
);

/** The body of a schedule. */
export const scheduleRequest = z.object(
  {
    cron: z
      .string('is required')
      .trim()
      .min(1, 'is required')
      .describe('Cron expression with five fields, at most once an hour.'),
    time_zone: z.string('must be a string').default('UTC').describe('IANA time zone of `cron`.'),
    scenarios: z
      .array(name, 'must be a list')
      .max(MAX_NAMED, `must not have more than ${MAX_NAMED} items`)
      .optional()
      .describe('Names of scenarios of the agent. Absent or empty: all scenarios of the agent.'),
    ...overrides,
  },
  'must be an object',
);

export type RunRequest = z.output<typeof runRequest>;

/** Throws InvalidFields by path. */
export function readBody<T>(schema: z.ZodType<T>, body: unknown): T {
  const read = schema.safeParse(body ?? {});
  if (read.success) return read.data;
  const errors: FieldErrors = {};
  for (const { path, message } of read.error.issues) {
    const place = path.join('.') || 'body';
    (errors[place] ??= []).push(`The ${place} field ${message}.`);
  }
  throw new InvalidFields(errors);
}
