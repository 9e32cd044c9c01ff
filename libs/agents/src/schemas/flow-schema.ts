import { malformedProblem } from '../domain/placeholders.js';
import { coded, language, node, report, text, whole } from '@app/common/field-schemas';
import {
  type AgentHandoff,
  type Flow,
  HANDOFF_CONTEXTS,
  MAX_EXITS,
  MAX_EXPRESSION,
  MAX_HANDOFFS,
  MAX_STEPS,
  STEP_NAME,
} from '@app/flow';
import { z } from 'zod';
import { word } from './provider-schema.js';

/** Tools and knowledge bases of one step. */
const MAX_REFERENCES = 100;

const template = (max: number) =>
  text(max).superRefine((value, context) => report(context, malformedProblem(value), 'invalid_format'));
const sentence = (max: number) => text(max).trim().min(1, 'must not be empty');

const stepName = text(40).regex(
  STEP_NAME,
  'must be 1 to 40 lower-case letters, digits and underscores, and begin with a letter',
);

/** Of several keys, exactly one must be given. */
const exactlyOne = (keys: readonly string[]) => (value: object, context: z.RefinementCtx) => {
  const given = keys.filter((key) => (value as Record<string, unknown>)[key] !== undefined);
  if (given.length === 1) return;
  const code = given.length === 0 ? 'missing' : 'not_allowed';
  report(context, `must have exactly one of ${keys.join(', ')}`, code);
};

const exit = node({
  to: stepName.describe('Name of the step that follows.'),
  if: text(MAX_EXPRESSION)
    .min(1, 'must not be empty')
    .optional()
    .describe(
      'Expression (CEL) that decides: `vars.name` are collected values and variables, `turns` and `seconds` those in the step. While required values of the step are missing, only expressions without `vars` count.',
    ),
  when: sentence(500).optional().describe('Situation in which the model may choose this exit.'),
}).superRefine(exactlyOne(['if', 'when']));

const action = node({
  transfer: z
    .union([z.literal(true, 'must be true or the name of a destination'), sentence(100)])
    .optional()
    .describe(
      'Name of a destination of `call_transfer`; `true`: the first one. If it fails, the conversation goes on in the step.',
    ),
  say: template(2_000)
    .trim()
    .min(1, 'must not be empty')
    .optional()
    .describe('Words that are spoken. May contain placeholders, also of collected values.'),
  then: stepName
    .optional()
    .describe('Name of the step that follows `say`. Absent: the conversation goes on in this step.'),
  end: z
    .union([z.literal(true, 'must be true or a sentence'), template(2_000).trim().min(1, 'must not be empty')])
    .optional()
    .describe('Ends the call, after this sentence if it is text.'),
})
  .superRefine(exactlyOne(['transfer', 'say', 'end']))
  .refine(({ say, then }) => then === undefined || say !== undefined, {
    path: ['then'],
    ...coded('not_allowed', 'is for say only'),
  });

const context = z
  .enum(HANDOFF_CONTEXTS, `must be one of ${HANDOFF_CONTEXTS.join(', ')}`)
  .optional()
  .describe(
    'What the other agent knows of the conversation: `full`, the default, `summary`, or `none`. It has the collected values always.',
  );

