import { isCountry } from '../domain/written-number.js';
import { isTimeZone, timeOfDayProblem } from '@app/common/time-windows';
import { z } from 'zod';
import { redaction } from './redaction-schema.js';
import { coded, language, node, rate, report, text, whole } from '@app/common/field-schemas';

const prefix = text(16)
  .transform((value) => value.replace(/[\s().-]/g, ''))
  .refine(
    (value) => /^\+\d{1,15}$/.test(value),
    coded('invalid_format', 'must be the beginning of an E.164 number, such as "+1" or "+1900"'),
  );

const prefixes = z.array(prefix, 'must be a list of prefixes');

export const limits = node({
  concurrent_calls: whole(1, 10_000).optional().describe('Live calls at most; further calls wait in order.'),
  calls_per_second: rate.optional().describe('Calls started per second at most; further calls wait in order.'),
  queued_calls: whole(1, 10_000_000)
    .optional()
    .describe('Waiting and scheduled calls at most; further requests return 422.'),
  requests_per_minute: whole(0, 100_000_000)
    .nullish()
    .describe('Requests per minute and token; 0: no limit, null: the limit of the installation.'),
  daily_spend_usd: z
    .number('must be a number of US dollars')
    .nonnegative('must not be negative')
    .max(1e9)
    .nullish()
    .describe('Spend per UTC day in US dollars after which no call is placed; null: unlimited.'),
  storage_bytes: whole(0, Number.MAX_SAFE_INTEGER)
    .nullish()
    .describe('Bytes of recordings and files of knowledge bases at most; null: unlimited.'),
  destinations: node({
    allow: prefixes
      .optional()
      .describe('E.164 prefixes that may be called; an empty list allows all that are not denied.'),
    deny: prefixes.optional().describe('E.164 prefixes that may not be called; the longest matching prefix decides.'),
  })
    .optional()
    .describe('Destinations that the account may call.'),
});

const timeOfDay = (end: 'from' | 'to') =>
  text(5).superRefine((value, context) => report(context, timeOfDayProblem(value, end), 'invalid_format'));

export const contactLimits = node({
  attempts_per_day: whole(1, 1_000).nullish().describe('Calls to one number within 24 hours at most; null: no limit.'),
  attempts_per_week: whole(1, 1_000)
    .nullish()
    .describe('Calls to one number within seven days at most; null: no limit.'),
  earliest: timeOfDay('from')
    .nullish()
    .describe('Local time of the called number from which it may be called, such as 08:00; null: midnight.'),
  latest: timeOfDay('to')
    .nullish()
    .describe('Local time of the called number until which it may be called, such as 21:00; null: midnight.'),
  time_zone: text(64)
    .refine(isTimeZone, coded('invalid_format', 'must be an IANA time zone such as "Europe/Berlin"'))
    .nullish()
    .describe('IANA time zone of numbers whose own is unknown; null: UTC.'),
}).refine(({ earliest, latest }) => !earliest || !latest || earliest < latest, {
  path: ['latest'],
  error: 'must be later than earliest',
  params: { code: 'out_of_range' },
});

const days = whole(1, 36_500).nullish();

export const retention = node({
  recordings_days: days.describe('Days after which recordings are deleted; null: never.'),
  transcripts_days: days.describe('Days after which transcripts are deleted; null: never.'),
  deliveries_days: days.describe('Days after which webhook deliveries are deleted; null: never.'),
  documents_days: days.describe('Days after which uploaded documents are deleted; null: never.'),
});

export const defaultCountry = text(2)
  .transform((value) => value.toUpperCase())
  .refine(isCountry, coded('invalid_choice', 'must be a country of ISO 3166-1 alpha-2 such as "DE"'))
  .nullish();

export const announceListeners = node({
  message: text(500).trim().nullish().describe('Spoken sentence; null: one in the language (English, German).'),
  language: language.nullish().describe('Language of the sentence, such as en or de-DE; null: English.'),
}).nullish();

/** Fields of `PATCH /account`. */
export const accountFields = node({
  default_country: defaultCountry.describe(
    'Country of phone numbers without a country code in imports and in the console, ISO 3166-1 alpha-2; null: none.',
  ),
  limits: limits.optional().describe('Limits of the account; absent fields stay unchanged.'),
  contact_limits: contactLimits
    .optional()
    .describe('How often and when one number is called; absent fields stay unchanged.'),
  retention: retention.optional().describe('How long data is kept; absent fields stay unchanged.'),
  redaction: redaction.describe(
    'Secrets that are removed from everything stored about calls; replaces the stored object, null: none.',
  ),
  announce_listeners: announceListeners.describe(
    'What the other party hears before a person listens to the call; replaces the stored object, null: nothing.',
  ),
});

export type AccountFields = z.output<typeof accountFields>;
