import { argumentProblems, isJsonObject, jsonLimitProblem, type JsonSchema } from '@app/json-schema';
import type { CompiledFlow, CompiledStep } from './compiled-flow.js';
import { type CollectedValue, CONTINUE_FLOW, type EnteredBy, type FlowStep, MAX_STEP_CHANGES } from './flow.js';
import { MAX_VALUES_BYTES, VALUE_LIMITS } from './flow-values.js';

/** Sentences about wrong values in one answer to the model. */
const MAX_PROBLEMS = 10;

/** A decided change, which `enter` carries out. */
export interface StepChange {
  to: string;
  /** The step before; null at the start. */
  from: string | null;
  by: EnteredBy;
  /** Index of the exit in `exits` of the step before. */
  exit?: number;
}

/** What became of a call of `continue_flow`. */
interface Continued {
  accepted: CollectedValue[];
  /** Sentences for the model, one for each value that was refused and for a step that may not follow. */
  problems: string[];
  /** Names of required values of the step that are not there yet. */
  missing: string[];
  /** The step that follows now. */
  next?: StepChange;
}

/** The function that the model calls with values and the exit that it chooses. */
interface ContinueTool {
  name: typeof CONTINUE_FLOW;
  description: string;
  parameters: JsonSchema;
}

/** What a run goes on from: another flow of the same call, before a handoff. */
interface RunBefore {
  collected?: readonly CollectedValue[];
  /** Turns of the user in the call. */
  turn?: number;
  /** Step changes in the call. */
  changes?: number;
  /** What expressions see, by name: the values and the variables of the call, each as it was set last. */
  known?: Readonly<Record<string, unknown>>;
}

/**
 * The run of a flow in one conversation. It decides which step follows, and nothing else does: expressions decide over values that their
 * schemas accepted, and the model chooses among the exits with `when` of the current step. Without clocks: its owner reports turns and
 * seconds, and enters the steps that are decided.
 */
export class FlowRun {
  private readonly collected: Map<string, CollectedValue>;
  /** The values and the variables of the call, each as it was set last. */
  private readonly known: Map<string, unknown>;
  private readonly entered: string[] = [];
  private changes: number;
  private turn: number;
  private current: CompiledStep | undefined;
  private decided: StepChange | undefined;
  private turnsInStep = 0;
  private secondsInStep = 0;
  private stopped = false;

  constructor(
    private readonly flow: CompiledFlow,
    variables: Readonly<Record<string, unknown>> = {},
    { collected = [], turn = 0, changes = 0, known = {} }: RunBefore = {},
  ) {
    this.collected = new Map(collected.map((value) => [value.name, value]));
    this.turn = turn;
    this.changes = changes;
    const values = collected.map(({ name, value }) => [name, value] as const);
    this.known = new Map([...Object.entries(variables), ...values, ...Object.entries(known)]);
  }

  /** The current step; undefined before the first. */
  get step(): FlowStep | undefined {
    return this.current?.step;
  }

  /** Names of the steps that were entered, in their order. */
  get path(): readonly string[] {
    return this.entered;
  }

  /** The collected values of the call by name, the latest of each. */
  get values(): Record<string, unknown> {
    return Object.fromEntries([...this.collected].map(([name, { value }]) => [name, value]));
  }

  /** The same with step and turn, and what another run goes on from. */
  get before(): Required<RunBefore> {
    const { collected, turn, changes, known } = this;
    return { collected: [...collected.values()], turn, changes, known: Object.fromEntries(known) };
  }

  /** Names of required values of the current step that are not there yet. */
  get missing(): string[] {
    return (this.current?.required ?? []).filter(
      (name) => !this.collected.has(name) && (this.known.get(name) ?? undefined) === undefined,
    );
  }

  /** The call has used up its step changes: it stays in the current step. */
  get isStopped(): boolean {
    return this.stopped;
  }

