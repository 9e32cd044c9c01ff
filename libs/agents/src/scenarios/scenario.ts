import { parse } from 'yaml';
import { z } from 'zod';
import { outsideFields, outsideProblems, withRealVoice } from './outside-agent.js';
import {
  digits,
  expectation,
  MAX_TEXT_LENGTH,
  oneOrMore,
  renewPatternBudget,
  text,
  toolName,
  wantedCall,
  wantedEnd,
} from './scenario-parts.js';
import { CLEAN_LINE, lineProfile } from './line-profile.js';
import { judge, persona } from './tester-schema.js';

/** The bounds of one simulation. */
const MAX_STEPS = 50;
const MAX_SECONDS = 120;
const USUAL_SECONDS = 60;
/** Conversations with audio take their time. */
const MAX_AUDIO_SECONDS = 600;
const MAX_REPETITIONS = 100;
const MAX_MOCKS = 50;
const MAX_ANSWERS = 50;
const MAX_KNOWLEDGE_BASES = 100;
/** Values of variables and their length, as in calls. */
const MAX_VARIABLES = 50;
const MAX_VALUE_LENGTH = 1_000;
/** As JSON. */
const MAX_SCENARIO_LENGTH = 256 * 1024;

const ruleName = z.string().regex(/^[a-z][a-z0-9_]{0,63}$/, 'must be the name of a rule');

const step = z
  .strictObject({
    name: text(200).optional().describe('Name of the step, for the report.'),
    says: text(MAX_TEXT_LENGTH).optional().describe('Words of the user.'),
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
      .max(MAX_SECONDS * 1_000)
      .optional()
      .describe('Maximum time until the agent speaks, in milliseconds.'),
    interrupt_after_ms: z
      .int()
      .min(100)
      .max(MAX_SECONDS * 1_000)
      .optional()
      .describe(
        'Speech of the agent, in milliseconds, after which the step ends: the words of the next step interrupt the agent. Text has no interruptions.',
      ),
    calls: oneOrMore(wantedCall).optional().describe('Expected tool calls; all must occur.'),
    guardrails: oneOrMore(ruleName).optional().describe('Rules of the agent that must apply in this step.'),
    absent: z
      .strictObject({
        says: oneOrMore(expectation).optional().describe('Words that the agent must not say.'),
        calls: oneOrMore(toolName).optional().describe('Tools that the agent must not call.'),
        guardrails: oneOrMore(ruleName).optional().describe('Rules of the agent that must not apply.'),
      })
      .optional()
      .describe('Words and tool calls that must not occur.'),
    ends: wantedEnd
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
      .strictObject({ code: text(64), message: text(MAX_TEXT_LENGTH) })
      .optional()
      .describe('Error of the tool, instead of `result`.'),
    after_ms: z
      .int()
      .min(0)
      .max(MAX_SECONDS * 1_000)
      .optional()
      .describe('Duration of the call in conversation time, in milliseconds.'),
  })
  .refine((fields) => 'result' in fields !== (fields.error !== undefined), 'needs result, or error')
  .meta({ id: 'ScenarioAnswer', description: 'Response of a mocked tool: `result` or `error`.' });

export const TOOL_MODES = ['mock', 'live', 'record'] as const;
export type ToolMode = (typeof TOOL_MODES)[number];

/** How a scenario reaches the agent. `text`: written words. `audio`: speech without a telephone. `sip`: a real call. */
const CHANNELS = ['text', 'audio', 'sip'] as const;
export type Channel = (typeof CHANNELS)[number];

