import { withTimeLimit, type Clock } from './clock.js';
import type { ToolDefinition } from './providers/voice-provider.js';

/** The call as tools and providers may know it. */
export interface CallContext {
  callId: string;
  direction: 'inbound' | 'outbound';
  to: string;
  from: string;
  metadata: Record<string, unknown> | null;
}

/** What a tool may do to the line of its call. */
export interface LineControl {
  /** Hangs up once the agent has finished speaking. */
  endCall(): void;
  /** Presses keys towards the callee: digits, `*`, `#`. */
  sendDtmf(digits: string): Promise<void>;
}

/** What a tool may do to the call it was invoked in. */
export interface CallControl extends LineControl {
  /** Somebody else talks to the far end from now on: the agent leaves without a word when the tool has ended. */
  handOver(): void;
}

export interface ToolContext {
  toolCallId: string;
  call: CallContext;
  control: CallControl;
  /** Aborts when the call ends or the tool's time is over. */
  signal: AbortSignal;
}

/** Something the agent can do during a call. Its result is sent to the model as JSON. */
export interface VoiceTool extends ToolDefinition {
  /** Default 10 s, at most 120 s. */
  timeoutMs?: number;
  /** The line belongs to the tool while it runs: what the agent was saying is heard first, then it neither hears nor speaks. */
  takesLine?: boolean;
  /** It does so itself, because what it refuses is recorded as well. */
  checksArguments?: boolean;
  /** Throws ToolFailed to tell the model what was wrong; any other error reaches it as `tool_failed` only. */
  run(args: Record<string, unknown>, context: ToolContext): Promise<unknown>;
}

/** An outcome that the model can act on, such as `invalid_arguments`; `problems` are sentences, one for each thing that is wrong. */
export class ToolFailed extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly problems?: string[],
  ) {
    super(message);
  }
}

/** What is wrong with arguments by a tool's schema; undefined: nothing. */
export type CheckArguments = (schema: Record<string, unknown>, args: unknown) => string[] | undefined;

/** @throws ToolFailed `invalid_arguments` that tells the model what to mend. */
export function assertArguments(check: CheckArguments, { parameters }: ToolDefinition, args: unknown): void {
  const problems = check(parameters, args);
  if (problems) throw invalidArguments(problems);
}

/** The arguments of a call do not fit the schema of its tool. */
export const invalidArguments = (problems: string[]): ToolFailed =>
  new ToolFailed('invalid_arguments', 'The arguments do not fit the schema of the tool.', problems);

export interface ToolOutcome {
  ok: boolean;
  arguments: unknown;
  /** The tool's result, as the model gets it, or `{ error: { code, message, problems? } }`. */
  result: unknown;
  /** The result as the model gets it: JSON of at most 8,000 characters. */
  text: string;
}

const DEFAULT_TIMEOUT_MS = 10_000;
const LONGEST_TIMEOUT_MS = 120_000;
const LONGEST_RESULT = 8000;
/** More than any schema of ours lets through; it is not even parsed. */
const LONGEST_ARGUMENTS = 100_000;

/** The tools of one agent. Whatever a model asks for, `run` answers; it never throws. */
export class ToolBox {
  private readonly tools: Map<string, VoiceTool>;

  /** `check`: absent where the tools check their arguments themselves, because they run elsewhere. */
  constructor(
    tools: VoiceTool[],
    private readonly check?: CheckArguments,
  ) {
    this.tools = new Map(tools.map((tool) => [tool.name, tool]));
  }

  definitions(): ToolDefinition[] {
    return [...this.tools.values()].map(({ name, description, parameters }) => ({ name, description, parameters }));
  }

  takesLine(name: string): boolean {
    return this.tools.get(name)?.takesLine ?? false;
  }

  /** `json`: the arguments as the model wrote them. */
  async run(name: string, json: string, context: ToolContext, clock: Clock): Promise<ToolOutcome> {
    let args: unknown = json.slice(0, LONGEST_ARGUMENTS);
    try {
      const tool = this.tools.get(name);
      if (!tool) throw new ToolFailed('unknown_tool', `There is no tool named ${name}.`);
      args = argumentsOf(json);
      if (this.check && !tool.checksArguments) assertArguments(this.check, tool, args);
      return outcome(true, args, (await withinTime(tool, args as Record<string, unknown>, context, clock)) ?? null);
    } catch (error) {
      return outcome(false, args, { error: described(error) });
    }
  }
}

function argumentsOf(json: string): Record<string, unknown> {
  if (json.length > LONGEST_ARGUMENTS) throw new ToolFailed('invalid_arguments', 'The arguments are too long.');
  let args: unknown;
  try {
    args = JSON.parse(json || '{}');
  } catch {
    throw new ToolFailed('invalid_arguments', 'The arguments are not valid JSON.');
  }
  if (typeof args === 'object' && args !== null && !Array.isArray(args)) return args as Record<string, unknown>;
  throw new ToolFailed('invalid_arguments', 'The arguments must be a JSON object.');
}

function withinTime(
  tool: VoiceTool,
  args: Record<string, unknown>,
  context: ToolContext,
  clock: Clock,
): Promise<unknown> {
  const timeoutMs = Math.min(tool.timeoutMs ?? DEFAULT_TIMEOUT_MS, LONGEST_TIMEOUT_MS);
  return withTimeLimit<unknown>(
    clock,
    timeoutMs,
    context.signal,
    (signal) => tool.run(args, { ...context, signal }),
    () => {
      throw new ToolFailed('timeout', `The tool did not answer within ${timeoutMs / 1000} s.`);
    },
  );
}

function described(error: unknown): Pick<ToolFailed, 'code' | 'message' | 'problems'> {
  if (error instanceof ToolFailed) {
    const { code, message, problems } = error;
    return { code, message, ...(problems ? { problems } : {}) };
  }
  // The inner error may name hosts and paths that are no business of the model or of whoever talks to it.
  return { code: 'tool_failed', message: 'The tool failed.' };
}

function outcome(ok: boolean, args: unknown, result: unknown): ToolOutcome {
  const json = JSON.stringify(result);
  if (json.length <= LONGEST_RESULT) return { ok, arguments: args, result, text: json };
  // Cut inside a JSON string, with room for its escapes, so that the model still gets valid JSON.
  const cut = { truncated: true, text: json.slice(0, LONGEST_RESULT / 2 - 100) };
  return { ok, arguments: args, result: cut, text: JSON.stringify(cut) };
}
