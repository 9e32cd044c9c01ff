import { type Pattern, PatternBudget, PatternsTooLarge, UnusablePattern } from '@app/patterns';
import type { EndCause } from '@app/voice';
import { parse } from 'yaml';
import { z } from 'zod';

const CAUSES: Record<EndCause, true> = {
  agent_hangup: true,
  answering_machine: true,
  message_left: true,
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

/** The bounds of one simulation. */
const MOST_STEPS = 50;
const LONGEST_SECONDS = 120;
const USUAL_SECONDS = 60;
const MOST_EXPECTATIONS = 20;
const MOST_MOCKS = 50;
const MOST_ANSWERS = 50;
const MOST_KNOWLEDGE_BASES = 100;
/** Values of variables and their length, as in calls. */
const MOST_VARIABLES = 50;
const LONGEST_VALUE = 1_000;
const LONGEST_TEXT = 2_000;
const LONGEST_PATTERN = 500;
/** As JSON. */
const LONGEST_SCENARIO = 256 * 1024;

const text = (longest: number) => z.string().trim().min(1, 'must not be empty').max(longest);
const toolName = z.string().regex(/^[a-z][a-z0-9_]{0,63}$/, 'must be the name of a tool');

/** The budget of the current scenario; parsing is synchronous. */
let patterns = new PatternBudget();

const pattern = text(LONGEST_PATTERN).transform((source, context): Pattern => {
  try {
    if (!patterns.isSpent) return patterns.compile(source);
  } catch (error) {
    if (!(error instanceof UnusablePattern || error instanceof PatternsTooLarge)) throw error;
    context.addIssue({ code: 'custom', message: problemOf(error) });
  }
  return z.NEVER;
});

const problemOf = (error: UnusablePattern | PatternsTooLarge): string =>
  error instanceof PatternsTooLarge ? 'makes the patterns of the scenario too large' : error.message.replace(/\.$/, '');

/** `'price'` is short for `{ contains: 'price' }`. */
const plainExpectation = z.union([
  text(LONGEST_TEXT).transform((contains) => ({ contains })),
  z.strictObject({ contains: text(LONGEST_TEXT).describe('Text that the agent must say (case-insensitive).') }),
  z.strictObject({ matches: pattern.describe('Regular expression (RE2) that must match the words of the agent.') }),
]);
const expectation = z
  .union([
    plainExpectation,
    z.strictObject({
      any_of: z
        .array(plainExpectation)
        .min(1)
        .max(MOST_EXPECTATIONS)
        .describe('Alternatives, of which at least one must match.'),
    }),
  ])
  .meta({
    id: 'ScenarioExpectation',
    description: 'An expectation on the words of the agent. A string is short for `{contains: …}`.',
  });

/** One stands for a list of one. */
const oneOrMore = <T extends z.ZodType>(one: T) =>
  z.union([one.transform((value) => [value]), z.array(one).min(1).max(MOST_EXPECTATIONS)]);

/** `look_up` is short for `{ tool: look_up }`. */
const wantedCall = z
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
const digits = z
  .union([z.string(), z.int().min(0).transform(String)])
  .pipe(z.string().regex(/^[0-9A-D*#]{1,64}$/, 'must be keys of a telephone: 0-9, *, #, A-D'));

const END_WORDS = { hangup: 'agent_hangup', transfer: 'transferred' } as const satisfies Record<string, EndCause>;
const endCause = z
  .enum([...END_CAUSES, 'hangup', 'transfer'])
  .transform((word): EndCause => (word === 'hangup' || word === 'transfer' ? END_WORDS[word] : word));

const step = z
  .strictObject({
    name: text(200).optional().describe('Name of the step, for the report.'),
    says: text(LONGEST_TEXT).optional().describe('Words of the user.'),
    keys: digits
      .optional()
      .describe('Keys that the user presses. Without a final `#`, they are processed after a pause.'),
    silence: z
      .number()
      .min(0.1)
      .max(600)
      .optional()
      .describe('Seconds of silence in conversation time; they take no real time.'),
    expects: oneOrMore(expectation).optional().describe('Expected words of the agent; all must match.'),
    within_ms: z
      .int()
      .min(1)
      .max(LONGEST_SECONDS * 1_000)
      .optional()
      .describe('Maximum time until the agent speaks, in milliseconds.'),
    calls: oneOrMore(wantedCall).optional().describe('Expected tool calls; all must occur.'),
    absent: z
      .strictObject({
        says: oneOrMore(expectation).optional().describe('Words that the agent must not say.'),
        calls: oneOrMore(toolName).optional().describe('Tools that the agent must not call.'),
      })
      .optional()
      .describe('Words and tool calls that must not occur.'),
    ends: z
      .union([z.boolean(), endCause.transform((cause) => [cause]), z.array(endCause).min(1).max(END_CAUSES.length)])
      .optional()
      .describe(
        'Expected end of the conversation in this step; `false`: it must continue. `hangup` and `transfer` are short for their causes.',
      ),
  })
  .superRefine((fields, context) => {
    const inputs = [fields.says, fields.keys, fields.silence].filter((one) => one !== undefined);
    if (inputs.length > 1) context.addIssue({ code: 'custom', message: 'takes one of says, keys and silence' });
    if (Object.keys(fields).every((key) => key === 'name'))
      context.addIssue({ code: 'custom', message: 'does nothing' });
  })
  .meta({ id: 'ScenarioStep', description: 'An optional input of the user and the expected reaction of the agent.' });

const answer = z
  .strictObject({
    arguments: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('Applies only to calls that contain these arguments.'),
    result: z.unknown().optional().describe('Result of the tool.'),
    error: z
      .strictObject({ code: text(64), message: text(LONGEST_TEXT) })
      .optional()
      .describe('Error of the tool, instead of `result`.'),
    after_ms: z
      .int()
      .min(0)
      .max(LONGEST_SECONDS * 1_000)
      .optional()
      .describe('Duration of the call in conversation time, in milliseconds.'),
  })
  .refine((fields) => 'result' in fields !== (fields.error !== undefined), 'needs result, or error')
  .meta({ id: 'ScenarioAnswer', description: 'Response of a mocked tool: `result` or `error`.' });

export const TOOL_MODES = ['mock', 'live', 'record'] as const;
export type ToolMode = (typeof TOOL_MODES)[number];

/** One conversation with its expectations. */
const scenarioSchema = z.strictObject({
  name: text(200).default('simulation').describe('Name of the scenario, for the report.'),
  direction: z.enum(['inbound', 'outbound']).default('inbound').describe('Direction of the call.'),
  metadata: z.record(z.string(), z.unknown()).nullable().default(null).describe('Metadata of the call.'),
  variables: z
    .record(text(64), z.union([text(LONGEST_VALUE), z.number(), z.boolean()]))
    .refine((values) => Object.keys(values).length <= MOST_VARIABLES, `must not be more than ${MOST_VARIABLES}`)
    .nullable()
    .default(null)
    .describe("Values of the agent's variables."),
  knowledge_base_ids: z
    .array(z.int().min(1).max(2_147_483_647))
    .max(MOST_KNOWLEDGE_BASES, `must not be more than ${MOST_KNOWLEDGE_BASES}`)
    .nullable()
    .default(null)
    .describe(
      'IDs of the knowledge bases that the agent uses, own or shared ones of the agent, each active. Null: all. Empty: none.',
    ),
  tools: z
    .enum(TOOL_MODES)
    .default('mock')
    .describe(
      '`mock`: tools return `mocks`. `live`: tool actions are executed. `record`: as `live`, and the results are returned as `mocks`.',
    ),
  mocks: z
    .record(toolName, z.union([answer.transform((one) => [one]), z.array(answer).min(1).max(MOST_ANSWERS)]))
    .refine((mocks) => Object.keys(mocks).length <= MOST_MOCKS, `must not be more than ${MOST_MOCKS}`)
    .default({})
    .describe(
      'Responses by tool, in every mode. Of several matching responses, each is used once and the last one repeatedly.',
    ),
  max_seconds: z
    .number()
    .min(1)
    .max(LONGEST_SECONDS)
    .default(USUAL_SECONDS)
    .describe('Time limit of the simulation in real time, in seconds.'),
  steps: z
    .array(step)
    .min(1, 'needs a step')
    .max(MOST_STEPS, `must not be more than ${MOST_STEPS}`)
    .describe('Steps in order. A first step without input checks the greeting.'),
});

/** The JSON Schema of the input of `readScenario`, with its references under `$defs`. */
export const scenarioJsonSchema = (): object => z.toJSONSchema(scenarioSchema, { io: 'input' });

export type Scenario = z.output<typeof scenarioSchema>;
export type ScenarioStep = Scenario['steps'][number];
export type Expectation = z.output<typeof expectation>;
export type WantedCall = z.output<typeof wantedCall>;
export type MockedAnswer = z.output<typeof answer>;

/** The scenario is invalid: the problems by place (`steps.0.expects.1.matches`). */
export class ScenarioInvalid extends Error {
  constructor(readonly problems: Record<string, string[]>) {
    super(
      Object.entries(problems)
        .map(([place, sentences]) => `${place ? `${place} ` : ''}${sentences.join(', ')}`)
        .join('; '),
    );
  }
}

/** @throws ScenarioInvalid */
export function readScenario(value: unknown): Scenario {
  if ((JSON.stringify(value)?.length ?? 0) > LONGEST_SCENARIO)
    throw new ScenarioInvalid({ '': [`must not be longer than ${LONGEST_SCENARIO / 1024} KB`] });
  patterns = new PatternBudget();
  const read = scenarioSchema.safeParse(value);
  if (read.success) return read.data;
  throw new ScenarioInvalid(problemsOf(read.error.issues));
}

/** Problems by place. Of alternatives, only the problems of the one that matched furthest. */
function problemsOf(issues: readonly z.core.$ZodIssue[], at: PropertyKey[] = []): Record<string, string[]> {
  const problems: Record<string, string[]> = {};
  for (const issue of issues) {
    const path = [...at, ...issue.path];
    const found =
      issue.code === 'invalid_union'
        ? problemsOf(nearest(issue.errors), path)
        : { [path.join('.')]: [sentenceOf(issue)] };
    for (const [place, sentences] of Object.entries(found)) (problems[place] ??= []).push(...sentences);
  }
  return problems;
}

const depthOf = (issues: readonly z.core.$ZodIssue[]): number => Math.max(0, ...issues.map(depthOfIssue));

function depthOfIssue(issue: z.core.$ZodIssue): number {
  const { path, code } = issue;
  const inside = code === 'invalid_union' ? Math.max(1, ...issue.errors.map(depthOf)) : 1;
  return path.length * 2 + (code === 'invalid_type' || code === 'unrecognized_keys' ? 0 : inside);
}

const nearest = (errors: z.core.$ZodIssue[][]): z.core.$ZodIssue[] =>
  errors.toSorted((a, b) => depthOf(b) - depthOf(a))[0] ?? [];

/** The text after the place; zod's messages begin with `Invalid input: ` or `Too big: `. */
function sentenceOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys')
    return `has the unknown ${issue.keys.length > 1 ? 'fields' : 'field'} ${issue.keys.join(', ')}`;
  const [, fault, detail] = /^(Invalid|Too big|Too small)\b[^:]*: (.*)$/s.exec(issue.message) ?? [];
  return fault === undefined ? issue.message : `is ${fault.toLowerCase()}: ${detail}`;
}

const MOST_SCENARIOS = 200;

export interface NamedScenario {
  /** Absent: the account of the command line. */
  account?: string;
  /** Its name or its id. */
  agent?: string | number;
  scenario: Scenario;
}

const whose = { account: z.string().min(1).optional(), agent: z.union([z.string().min(1), z.int().min(1)]).optional() };
const fileSchema = z.strictObject({
  ...whose,
  scenarios: z.array(z.looseObject(whose)).min(1, 'needs a scenario').max(MOST_SCENARIOS),
});

/** Reads YAML or JSON: one scenario, or `scenarios` with their common fields. @throws ScenarioInvalid */
export function readScenarioFile(yaml: string): NamedScenario[] {
  const content = parsed(yaml);
  const isList = typeof content === 'object' && content !== null && 'scenarios' in content;
  if (!isList) return [named(content, {}, '')];
  const read = fileSchema.safeParse(content);
  if (!read.success) throw new ScenarioInvalid(problemsOf(read.error.issues));
  const { scenarios, ...common } = read.data;
  return scenarios.map((one, index) => named(one, common, `scenarios.${index}.`));
}

function parsed(yaml: string): unknown {
  try {
    return parse(yaml, { maxAliasCount: 100 });
  } catch (error) {
    throw new ScenarioInvalid({ '': [`is no YAML: ${(error as Error).message.split('\n')[0] ?? ''}`] });
  }
}

function named(content: unknown, common: Omit<NamedScenario, 'scenario'>, place: string): NamedScenario {
  const read = z.looseObject(whose).safeParse(content);
  if (!read.success) throw placed(new ScenarioInvalid(problemsOf(read.error.issues)), place);
  const { account = common.account, agent = common.agent, ...scenario } = read.data;
  try {
    return { account, agent, scenario: readScenario(scenario) };
  } catch (error) {
    throw error instanceof ScenarioInvalid ? placed(error, place) : error;
  }
}

const placed = ({ problems }: ScenarioInvalid, place: string): ScenarioInvalid =>
  new ScenarioInvalid(Object.fromEntries(Object.entries(problems).map(([path, texts]) => [`${place}${path}`, texts])));