/** One conversation with its expectations. */
const scenarioSchema = z.strictObject({
  name: text(200).default('simulation').describe('Name of the scenario, for the report.'),
  direction: z.enum(['inbound', 'outbound']).default('inbound').describe('Direction of the call.'),
  metadata: z.record(z.string(), z.unknown()).nullable().default(null).describe('Metadata of the call.'),
  variables: z
    .record(text(64), z.union([text(MAX_VALUE_LENGTH), z.number(), z.boolean()]))
    .refine((values) => Object.keys(values).length <= MAX_VARIABLES, `must not be more than ${MAX_VARIABLES}`)
    .nullable()
    .default(null)
    .describe("Values of the agent's variables."),
  knowledge_base_ids: z
    .array(z.int().min(1).max(2_147_483_647))
    .max(MAX_KNOWLEDGE_BASES, `must not be more than ${MAX_KNOWLEDGE_BASES}`)
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
    .record(toolName, z.union([answer.transform((one) => [one]), z.array(answer).min(1).max(MAX_ANSWERS)]))
    .refine((mocks) => Object.keys(mocks).length <= MAX_MOCKS, `must not be more than ${MAX_MOCKS}`)
    .default({})
    .describe(
      'Responses by tool, in every mode. Of several matching responses, each is used once and the last one repeatedly.',
    ),
  max_seconds: z
    .number()
    .min(1)
    .max(MAX_AUDIO_SECONDS)
    .default(USUAL_SECONDS)
    .describe(
      `Time limit of the conversation in real time, in seconds: at most ${MAX_SECONDS} in text, ${MAX_AUDIO_SECONDS} with audio.`,
    ),
  channel: z
    .enum(CHANNELS)
    .default('text')
    .describe('`text`: written words. `audio`: speech in both directions. `sip`: a call over SIP.'),
  profile: lineProfile
    .default(CLEAN_LINE)
    .describe('Line and voice of the caller in the channels `audio` and `sip`; `clean` by default.'),
  repeat: z
    .int()
    .min(1)
    .max(MAX_REPETITIONS)
    .default(1)
    .describe('Number of conversations. Each one has its own seed.'),
  pass_rate: z
    .number()
    .gt(0)
    .max(1)
    .default(1)
    .describe('Share of the repeated conversations that must pass, such as 0.95.'),
  steps: z
    .array(step)
    .max(MAX_STEPS, `must not be more than ${MAX_STEPS}`)
    .default([])
    .describe(
      'Steps in order. A first step without input checks the greeting. Required without a `persona`, and played before it.',
    ),
  guardrails: oneOrMore(ruleName).optional().describe('Rules of the agent that must apply in the conversation.'),
  no_guardrails: z
    .union([z.literal(true).transform(() => true as const), oneOrMore(ruleName)])
    .optional()
    .describe('Rules of the agent that must not apply in the conversation; `true`: none may.'),
  persona: persona.optional(),
  judge: judge.optional().describe('Expectations of the whole conversation.'),
});

const anyScenario = scenarioSchema.extend(outsideFields);

const scenario = anyScenario.superRefine((fields, context) => {
  const issue = (path: string, message: string): void =>
    context.addIssue({ code: 'custom', path: path.split('.'), message });
  if (fields.steps.length === 0 && !fields.persona) issue('steps', 'needs a step, or a persona');
  if (fields.channel === 'text' && fields.max_seconds > MAX_SECONDS)
    issue('max_seconds', `must not be more than ${MAX_SECONDS} in the channel text`);
  for (const [place, problem] of outsideProblems(fields)) issue(place, problem);
});

/** The JSON Schema of scenarios with an agent of the service, with its references under `$defs`. */
export const scenarioJsonSchema = (): object => z.toJSONSchema(scenarioSchema, { io: 'input' });

export type Scenario = z.output<typeof anyScenario>;
export type ScenarioStep = Scenario['steps'][number];
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

const withTarget = z.looseObject({ target: z.string(), profile: z.unknown().optional() });

interface ReadOptions {
  /** The scenario may have a target outside of Trunkline. */
  allowsTarget?: boolean;
}

/** @throws ScenarioInvalid */
export function readScenario(value: unknown, { allowsTarget = false }: ReadOptions = {}): Scenario {
  if ((JSON.stringify(value)?.length ?? 0) > MAX_SCENARIO_LENGTH)
    throw new ScenarioInvalid({ '': [`must not be longer than ${MAX_SCENARIO_LENGTH / 1024} KB`] });
  const { success: hasTarget, data: outside } = withTarget.safeParse(value);
  if (hasTarget && !allowsTarget)
    throw new ScenarioInvalid({ target: ['is supported by the command `trunkline simulate` only'] });
  renewPatternBudget();
  const read = scenario.safeParse(
    hasTarget ? { ...outside, profile: withRealVoice(outside.profile) } : value,
    IN_WORDS,
  );
  if (read.success) return read.data;
  throw new ScenarioInvalid(problemsOf(read.error.issues));
}

