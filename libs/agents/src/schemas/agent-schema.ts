import { allowList } from '@app/common';
import { validateWebhookHeaders } from '@app/webhooks';
import { validateWebhookUrl } from '@app/egress';
import { z } from 'zod';
import { analysis } from './analysis-schema.js';
import { malformedProblem, RESERVED_VARIABLES, VARIABLE_NAME } from '../domain/placeholders.js';
import { hasValue, isVariableValue, MAX_VALUE_LENGTH, MAX_VARIABLES } from '../domain/variables.js';
import { providerKeys, word } from './provider-schema.js';
import { recordingKeys } from './recording-schema.js';
import { redaction, e164 } from '@app/accounts';
import { transferOptionKeys, transferOverrides } from './transfer-schema.js';
import { language, flag, list, name, node, report, text, whole } from '@app/common/field-schemas';

/** Text with placeholders. Whether its variables are declared depends on the whole agent, see `templateErrors`. */
const template = (max: number) => text(max).superRefine((value, context) => report(context, malformedProblem(value)));

const phrase = template(500).trim().min(1, 'must not be empty').optional();

/** Conversation settings. Replaces the stored ones as a whole; absent ones have their defaults. */
const conversation = node({
  idle: node({
    after_seconds: whole(2, 600).optional().describe('Silence of both sides before the agent asks.'),
    prompts: whole(0, 10).optional().describe('Idle prompts before the agent says goodbye.'),
  })
    .optional()
    .describe('What the agent does when both sides are silent.'),
  barge_in: node({
    duck_ms: whole(20, 5_000).optional().describe('Speech of the user after which the agent becomes quieter.'),
    interrupt_ms: whole(40, 5_000).optional().describe('Speech of the user after which the agent stops.'),
    guard_ms: whole(0, 30_000).optional().describe('First words of the agent that cannot be interrupted.'),
  })
    .optional()
    .describe('How the user interrupts the agent.'),
  phrases: node({
    filler: phrase.describe('Spoken while a tool runs in silence.'),
    moment: phrase.describe('Spoken while a lost provider is replaced.'),
    idle: phrase.describe('Spoken after a long silence.'),
    goodbye: phrase.describe('Spoken before the agent hangs up.'),
    apology: phrase.describe('Spoken when every provider has failed.'),
  })
    .optional()
    .describe('Phrases that the service speaks, not the model.'),
  language: language.optional().describe('Language of the conversation, such as en or de-DE.'),
  voice_activity: z
    .enum(['energy', 'neural'], 'must be energy or neural')
    .optional()
    .describe('How speech of the user is detected: by volume, or by a small neural network that ignores noise.'),
  noise_suppression: flag.optional().describe('Whether noise is removed before the provider hears the user.'),
  tool_sound: z
    .enum(['off', 'typing', 'music'], 'must be off, typing or music')
    .optional()
    .describe('Sound while a tool works; off.'),
}).nullish();

/** The process that sends a webhook decides which addresses are allowed. */
const ANYWHERE = { httpsOnly: false, allow: allowList(['0.0.0.0/0', '::/0']) };

const header = node({
  key: text(128).describe('Name of the header.'),
  value: text(2048).describe('Value; stored encrypted and never shown.'),
});

const webhookKeys = (methods: [string, ...string[]]) => ({
  url: text(2048)
    .superRefine((value, context) => report(context, validateWebhookUrl(value, ANYWHERE)))
    .describe('URL of the receiver.'),
  method: z
    .enum(methods, `must be one of ${methods.join(', ')}`)
    .default('POST')
    .describe('HTTP method.'),
  headers: list(header)
    .superRefine((value, context) => report(context, validateWebhookHeaders(value)))
    .describe('Headers of the requests; they replace the stored ones.'),
});

const webhook = (methods: [string, ...string[]]) => node(webhookKeys(methods)).nullable();

/** Asked before each call; its failure lets the call go on or ends it. */
const preCallWebhook = node({
  ...webhookKeys(['POST', 'PUT', 'PATCH']),
  on_error: z
    .enum(['continue', 'skip'], 'must be continue or skip')
    .default('continue')
    .describe('Whether the call goes on when the webhook fails, or ends.'),
}).nullable();

