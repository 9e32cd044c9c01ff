import { MODEL_NAMES } from '@app/common';
import { MAX_STEP_CHANGES, STEP_NAME } from '@app/flow';
import { z } from 'zod';
import {
  digits,
  expectation,
  MAX_TEXT_LENGTH,
  moment,
  MAX_EXPECTATIONS,
  oneOrMore,
  text,
  wantedCall,
  wantedEnd,
} from './scenario-parts.js';

/** The bounds of a persona and a judge. */
const MAX_RULES = 100;
const MAX_TURNS = 100;
const USUAL_TURNS = 20;
const MAX_PROMPT_LENGTH = 8_000;
const MAX_QUESTIONS = 30;
const MAX_VALUES = 20;
const MAX_CONVERSATION_SECONDS = 3_600;

const VENDORS = MODEL_NAMES.filter((name) => name !== 'sandbox');

/** `openai:gpt-5.1-mini` */
const model = z
  .string()
  .regex(
    new RegExp(`^(?:${VENDORS.join('|')}):\\S{1,200}$`),
    `must be a vendor (${VENDORS.join(', ')}), a colon and the name of a model`,
  )
  .transform((name) => {
    const at = name.indexOf(':');
    return { provider: name.slice(0, at) as (typeof VENDORS)[number], model: name.slice(at + 1) };
  })
  .optional();

/** One text, or variants of which the seed chooses. */
const variants = z.union([
  text(MAX_TEXT_LENGTH).transform((one) => [one]),
  z.array(text(MAX_TEXT_LENGTH)).min(1).max(MAX_EXPECTATIONS),
]);

const rule = z
  .strictObject({
    when: expectation
      .optional()
      .describe('Words of the agent since the last input of the caller. Absent: any words, and none.'),
    say: variants.optional().describe('Words of the caller; of a list, the seed chooses one.'),
    keys: digits.optional().describe('Keys that the caller presses.'),
    silence: z.number().min(0.1).max(600).optional().describe('Seconds in which the caller says nothing.'),
    hang_up: z.literal(true).optional().describe('The caller hangs up, after its words.'),
    interrupts: z
      .boolean()
      .default(false)
      .describe('The caller speaks as soon as it has heard the words of `when`, while the agent still acts.'),
    times: z.int().min(1).max(MAX_TURNS).default(1).describe('How often the rule applies in a conversation.'),
  })
  .superRefine((fields, context) => {
    const inputs = [fields.say, fields.keys, fields.silence].filter((one) => one !== undefined);
    if (inputs.length > 1) context.addIssue({ code: 'custom', message: 'takes one of say, keys and silence' });
    if (inputs.length === 0 && !fields.hang_up)
      context.addIssue({ code: 'custom', message: 'needs say, keys, silence or hang_up' });
    if (fields.interrupts && !fields.when) context.addIssue({ code: 'custom', message: 'interrupts only with when' });
  })
  .meta({ id: 'ScenarioPersonaRule', description: 'What the caller does when the agent says something.' });

const maxTurns = z
  .int()
  .min(1)
  .max(MAX_TURNS)
  .default(USUAL_TURNS)
  .describe('Inputs of the caller, after which it hangs up. A goal that is not reached by then has failed.');

const scriptedPersona = z
  .strictObject({
    rules: z
      .array(rule)
      .min(1, 'needs a rule')
      .max(MAX_RULES)
      .describe('The first rule that applies and is not used up decides what the caller does.'),
    otherwise: variants
      .default(['Sorry, I did not understand that. Could you say it again?'])
      .describe('Words of the caller when no rule applies.'),
    goal: moment
      .optional()
      .describe('The aim of the caller: when it is reached, the caller says `farewell` and hangs up.'),
    farewell: variants.optional().describe('Last words of the caller.'),
    impatience: z
      .strictObject({
        replies: z
          .int()
          .min(1)
          .max(MAX_TURNS)
          .default(3)
          .describe('Replies in sequence to which no rule applies, after which the caller hangs up.'),
        seconds: z
          .number()
          .min(1)
          .max(600)
          .default(20)
          .describe('Seconds of silence of the agent, after which the caller hangs up.'),
      })
      .prefault({})
      .describe('When the caller gives up; the conversation has then failed.'),
    interrupts: z
      .number()
      .min(0)
      .max(1)
      .default(0)
      .describe('Share of the rules with `when` that apply before the agent has finished; the seed decides which.'),
    max_turns: maxTurns,
    seed: z.int().min(0).max(2_147_483_647).default(1).describe('Same seed, same choices of the caller.'),
  })
  .meta({ id: 'ScenarioScriptedPersona', description: 'A caller that follows rules.' });

const modelPersona = z
  .strictObject({
    prompt: text(MAX_PROMPT_LENGTH).describe('Who calls, and how this person talks.'),
    goal: text(MAX_TEXT_LENGTH).describe('What the caller wants to achieve.'),
    model: model.describe('Model that speaks as the caller, as `vendor:model`. Absent: the one of the operator.'),
    language: text(35).optional().describe('Language of the caller, such as `de`.'),
    max_turns: maxTurns,
  })
  .meta({ id: 'ScenarioModelPersona', description: 'A caller that a text model plays.' });

export const persona = z
  .union([scriptedPersona, modelPersona])
  .describe('The caller, which decides from what the agent says. It begins after the steps.');

