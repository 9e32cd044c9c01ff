import { z } from 'zod';
import { parseDestination, inviteHeaders } from '@app/accounts';
import { MAX_TRANSFER_DESTINATIONS, TRANSFER_BRIEFINGS, TRANSFER_MODES } from '../domain/transfer-settings.js';
import { node, report, text, whole } from '@app/common/field-schemas';

const toNumber = text(255).transform((value, context) => {
  const parsed = parseDestination(value);
  if (parsed.kind !== 'wrong') return parsed.address;
  context.addIssue({
    code: 'custom',
    message: 'must be an E.164 number or a SIP URI such as sip:7001@pbx.example.com',
  });
  return z.NEVER;
});

/** A name that a model can repeat. */
const destinationName = text(64)
  .trim()
  .regex(/^[\p{L}\p{N}][\p{L}\p{N} _.-]{0,63}$/u, 'must be 1 to 64 letters, digits, spaces or . _ -');

const metadataKey = text(128).min(1, 'must not be empty');

const destination = node({
  name: destinationName.describe('Unique name, by which the model selects the destination.'),
  to_number: toNumber.describe('E.164 number, or SIP URI that the trunk of the call accepts.'),
  description: text(500).nullish().describe('When the model selects the destination.'),
  extension: text(64)
    .regex(/^[0-9*#A-Da-d,]+$/, 'must contain only 0 to 9, *, #, A to D and commas')
    .nullish()
    .describe('Keys that are sent after the answer. A comma is a pause of one second.'),
  headers: inviteHeaders.describe(
    'Headers of the INVITE: `X-…`, `User-to-User`, `Subject` or `Organization`, each with the metadata key of the call that provides its value.',
  ),
  uui: metadataKey
    .nullish()
    .describe('Metadata key of the call whose value is sent as `User-to-User` in hexadecimal (RFC 7433).'),
  ring_timeout_seconds: whole(1, 60).nullish().describe('Maximum ringing time in seconds. Null: that of the agent.'),
}).superRefine(({ uui, headers }, context) => {
  const isGiven = Object.keys(headers ?? {}).some((one) => one.toLowerCase() === 'user-to-user');
  if (uui && isGiven)
    context.addIssue({
      code: 'custom',
      path: ['uui'],
      message: 'must not be given beside the header',
      params: { code: 'not_allowed' },
    });
});

const destinations = z
  .array(destination, 'must be a list of destinations')
  .max(MAX_TRANSFER_DESTINATIONS, `must not be more than ${MAX_TRANSFER_DESTINATIONS}`)
  .superRefine((all, context) => {
    const names = all.map((one) => one.name.toLowerCase());
    for (const [index, one] of names.entries())
      if (names.indexOf(one) < index)
        context.addIssue({
          code: 'custom',
          path: [index, 'name'],
          message: `"${one}" is used more than once`,
          params: { code: 'duplicate' },
        });
  });

/** The keys of a transfer that say how it is made, and to which phones. */
export const transferOptionKeys = {
  mode: z
    .enum(TRANSFER_MODES, 'must be cold, warm or conference')
    .optional()
    .describe(
      '`cold`, the default: the caller is connected with the phone that answers. `warm`: the agent briefs the person in private, who accepts or declines. `conference`: the same, and the agent stays.',
    ),
  briefing: z
    .enum(TRANSFER_BRIEFINGS, 'must be summary or own_words')
    .optional()
    .describe(
      '`summary`, the default: a summary is spoken word by word. `own_words`: the model speaks freely about it.',
    ),
  accept_prompt: text(500)
    .trim()
    .nullish()
    .describe(
      'Question after the briefing. Null: that of the language, such as "Press 1 or say yes to take the call."',
    ),
  accept_timeout_seconds: whole(5, 120)
    .optional()
    .describe('Time for the answer of the person after the briefing, in seconds; 30.'),
  destinations: destinations
    .nullish()
    .describe(
      'Destinations in the order in which they are tried. The list replaces the stored one; null: only `phone_number`.',
    ),
};

/** Of one call; replaces the same keys of the agent. */
export const transferOverrides = node(transferOptionKeys).superRefine(({ destinations: given }, context) => {
  report(context, given?.length === 0 ? 'must have at least one destination' : undefined);
});
