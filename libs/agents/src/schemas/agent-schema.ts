import { allowList, type CodedProblem, type ErrorCode } from '@app/common';
import { MASK, MAX_HEADERS, validateWebhookHeaders } from '@app/webhooks';
import { validateWebhookUrl } from '@app/egress';
import { z } from 'zod';
import { analysis } from './analysis-schema.js';
import { malformedProblem, RESERVED_VARIABLES, VARIABLE_NAME } from '../domain/placeholders.js';
import { hasValue, isVariableValue, MAX_VALUE_LENGTH, MAX_VARIABLES } from '../domain/variables.js';
import { fileFlowKeys, requestFlowKeys } from './flow-schema.js';
import { providerKeys, word } from './provider-schema.js';
import { guardrailKeys } from './guardrail-schema.js';
import { recordingKeys } from './recording-schema.js';
import { redaction, e164 } from '@app/accounts';
import { transferOptionKeys, transferOverrides } from './transfer-schema.js';
import {
  coded,
  codeOfIssue,
  FILE_WORDS,
  flag,
  inWords,
  language,
  list,
  name,
  node,
  report,
  reportSentence,
  text,
  whole,
} from '@app/common/field-schemas';

/** Text with placeholders. Whether its variables are declared depends on the whole agent, see `templateErrors`. */
const template = (max: number) =>
  text(max).superRefine((value, context) => report(context, malformedProblem(value), 'invalid_format'));

const phrase = template(500).trim().min(1, 'must not be empty').optional();

/** Conversation settings. Replaces the stored ones as a whole; absent ones have their defaults. */
const conversation = node({
  idle: node({
    after_seconds: whole(2, 600).optional().describe('Silence of both sides before a prompt, in seconds.'),
    prompts: whole(0, 10).optional().describe('Number of prompts before the agent says goodbye.'),
  })
    .optional()
    .describe('Prompts after a silence of both sides.'),
  barge_in: node({
    duck_ms: whole(20, 5_000).optional().describe('Speech of the user that makes the agent quieter, in milliseconds.'),
    interrupt_ms: whole(40, 5_000)
      .optional()
      .describe('Speech of the user that interrupts the agent, in milliseconds.'),
    guard_ms: whole(0, 30_000)
      .optional()
      .describe('Time at the beginning in which the agent cannot be interrupted, in milliseconds.'),
  })
    .optional()
    .describe('Interruptions by the user.'),
  phrases: node({
    filler: phrase.describe('Spoken while a tool runs.'),
    moment: phrase.describe('Spoken while the provider is reconnected.'),
    idle: phrase.describe('Spoken after a silence.'),
    goodbye: phrase.describe('Spoken before the agent hangs up after a silence.'),
    apology: phrase.describe('Spoken when no provider is left.'),
  })
    .optional()
    .describe('Phrases that the service speaks, not the model.'),
  language: language.optional().describe('Language of the conversation as a BCP 47 tag, such as `en` or `de-DE`.'),
  voice_activity: z
    .enum(['energy', 'neural'], 'must be energy or neural')
    .optional()
    .describe(
      'Detector of speech; `energy`, the default, measures the volume, `neural` is a small network that ignores noise.',
    ),
  noise_suppression: flag
    .optional()
    .describe('Whether noise is removed from the audio for the provider; false. Recordings keep it.'),
  tool_sound: z
    .enum(['off', 'typing', 'music'], 'must be off, typing or music')
    .optional()
    .describe('Sound in the background while a tool works; `off`.'),
}).nullish();

/** The process that sends a webhook decides which addresses are allowed. */
const ANYWHERE = { httpsOnly: false, allow: allowList(['0.0.0.0/0', '::/0']) };

const header = node({
  key: text(128).describe('Name of the header.'),
  value: text(2048).describe(
    `Value of the header. Values are encrypted at rest and returned as \`${MASK}\`. In an update, \`${MASK}\` keeps the stored value if the webhook keeps its scheme, host and port.`,
  ),
});

