import { RE2JS } from 're2js';
import { type AgentProfile, keysIn, KNOWLEDGE_TOOL } from '@app/voice';
import { replyTo, type Found, type Input, type ScriptState } from './default-agent.js';
import type { Rule, Script } from './script.js';

export interface ToolRequest {
  name: string;
  arguments: Record<string, unknown>;
}

/** What the agent does next: it speaks, then calls. */
export interface Reply {
  say: string;
  calls: ToolRequest[];
}

/** What the session told the agent. */
export interface Briefing {
  instructions: string;
  /** Names of the tools that it has. */
  tools: string[];
}

/** Something that happened, as rules see it. */
type Happening = { input: Input; result?: unknown; tool?: string } | { idle: number };

const DEFAULT_NAME = 'Trunkline';
const REASONS = { end_call: 'The conversation is finished.', call_transfer: 'The callee asked for it.' };
/** What a transcript says of words that nobody recognised. */
const UNHEARD = /^\[speech [\d.]{1,10} s\]$/;

/**
 * One conversation of the agent: what happened last, and what it does about it. A rule of the script decides; without one that fits,
 * the default agent.
 */
export class ScriptedAgent {
  private heard = 0;
  private wasInterrupted = false;
  private last: Happening | undefined = { input: { kind: 'opening' } };
  private answered = false;
  private takenOver = false;
  private greeting = '';
  private readonly queries = new Map<string, string>();
  private readonly patterns = new Map<string, RE2JS>();

  constructor(
    private readonly script: Script,
    private readonly briefing: () => Briefing,
  ) {}

  /** The agent's own idle times, in seconds. */
  get idleSeconds(): number[] {
    return this.script.rules.flatMap(({ on }) => (on.idle === undefined ? [] : [on.idle]));
  }

  spokenTo(seconds: number): void {
    this.heard++;
    // A key says more than a word that cannot be understood: one that waits for its answer is not forgotten.
    if (this.last && 'input' in this.last && this.last.input.kind === 'digits') return;
    this.last = { input: { kind: 'speech', seconds } };
  }

  writtenTo(text: string): void {
    const digits = keysIn(text);
    if (digits !== undefined) this.last = { input: { kind: 'digits', digits } };
    else if (UNHEARD.test(text)) this.spokenTo(Number.parseFloat(text.slice('[speech '.length)));
    else this.last = { input: { kind: 'text', text } };
  }

  /** The client says what the agent said: this conversation began on another connection. */
  tookOver(): void {
    if (this.answered) return;
    this.takenOver = true;
    this.last = { input: { kind: 'resumed' } };
  }

  toldResult(callId: string, tool: string, output: string): void {
    const result = parsed(output);
    const query = this.queries.get(callId);
    const passages = query === undefined ? undefined : foundIn(result);
    const input: Input =
      query !== undefined && passages
        ? { kind: 'found', query, passages }
        : { kind: 'tool_result', failed: isFailure(result) };
    this.last = { input, result, tool };
  }

  interrupted(): void {
    this.wasInterrupted = true;
  }

  idled(seconds: number): void {
    this.last = { idle: seconds };
  }

  /** Remembers what was asked, until the answer comes. */
  called(callId: string, { name, arguments: args }: ToolRequest): void {
    if (name === KNOWLEDGE_TOOL && typeof args.query === 'string') this.queries.set(callId, args.query);
  }

  /** `words`: what the client wants said; what waits for an answer goes on waiting. */
  reply(words?: string): Reply {
    if (words === undefined) return this.ownReply();
    if (!this.answered && !this.takenOver) this.greeting = words;
    this.answered = true;
    return { say: words, calls: [] };
  }

  private ownReply(): Reply {
    this.answered = true;
    const happened = this.last ?? { input: { kind: 'resumed' } };
    const reply = this.byRule(happened) ?? this.byDefault(happened);
    this.last = undefined;
    this.wasInterrupted = false;
    return reply;
  }

  private byRule(happened: Happening): Reply | undefined {
    const rule = this.script.rules.find(({ on }) => this.fits(on, happened));
    if (!rule) return undefined;
    const scope = this.scopeOf(happened, rule);
    return { say: filledText(rule.say ?? '', scope), calls: this.callsOf(rule, scope) };
  }