const transfer = node({
  enabled: flag.optional().describe('Whether the agent may transfer calls.'),
  phone_number: e164.nullish().describe('Number to which calls are transferred, in E.164 format.'),
  caller_id_number: name.nullish().describe('Name of the number that is shown; null: the number of the call.'),
  ...transferOptionKeys,
});

/** Replaces the stored settings as a whole: its keys depend on each other. */
const answeringMachine = node({
  detect: flag.default(true).describe('Whether answering machines are detected.'),
  on_machine: z
    .enum(['hang_up', 'leave_message', 'go_on'], 'must be one of hang_up, leave_message, go_on')
    .default('hang_up')
    .describe('What the agent does on a machine.'),
  message: template(2_000).trim().default('').describe('Spoken by leave_message.'),
  wait_for_beep_seconds: whole(1, 120).default(30).describe('Longest wait for the beep before the message.'),
  on_screening: z
    .enum(['answer', 'hang_up', 'go_on'], 'must be one of answer, hang_up, go_on')
    .optional()
    .describe('What the agent does on a service that asks who is calling; absent: as on_machine.'),
  screening_message: template(2_000).trim().optional().describe('Spoken by answer: who is calling, and why.'),
  on_ivr: z
    .enum(['hang_up', 'go_on'], 'must be hang_up or go_on')
    .optional()
    .describe('What the agent does on a menu or an announcement; absent: as on_machine.'),
})
  .refine(({ on_machine, message }) => on_machine !== 'leave_message' || message !== '', {
    path: ['message'],
    error: 'must not be empty when on_machine is leave_message',
  })
  .refine(({ on_screening, screening_message }) => on_screening !== 'answer' || Boolean(screening_message), {
    path: ['screening_message'],
    error: 'must not be empty when on_screening is answer',
  })
  .nullish();

const instructions = template(100_000);
const greeting = template(2_000);
const maxCallSeconds = whole(1, 14_400);

const variable = node({
  name: text(64)
    .regex(VARIABLE_NAME, 'must be 1 to 64 letters, digits and underscores, and begin with a letter or an underscore')
    .refine((value) => !RESERVED_VARIABLES.includes(value), 'is the name of another placeholder')
    .describe('Name of the variable, as in {{name}}.'),
  required: flag.default(false).describe('Whether calls without a value are refused.'),
  default: z
    .custom<string | number | boolean>(isVariableValue, 'must be text, a number, true or false')
    .refine(hasValue, 'must not be empty')
    .nullish()
    .describe('Value of calls without one: text, a number, true or false.'),
  max_length: whole(1, MAX_VALUE_LENGTH).default(MAX_VALUE_LENGTH).describe('Longest value in characters.'),
  description: text(500).nullish().describe('Meaning of the variable, for people.'),
}).superRefine(({ default: usual, max_length: longest }, context) => {
  if (usual === undefined || usual === null || String(usual).length <= longest) return;
  context.addIssue({ code: 'custom', path: ['default'], message: `must not be longer than ${longest} characters` });
});

/** The values that the texts of the agent take from each call. Replaces the stored list as a whole. */
const variables = z
  .array(variable, 'must be a list of variables')
  .max(MAX_VARIABLES, `must not be more than ${MAX_VARIABLES}`)
  .superRefine((declared, context) => {
    const names = declared.map(({ name: one }) => one);
    for (const [index, one] of names.entries())
      if (names.indexOf(one) < index)
        context.addIssue({ code: 'custom', path: [index, 'name'], message: `"${one}" is used more than once` });
  });

/** Of `{{now}}`. */
const timezone = text(64).refine(isTimeZone, 'must be an IANA time zone such as "Europe/Berlin"');

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** As the routes for MCP servers have them. */
const MAX_MCP_SERVERS = 10;
const MAX_MCP_TOOLS = 64;

const mcpHeader = z.union(
  [z.string(), node({ value: z.string(), secret: flag.optional() })],
  'must be text, or a map of value and secret',
);

