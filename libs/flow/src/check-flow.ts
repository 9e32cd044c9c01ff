import type { ErrorCode } from '@app/common';
import { isJsonObject, type JsonSchema, jsonLimitProblem, schemaFaults } from '@app/json-schema';
import { PatternBudget } from '@app/json-schema/patterns';
import { valueSchemas } from './compiled-flow.js';
import { Expression, UnusableExpression } from './expression.js';
import type { Flow, FlowStep } from './flow.js';
import { MAX_VALUE_NAMES } from './flow-values.js';

/** What a flow may refer to. Undefined: not known here, and not checked. */
export interface FlowReferences {
  /** Names of the variables of the call: declared by the agent, or assigned by a tool. */
  variables?: readonly string[];
  /** Names of the tools of the agent. */
  tools?: readonly string[];
  knowledgeBaseIds?: readonly number[];
  transfers?: { isEnabled: boolean; destinations: readonly string[] };
}

/** `path` within the flow: `['steps', 2, 'exits', 0, 'if']`. `problem` is a predicate: `is not a step of the flow`. */
interface FlowProblem {
  path: (string | number)[];
  code: ErrorCode;
  problem: string;
}

/** Bytes of the JSON of a flow. */
const MAX_FLOW_BYTES = 256 * 1024;

/** Names of values, which are names of variables in texts and expressions. */
const VALUE_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
/** `next` is the exit in `continue_flow`; the others are the first words of placeholders of other things. */
const RESERVED_VALUES = ['next', 'metadata', 'call', 'agent', 'now', 'args'];

/** Values are validated one by one, so that their schema may say nothing of several. */
const COLLECT_KEYWORDS = [
  '$schema',
  '$defs',
  'definitions',
  'type',
  'title',
  'description',
  'properties',
  'required',
  'additionalProperties',
];

/** A step that is left as soon as it was entered has no use for these. */
const STAYING = ['collect', 'exits', 'max_turns', 'timeout_seconds'] as const;

/** The problems of a flow whose fields have the right types; empty when it can be run. Takes at most 50 ms. */
export function flowProblems(flow: Flow, references: FlowReferences = {}): FlowProblem[] {
  const extent = jsonLimitProblem(flow, { bytes: MAX_FLOW_BYTES, depth: 48 });
  return extent ? [{ path: [], code: 'too_long', problem: extent }] : new FlowCheck(flow, references).read();
}

class FlowCheck {
  private readonly problems: FlowProblem[] = [];
  private readonly names: readonly string[];
  private readonly schemas: ReadonlyMap<string, JsonSchema>;
  private readonly patterns = new PatternBudget();
  /** Ways that lead nowhere make other steps look as if they could not be reached. */
  private hasAllSteps = true;

  constructor(
    private readonly flow: Flow,
    private readonly references: FlowReferences,
  ) {
    this.names = flow.steps.map(({ name }) => name);
    this.schemas = valueSchemas(flow);
  }

  read(): FlowProblem[] {
    this.mustBeStep(this.flow.start, ['start']);
    if (this.schemas.size > MAX_VALUE_NAMES)
      this.report(['steps'], 'too_many', `must not collect more than ${MAX_VALUE_NAMES} values`);
    for (const [index, step] of this.flow.steps.entries()) {
      const at = ['steps', index];
      if (this.names.indexOf(step.name) < index) {
        this.hasAllSteps = false;
        this.report([...at, 'name'], 'duplicate', `is the name of another step: "${step.name}"`);
      }
      this.checkCollect(step, at);
      this.checkReferences(step, at);
      this.checkWays(step, at);
      for (const [number, exit] of (step.exits ?? []).entries())
        if ('if' in exit) this.checkExpression(exit.if, [...at, 'exits', number, 'if']);
    }
    if (this.hasAllSteps) this.checkGraph();
    return this.problems;
  }

  private report(path: (string | number)[], code: ErrorCode, problem: string): void {
    this.problems.push({ path, code, problem });
  }

  private mustBeStep(name: string, path: (string | number)[]): void {
    if (this.names.includes(name)) return;
    this.hasAllSteps = false;
    this.report(path, 'not_found', `is not a step of the flow: "${name}"`);
  }

  private checkCollect({ collect }: FlowStep, at: (string | number)[]): void {
    if (collect === undefined) return;
    const path = [...at, 'collect'];
    for (const { path: field, problem } of schemaFaults(collect, 'collect', this.patterns))
      this.report([...at, ...field.split('.')], 'invalid', problem);
    for (const keyword of Object.keys(collect))
      if (!COLLECT_KEYWORDS.includes(keyword))
        this.report([...path, keyword], 'not_allowed', 'is not supported here: values are validated one by one');
    const { properties, required } = collect;
    const names = isJsonObject(properties) ? Object.keys(properties) : [];
    if (names.length === 0) this.report([...path, 'properties'], 'missing', 'must have at least one value');
    for (const name of names) {
      if (!VALUE_NAME.test(name))
        this.report(
          [...path, 'properties', name],
          'invalid_format',
          'must be named by 1 to 64 letters, digits and underscores, and not begin with a digit',
        );
      if (RESERVED_VALUES.includes(name))
        this.report([...path, 'properties', name], 'not_allowed', 'has a name that is used for something else');
    }
    for (const [index, name] of (Array.isArray(required) ? required : []).entries())
      if (!names.includes(name))
        this.report([...path, 'required', index], 'not_found', `is not a value of this step: "${name}"`);
  }

