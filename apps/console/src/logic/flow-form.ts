import type { WholeAgent } from '../api/types.js';
import { nextKey } from './form-or-json.js';
import { readObject, tidy } from './json-text.js';

type StoredFlow = NonNullable<WholeAgent['flow']>;
type StoredHandoff = WholeAgent['handoffs'][number];

/** A step as the API has it. */
interface Step {
  name: string;
  instructions?: string;
  collect?: Record<string, unknown>;
  tools?: string[];
  knowledge_base_ids?: number[];
  exits?: { to: string; if?: string; when?: string }[];
  action?: { transfer?: string | true; say?: string; then?: string; end?: string | true };
  handoff?: { agent: number; context?: string };
  model?: string;
  voice?: string;
  language?: string;
  max_turns?: number;
  timeout_seconds?: number;
  on_limit?: string;
}

/** Key of the step that follows. */
export type StepKey = number;
/** No step is chosen. */
export const NO_STEP: StepKey = -1;

export interface ExitRow {
  key: number;
  to: StepKey;
  by: 'if' | 'when';
  /** The expression, or the situation. */
  text: string;
}

export type Ending = 'exits' | 'transfer' | 'say' | 'end' | 'handoff';

/** A step as typed. Steps refer to each other by key, so that a name can be changed letter by letter. */
export interface StepRow {
  key: StepKey;
  name: string;
  instructions: string;
  /** JSON; empty: nothing. */
  collect: string;
  /** Null: all of the agent. */
  tools: readonly string[] | null;
  knowledge: readonly number[] | null;
  ending: Ending;
  exits: readonly ExitRow[];
  /** Name of a destination; empty: the default one. */
  transfer: string;
  /** Spoken by `say` and `end`. */
  text: string;
  then: StepKey;
  agent: string;
  context: string;
  model: string;
  voice: string;
  language: string;
  maxTurns: string;
  timeoutSeconds: string;
  onLimit: StepKey;
}

/** What the other agent knows after a handoff; the first one is the default. */
export const CONTEXTS = [
  ['', 'The transcript'],
  ['summary', 'A summary'],
  ['none', 'Only the collected values'],
] as const;

export interface HandoffRow {
  key: number;
  agent: string;
  when: string;
  context: string;
}

export interface FlowEdits {
  start: StepKey;
  /** Empty: the agent has no flow. */
  steps: readonly StepRow[];
  handoffs: readonly HandoffRow[];
}

const EMPTY_STEP: Omit<StepRow, 'key' | 'name'> = {
  instructions: '',
  collect: '',
  tools: null,
  knowledge: null,
  ending: 'exits',
  exits: [],
  transfer: '',
  text: '',
  then: NO_STEP,
  agent: '',
  context: '',
  model: '',
  voice: '',
  language: '',
  maxTurns: '',
  timeoutSeconds: '',
  onLimit: NO_STEP,
};

/** The settings of an agent as its form shows them. */
export function flowEdits(agent: Pick<WholeAgent, 'flow' | 'handoffs'> | undefined): FlowEdits {
  const handoffs = (agent?.handoffs ?? []).map(({ agent: other, when, context }, key) => ({
    ...{ key, when },
    agent: String(other),
    context: context ?? '',
  }));
  return { ...rowsOfFlow(agent?.flow ?? null), handoffs };
}

export function rowsOfFlow(flow: StoredFlow | null): Pick<FlowEdits, 'start' | 'steps'> {
  if (flow === null) return { start: NO_STEP, steps: [] };
  const steps = flow.steps as unknown as readonly Step[];
  const keyOf = (name: string | undefined): StepKey => steps.findIndex((step) => step.name === name);
  return { start: keyOf(flow.start), steps: steps.map((step, key) => rowOf(step, key, keyOf)) };
}

function rowOf(step: Step, key: StepKey, keyOf: (name: string | undefined) => StepKey): StepRow {
  const { action = {}, handoff, exits = [] } = step;
  return {
    ...{ key, name: step.name, instructions: step.instructions ?? '' },
    collect: step.collect === undefined ? '' : tidy(step.collect),
    tools: step.tools ?? null,
    knowledge: step.knowledge_base_ids ?? null,
    ending: handoff ? 'handoff' : (ENDINGS.find((one) => one in action) ?? 'exits'),
    exits: exits.map(({ to, if: expression, when }, index) => ({
      ...{ key: index, to: keyOf(to) },
      ...(expression === undefined
        ? { by: 'when' as const, text: when ?? '' }
        : { by: 'if' as const, text: expression }),
    })),
    transfer: typeof action.transfer === 'string' ? action.transfer : '',
    text: action.say ?? (typeof action.end === 'string' ? action.end : ''),
    then: keyOf(action.then),
    agent: handoff ? String(handoff.agent) : '',
    context: handoff?.context ?? '',
    ...{ model: step.model ?? '', voice: step.voice ?? '', language: step.language ?? '' },
    maxTurns: step.max_turns === undefined ? '' : String(step.max_turns),
    timeoutSeconds: step.timeout_seconds === undefined ? '' : String(step.timeout_seconds),
    onLimit: keyOf(step.on_limit),
  };
}