const order = z
  .strictObject({
    first: moment.describe('Must happen before `then`.'),
    then: moment.describe('Must not happen before `first`.'),
  })
  .meta({ id: 'ScenarioOrder', description: 'An order of two moments. `then` need not happen.' });

const ms = z.int().min(1).max(600_000);

const name = text(64).describe('Name of the question, in the report.');
const question = text(MAX_TEXT_LENGTH).describe('Question about the conversation.');
const rubricQuestion = z
  .discriminatedUnion('type', [
    z.strictObject({
      name,
      question,
      type: z.literal('boolean'),
      pass: z.boolean().default(true).describe('The answer that passes.'),
    }),
    z.strictObject({
      name,
      question,
      type: z.literal('score'),
      min: z.int().default(1).describe('Lowest score.'),
      max: z.int().default(5).describe('Highest score.'),
      pass: z.number().describe('Lowest score that passes.'),
    }),
    z.strictObject({
      name,
      question,
      type: z.literal('enum'),
      values: z.array(text(200)).min(2).max(MAX_VALUES).describe('Possible answers.'),
      pass: oneOrMore(text(200)).describe('Answers that pass.'),
    }),
  ])
  .superRefine((fields, context) => {
    const issue = (message: string): void => context.addIssue({ code: 'custom', path: ['pass'], message });
    if (fields.type === 'score' && (fields.pass < fields.min || fields.pass > fields.max))
      issue('must be between min and max');
    if (fields.type === 'enum' && fields.pass.some((one) => !fields.values.includes(one)))
      issue('must be among values');
  })
  .meta({ id: 'ScenarioRubricQuestion', description: 'A question to a model about the finished conversation.' });

const audioLimits = z
  .strictObject({
    response_ms: ms.describe("Maximum time from the end of the caller's words to the agent's first sound."),
    silence_ms: ms.describe('Maximum time in which neither speaks, without the silences of the scenario.'),
    interruption_ms: ms.describe('Maximum time for which the agent continues to speak when the caller interrupts it.'),
    talks_over: z.int().min(0).max(100).describe('How often the agent may begin to speak while the caller speaks.'),
    mos: z.number().min(1).max(4.5).describe("Lowest quality of the agent's audio, as mean opinion score."),
    recording: z.boolean().describe('Whether the call has a recording. Only calls over SIP have one.'),
  })
  .partial()
  .refine((fields) => Object.keys(fields).length > 0, 'limits nothing')
  .meta({
    id: 'ScenarioAudioLimits',
    description: "Limits of what the caller's phone hears. Conversations in text have no audio and meet them.",
  });

/** Names of `values`. */
const MAX_WANTED_VALUES = 100;

export const judge = z
  .strictObject({
    must_say: oneOrMore(expectation).optional().describe('Words of the agent; all must match.'),
    must_not_say: oneOrMore(expectation).optional().describe('Words that the agent must not say.'),
    must_call: oneOrMore(wantedCall).optional().describe('Tool calls; all must occur.'),
    must_not_call: oneOrMore(wantedCall).optional().describe('Tool calls that must not occur, with these arguments.'),
    order: oneOrMore(order).optional().describe('Moments in their order.'),
    max_turns: z.int().min(1).max(1_000).optional().describe('Most turns of the agent.'),
    max_words: z.int().min(1).max(10_000).optional().describe('Maximum number of words in one turn of the agent.'),
    max_seconds: z
      .number()
      .min(1)
      .max(MAX_CONVERSATION_SECONDS)
      .optional()
      .describe('Maximum duration of the conversation, in seconds of conversation time.'),
    ends: wantedEnd.optional().describe('Expected end of the conversation, as in a step.'),
    path: z
      .array(z.string().regex(STEP_NAME, 'must be the name of a step'))
      .max(MAX_STEP_CHANGES, `must not be more than ${MAX_STEP_CHANGES}`)
      .optional()
      .describe(
        'Names of the steps of the flow that the conversation enters, all of them in their order. Empty: none.',
      ),
    values: z
      .record(text(64), z.unknown())
      .refine((all) => Object.keys(all).length <= MAX_WANTED_VALUES, `must not be more than ${MAX_WANTED_VALUES}`)
      .optional()
      .describe(
        'Values that the flow has collected at the end, by name. Objects may have further fields. Null: the value is not there, or null.',
      ),
    audio: audioLimits.optional().describe('Limits of what is heard on the line, in the channels audio and sip.'),
    rubric: z
      .array(rubricQuestion)
      .min(1)
      .max(MAX_QUESTIONS)
      .optional()
      .describe('Questions that a model answers about the conversation. Each answer cites the transcript.'),
    model: model.describe('Model that answers the rubric, as `vendor:model`. Absent: the one of the operator.'),
  })
  .refine((fields) => Object.keys(fields).some((key) => key !== 'model'), 'judges nothing')
  .meta({ id: 'ScenarioJudge', description: 'Expectations on the whole conversation.' });

type Persona = z.output<typeof persona>;
export type ScriptedPersonaSettings = Extract<Persona, { rules: unknown }>;
export type ModelPersonaSettings = Extract<Persona, { prompt: unknown }>;
export type AudioLimits = z.output<typeof audioLimits>;
export type JudgeSettings = z.output<typeof judge>;
export type RubricQuestion = z.output<typeof rubricQuestion>;