const mcpServer = node({
  name: text(32)
    .regex(/^[a-z][a-z0-9_]*$/, 'must be in snake_case, beginning with a lower-case letter')
    .optional()
    .describe('Name of the server, by which it is found; by default that of its host, such as mcp_example_com.'),
  url: text(2048)
    .superRefine((value, context) => report(context, validateWebhookUrl(value, ANYWHERE)))
    .describe('URL of the server (streamable HTTP).'),
  headers: z
    .record(z.string(), mcpHeader, 'must be a map of headers')
    .nullish()
    .describe('Headers of the requests; stored encrypted. Absent: the stored ones stay; null: none.'),
  tools: z
    .array(text(128).min(1, 'must not be empty'), 'must be a list of names')
    .max(MAX_MCP_TOOLS, `must not be more than ${MAX_MCP_TOOLS}`)
    .refine((names) => new Set(names).size === names.length, 'must not use a name twice')
    .nullish()
    .describe('Names on the server of the tools that the agent may use; null: all.'),
  timeout_seconds: whole(1, 120).nullish().describe('Time limit of one tool call in seconds; null: 10.'),
});

/** The MCP servers of an agent; they are not part of its versions. */
const tools = z
  .array(node({ mcp: mcpServer.describe('An MCP server.') }), 'must be a list of tools')
  .max(MAX_MCP_SERVERS, `must not be more than ${MAX_MCP_SERVERS}`);

/** Bounds of the scenarios that are played before a version is published. */
const MAX_SCENARIOS = 20;

const scenarioName = text(200).trim().min(1, 'must not be empty');
const object = z.record(z.string(), z.unknown(), 'must be a map');

/** The keys of an agent in a workspace file. */
const agentShape = {
  name: name.describe('Name of the agent, unique in the account.'),
  ...providerKeys,
  instructions: instructions.optional().describe('System prompt; may hold placeholders such as {{name}}.'),
  greeting: greeting.optional().describe('Text that the agent speaks first; empty: it waits for the user.'),
  variables: variables.nullish().describe('Variables of the texts; replace the stored list.'),
  timezone: timezone.nullish().describe('IANA time zone of {{now}}; null: UTC.'),
  active: flag.optional().describe('false: the agent takes no calls.'),
  max_call_seconds: maxCallSeconds.optional().describe('Longest call in seconds.'),
  ring_timeout_seconds: whole(1, 600).optional().describe('Longest ringing in seconds.'),
  post_call_webhook: webhook(['POST', 'GET', 'PUT', 'PATCH'])
    .optional()
    .describe('Receives the result of each call; null: none.'),
  call_status_webhook: webhook(['POST', 'PUT', 'PATCH'])
    .optional()
    .describe('Receives each change of the status of a call; null: none.'),
  pre_call_webhook: preCallWebhook.optional().describe('Asked before each call; null: none.'),
  call_transfer: transfer.optional().describe('Transfers to a colleague.'),
  do_not_call_tool: flag
    .optional()
    .describe('Whether the agent may put the other party on the do-not-call list when the person asks for it.'),
  ...recordingKeys,
  redaction: redaction.describe(
    'Secrets that are removed from everything stored about its calls, in addition to those of the account; replaces the stored object.',
  ),
  answering_machine: answeringMachine.describe('Reaction to answering machines; null: calls are not screened.'),
  conversation: conversation.describe('Conversation settings; replace the stored ones as a whole.'),
  analysis: analysis.nullish().describe('What is read out of each call after its end; null: nothing.'),
  tools: tools.optional().describe('MCP servers whose tools the agent uses; the list replaces the stored one.'),
  scenarios: z
    .array(
      node({
        name: scenarioName.describe('Name of the scenario.'),
        scenario: object.describe('The scenario, as in a scenario file.'),
      }),
      'must be a list of scenarios',
    )
    .max(MAX_SCENARIOS, `must not be more than ${MAX_SCENARIOS}`)
    .refine((all) => new Set(all.map((one) => one.name)).size === all.length, 'must not use a name twice')
    .optional()
    .describe('Scenarios of the agent; replace the stored ones.'),
  publish_requires: z
    .array(scenarioName, 'must be a list of names of scenarios')
    .max(MAX_SCENARIOS, `must not be more than ${MAX_SCENARIOS}`)
    .refine((names) => new Set(names).size === names.length, 'must not use a name twice')
    .optional()
    .describe(
      'Names of scenarios that must pass before a version is published; in a file also paths of scenario files.',
    ),
};

export const agent = node(agentShape);

