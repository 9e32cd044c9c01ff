import { bound } from '@app/json-schema/patterns';
import type { SessionEnd, ToolCallFact } from '@app/voice';
import { isPartOf, isSaid, quote, spelt } from './conversation-facts.js';
import type { ScenarioStep, WantedCall, WantedEnd } from '@app/agents/scenarios';

/** The events of a step. */
interface StepFacts {
  /** The turns of the agent. */
  said: readonly string[];
  toolCalls: readonly ToolCallFact[];
  /** The names of the rules that applied. */
  guardrails: readonly string[];
  /** From the input to the agent's first words; undefined: the agent said nothing. */
  spokeAfterMs: number | undefined;
  /** The conversation ended in this step. */
  end: SessionEnd | undefined;
}

/** A sentence for each expectation that was not met; empty: all were met. The patterns of a step share one bound (10 ms). */
export const failuresOf = (step: ScenarioStep, facts: StepFacts): string[] =>
  bound(() => unmetOf(step, facts)) ?? [
    `The patterns of this step are too large for what the agent said (${facts.said.join(' ').length} characters).`,
  ];

function unmetOf(step: ScenarioStep, facts: StepFacts): string[] {
  const { said, toolCalls, guardrails, spokeAfterMs, end } = facts;
  const heard = said.join(' ');
  return [
    ...(step.expects ?? [])
      .filter((one) => !isSaid(one, heard))
      .map((one) => `The agent did not say ${spelt(one)}. It said: ${quote(heard)}`),
    ...(step.calls ?? []).flatMap((wanted) => missingCall(wanted, toolCalls)),
    ...(step.absent?.says ?? [])
      .filter((one) => isSaid(one, heard))
      .map((one) => `The agent said ${spelt(one)}: ${quote(heard)}`),
    ...(step.absent?.calls ?? [])
      .filter((name) => toolCalls.some((call) => call.name === name))
      .map((name) => `The agent called ${name}.`),
    ...missingRules(step.guardrails, guardrails),
    ...forbiddenRules(step.absent?.guardrails, guardrails),
    ...lateness(step.within_ms, spokeAfterMs),
    ...endFailure(step.ends, end?.cause),
  ];
}

/** Rules that were expected to apply and did not. */
export const missingRules = (wanted: readonly string[] | undefined, applied: readonly string[]): string[] =>
  (wanted ?? []).filter((name) => !applied.includes(name)).map((name) => `The rule ${name} did not apply.`);

/** Rules that applied and must not; `true`: none may. */
export const forbiddenRules = (wanted: readonly string[] | true | undefined, applied: readonly string[]): string[] =>
  [...new Set(applied)]
    .filter((name) => wanted === true || wanted?.includes(name))
    .map((name) => `The rule ${name} applied.`);

/** At most one sentence. */
export function missingCall({ tool, arguments: wanted, ok }: WantedCall, calls: readonly ToolCallFact[]): string[] {
  const ofTool = calls.filter(({ name }) => name === tool);
  if (ofTool.length === 0) return [`The agent did not call ${tool}.${namesOf(calls)}`];
  const fitting = ofTool.filter((call) => wanted === undefined || isPartOf(wanted, call.arguments));
  if (fitting.length === 0) {
    const seen = ofTool.map((call) => JSON.stringify(call.arguments)).join(' and ');
    return [`The agent called ${tool}, but not with ${JSON.stringify(wanted)}. It was called with ${seen}.`];
  }
  if (ok === undefined || fitting.some((call) => call.ok === ok)) return [];
  return [`${tool} was expected to ${ok ? 'succeed' : 'fail'} and did not.`];
}

function namesOf(calls: readonly ToolCallFact[]): string {
  return calls.length === 0 ? '' : ` It called ${calls.map(({ name }) => name).join(', ')}.`;
}

function lateness(withinMs: number | undefined, spokeAfterMs: number | undefined): string[] {
  if (withinMs === undefined) return [];
  if (spokeAfterMs === undefined) return [`The agent did not speak within ${withinMs} ms.`];
  return spokeAfterMs <= withinMs ? [] : [`The agent spoke after ${spokeAfterMs} ms, not within ${withinMs}.`];
}

export function endFailure(wanted: WantedEnd | undefined, cause: SessionEnd['cause'] | undefined): string[] {
  if (wanted === undefined) return [];
  if (wanted === false) return cause === undefined ? [] : [`The conversation ended: ${cause}.`];
  if (cause === undefined) return ['The conversation did not end.'];
  return wanted === true || wanted.some((one) => one === cause)
    ? []
    : [`The conversation ended with ${cause}, not with ${wanted.join(' or ')}.`];
}