const webhookKeys = (methods: [string, ...string[]]) => ({
  url: text(2048)
    .superRefine((value, context) => reportSentence(context, validateWebhookUrl(value, ANYWHERE), 'invalid_format'))
    .meta({ format: 'uri' })
    .describe('URL that receives the webhook.'),
  method: z
    .enum(methods, `must be one of ${methods.join(', ')}`)
    .default('POST')
    .describe('HTTP method.'),
  headers: list(header)
    .superRefine((value, context) => reportSentence(context, validateWebhookHeaders(value)))
    .meta({ maxItems: MAX_HEADERS })
    .describe('Headers that are sent with the webhook; they replace the stored ones.'),
});

const webhook = (methods: [string, ...string[]]) => node(webhookKeys(methods)).nullable();

/** Asked before each call; its failure lets the call go on or ends it. */
const preCallWebhook = node({
  ...webhookKeys(['POST', 'PUT', 'PATCH']),
  on_error: z
    .enum(['continue', 'skip'], 'must be continue or skip')
    .default('continue')
    .describe('What happens if the webhook fails or its answer is invalid: the call goes on, or ends as `cancelled`.'),
}).nullable();

const recordId = whole(1, 2_147_483_647);

const transferSwitch = {
  enabled: flag.optional().describe('Whether the agent can transfer calls.'),
  phone_number: e164.nullish().describe('Destination of transfers in E.164 format, unless `destinations` has any.'),
};

const transfer = node({
  ...transferSwitch,
  caller_id_number: name.nullish().describe('Name of the number that is shown; null: the number of the call.'),
  ...transferOptionKeys,
});

/** Replaces the stored settings as a whole: its keys depend on each other. */
const answeringMachine = node({
  detect: flag.default(true).describe('Whether humans and machines are distinguished.'),
  on_machine: z
    .enum(['hang_up', 'leave_message', 'go_on'], 'must be one of hang_up, leave_message, go_on')
    .default('hang_up')
    .describe('Reaction to an answering machine.'),
  message: template(2_000)
    .trim()
    .default('')
    .describe('Text that is spoken after the beep; required for `leave_message`. May contain placeholders.'),
  wait_for_beep_seconds: whole(1, 120).default(30).describe('Maximum waiting time for the beep in seconds.'),
  on_screening: z
    .enum(['answer', 'hang_up', 'go_on'], 'must be one of answer, hang_up, go_on')
    .optional()
    .describe(
      'Reaction to a service that asks who is calling, recognised by its words. `answer`: `screening_message` is spoken, and the agent waits for the person. Absent: as `on_machine`.',
    ),
  screening_message: template(2_000)
    .trim()
    .optional()
    .describe('Text that is spoken by `answer`: who is calling, and why. May contain placeholders.'),
  on_ivr: z
    .enum(['hang_up', 'go_on'], 'must be hang_up or go_on')
    .optional()
    .describe('Reaction to a menu or an announcement, recognised by its words. Absent: as `on_machine`.'),
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
    .refine((value) => !RESERVED_VARIABLES.includes(value), coded('not_allowed', 'is the name of another placeholder'))
    .describe('Name in `{{name}}` and `{{metadata.name}}`.'),
  required: flag
    .default(false)
    .describe('Whether calls without a value are refused. Inbound calls are taken with empty text instead.'),
  default: z
    .custom<string | number | boolean>(isVariableValue, 'must be text, a number, true or false')
    .refine(hasValue, coded('missing', 'must not be empty'))
    .meta({ anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }] })
    .nullish()
    .describe('Value of calls that give none: text, a number, true or false. Null: none.'),
  max_length: whole(1, MAX_VALUE_LENGTH).default(MAX_VALUE_LENGTH).describe('Maximum length of a value in characters.'),
  description: text(500).nullish().describe('Explanation for the people who place calls.'),
}).superRefine(({ default: usual, max_length: longest }, context) => {
  if (usual === undefined || usual === null || String(usual).length <= longest) return;
  context.addIssue({
    code: 'custom',
    path: ['default'],
    message: `must not be longer than ${longest} characters`,
    params: { code: 'too_long' },
  });
});