  /** Whether `elapsed` can change the step. */
  get isTimed(): boolean {
    const { step, exits = [] } = this.current ?? {};
    return step?.timeout_seconds !== undefined || exits.some((exit) => 'if' in exit && exit.if.usesSeconds);
  }

  /** The change to the first step. */
  start(by: 'start' | 'handoff' = 'start'): StepChange {
    this.decided = { to: this.flow.start, from: null, by };
    return this.decided;
  }

  /** Carries out a change. Undefined: it is not the latest decision, or the run has stopped. */
  enter(change: StepChange): FlowStep | undefined {
    if (change !== this.decided) return undefined;
    this.decided = undefined;
    if (this.changes >= MAX_STEP_CHANGES) {
      this.stopped = true;
      return undefined;
    }
    this.current = this.flow.stepOf(change.to);
    this.changes += 1;
    this.entered.push(change.to);
    this.turnsInStep = 0;
    this.secondsInStep = 0;
    return this.current.step;
  }

  /** Undefined: there is nothing to collect and nothing to choose in the current step. */
  tool(): ContinueTool | undefined {
    if (!this.current || this.stopped) return undefined;
    const { properties, definitions } = this.current;
    const choices = this.choices();
    if (properties.size === 0 && choices.length === 0) return undefined;
    return {
      name: CONTINUE_FLOW,
      description: [
        properties.size > 0 &&
          'Report values as soon as the user has said them, also single ones, and again when they change.',
        choices.length > 0 && 'Give `next` only in the situation that it describes.',
        'Say nothing about this function to the user.',
      ]
        .filter(Boolean)
        .join(' '),
      parameters: {
        type: 'object',
        properties: { ...Object.fromEntries(properties), ...(choices.length > 0 && { next: nextSchema(choices) }) },
        ...definitions,
        additionalProperties: false,
      },
    };
  }

  /** `args`: as the model gave them. */
  continue(args: unknown): Continued {
    const { step, properties } = this.current ?? {};
    if (!step || !properties || this.stopped)
      return { accepted: [], problems: ['There is no step to continue.'], missing: [] };
    if (!isJsonObject(args))
      return { accepted: [], problems: ['The arguments must be an object.'], missing: this.missing };
    const { next, ...values } = args;
    const problems = this.valueProblems(values);
    // Models give null for what they do not know.
    const unknown = [...problems.keys()].filter((name) => values[name] === null && properties.has(name));
    const accepted = Object.entries(values)
      .filter(([name]) => !problems.has(name))
      .map(([name, value]): CollectedValue => ({ name, value, step: step.name, turn: this.turn }))
      .filter((value) => this.keep(value, problems));
    for (const name of unknown) problems.delete(name);
    const sentences = [...problems.values()].flat().slice(0, MAX_PROBLEMS);
    const chosen = this.chosen(next, sentences);
    const change = accepted.length > 0 || chosen !== undefined ? this.decide(chosen) : this.decided;
    return { accepted, problems: sentences, missing: this.missing, ...(change && { next: change }) };
  }

  /** Variables of the call that became known, such as those that a tool assigns. Expressions see them, `values` has none of them. */
  assign(variables: Readonly<Record<string, unknown>>): StepChange | undefined {
    for (const [name, value] of Object.entries(variables)) this.known.set(name, value);
    return this.decide();
  }

  /** A turn of the user has ended; the answer to it has not begun. */
  turnEnded(): StepChange | undefined {
    this.turn += 1;
    this.turnsInStep += 1;
    const limit = this.current?.step.max_turns;
    return this.decide() ?? (limit !== undefined && this.turnsInStep >= limit ? this.limited() : undefined);
  }

  /** Whole seconds since the step was entered. */
  elapsed(seconds: number): StepChange | undefined {
    this.secondsInStep = Math.floor(seconds);
    if (!this.isTimed) return undefined;
    const limit = this.current?.step.timeout_seconds;
    return this.decide() ?? (limit !== undefined && this.secondsInStep >= limit ? this.limited() : undefined);
  }