const ENDINGS = ['transfer', 'say', 'end'] as const;

/** The settings as the API takes them. A schema that is not JSON is reported by `problem` with the name of its field. */
export function flowBody(edits: FlowEdits, problem: (field: string, sentence: string) => void): object {
  const { start, steps, handoffs } = edits;
  const nameOf = (key: StepKey): string => steps.find((step) => step.key === key)?.name.trim() ?? '';
  const flow = {
    start: nameOf(start),
    steps: steps.map((step, index) => bodyOfStep(step, nameOf, (text) => problem(`flow.steps.${index}.collect`, text))),
  };
  return {
    flow: steps.length === 0 ? null : flow,
    handoffs: handoffs.map(({ agent, when, context }): StoredHandoff => ({
      agent: Number(agent),
      when: when.trim(),
      ...given('context', context),
    })),
  };
}

const given = (key: string, text: string): Record<string, string> => (text.trim() === '' ? {} : { [key]: text });

const givenNumber = (key: string, text: string): Record<string, number | string> => {
  const typed = text.trim();
  if (typed === '') return {};
  return { [key]: Number.isNaN(Number(typed)) ? typed : Number(typed) };
};

function bodyOfStep(row: StepRow, nameOf: (key: StepKey) => string, problem: (sentence: string) => void): object {
  return {
    name: row.name.trim(),
    ...given('instructions', row.instructions),
    ...collectIn(row.collect, problem),
    ...(row.tools && { tools: row.tools }),
    ...(row.knowledge && { knowledge_base_ids: row.knowledge }),
    ...endingOf(row, nameOf),
    ...{ ...given('model', row.model), ...given('voice', row.voice), ...given('language', row.language) },
    ...{ ...givenNumber('max_turns', row.maxTurns), ...givenNumber('timeout_seconds', row.timeoutSeconds) },
    ...given('on_limit', nameOf(row.onLimit)),
  };
}

function collectIn(text: string, problem: (sentence: string) => void): object {
  if (text.trim() === '') return {};
  const found = readObject(text);
  if ('problem' in found) {
    problem(found.problem);
    return {};
  }
  const { properties } = found.value;
  const isEmpty = typeof properties === 'object' && properties !== null && Object.keys(properties).length === 0;
  return isEmpty ? {} : { collect: found.value };
}

function endingOf(row: StepRow, nameOf: (key: StepKey) => string): object {
  const { ending, text, exits } = row;
  if (ending === 'transfer') return { action: { transfer: row.transfer.trim() || true } };
  if (ending === 'end') return { action: { end: text.trim() || true } };
  if (ending === 'say') return { action: { say: text, ...given('then', nameOf(row.then)) } };
  if (ending === 'handoff') return { handoff: { agent: Number(row.agent), ...given('context', row.context) } };
  if (exits.length === 0) return {};
  return { exits: exits.map(({ to, by, text: condition }) => ({ to: nameOf(to), [by]: condition.trim() })) };
}

/** The edits with one more step. @returns its key too */
export function withStep(edits: FlowEdits): { edits: FlowEdits; key: StepKey } {
  const { steps, start } = edits;
  const key = nextKey(steps);
  const names = new Set(steps.map(({ name }) => name));
  let number = steps.length + 1;
  while (names.has(`step_${number}`)) number += 1;
  const name = steps.length === 0 ? 'start' : `step_${number}`;
  const isFirst = steps.length === 0;
  return { edits: { ...edits, start: isFirst ? key : start, steps: [...steps, { ...EMPTY_STEP, key, name }] }, key };
}

/** The edits without a step, and without what leads to it. */
export function withoutStep(edits: FlowEdits, key: StepKey): FlowEdits {
  const cleared = (to: StepKey): StepKey => (to === key ? NO_STEP : to);
  const steps = edits.steps
    .filter((step) => step.key !== key)
    .map((step) => ({
      ...step,
      exits: step.exits.filter(({ to }) => to !== key),
      then: cleared(step.then),
      onLimit: cleared(step.onLimit),
    }));
  return { ...edits, steps, start: edits.start === key ? (steps[0]?.key ?? NO_STEP) : edits.start };
}

/** Indexes of the steps that errors of the API are about, from names such as `flow.steps.2.exits.0.if`. */
export const stepsWithErrors = (fields: readonly string[]): number[] => [
  ...new Set(fields.flatMap((field) => /^flow\.steps\.(\d+)(?:\.|$)/.exec(field)?.[1] ?? []).map(Number)),
];

/** What the values of a step are called. */
export function valuesOf({ collect }: StepRow): string[] {
  const found = readObject(collect.trim() === '' ? '{}' : collect);
  const { properties } = 'value' in found ? found.value : {};
  return typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
}