  private fits(on: Rule['on'], happened: Happening): boolean {
    if ('idle' in happened) return on.idle === happened.idle;
    const { input, result, tool } = happened;
    if (tool !== undefined) return on.tool === tool && (on.failed ?? isFailure(result)) === isFailure(result);
    if (input.kind === 'opening') return on.opening === true;
    if (input.kind === 'speech') return on.speech === true || on.speech === this.heard;
    if (input.kind === 'digits') return on.digits === true || on.digits === input.digits;
    if (input.kind !== 'text' || on.text === undefined) return false;
    return on.text === true || this.pattern(on.text).matcher(input.text).find();
  }

  private byDefault(happened: Happening): Reply {
    if ('idle' in happened) return { say: '', calls: [] };
    const { say, then, lookUp } = replyTo(happened.input, this.profile(), this.state());
    if (then) return { say, calls: [{ name: then, arguments: { reason: REASONS[then] } }] };
    if (lookUp !== undefined) return { say, calls: [{ name: KNOWLEDGE_TOOL, arguments: { query: lookUp } }] };
    return { say, calls: [] };
  }

  private callsOf(rule: Rule, scope: TemplateScope): ToolRequest[] {
    const calls = (rule.call ?? []).map((call) => ({
      name: call.tool,
      arguments: filledValue(call.arguments, scope) as Record<string, unknown>,
    }));
    const { search, send_dtmf: digits, transfer, hang_up: end } = rule;
    if (search !== undefined) calls.push({ name: KNOWLEDGE_TOOL, arguments: { query: filledText(search, scope) } });
    if (digits !== undefined) calls.push({ name: 'send_dtmf', arguments: { digits } });
    if (transfer !== undefined) calls.push({ name: 'call_transfer', arguments: reasonOf('call_transfer', transfer) });
    if (end !== undefined) calls.push({ name: 'end_call', arguments: reasonOf('end_call', end) });
    return calls;
  }

  private scopeOf(happened: Happening, rule: Rule): TemplateScope {
    const scope = { metadata: this.script.metadata ?? {}, agent: this.profile() };
    if ('idle' in happened) return scope;
    const { input, result } = happened;
    switch (input.kind) {
      case 'speech':
        return { ...scope, speech: { seconds: input.seconds, turn: this.heard } };
      case 'digits':
        return { ...scope, digits: input.digits };
      case 'text':
        return { ...scope, text: input.text, match: this.groups(rule.on.text, input.text) };
      default:
        return { ...scope, result };
    }
  }

  /** By number: 0 is all that was found. */
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
    return { name, greeting, instructions: instructions ?? this.briefing().instructions, language };
  }

  private state(): ScriptState {
    const { tools } = this.briefing();
    const canTransfer = tools.includes('call_transfer');
    return {
      heard: this.heard,
      interrupted: this.wasInterrupted,
      canTransfer,
      canSearch: tools.includes(KNOWLEDGE_TOOL),
    };
  }
}

/** What the agent says first when nobody tells it to: known before there is a conversation, so that it can be prepared. */
export const openingWords = (script: Script, instructions: string): string =>
  new ScriptedAgent(script, () => ({ instructions, tools: [] })).reply().say;

const reasonOf = (tool: keyof typeof REASONS, reason: true | string) => ({
  reason: reason === true ? REASONS[tool] : reason,
});

function parsed(output: string): unknown {
  try {
    return JSON.parse(output);
  } catch {
    return output;
  }
}

/** `{ "error": … }`, or one under each name of several actions. */
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

/** What braces may name: `{{result.order.status}}`, `{{metadata.name}}`, `{{match.1}}`. */
type TemplateScope = Record<string, unknown>;

const PLACEHOLDER = /\{\{([^{}]{1,200})\}\}/g;
const EXACT = /^\{\{([^{}]{1,200})\}\}$/;
/** A small script can name a large result many times. */
const LONGEST_TEXT = 4_000;

/** Text with its placeholders filled in; what is missing is nothing. */
function filledText(template: string, scope: TemplateScope): string {
  return template.replace(PLACEHOLDER, (_, name: string) => asText(valueAt(scope, name))).slice(0, LONGEST_TEXT);
}

/** The same in arguments of a tool: text that is exactly one placeholder keeps the type of its value, null when it is missing. */
function filledValue(template: unknown, scope: TemplateScope): unknown {
  if (typeof template === 'string') {
    const name = EXACT.exec(template)?.[1];
    return name === undefined ? filledText(template, scope) : (valueAt(scope, name) ?? null);
  }
  if (Array.isArray(template)) return template.map((entry) => filledValue(entry, scope));
  if (typeof template !== 'object' || template === null) return template;
  return Object.fromEntries(Object.entries(template).map(([key, value]) => [key, filledValue(value, scope)]));
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
