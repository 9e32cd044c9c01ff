import { z } from 'zod';
import { coded, flag, language, node, text, whole } from '@app/common/field-schemas';

/** Each input is part of the description of a tool, which the model reads. */
const MAX_INPUTS = 10;
/** A card number has at most 19 digits. */
const MAX_INPUT_LENGTH = 32;
const MAX_PREFIXES = 200;

const spoken = (max: number) => text(max).trim().min(1, 'must not be empty');

const digitInput = node({
  name: text(64)
    .regex(/^[a-z][a-z0-9_]*$/, 'must be in snake_case, beginning with a lower-case letter')
    .describe('Name of the digits; tools receive secret ones as `{{secure.NAME}}`.'),
  description: text(500).optional().describe('For the model: what the digits are and when to ask for them.'),
  prompt: spoken(500).describe('Question that is spoken; keys are taken from its beginning.'),
  retry_prompt: spoken(500).optional().describe('Question of later attempts; absent: the same.'),
  min_length: whole(1, MAX_INPUT_LENGTH).default(1).describe('Fewest digits.'),
  max_length: whole(1, MAX_INPUT_LENGTH)
    .default(MAX_INPUT_LENGTH)
    .describe('Most digits; the input ends with the last one.'),
  finish_key: z
    .enum(['#', '*', ''], 'must be "#", "*" or "" (none)')
    .default('#')
    .describe('Key that ends the input; empty: none.'),
  timeout_seconds: whole(2, 60).default(10).describe('Maximum pause before the first key and between two keys.'),
  attempts: whole(1, 5).default(2).describe('Maximum number of attempts of the user.'),
  secure: flag
    .default(true)
    .describe('Whether the digits are hidden from events, recording, transcript, logs and the model.'),
  validate: z.enum(['luhn'], 'must be luhn').optional().describe('`luhn`: a wrong check digit of a card is refused.'),
}).refine(({ min_length: min, max_length: max }) => min <= max, {
  path: ['min_length'],
  error: 'must not be more than max_length',
});

const recordingConsent = node({
  mode: z
    .enum(['announce', 'ask'], 'must be announce or ask')
    .describe('`announce`: the message is spoken before the recording. `ask`: the other party must agree.'),
  message: spoken(1_000).describe('Announcement or question, spoken as it is.'),
  language: language
    .optional()
    .describe("Language of the message when it is not the agent's; the built-in voice speaks it."),
  prefixes: z
    .array(
      text(16).regex(/^\+[0-9]{1,15}$/, 'must be a prefix of E.164 numbers such as "+1"'),
      'must be a list of prefixes',
    )
    .max(MAX_PREFIXES, `must not be more than ${MAX_PREFIXES}`)
    .default([])
    .describe('E.164 prefixes of the other parties; empty: all. Unknown numbers always count.'),
  accept_keys: text(12)
    .regex(/^[0-9*#]+$/, 'must be keys 0-9, * and #')
    .default('1')
    .describe('Keys that agree; any other refuses.'),
  on_refusal: z
    .enum(['continue_without_recording', 'hang_up'], 'must be continue_without_recording or hang_up')
    .default('continue_without_recording')
    .describe('What happens after a no, or no answer.'),
  refusal_message: spoken(500).optional().describe('Spoken before `hang_up`.'),
});

/** The keys of an agent about its recordings and about digits that users enter. */
export const recordingKeys = {
  pause_recording_tool: flag
    .optional()
    .describe('Whether the agent has the tools `pause_recording` and `resume_recording`.'),
  digit_inputs: z
    .array(digitInput, 'must be a list of inputs')
    .max(MAX_INPUTS, `must not be more than ${MAX_INPUTS}`)
    .refine(
      (all) => new Set(all.map(({ name }) => name)).size === all.length,
      coded('duplicate', 'must not use a name twice'),
    )
    .nullish()
    .describe('Digits that the agent may ask for, with the tool `collect_digits`. The list replaces the stored one.'),
  recording_consent: recordingConsent
    .nullish()
    .describe('Announcement or question before the recording of a call. It replaces the stored object; null: none.'),
};