/** The keys of an agent in a request: without paths of files, and with ids instead of names. */
const requestShape = {
  ...agentShape,
  script: z.record(z.string(), z.unknown(), 'must be an object').nullish(),
  call_transfer: node({
    enabled: flag.optional(),
    phone_number: e164.nullish(),
    caller_id_number_id: whole(1, 2_147_483_647).nullish(),
    ...transferOptionKeys,
  }).optional(),
};

export const agentRequest = node(requestShape);
/** The JSON Schema of a request that creates an agent. */
export const agentRequestSchema = (): object => z.toJSONSchema(agentRequest, { io: 'input', unrepresentable: 'any' });

export const agentChange = node({ ...requestShape, name: name.optional() });

/** A draft holds settings of a version only. */
const {
  name: _name,
  active: _active,
  tools: _tools,
  scenarios: _scenarios,
  publish_requires: _required,
  ...versioned
} = requestShape;

export const draftChange = node({
  ...versioned,
  note: text(500).trim().optional(),
  /** The version whose settings the draft begins with; absent: the current one. */
  from_version: whole(1, 2_147_483_647).optional(),
});

export type DraftChange = z.output<typeof draftChange>;
export type AgentRequest = z.output<typeof agentRequest>;
export type AgentChange = z.output<typeof agentChange>;

export type AgentNode = z.output<typeof agent>;
export type WebhookNode = NonNullable<z.output<ReturnType<typeof webhook>>>;

const recordId = whole(1, 2_147_483_647);
const idList = (most: number) => z.array(recordId, 'must be a list of ids').max(most, `must not be more than ${most}`);
/** As many as an agent may have. */
const MAX_TOOLS = 100;
const MAX_KNOWLEDGE_BASES = 100;

/** The settings of an agent that one call may replace. */
const agentOverrides = node({
  greeting: greeting.nullish(),
  instructions: z.union([instructions, node({ append: instructions })]).nullish(),
  voice: word.nullish(),
  language: language.nullish(),
  max_call_seconds: maxCallSeconds.nullish(),
  tool_ids: idList(MAX_TOOLS).nullish(),
  knowledge_base_ids: idList(MAX_KNOWLEDGE_BASES).nullish(),
  answering_machine: answeringMachine,
  call_transfer: transferOverrides.nullish(),
});

export type AgentOverrides = z.output<typeof agentOverrides>;

/** JSON Schema of the overrides of a call as a request has them. */
export function agentOverridesSchema(): object {
  const { $schema: _version, ...schema } = z.toJSONSchema(agentOverrides, { io: 'input', unrepresentable: 'any' });
  return schema;
}

type Read<T> = { value: T } | { problems: [path: string, sentence: string][] };

function readWith<T>(schema: z.ZodType<T>, field: string, value: unknown): Read<T> {
  const read = schema.safeParse(value);
  if (read.success) return { value: read.data };
  const problems = read.error.issues.flatMap((issue) => issuesOf(issue, [field]));
  return { problems: problems.map(({ path, message }) => [path, `The ${path} field ${message}.`]) };
}

/** The overrides of a call, or their problems by path: `agent_overrides.greeting`. */
export const readAgentOverrides = (field: string, value: unknown): Read<AgentOverrides> =>
  readWith(agentOverrides, field, value);

/** Declarations that are not saved yet. */
export const readDeclarations = (field: string, value: unknown): Read<z.output<typeof variables>> =>
  readWith(variables, field, value);

/** A time zone that is not saved yet. */
export const readTimeZone = (field: string, value: unknown): Read<string> => readWith(timezone, field, value);

/** Of alternatives, the problems of the one that the value resembles most: text, or an object. */
function issuesOf(issue: z.core.$ZodIssue, at: PropertyKey[]): { path: string; message: string }[] {
  const path = [...at, ...issue.path];
  if (issue.code === 'invalid_union') {
    const deepest = issue.errors.toSorted((a, b) => depthOf(b) - depthOf(a))[0] ?? [];
    return deepest.flatMap((one) => issuesOf(one, path));
  }
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({ path: [...path, key].join('.'), message: issue.message }));
  return [{ path: path.join('.'), message: issue.message }];
}

const depthOf = (issues: readonly z.core.$ZodIssue[]): number =>
  Math.max(0, ...issues.map(({ path, code }) => path.length + (code === 'custom' || code === 'too_big' ? 1 : 0)));