/** The values that the texts of the agent take from each call. Replaces the stored list as a whole. */
const variables = z
  .array(variable, 'must be a list of variables')
  .max(MAX_VARIABLES, `must not be more than ${MAX_VARIABLES}`)
  .superRefine((declared, context) => {
    const names = declared.map(({ name: one }) => one);
    for (const [index, one] of names.entries())
      if (names.indexOf(one) < index)
        context.addIssue({
          code: 'custom',
          path: [index, 'name'],
          message: `"${one}" is used more than once`,
          params: { code: 'duplicate' },
        });
  });

/** Of `{{now}}`. */
const timezone = text(64).refine(
  isTimeZone,
  coded('invalid_format', 'must be an IANA time zone such as "Europe/Berlin"'),
);

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
    .describe(
      'Name of the server, by which a stored one is found and updated. By default the name of its host: `mcp_example_com`.',
    ),
  url: text(2048)
    .superRefine((value, context) => reportSentence(context, validateWebhookUrl(value, ANYWHERE), 'invalid_format'))
    .describe('HTTP or HTTPS URL of the server (MCP over streamable HTTP) with a public address.'),
  headers: z
    .record(z.string(), mcpHeader, 'must be a map of headers')
    .nullish()
    .describe(
      'Headers of the requests by name, at most 20: a value, or `{"value": "…", "secret": true}`. All values are encrypted at rest. Absent: the stored ones stay; null: none.',
    ),
  tools: z
    .array(text(128).min(1, 'must not be empty'), 'must be a list of names')
    .max(MAX_MCP_TOOLS, `must not be more than ${MAX_MCP_TOOLS}`)
    .refine((names) => new Set(names).size === names.length, coded('duplicate', 'must not use a name twice'))
    .nullish()
    .describe('Names on the server of the tools that the agent may use; null: all.'),
  timeout_seconds: whole(1, 120)
    .nullish()
    .describe('Time limit of one tool call in seconds, and of reading the list of tools; null: 10.'),
});

/** The MCP servers of an agent; they are not part of its versions. */
const tools = z
  .array(
    node({ mcp: mcpServer.describe('An MCP server. Absent fields keep their stored values, also `headers`.') }),
    'must be a list of tools',
  )
  .max(MAX_MCP_SERVERS, `must not be more than ${MAX_MCP_SERVERS}`);

/** Bounds of the scenarios that are played before a version is published. */
const MAX_SCENARIOS = 20;

const scenarioName = text(200).trim().min(1, 'must not be empty');
const object = z.record(z.string(), z.unknown(), 'must be a map');

