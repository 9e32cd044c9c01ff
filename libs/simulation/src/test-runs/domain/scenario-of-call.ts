/** The events of a call that a scenario needs, as the API returns them. */
export interface CallFact extends Record<string, unknown> {
  type: string;
}

/** The call that becomes a scenario. */
interface CallToReplay {
  id: string;
  direction: string;
  metadata: Record<string, unknown> | null;
  variables: Record<string, unknown> | null;
}

interface Step {
  says?: string;
  keys?: string;
  silence?: number;
  expects?: object[];
  calls?: object[];
  ends?: string;
}

type Mock = { arguments: unknown; result: unknown } | { arguments: unknown; error: { code: string; message: string } };

/** Bounds of scenarios. */
const MAX_STEPS = 50;
const MAX_TOOLS = 50;
const MAX_MOCKS = 50;
const MAX_EXPECTED = 20;
const MAX_TEXT_LENGTH = 2_000;
const MAX_ERROR_LENGTH = 64;

/** Of the agent's words: numbers, and otherwise so many distinctive words, of which one must occur again. */
const MAX_NUMBERS = 5;
const MAX_WORDS = 6;
const MIN_WORD_LENGTH = 5;
/** Longer texts of arguments are the model's own words. */
const MAX_ARGUMENT_LENGTH = 60;

const ENDS: Readonly<Record<string, string>> = { agent_hangup: 'hangup', transferred: 'transfer' };

/**
 * A scenario with the words and keys of the user, mocks with the results of the tools, and expectations that another wording of a model
 * also meets: numbers, distinctive words, tool calls and the end. Redacted words stay redacted, and are not expected. `serviceTools` run
 * in a simulation as on a call: their results are not mocked, and their arguments are words of the model. Undefined: nothing was said.
 */
export function scenarioOfCall(
  call: CallToReplay,
  facts: readonly CallFact[],
  serviceTools: ReadonlySet<string>,
): object | undefined {
  const builder = new ScenarioBuilder(serviceTools);
  for (const fact of facts) builder.take(fact);
  const { steps, mocks } = builder.end();
  if (steps.length === 0) return undefined;
  return {
    name: `call ${call.id}`,
    direction: call.direction === 'outbound' ? 'outbound' : 'inbound',
    ...(call.metadata && { metadata: call.metadata }),
    ...(call.variables && Object.keys(call.variables).length > 0 && { variables: call.variables }),
    ...(Object.keys(mocks).length > 0 && { mocks }),
    steps,
  };
}

class ScenarioBuilder {
  private readonly steps: Step[] = [];
  private readonly mocks: Record<string, Mock[]> = {};
  /** The step in progress; the first one is the greeting. */
  private step: Step = {};
  private said = '';
  /** Words that the caller has said: an agent that repeats them has not understood anything yet. */
  private heard = '';
  private lastAtMs = 0;
  private isOver = false;

  constructor(private readonly serviceTools: ReadonlySet<string>) {}

  take(fact: CallFact): void {
    if (this.isOver) return;
    if (fact.type === 'turn') this.turn(fact);
    else if (fact.type === 'dtmf_input' && typeof fact.digits === 'string') this.input({ keys: fact.digits });
    else if (fact.type === 'idle_prompt') this.input({ silence: this.silenceBefore(fact) });
    else if (fact.type === 'tool_call') this.toolCall(fact);
    else if (fact.type === 'ended') this.ended(fact);
    if (fact.type !== 'idle_prompt') this.lastAtMs = Math.max(this.lastAtMs, timeOf(fact));
  }

  end(): { steps: Step[]; mocks: Record<string, Mock[]> } {
    this.close();
    return { steps: this.steps.slice(0, MAX_STEPS), mocks: this.mocks };
  }

  private turn({ role, text }: CallFact): void {
    if (typeof text !== 'string' || text.trim() === '') return;
    if (role === 'agent') this.said += ` ${text}`;
    else this.input({ says: text.slice(0, MAX_TEXT_LENGTH) });
  }

  private input(input: Step): void {
    this.close();
    this.step = input;
    this.heard += ` ${(input.says ?? '').toLowerCase()}`;
  }

