import { readJson } from '@app/common';
import { RE2JS } from 're2js';
import { type AgentProfile, isTakeover, keysIn, KNOWLEDGE_TOOL, stepIn } from '@app/voice';
import { replyTo, type Found, type Input, type ScriptState } from './default-agent.js';
import type { Rule, Script } from './script.js';

export interface ToolRequest {
  name: string;
  arguments: Record<string, unknown>;
}

/** The next action of the agent: it speaks, then calls the tools. */
export interface Reply {
  say: string;
  calls: ToolRequest[];
}

/** The session's configuration of the agent. */
interface AgentSetup {
  instructions: string;
  /** Names of its tools. */
  tools: string[];
}

/** An event, as the rules see it. */
type AgentEvent = { input: Input; result?: unknown; tool?: string } | { idle: number };

const DEFAULT_NAME = 'Trunkline';
const REASONS = { end_call: 'The conversation is finished.', call_transfer: 'The callee asked for it.' };
/** Of `@app/flow`. */
const CONTINUE_FLOW = 'continue_flow';
const ACCEPT_TOOL = 'accept_transfer';
/** The transcript of speech that was not recognised. */
const UNHEARD = /^(?:\[speech [\d.]{1,10} s\]\s*)+$/;
const SECONDS = /[\d.]+/g;

/** A turn with pauses has several parts. */
const secondsIn = (text: string): number =>
  Math.round((text.match(SECONDS) ?? []).reduce((sum, part) => sum + Number.parseFloat(part), 0) * 10) / 10;

/** One conversation of the agent. It answers the last event by the first rule of the script that fits, otherwise as the default agent. */
export class ScriptedAgent {
  private heard = 0;
  private wasInterrupted = false;
  private last: AgentEvent | undefined = { input: { kind: 'opening' } };
  private answered = false;
  private takenOver = false;
  private greeting = '';
  /** The step of the last reply. */
  private step: string | undefined;
  private hasTakenOver = false;
  private readonly queries = new Map<string, string>();
  private readonly patterns = new Map<string, RE2JS>();

  constructor(
    private readonly script: Script,
    private readonly setup: () => AgentSetup,
  ) {}

  /** The agent's own idle times, in seconds. */
  get idleSeconds(): number[] {
    return this.script.rules.flatMap(({ on }) => (on.idle === undefined ? [] : [on.idle]));
  }

  hearSpeech(seconds: number): void {
    this.heard++;
    // A key takes precedence over unrecognised speech: an unanswered key stays the last event.
    if (this.last && 'input' in this.last && this.last.input.kind === 'digits') return;
    this.last = { input: { kind: 'speech', seconds } };
  }

  hearText(text: string): void {
    const digits = keysIn(text);
    if (digits !== undefined) this.last = { input: { kind: 'digits', digits } };
    else if (UNHEARD.test(text)) this.hearSpeech(secondsIn(text));
    else this.last = { input: { kind: 'text', text } };
  }

  /** A note of the system, in the words of no protocol. Returns whether it is about a handoff. */
  takeOver(note: string): boolean {
    if (!isTakeover(note)) return false;
    this.hasTakenOver = true;
    this.last = undefined;
    return true;
  }

  /** A note from outside of the conversation; rules for texts see it. */
  takeNote(note: string): void {
    this.last = { input: { kind: 'note', text: note } };
  }

  /** The client repeats words of the agent: this conversation began on another connection. */
  continueConversation(): void {
    if (this.answered) return;
    this.takenOver = true;
    this.last = { input: { kind: 'resumed' } };
  }

  takeToolResult(callId: string, tool: string, output: string): void {
    const result = parse(output);
    const query = this.queries.get(callId);
    const passages = query === undefined ? undefined : foundIn(result);
    const input: Input =
      query !== undefined && passages
        ? { kind: 'found', query, passages }
        : { kind: 'tool_result', failed: isFailure(result) };
    this.last = { input, result, tool };
  }

  noteInterruption(): void {
    this.wasInterrupted = true;
  }

  noteIdle(seconds: number): void {
    this.last = { idle: seconds };
  }

  /** Keeps the query of a search until its result arrives. */
  noteCall(callId: string, { name, arguments: args }: ToolRequest): void {
    if (name === KNOWLEDGE_TOOL && typeof args.query === 'string') this.queries.set(callId, args.query);
  }