/** The keys of an agent in a workspace file. */
const agentShape = {
  name: name.describe('Name of the agent, unique in the account.'),
  ...providerKeys,
  instructions: instructions
    .optional()
    .describe('Instructions for the model. May contain placeholders such as `{{name}}`.'),
  greeting: greeting
    .optional()
    .describe('Text that the agent speaks first; empty, the default: it waits for the user. May contain placeholders.'),
  variables: variables
    .nullish()
    .describe('Declared variables, which texts use as `{{name}}`. The list replaces the stored one.'),
  timezone: timezone.nullish().describe('IANA time zone of `{{now}}`. Null: UTC.'),
  active: flag.optional().describe('Whether the agent can be used for calls; true.'),
  max_call_seconds: maxCallSeconds.optional().describe('Maximum duration of a call in seconds; 600.'),
  ring_timeout_seconds: whole(1, 600).optional().describe('Maximum ringing time of a call in seconds; 60.'),
  post_call_webhook: webhook(['POST', 'GET', 'PUT', 'PATCH'])
    .optional()
    .describe('Webhook after each call, unless the call sets another one. It replaces the stored one; null: none.'),
  call_status_webhook: webhook(['POST', 'PUT', 'PATCH'])
    .optional()
    .describe(
      'Webhook at each change of the status, unless the call sets another one. It replaces the stored one; null: none.',
    ),
  pre_call_webhook: preCallWebhook
    .optional()
    .describe(
      'Webhook that is asked before each call is dialled or answered. Its answer may give variables and overrides, or skip the call. It replaces the stored one; null: none.',
    ),
  call_transfer: transfer.optional().describe('Transfers, unless the call sets others. Absent fields stay unchanged.'),
  do_not_call_tool: flag
    .optional()
    .describe(
      'Whether the agent has the tool `do_not_call`, with which it puts the other party on the do-not-call list when the person asks for it.',
    ),
  ...recordingKeys,
  ...guardrailKeys,
  redaction: redaction.describe(
    'Secrets that are removed from everything stored about its calls, in addition to those of the account; replaces the stored object.',
  ),
  answering_machine: answeringMachine.describe(
    'Reaction to answering machines. It replaces the stored object; null: calls are not screened.',
  ),
  conversation: conversation.describe(
    'Conversation settings; absent ones have their defaults. It replaces the stored object.',
  ),
  analysis: analysis
    .nullish()
    .describe('What is read out of each answered call after its end. It replaces the stored object; null: nothing.'),
  ...fileFlowKeys,
  tools: tools
    .optional()
    .describe(
      'MCP servers whose tools the agent uses. The list replaces the stored one; `[]` removes all. Not part of a version.',
    ),
  scenarios: z
    .array(
      node({
        name: scenarioName.describe('Unique name.'),
        scenario: object.describe(
          'A scenario as in a scenario file and in `POST /api/v1/agents/{agent_id}/simulations`, or `{"scenarios": […]}`.',
        ),
      }),
      'must be a list of scenarios',
    )
    .max(MAX_SCENARIOS, `must not be more than ${MAX_SCENARIOS}`)
    .refine(
      (all) => new Set(all.map((one) => one.name)).size === all.length,
      coded('duplicate', 'must not use a name twice'),
    )
    .optional()
    .describe('Scenarios of the agent. The list replaces the stored one.'),
  publish_requires: z
    .array(scenarioName, 'must be a list of names of scenarios')
    .max(MAX_SCENARIOS, `must not be more than ${MAX_SCENARIOS}`)
    .refine((names) => new Set(names).size === names.length, coded('duplicate', 'must not use a name twice'))
    .optional()
    .describe(
      'Names of scenarios that must pass before a version is published; in a file also paths of scenario files.',
    ),
};

export const agent = node(agentShape);

/** The keys of an agent in a request: without paths of files, and with ids instead of names. */
const requestShape = {
  ...agentShape,
  ...requestFlowKeys,
  script: z
    .record(z.string(), z.unknown(), 'must be an object')
    .nullish()
    .describe('Script of a `sandbox` agent, which sandbox legs of a pipeline play, too.'),
  call_transfer: node({
    ...transferSwitch,
    caller_id_number_id: recordId
      .nullish()
      .describe('ID of the phone number shown to the destination. Null: the number of the call.'),
    ...transferOptionKeys,
  })
    .optional()
    .describe('Transfers, unless the call sets others. Absent fields stay unchanged.'),
  tools: tools
    .optional()
    .describe(
      'MCP servers whose tools the agent uses. The list replaces the stored one; `[]` removes all. New and changed servers are asked for their tools first: if one cannot be used, the response is 422 on `tools.0.mcp.url` and nothing is saved. Not part of a version. `GET /api/v1/agents/{agent_id}/mcp-servers` returns the servers with their pinned tools.',
    ),
  publish_requires: agentShape.publish_requires.describe(
    'Names of `scenarios` that must pass, as text simulations, before settings are published. Otherwise the response is 422 on `publish_requires` with the failed step, and nothing changes.',
  ),
};

