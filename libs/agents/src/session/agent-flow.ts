import { type AgentHandoff, type Flow, valueSchemas } from '@app/flow';
import type { AgentFlow } from '@app/voice';
import { renderTexts, type TemplateValues } from '../domain/templates.js';
import { valueOf } from '../domain/variables.js';

interface FlowedAgent {
  agentId: number;
  flow: Flow | null;
  handoffs: readonly AgentHandoff[];
  /** Names of the tools of the account. */
  ownTools: readonly string[];
  /** Of the agents of `handoffs`, by id. */
  names: ReadonlyMap<number, string>;
}

/**
 * The flow as one conversation runs it: its texts have the values of the call, quoted where the model reads them, and placeholders of
 * collected values stay.
 */
export function agentFlow(
  { agentId, flow, handoffs, ownTools, names }: FlowedAgent,
  values: TemplateValues,
): AgentFlow {
  const variables = Object.fromEntries(
    values.declared.flatMap((one) => {
      const value = valueOf(one, values);
      return value === undefined ? [] : [[one.name, value] as const];
    }),
  );
  return {
    agentId,
    ...(flow && { flow: renderedFlow(flow, values) }),
    handoffs: handoffs.flatMap(({ agent, when, context = 'full' }) => {
      const name = names.get(Number(agent));
      return name === undefined ? [] : [{ agentId: Number(agent), name, when, context }];
    }),
    variables,
    ownTools: [...ownTools],
  };
}

function renderedFlow(flow: Flow, values: TemplateValues): Flow {
  const collected = valueSchemas(flow);
  // A value that a step collects replaces the variable of its name.
  const declared = values.declared.filter(({ name }) => !collected.has(name));
  const spoken: Record<string, string> = {};
  const read: Record<string, string> = {};
  for (const { name, instructions, action } of flow.steps) {
    if (instructions !== undefined) read[name] = instructions;
    if (action && 'say' in action) spoken[name] = action.say;
    if (action && 'end' in action && action.end !== true) spoken[name] = action.end;
  }
  const texts = renderTexts(
    { instructions: '', greeting: '', voicemail: '', phrases: spoken, toolDescriptions: read },
    { ...values, declared },
  );
  return {
    ...flow,
    steps: flow.steps.map((step) => {
      const { name, action } = step;
      const words = texts.phrases[name];
      const instructions = texts.toolDescriptions[name];
      return {
        ...step,
        ...(instructions !== undefined && { instructions }),
        ...(words !== undefined && action && 'say' in action && { action: { ...action, say: words } }),
        ...(words !== undefined && action && 'end' in action && { action: { end: words } }),
      };
    }),
  };
}