  /** An earlier answer, in a protocol whose clients repeat the conversation with every request. */
  noteAnswer(words: string): void {
    if (!this.answered) this.greeting = words;
    this.answered = true;
    this.last = undefined;
    this.wasInterrupted = false;
  }

  /** `words`: the client's own words for this response; the last event then stays unanswered. */
  reply(words?: string): Reply {
    if (words === undefined) return this.ownReply();
    if (!this.answered && !this.takenOver) this.greeting = words;
    this.answered = true;
    return { say: words, calls: [] };
  }

  private ownReply(): Reply {
    this.answered = true;
    const event = this.last ?? { input: { kind: 'resumed' } };
    const step = stepIn(this.setup().instructions);
    const reply =
      (this.hasEntered(event, step) && this.byEntering(event)) || (this.byRule(event) ?? this.byDefault(event));
    this.step = step;
    this.hasTakenOver = false;
    this.last = undefined;
    this.wasInterrupted = false;
    return reply;
  }

  /** Words and keys of the user come before the step. */
  private hasEntered(event: AgentEvent, step: string | undefined): boolean {
    if ('idle' in event) return false;
    const { input, tool, result } = event;
    if (tool === CONTINUE_FLOW) return isObject(result) && result.next !== undefined;
    if (input.kind === 'opening' || input.kind === 'resumed') return step !== this.step || this.hasTakenOver;
    return false;
  }

  private byEntering(event: AgentEvent): Reply | undefined {
    const rule = this.script.rules.find((one) => one.on.entered && this.isOfStep(one));
    if (!rule) return undefined;
    const scope = this.scopeOf(event, rule);
    return { say: fillText(rule.say ?? '', scope), calls: this.callsOf(rule, scope) };
  }

  private isOfStep({ step }: Rule): boolean {
    return step === undefined || step === stepIn(this.setup().instructions);
  }

  private byRule(event: AgentEvent): Reply | undefined {
    const rule = this.script.rules.find((one) => this.isOfStep(one) && this.fits(one.on, event));
    if (!rule) return undefined;
    const scope = this.scopeOf(event, rule);
    return { say: fillText(rule.say ?? '', scope), calls: this.callsOf(rule, scope) };
  }

  private fits(on: Rule['on'], event: AgentEvent): boolean {
    if ('idle' in event) return on.idle === event.idle;
    const { input, result, tool } = event;
    if (tool !== undefined) return on.tool === tool && (on.failed ?? isFailure(result)) === isFailure(result);
    if (input.kind === 'opening') return on.opening === true;
    if (input.kind === 'speech') return on.speech === true || on.speech === this.heard;
    if (input.kind === 'digits') return on.digits === true || on.digits === input.digits;
    if ((input.kind !== 'text' && input.kind !== 'note') || on.text === undefined) return false;
    return on.text === true || this.pattern(on.text).matcher(input.text).find();
  }

  private byDefault(event: AgentEvent): Reply {
    if ('idle' in event) return { say: '', calls: [] };
    const { say, then, lookUp } = replyTo(event.input, this.profile(), this.state());
    if (then === ACCEPT_TOOL) return { say, calls: [{ name: then, arguments: {} }] };
    if (then) return { say, calls: [{ name: then, arguments: { reason: REASONS[then] } }] };
    if (lookUp !== undefined) return { say, calls: [{ name: KNOWLEDGE_TOOL, arguments: { query: lookUp } }] };
    return { say, calls: [] };
  }

  private callsOf(rule: Rule, scope: TemplateScope): ToolRequest[] {
    const calls = (rule.call ?? []).map((call) => ({
      name: call.tool,
      arguments: fillValue(call.arguments, scope) as Record<string, unknown>,
    }));
    const { search, send_dtmf: digits, transfer, hang_up: end } = rule;
    if (search !== undefined) calls.push({ name: KNOWLEDGE_TOOL, arguments: { query: fillText(search, scope) } });
    if (digits !== undefined) calls.push({ name: 'send_dtmf', arguments: { digits } });
    if (transfer !== undefined) calls.push({ name: 'call_transfer', arguments: reasonOf('call_transfer', transfer) });
    if (end !== undefined) calls.push({ name: 'end_call', arguments: reasonOf('end_call', end) });
    return calls;
  }