  /** The text of the action `say` was spoken. */
  spoken(): StepChange | undefined {
    const { action, name } = this.current?.step ?? {};
    if (!action || !('say' in action) || action.then === undefined) return undefined;
    return this.change({ to: action.then, from: name ?? null, by: 'action' });
  }

  /** False: the values of the call would be too large together. */
  private keep(value: CollectedValue, problems: Map<string, string[]>): boolean {
    const all = { ...this.values, [value.name]: value.value };
    if (Buffer.byteLength(JSON.stringify(all)) > MAX_VALUES_BYTES) {
      problems.set(value.name, [
        `${value.name}: cannot be kept, because the values of the call are too large together`,
      ]);
      return false;
    }
    this.collected.set(value.name, value);
    this.known.set(value.name, value.value);
    return true;
  }

  private valueOf(name: string): unknown {
    return this.known.get(name);
  }

  private choices(): { to: string; when: string }[] {
    return (this.current?.exits ?? []).flatMap((exit) => ('when' in exit ? [exit] : []));
  }

  /** Problems by name of the value. */
  private valueProblems(values: Record<string, unknown>): Map<string, string[]> {
    const { properties, definitions } = this.current!;
    const problems = new Map<string, string[]>();
    const all: JsonSchema = { type: 'object', properties: Object.fromEntries(properties), ...definitions };
    const areRight = argumentProblems(all, values) === undefined;
    for (const [name, value] of Object.entries(values)) {
      const schema = properties.get(name);
      const limit = jsonLimitProblem(value, VALUE_LIMITS);
      if (!schema) problems.set(name, [`${name}: is not a value of this step`]);
      else if (limit) problems.set(name, [`${name}: ${limit}`]);
      else if (!areRight) {
        const single = { type: 'object', properties: { [name]: schema }, ...definitions };
        const wrong = argumentProblems(single, { [name]: value });
        if (wrong) problems.set(name, wrong);
      }
    }
    return problems;
  }

  /** The exit of the model, which is not followed beside values that were refused. */
  private chosen(next: unknown, problems: string[]): string | undefined {
    if (next === undefined || next === null) return undefined;
    const offered = this.choices().map(({ to }) => to);
    if (typeof next !== 'string' || !offered.includes(next)) {
      problems.push(
        offered.length > 0
          ? `next: must be one of ${[...new Set(offered)].join(', ')}`
          : 'next: is not a choice of this step',
      );
      return undefined;
    }
    if (problems.length === 0) return next;
    problems.push('next: was not followed because of the other problems');
    return undefined;
  }

  /** The first exit that is open. `chosen`: the step that the model chose. */
  private decide(chosen?: string): StepChange | undefined {
    if (this.decided || !this.current || this.stopped) return this.decided;
    const { step, exits } = this.current;
    const isComplete = this.missing.length === 0;
    const scope = {
      valueOf: (name: string) => this.valueOf(name),
      schemaOf: (name: string) => this.flow.schemaOf(name),
      turns: this.turnsInStep,
      seconds: this.secondsInStep,
    };
    const open = exits.find((exit) =>
      'when' in exit ? exit.to === chosen : (isComplete || !exit.if.usesValues) && exit.if.isTrue(scope),
    );
    return open && this.change({ to: open.to, from: step.name, by: 'if' in open ? 'if' : 'when', exit: open.index });
  }

  private limited(): StepChange | undefined {
    const { on_limit: to, name } = this.current?.step ?? {};
    return to === undefined ? undefined : this.change({ to, from: name ?? null, by: 'limit' });
  }

  private change(change: StepChange): StepChange | undefined {
    if (this.stopped) return undefined;
    return (this.decided ??= change);
  }
}

function nextSchema(choices: readonly { to: string; when: string }[]): JsonSchema {
  return {
    type: 'string',
    enum: [...new Set(choices.map(({ to }) => to))],
    description: choices.map(({ to, when }) => `${to}: ${when}`).join('\n'),
  };
}