  private checkReferences(step: FlowStep, at: (string | number)[]): void {
    const { tools, knowledgeBaseIds, transfers } = this.references;
    for (const [index, name] of (step.tools ?? []).entries())
      if (tools && !tools.includes(name))
        this.report([...at, 'tools', index], 'not_found', `is not a tool of the agent: "${name}"`);
    for (const [index, id] of (step.knowledge_base_ids ?? []).entries())
      if (knowledgeBaseIds && !knowledgeBaseIds.includes(id))
        this.report([...at, 'knowledge_base_ids', index], 'not_found', `is not a knowledge base of the agent: ${id}`);
    if (!step.action || !('transfer' in step.action) || !transfers) return;
    const { transfer } = step.action;
    const path = [...at, 'action', 'transfer'];
    if (!transfers.isEnabled) this.report(path, 'not_allowed', 'needs call_transfer.enabled of the agent');
    else if (transfer !== true && !transfers.destinations.includes(transfer))
      this.report(path, 'not_found', `is not a destination of call_transfer: "${transfer}"`);
  }

  /** Exits, limits and what excludes them. */
  private checkWays(step: FlowStep, at: (string | number)[]): void {
    for (const [index, { to }] of (step.exits ?? []).entries()) {
      const path = [...at, 'exits', index, 'to'];
      this.mustBeStep(to, path);
      if (to === step.name) this.report(path, 'not_allowed', 'must be another step');
    }
    const { action, on_limit: limit, max_turns: turns, timeout_seconds: seconds } = step;
    if (action && 'say' in action && action.then !== undefined) {
      this.mustBeStep(action.then, [...at, 'action', 'then']);
      if (action.then === step.name) this.report([...at, 'action', 'then'], 'not_allowed', 'must be another step');
    }
    if (limit !== undefined) {
      this.mustBeStep(limit, [...at, 'on_limit']);
      if (limit === step.name) this.report([...at, 'on_limit'], 'not_allowed', 'must be another step');
      if (turns === undefined && seconds === undefined)
        this.report([...at, 'on_limit'], 'not_allowed', 'needs max_turns or timeout_seconds');
    } else if (turns !== undefined || seconds !== undefined) {
      this.report([...at, 'on_limit'], 'missing', 'is required with max_turns and timeout_seconds');
    }
    if (action && step.handoff) this.report([...at, 'handoff'], 'not_allowed', 'must not stand beside action');
    if (isLeftAtOnce(step))
      for (const field of STAYING)
        if (step[field] !== undefined)
          this.report([...at, field], 'not_allowed', 'has no effect: the step is left as soon as it was entered');
  }

  private checkExpression(source: string, path: (string | number)[]): void {
    try {
      const expression = Expression.of(source);
      const unknown = expression.names.find((name) => !this.isKnown(name));
      if (unknown !== undefined)
        return this.report(
          path,
          'not_found',
          `uses the value ${unknown}, which no step collects and the agent does not declare`,
        );
      const never = expression.comparisons.find(({ name, text }) => !this.mayBe(name, text));
      if (never) return this.report(path, 'invalid', `compares ${never.name} with "${never.text}", which it never is`);
      const problem = expression.typeProblem((name) => this.schemas.get(name));
      if (problem !== undefined) this.report(path, 'invalid', problem);
    } catch (error) {
      if (!(error instanceof UnusableExpression)) throw error;
      this.report(path, 'invalid_format', error.message);
    }
  }

  private isKnown(name: string): boolean {
    const { variables } = this.references;
    return this.schemas.has(name) || variables === undefined || variables.includes(name);
  }

  /** Of a value with a list of choices. */
  private mayBe(name: string, text: string): boolean {
    const choices = this.schemas.get(name)?.['enum'];
    return !Array.isArray(choices) || this.references.variables?.includes(name) === true || choices.includes(text);
  }

  /** Steps to which no way leads, and steps from which none leads to an end. */
  private checkGraph(): void {
    const ways = new Map(this.flow.steps.map((step) => [step.name, waysOf(step)]));
    const back = new Map<string, string[]>(this.names.map((name) => [name, []]));
    for (const [from, targets] of ways) for (const to of targets) back.get(to)!.push(from);
    const reached = spread([this.flow.start], ways);
    const ends = this.flow.steps.filter((step) => isEnd(step) || ways.get(step.name)!.length === 0);
    const ending = spread(
      ends.map(({ name }) => name),
      back,
    );
    for (const [index, name] of this.names.entries()) {
      if (!reached.has(name)) this.report(['steps', index], 'invalid', 'cannot be reached from the first step');
      else if (!ending.has(name))
        this.report(
          ['steps', index],
          'invalid',
          'cannot end: every way from it leads back to it, or to a step like it',
        );
    }
  }
}

const isLeftAtOnce = ({ action, handoff }: FlowStep): boolean =>
  handoff !== undefined ||
  (action !== undefined && ('end' in action || ('say' in action && action.then !== undefined)));

/** A transfer may fail, and then the conversation goes on in its step. */
const isEnd = ({ action, handoff }: FlowStep): boolean =>
  handoff !== undefined || (action !== undefined && ('end' in action || 'transfer' in action));

/** Names of the steps that may follow; none: the call ends, leaves the flow, or goes on in this step. */
function waysOf({ exits = [], action, on_limit: limit }: FlowStep): string[] {
  const then = action && 'say' in action ? action.then : undefined;
  return [...exits.map(({ to }) => to), ...[then ?? [], limit ?? []].flat()];
}

/** All names that can be reached from some. */
function spread(from: readonly string[], ways: ReadonlyMap<string, readonly string[]>): Set<string> {
  const reached = new Set(from);
  for (const name of reached) for (const next of ways.get(name) ?? []) reached.add(next);
  return reached;
}