  private toolCall({ name, arguments: args, result, ok }: CallFact): void {
    if (typeof name !== 'string') return;
    const isOwn = !this.serviceTools.has(name);
    const essential = isOwn ? essentialArguments(args) : {};
    const wanted = {
      tool: name,
      ...(Object.keys(essential).length > 0 && { arguments: essential }),
      ...(typeof ok === 'boolean' && isOwn && { ok }),
    };
    const calls = (this.step.calls ??= []);
    if (calls.length < MAX_EXPECTED) calls.push(wanted);
    if (isOwn) this.mock(name, essential, result, ok);
  }

  private mock(name: string, args: object, result: unknown, ok: unknown): void {
    if (!Object.hasOwn(this.mocks, name) && Object.keys(this.mocks).length >= MAX_TOOLS) return;
    const mocks = (this.mocks[name] ??= []);
    if (mocks.length >= MAX_MOCKS) return;
    const error = ok === false ? errorIn(result) : undefined;
    mocks.push(error ? { arguments: args, error } : { arguments: args, result: result ?? null });
  }

  private ended({ ended_by: by, cause }: CallFact): void {
    const end = by === 'agent' && typeof cause === 'string' ? ENDS[cause] : undefined;
    if (end !== undefined) this.step.ends = end;
    this.isOver = true;
  }

  private silenceBefore(fact: CallFact): number {
    const seconds = Math.ceil((timeOf(fact) - this.lastAtMs) / 1_000) + 1;
    return Math.min(600, Math.max(1, seconds));
  }

  private close(): void {
    const expected = essentialWords(this.said, this.heard);
    if (expected.length > 0) this.step.expects = expected;
    if (Object.keys(this.step).length > 0) this.steps.push(this.step);
    this.step = {};
    this.said = '';
  }
}

const timeOf = ({ ended_ms: ended, at_ms: at }: CallFact): number =>
  typeof ended === 'number' ? ended : typeof at === 'number' ? at : 0;

/** `[card]`, `[speech 1.2 s]`: text that stands for other text. */
const PLACEHOLDER = /\[[^\]]{0,100}\]/g;
const NUMBER = /\d+(?:[.,:]\d+)*/g;
const WORD = /[\p{L}\p{M}]+/gu;

/** Numbers are facts; without one, a distinctive word shows that the subject is the same. */
function essentialWords(said: string, heard: string): object[] {
  const text = said.replaceAll(PLACEHOLDER, ' ');
  const numbers = [...new Set(text.match(NUMBER) ?? [])].slice(0, MAX_NUMBERS);
  if (numbers.length > 0) return numbers.map((contains) => ({ contains }));
  const words = [...new Set(text.toLowerCase().match(WORD) ?? [])]
    .filter((word) => word.length >= MIN_WORD_LENGTH && !heard.includes(word))
    .toSorted((a, b) => b.length - a.length)
    .slice(0, MAX_WORDS);
  return words.length > 0 ? [{ any_of: words.map((contains) => ({ contains })) }] : [];
}

/** Numbers, switches and short texts without placeholders: a model repeats them as they are. */
function essentialArguments(args: unknown): Record<string, unknown> {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return {};
  return Object.fromEntries(Object.entries(args).filter(([, value]) => isEssential(value)));
}

function isEssential(value: unknown): boolean {
  if (typeof value === 'number' || typeof value === 'boolean') return true;
  return typeof value === 'string' && value.length <= MAX_ARGUMENT_LENGTH && value.search(PLACEHOLDER) === -1;
}

function errorIn(result: unknown): { code: string; message: string } {
  const { error } = (typeof result === 'object' && result !== null ? result : {}) as { error?: unknown };
  const { code, message } = (typeof error === 'object' && error !== null ? error : {}) as Record<string, unknown>;
  return {
    code: typeof code === 'string' && code.trim() !== '' ? code.slice(0, MAX_ERROR_LENGTH) : 'tool_failed',
    message:
      typeof message === 'string' && message.trim() !== '' ? message.slice(0, MAX_TEXT_LENGTH) : 'The tool failed.',
  };
}