export const agentRequest = node(requestShape);
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
  note: text(500).trim().optional().describe('Note for readers.'),
  from_version: recordId
    .optional()
    .describe('Version whose settings the draft takes over; absent: the current one, or those of the draft.'),
});

export type DraftChange = z.output<typeof draftChange>;
export type AgentChange = z.output<typeof agentChange>;

export type AgentNode = z.output<typeof agent>;
export type WebhookNode = NonNullable<z.output<ReturnType<typeof webhook>>>;

const idList = (most: number) => z.array(recordId, 'must be a list of ids').max(most, `must not be more than ${most}`);
/** As many as an agent may have. */
const MAX_TOOLS = 100;
const MAX_KNOWLEDGE_BASES = 100;

/** The settings of an agent that one call may replace. */
export const agentOverrides = node({
  greeting: greeting.nullish().describe('Greeting. May contain placeholders.'),
  instructions: z
    .union([instructions, node({ append: instructions.describe('Text that follows the instructions of the agent.') })])
    .nullish()
    .describe('Instructions: a string replaces those of the agent, `{append: "…"}` follows them.'),
  voice: word
    .nullish()
    .describe('Voice of the provider of the agent, or of the synthesizer of its pipeline; fallbacks keep theirs.'),
  language: language.nullish().describe('Language as a BCP 47 tag.'),
  max_call_seconds: maxCallSeconds.nullish().describe('Maximum duration of the call in seconds.'),
  tool_ids: idList(MAX_TOOLS)
    .nullish()
    .describe('IDs of the tools of the agent that it may use, each active. Empty: none.'),
  knowledge_base_ids: idList(MAX_KNOWLEDGE_BASES)
    .nullish()
    .describe('Same as `knowledge_base_ids` of the request, which must be absent then.'),
  answering_machine: answeringMachine.describe(
    'Reaction to answering machines. Replaces the settings of the agent as a whole.',
  ),
  call_transfer: transferOverrides
    .nullish()
    .describe('How the calls are transferred, and to which destinations. Absent fields are those of the agent.'),
});

export type AgentOverrides = z.output<typeof agentOverrides>;

/** JSON Schema of the overrides of a call as a request has them. */
export function agentOverridesSchema(): object {
  const { $schema: _version, ...schema } = z.toJSONSchema(agentOverrides, { io: 'input', unrepresentable: 'any' });
  return schema;
}

type Read<T> = { value: T } | { problems: [path: string, problem: CodedProblem][] };

function readWith<T>(schema: z.ZodType<T>, field: string, value: unknown): Read<T> {
  const read = schema.safeParse(value, inWords(FILE_WORDS));
  if (read.success) return { value: read.data };
  const problems = read.error.issues.flatMap((issue) => issuesOf(issue, [field]));
  return {
    problems: problems.map(({ path, code, message }) => [path, { code, message: `The ${path} field ${message}.` }]),
  };
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
function issuesOf(issue: z.core.$ZodIssue, at: PropertyKey[]): { path: string; code: ErrorCode; message: string }[] {
  const path = [...at, ...issue.path];
  if (issue.code === 'invalid_union') {
    const deepest = issue.errors.toSorted((a, b) => depthOf(b) - depthOf(a))[0] ?? [];
    return deepest.flatMap((one) => issuesOf(one, path));
  }
  const code = codeOfIssue(issue);
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({ path: [...path, key].join('.'), code, message: issue.message }));
  return [{ path: path.join('.'), code, message: issue.message }];
}

const depthOf = (issues: readonly z.core.$ZodIssue[]): number =>
  Math.max(0, ...issues.map(({ path, code }) => path.length + (code === 'custom' || code === 'too_big' ? 1 : 0)));