  private scopeOf(event: AgentEvent, rule: Rule): TemplateScope {
    const scope = { metadata: this.script.metadata ?? {}, agent: this.profile() };
    if ('idle' in event) return scope;
    const { input, result } = event;
    switch (input.kind) {
      case 'speech':
        return { ...scope, speech: { seconds: input.seconds, turn: this.heard } };
      case 'digits':
        return { ...scope, digits: input.digits };
      case 'text':
      case 'note':
        return { ...scope, text: input.text, match: this.groups(rule.on.text, input.text) };
      default:
        return { ...scope, result };
    }
  }

  /** The groups of the match by number; 0 is the whole match. */
  private groups(source: string | true | undefined, text: string): Record<string, string> {
    if (typeof source !== 'string') return {};
    const matcher = this.pattern(source).matcher(text);
    if (!matcher.find()) return {};
    const numbers = Array.from({ length: matcher.groupCount() + 1 }, (_, index) => index);
    return Object.fromEntries(numbers.map((index) => [String(index), matcher.group(index) ?? '']));
  }

  private pattern(source: string): RE2JS {
    const known = this.patterns.get(source) ?? RE2JS.compile(source, RE2JS.CASE_INSENSITIVE);
    this.patterns.set(source, known);
    return known;
  }

  private profile(): AgentProfile {
    const { name = DEFAULT_NAME, greeting = this.greeting, instructions, language } = this.script.agent;
    return { name, greeting, instructions: instructions ?? this.setup().instructions, language };
  }

  private state(): ScriptState {
    const { tools } = this.setup();
    const canTransfer = tools.includes('call_transfer');
    return {
      heard: this.heard,
      interrupted: this.wasInterrupted,
      canTransfer,
      canAccept: tools.includes(ACCEPT_TOOL),
      canSearch: tools.includes(KNOWLEDGE_TOOL),
    };
  }
}

/** The first words of the agent without a greeting of the client: known before the conversation, so that they can be synthesised ahead. */
export const openingWords = (script: Script, instructions: string): string =>
  new ScriptedAgent(script, () => ({ instructions, tools: [] })).reply().say;

const reasonOf = (tool: keyof typeof REASONS, reason: true | string) => ({
  reason: reason === true ? REASONS[tool] : reason,
});

function parse(output: string): unknown {
  try {
    return readJson(output);
  } catch {
    return output;
  }
}

/** `{ "error": … }`, or an error under the name of an action. */
function isFailure(result: unknown): boolean {
  if (!isObject(result)) return false;
  if ('error' in result) return true;
  return Object.values(result).some((value) => isObject(value) && 'error' in value);
}

function foundIn(result: unknown): Found[] | undefined {
  return isObject(result) && Array.isArray(result.results) ? (result.results as Found[]) : undefined;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The values of placeholders: `{{result.order.status}}`, `{{metadata.name}}`, `{{match.1}}`. */
type TemplateScope = Record<string, unknown>;

const PLACEHOLDER = /\{\{([^{}]{1,200})\}\}/g;
const EXACT = /^\{\{([^{}]{1,200})\}\}$/;
/** A small script can name a large result many times. */
const MAX_TEXT_LENGTH = 4_000;

/** Text with its placeholders filled in; missing values become empty text. */
function fillText(template: string, scope: TemplateScope): string {
  return template.replace(PLACEHOLDER, (_, name: string) => asText(valueAt(scope, name))).slice(0, MAX_TEXT_LENGTH);
}

/** The same for the arguments of a tool: a text that is exactly one placeholder keeps the type of its value, null when it is missing. */
function fillValue(template: unknown, scope: TemplateScope): unknown {
  if (typeof template === 'string') {
    const name = EXACT.exec(template)?.[1];
    return name === undefined ? fillText(template, scope) : (valueAt(scope, name) ?? null);
  }
  if (Array.isArray(template)) return template.map((entry) => fillValue(entry, scope));
  if (typeof template !== 'object' || template === null) return template;
  return Object.fromEntries(Object.entries(template).map(([key, value]) => [key, fillValue(value, scope)]));
}

function valueAt(scope: TemplateScope, name: string): unknown {
  let value: unknown = scope;
  for (const key of name.trim().split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}