const flowOf = <Agent extends z.ZodType>(agent: Agent) => {
  const step = node({
    name: stepName.describe('Name of the step, unique in the flow.'),
    instructions: template(20_000)
      .optional()
      .describe(
        'Instructions of the step, after those of the agent. May contain placeholders, also of values that former steps collect.',
      ),
    collect: z
      .record(z.string(), z.unknown(), 'must be an object: a JSON Schema')
      .optional()
      .describe(
        'JSON Schema of the values to collect, with `type: object`; the limits are those of tool parameters. The model reports them with `continue_flow`.',
      ),
    tools: z
      .array(text(64).min(1, 'must not be empty'), 'must be a list of names')
      .max(MAX_REFERENCES, `must not be more than ${MAX_REFERENCES}`)
      .optional()
      .describe('Names of the tools of the agent that it may use in this step. Absent: all.'),
    knowledge_base_ids: z
      .array(whole(1, 2_147_483_647), 'must be a list of ids')
      .max(MAX_REFERENCES, `must not be more than ${MAX_REFERENCES}`)
      .optional()
      .describe('IDs of the knowledge bases of the agent that it may search in this step. Absent: all.'),
    exits: z
      .array(exit, 'must be a list of exits')
      .max(MAX_EXITS, `must not be more than ${MAX_EXITS}`)
      .optional()
      .describe(
        'Ways to other steps; the first open one is taken. Absent, and without limits: the conversation stays in this step.',
      ),
    action: action.optional().describe('What the service does when the step is entered.'),
    handoff: node({ agent: agent, context })
      .optional()
      .describe('Another agent goes on with the call when the step is entered.'),
    model: word.optional().describe('Model of the provider in this step.'),
    voice: word.optional().describe('Voice of the provider, or of the synthesizer of its pipeline, in this step.'),
    language: language.optional().describe('Language in this step as a BCP 47 tag.'),
    max_turns: whole(1, 100).optional().describe('Turns of the user after which `on_limit` follows.'),
    timeout_seconds: whole(1, 3_600).optional().describe('Seconds in the step after which `on_limit` follows.'),
    on_limit: stepName.optional().describe('Name of the step that follows `max_turns` and `timeout_seconds`.'),
  });
  return node({
    start: stepName.describe('Name of the first step.'),
    steps: z
      .array(step, 'must be a list of steps')
      .min(1, 'must have at least one step')
      .max(MAX_STEPS, `must not be more than ${MAX_STEPS}`)
      .describe('The steps of the conversation.'),
  }).nullish();
};

const handoffsOf = <Agent extends z.ZodType>(agent: Agent) =>
  z
    .array(
      node({
        agent: agent,
        when: sentence(500).describe('Situation in which the model hands the call over.'),
        context,
      }),
      'must be a list of handoffs',
    )
    .max(MAX_HANDOFFS, `must not be more than ${MAX_HANDOFFS}`)
    .superRefine((all, issues) => {
      const agents = (all as { agent: unknown }[]).map((one) => one.agent);
      for (const [index, one] of agents.entries())
        if (agents.indexOf(one) < index)
          issues.addIssue({
            code: 'custom',
            path: [index, 'agent'],
            message: 'is used more than once',
            params: { code: 'duplicate' },
          });
    });

const named = text(100).trim().min(1, 'must not be empty').describe('Name of an agent of the account.');
const identified = whole(1, 2_147_483_647).describe('ID of an agent of the account.');

const FLOW =
  'Steps of the conversation, each with its instructions, values to collect, tools and ways to others. It replaces the stored flow; null: none.';
const HANDOFFS = 'Agents that the model may hand the call over to, each by a tool. The list replaces the stored one.';

/** The keys of a workspace file, which names agents. */
export const fileFlowKeys = {
  flow: flowOf(named).describe(FLOW),
  handoffs: handoffsOf(named).nullish().describe(HANDOFFS),
};

/** The keys of a request, which has the ids of agents. */
export const requestFlowKeys = {
  flow: flowOf(identified).describe(FLOW),
  handoffs: handoffsOf(identified).nullish().describe(HANDOFFS),
};

/** A flow and handoffs whose agents are ids or names. */
export interface GivenFlow {
  flow?: Flow | null | undefined;
  handoffs?: AgentHandoff[] | null | undefined;
}

/** The same, with the agents that `resolve` returns. `resolve` has the path of the reference. */
export async function resolveAgents(
  { flow, handoffs }: GivenFlow,
  resolve: (agent: number | string, path: (string | number)[]) => Promise<number | string>,
): Promise<GivenFlow> {
  const steps: Flow['steps'] = [];
  for (const [index, step] of (flow?.steps ?? []).entries()) {
    const path = ['flow', 'steps', index, 'handoff', 'agent'];
    const { handoff } = step;
    steps.push(handoff ? { ...step, handoff: { ...handoff, agent: await resolve(handoff.agent, path) } } : step);
  }
  const resolved: AgentHandoff[] = [];
  for (const [index, one] of (handoffs ?? []).entries())
    resolved.push({ ...one, agent: await resolve(one.agent, ['handoffs', index, 'agent']) });
  return { flow: flow && { ...flow, steps }, handoffs: handoffs && resolved };
}

/** The agents that a flow and handoffs refer to. */
export const agentsIn = ({ flow, handoffs }: GivenFlow): (number | string)[] => [
  ...(flow?.steps ?? []).flatMap(({ handoff }) => (handoff ? [handoff.agent] : [])),
  ...(handoffs ?? []).map(({ agent }) => agent),
];
