import { type Pattern, PatternBudget, PatternsTooLarge, UnusablePattern } from '@app/json-schema/patterns';
import type { EndCause } from '@app/voice';
import { z } from 'zod';

const CAUSES: Record<EndCause, true> = {
  agent_hangup: true,
  answering_machine: true,
  message_left: true,
  recording_refused: true,
  normal_clearing: true,
  max_duration: true,
  agent_provider_error: true,
  media_timeout: true,
  session_expired: true,
  transferred: true,
  cancelled: true,
  drained: true,
};

/** The possible causes of a conversation's end. */
const END_CAUSES = Object.keys(CAUSES) as EndCause[];

/** Entries of one list of expectations. */
export const MAX_EXPECTATIONS = 20;
export const MAX_TEXT_LENGTH = 2_000;
const MAX_PATTERN_LENGTH = 500;

export const text = (longest: number) => z.string().trim().min(1, 'must not be empty').max(longest);
export const toolName = z.string().regex(/^[a-z][a-z0-9_]{0,63}$/, 'must be the name of a tool');

/** The budget of the current scenario; parsing is synchronous. */
let patterns = new PatternBudget();

/** To be called before a scenario is parsed. */
export function renewPatternBudget(): void {
  patterns = new PatternBudget();
}

const pattern = text(MAX_PATTERN_LENGTH).transform((source, context): Pattern => {
  try {
    if (!patterns.isSpent) return patterns.compile(source);
  } catch (error) {
    if (!(error instanceof UnusablePattern || error instanceof PatternsTooLarge)) throw error;
    context.addIssue({ code: 'custom', message: problemOf(error) });
  }
  return z.NEVER;
});

const problemOf = (error: UnusablePattern | PatternsTooLarge): string =>
  error instanceof PatternsTooLarge ? 'makes the patterns of the scenario too large' : error.message;

/** `'price'` is short for `{ contains: 'price' }`. */
const plainExpectation = z.union([
  text(MAX_TEXT_LENGTH).transform((contains) => ({ contains })),
  z.strictObject({ contains: text(MAX_TEXT_LENGTH).describe('Text that the agent must say (case-insensitive).') }),
  z.strictObject({ matches: pattern.describe('Regular expression (RE2) that must match the words of the agent.') }),
]);
export const expectation = z
  .union([
    plainExpectation,
    z.strictObject({
      any_of: z
        .array(plainExpectation)
        .min(1)
        .max(MAX_EXPECTATIONS)
        .describe('Alternatives, of which at least one must match.'),
    }),
  ])
  .meta({
    id: 'ScenarioExpectation',
    description: 'An expectation on the words of the agent. A string is short for `{contains: …}`.',
  });

/** One stands for a list of one. */
export const oneOrMore = <T extends z.ZodType>(one: T) =>
  z.union([one.transform((value) => [value]), z.array(one).min(1).max(MAX_EXPECTATIONS)]);

/** `look_up` is short for `{ tool: look_up }`. */
export const wantedCall = z
  .union([
    toolName.transform((tool) => ({ tool, arguments: undefined, ok: undefined })),
    z.strictObject({
      tool: toolName.describe('Name of the tool.'),
      arguments: z
        .record(z.string(), z.unknown())
        .optional()
        .describe('Arguments that the call must contain, with these values.'),
      ok: z.boolean().optional().describe('Whether the call must succeed or fail.'),
    }),
  ])
  .meta({ id: 'ScenarioToolCall', description: 'An expected tool call. A string is short for `{tool: …}`.' });

/** YAML takes a bare 5 for a number. */
export const digits = z
  .union([z.string(), z.int().min(0).transform(String)])
  .pipe(z.string().regex(/^[0-9A-D*#]{1,64}$/, 'must be keys of a telephone: 0-9, *, #, A-D'));

const END_WORDS = { hangup: 'agent_hangup', transfer: 'transferred' } as const satisfies Record<string, EndCause>;
const endCause = z
  .enum([...END_CAUSES, 'hangup', 'transfer'])
  .transform((word): EndCause => (word === 'hangup' || word === 'transfer' ? END_WORDS[word] : word));

/** `hangup`, `[hangup, transfer]`, true (any end) or false (no end). */
export const wantedEnd = z.union([
  z.boolean(),
  endCause.transform((cause) => [cause]),
  z.array(endCause).min(1).max(END_CAUSES.length),
]);

/** `three euros` is short for `{ says: three euros }`. */
export const moment = z
  .union([
    text(MAX_TEXT_LENGTH).transform((contains) => ({ says: { contains } })),
    z.strictObject({ says: expectation.describe('The agent says this in one turn.') }),
    z.strictObject({ hears: expectation.describe('The user says this in one turn, or presses these keys.') }),
    z.strictObject({ calls: wantedCall.describe('The agent calls this tool.') }),
  ])
  .meta({
    id: 'ScenarioMoment',
    description: 'Something that happens in the conversation. A string is short for `{says: …}`.',
  });

export type Expectation = z.output<typeof expectation>;
export type WantedCall = z.output<typeof wantedCall>;
export type WantedEnd = z.output<typeof wantedEnd>;
export type Moment = z.output<typeof moment>;