/** Problems by place. Of alternatives, only the problems of the one that matched furthest. */
function problemsOf(issues: readonly z.core.$ZodIssue[], at: PropertyKey[] = []): Record<string, string[]> {
  const problems: Record<string, string[]> = {};
  for (const issue of issues) {
    const path = [...at, ...issue.path];
    const found =
      issue.code === 'invalid_union' ? problemsOf(nearest(issue.errors), path) : { [path.join('.')]: [issue.message] };
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

/** The text after the place, where the schema has none. */
function predicateOf(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'unrecognized_keys':
      return `has the unknown ${issue.keys.length > 1 ? 'fields' : 'field'} ${issue.keys.join(', ')}`;
    case 'too_big':
      return limit(issue.origin, issue.inclusive === false ? 'below' : 'at most', issue.maximum);
    case 'too_small':
      return limit(issue.origin, issue.inclusive === false ? 'above' : 'at least', issue.minimum);
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.join(', ')}`;
    case 'invalid_type':
      return `must be ${TYPES[issue.expected] ?? issue.expected}`;
    case 'invalid_key':
      return issue.issues[0]?.message ?? 'must be valid';
    default:
      return 'must be valid';
  }
}

const IN_WORDS = { error: predicateOf };

const UNITS: Readonly<Record<string, string>> = { string: 'characters', array: 'entries', set: 'entries' };
const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

function limit(origin: string, bound: string, value: number | bigint): string {
  const unit = UNITS[origin];
  return unit === undefined ? `must be ${bound} ${value}` : `must have ${bound} ${value} ${unit}`;
}

const MAX_SCENARIOS = 200;

export interface NamedScenario {
  /** Absent: the account of the command line. */
  account?: string;
  /** Its name or its id. */
  agent?: string | number;
  scenario: Scenario;
}

const whose = { account: z.string().min(1).optional(), agent: z.union([z.string().min(1), z.int().min(1)]).optional() };
/** Fields of a file that its scenarios share. */
const shared = { target: z.unknown().optional(), transcriber: z.unknown().optional() };
const fileSchema = z.strictObject({
  ...whose,
  ...shared,
  scenarios: z.array(z.looseObject(whose)).min(1, 'needs a scenario').max(MAX_SCENARIOS),
});

/** Reads YAML or JSON as `readScenarios` does. @throws ScenarioInvalid */
export const readScenarioFile = (yaml: string, options: ReadOptions = {}): NamedScenario[] =>
  readScenarios(parsed(yaml), options);

/** Reads one scenario, or `scenarios` with the fields that they share. @throws ScenarioInvalid */
export function readScenarios(content: unknown, options: ReadOptions = {}): NamedScenario[] {
  const isList = typeof content === 'object' && content !== null && 'scenarios' in content;
  if (!isList) return [named(content, '', options)];
  const read = fileSchema.safeParse(content, IN_WORDS);
  if (!read.success) throw new ScenarioInvalid(problemsOf(read.error.issues));
  const { scenarios, ...common } = read.data;
  return scenarios.map((one, index) => named({ ...common, ...one }, `scenarios.${index}.`, options));
}

function parsed(yaml: string): unknown {
  try {
    return parse(yaml, { maxAliasCount: 100 });
  } catch (error) {
    throw new ScenarioInvalid({ '': [`is no YAML: ${(error as Error).message.split('\n')[0] ?? ''}`] });
  }
}

function named(content: unknown, place: string, options: ReadOptions): NamedScenario {
  const read = z.looseObject(whose).safeParse(content, IN_WORDS);
  if (!read.success) throw placed(new ScenarioInvalid(problemsOf(read.error.issues)), place);
  const { account, agent, ...fields } = read.data;
  try {
    return { account, agent, scenario: readScenario(fields, options) };
  } catch (error) {
    throw error instanceof ScenarioInvalid ? placed(error, place) : error;
  }
}

const placed = ({ problems }: ScenarioInvalid, place: string): ScenarioInvalid =>
  new ScenarioInvalid(Object.fromEntries(Object.entries(problems).map(([path, texts]) => [`${place}${path}`, texts])));
