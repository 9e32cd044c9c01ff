import { readJson } from '@app/common';
import { type Clock, withTimeLimit } from '../clock.js';
import type { ToolDefinition } from '../providers/voice-provider.js';
import { splitConfirmed, withConfirmation } from './confirmed-argument.js';
import type { DigitInput } from './digit-input.js';
import type { AssignedVariable, ConfirmationStep, ConfirmationWords } from './tool-facts.js';
import type { ToolPhrases } from './tool-phrases.js';

/** The call, as tools and providers see it. */
export interface CallContext {
  callId: string;
  direction: 'inbound' | 'outbound';
  to: string;
  from: string;
  metadata: Record<string, unknown> | null;
}

/** The actions of a tool on its call. */
export interface CallControl {
  /** Hangs up after the agent has finished speaking. */
  endCall(): void;
  /** Sends keys to the user's side: digits, `*`, `#`. */
  sendDtmf(digits: string): Promise<void>;
  /** The user is connected to another party: the session ends silently after the tool. */
  handOver(): void;
}

/** The actions of the session's own tools on the conversation. */
export interface ConversationControl {
  /** Asks the user for digits. @throws ToolFailed */
  collectDigits(input: DigitInput, signal: AbortSignal): Promise<Record<string, unknown>>;
  /** The user has answered in words whether the call may be recorded. @throws ToolFailed */
  answerConsent(agrees: boolean): void;
}

export interface ToolContext {
  toolCallId: string;
  call: CallContext;
  control: CallControl;
  /** Absent where the tool runs outside of the session. */
  conversation?: ConversationControl;
  /** Of a tool that the user has confirmed. */
  confirmation?: ConfirmationWords;
  /** Aborts at the end of the call and at the tool's timeout. */
  signal: AbortSignal;
}

/** A tool that begins to run. */
export type BegunTool = Pick<ToolOutcome, 'arguments' | 'confirmation'>;

/** What a session adds to a use of a tool. */
interface ToolUse extends ToolContext {
  /** Absent: the model needs no confirmation. */
  confirmations?: {
    step(name: string, args: Record<string, unknown>, isConfirmed: boolean): Promise<ConfirmationStep>;
  };
  /** The tool itself begins, after the checks of the session. */
  onRun?: (begun: BegunTool) => void;
}

/** A result with facts beside it: a tool that ran may have failed, or have set variables. */
export class ToolAnswer {
  constructor(
    /** For the model. */
    readonly result: unknown,
    readonly ok: boolean,
    readonly assigned?: readonly AssignedVariable[],
    /** The whole answer, when the model gets another one. */
    readonly full: unknown = result,
    /** Of a background tool: the requests were answered, and the result follows in a callback. */
    readonly isPending = false,
  ) {}
}

/** A function that the agent can call. Its result is sent to the model as JSON. */
export interface VoiceTool extends ToolDefinition {
  /** Default 10 s, at most 120 s. */
  timeoutMs?: number;
  /** The tool needs the line: the agent finishes speaking first, then it neither hears nor speaks. */
  takesLine?: boolean;
  /** The tool waits for the user and may speak itself: no filler is spoken, and it may take ten minutes. */
  waitsForUser?: boolean;
  /** The tool checks its arguments itself, because rejected calls are recorded as well. */
  checksArguments?: boolean;
  /** What the agent says around it. */
  phrases?: ToolPhrases;
  /** The conversation goes on while it runs. */
  isBackground?: boolean;
  /** It runs only after the user has agreed to its arguments. */
  confirm?: boolean;
  /** The problems of arguments, where the session cannot check them itself. Before the user is asked to confirm them. */
  problemsOf?(args: Record<string, unknown>, signal: AbortSignal): Promise<string[] | undefined>;
  /** What becomes of an answer that a scenario gives in place of `run`. Absent: it is the result. */
  settle?(answer: unknown): ToolAnswer;
  /** May resolve with a ToolAnswer. Throws ToolFailed for an error that the model should see; any other error becomes `tool_failed` without details. */
  run(args: Record<string, unknown>, context: ToolContext): Promise<unknown>;
}

/** An error that the model can act on, such as `invalid_arguments`; `problems` has one sentence per problem. */
export class ToolFailed extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly problems?: string[],
  ) {
    super(message);
  }
}

/** Validates arguments against a tool's schema; undefined: valid. */
export type CheckArguments = (schema: Record<string, unknown>, args: unknown) => string[] | undefined;

/** @throws ToolFailed `invalid_arguments` with the problems */
export function assertArguments(check: CheckArguments, { parameters }: ToolDefinition, args: unknown): void {
  const problems = check(parameters, args);
  if (problems) throw invalidArguments(problems);
}

const INVALID_ARGUMENTS = 'invalid_arguments';

/** The arguments do not match the schema of the tool. */
export const invalidArguments = (problems: string[]): ToolFailed =>
  new ToolFailed(INVALID_ARGUMENTS, 'The arguments do not fit the schema of the tool.', problems);

export interface ToolOutcome {
  ok: boolean;
  arguments: unknown;
  /** The result for the model, or `{ error: { code, message, problems? } }`. */
  result: unknown;
  /** The same as JSON of at most 8,000 characters. */
  text: string;
  /** Whether the tool itself ran, and failed: its arguments were valid. */
  isFailure?: boolean;
  /** Of a background tool: a callback follows. */
  isPending?: boolean;
  assigned?: readonly AssignedVariable[];
  /** Of a tool that the user confirms. */
  confirmation?: { state: 'asked' | 'refused' | 'confirmed' } & Partial<ConfirmationWords>;
}

const DEFAULT_TIMEOUT_MS = 10_000;
const MAX_TIMEOUT_MS = 120_000;
/** Of a tool that has the line: a transfer may brief several people, one after the other. */
const MAX_WITH_LINE_MS = 3_600_000;
/** Of a tool that waits for the user. */
const MAX_WITH_USER_MS = 600_000;
const MAX_RESULT_LENGTH = 8000;
/** More than any schema here accepts; longer JSON is not parsed. */
const MAX_ARGUMENTS_LENGTH = 100_000;

/** The tools of one agent. `run` returns an outcome for every call and never throws. */
export class ToolBox {
  private tools: Map<string, VoiceTool>;

  /** `check`: absent when the tools run elsewhere and check their arguments there. */
  constructor(
    tools: VoiceTool[],
    private readonly check?: CheckArguments,
  ) {
    this.tools = new Map(tools.map((tool) => [tool.name, tool]));
  }

  all(): readonly VoiceTool[] {
    return [...this.tools.values()];
  }

  /** The next step or agent has these tools. */
  replace(tools: readonly VoiceTool[]): void {
    this.tools = new Map(tools.map((tool) => [tool.name, tool]));
  }

  definitions(): ToolDefinition[] {
    return [...this.tools.values()].map((tool) => {
      if (tool.confirm) return withConfirmation(tool);
      const { name, description, parameters } = tool;
      return { name, description, parameters };
    });
  }

  takesLine(name: string): boolean {
    return this.tools.get(name)?.takesLine ?? false;
  }

  isBackground(name: string): boolean {
    return this.tools.get(name)?.isBackground ?? false;
  }

  phrasesOf(name: string): ToolPhrases | undefined {
    return this.tools.get(name)?.phrases;
  }

  waitsForUser(name: string): boolean {
    return this.tools.get(name)?.waitsForUser ?? false;
  }

  /** These tools and more; of two with the same name the one of this box stays. */
  with(more: VoiceTool[]): ToolBox {
    return new ToolBox([...more, ...this.tools.values()], this.check);
  }

  /** `json`: the arguments as written by the model. */
  async run(name: string, json: string, use: ToolUse, clock: Clock): Promise<ToolOutcome> {
    const { confirmations, onRun, ...context } = use;
    const asked: { args: unknown; confirmation?: ToolOutcome['confirmation']; isRun: boolean } = {
      args: json.slice(0, MAX_ARGUMENTS_LENGTH),
      isRun: false,
    };
    try {
      const tool = this.tools.get(name);
      if (!tool) throw new ToolFailed('unknown_tool', `There is no tool named ${name}.`);
      let args = argumentsOf(json);
      asked.args = args;
      if (tool.confirm && confirmations) {
        const { args: own, isConfirmed } = splitConfirmed(args);
        asked.args = args = own;
        await this.assertConfirmable(tool, args, context.signal);
        const step = await confirmations.step(name, args, isConfirmed);
        const { state } = step;
        if (state !== 'confirmed') return { ...outcome(state === 'asked', args, step.result), confirmation: { state } };
        asked.confirmation = { state, ...step.evidence };
        context.confirmation = step.evidence;
      }
      if (this.check && !tool.checksArguments) assertArguments(this.check, tool, args);
      if (tool.isBackground && !tool.confirm) await this.assertConfirmable(tool, args, context.signal);
      onRun?.({ arguments: args, confirmation: asked.confirmation });
      asked.isRun = true;
      const answer = (await withinTime(tool, args, context, clock)) ?? null;
      const settled = answer instanceof ToolAnswer ? answer : new ToolAnswer(answer, true);
      const { ok, result, assigned, isPending } = settled;
      const { confirmation } = asked;
      return {
        ...outcome(ok, args, result),
        isFailure: !ok,
        isPending,
        ...(assigned && { assigned }),
        ...(confirmation && { confirmation }),
      };
    } catch (error) {
      const { args, confirmation, isRun } = asked;
      const isFailure = isRun && !(error instanceof ToolFailed && error.code === INVALID_ARGUMENTS);
      return {
        ...outcome(false, args, { error: describeFailure(error) }),
        isFailure,
        ...(confirmation && { confirmation }),
      };
    }
  }

  /** The user is not asked about arguments that the tool would refuse. */
  private async assertConfirmable(tool: VoiceTool, args: Record<string, unknown>, signal: AbortSignal): Promise<void> {
    const problems = tool.problemsOf ? await tool.problemsOf(args, signal) : this.check?.(tool.parameters, args);
    if (problems) throw invalidArguments(problems);
  }
}

function argumentsOf(json: string): Record<string, unknown> {
  if (json.length > MAX_ARGUMENTS_LENGTH) throw new ToolFailed('invalid_arguments', 'The arguments are too long.');
  let args: unknown;
  try {
    args = readJson(json || '{}');
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
  const longestMs = tool.takesLine ? MAX_WITH_LINE_MS : tool.waitsForUser ? MAX_WITH_USER_MS : MAX_TIMEOUT_MS;
  const timeoutMs = Math.min(tool.timeoutMs ?? DEFAULT_TIMEOUT_MS, longestMs);
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

/** A failure as the model sees it: an error other than ToolFailed may contain internal hosts and paths. */
export function describeFailure(error: unknown): Pick<ToolFailed, 'code' | 'message' | 'problems'> {
  if (error instanceof ToolFailed) {
    const { code, message, problems } = error;
    return { code, message, ...(problems ? { problems } : {}) };
  }
  return { code: 'tool_failed', message: 'The tool failed.' };
}

const outcome = (ok: boolean, args: unknown, result: unknown): ToolOutcome => ({
  ok,
  arguments: args,
  ...shortened(result),
});

/** A result, and the same as JSON of at most 8,000 characters for the model. */
export function shortened(result: unknown): Pick<ToolOutcome, 'result' | 'text'> {
  const json = JSON.stringify(result);
  if (json.length <= MAX_RESULT_LENGTH) return { result, text: json };
  // Cut inside a JSON string, with room for its escapes, so that the model still gets valid JSON.
  const cut = { truncated: true, text: json.slice(0, MAX_RESULT_LENGTH / 2 - 100) };
  return { result: cut, text: JSON.stringify(cut) };
}

/** Searches the knowledge bases of the agent. The sandbox agent calls the tool by this name. */
export const KNOWLEDGE_TOOL = 'search_knowledge_base';

const MAX_DIGITS_LENGTH = 64;

const endCallTool: VoiceTool = {
  name: 'end_call',
  description: 'Ends the phone call after everything you said has been heard. Say goodbye before you call it.',
  parameters: {
    type: 'object',
    properties: { reason: { type: 'string', description: 'Why the call is over, in a few words.' } },
    additionalProperties: false,
  },
  run: async (_args, context) => {
    context.control.endCall();
    return { ending: true };
  },
};

const sendDtmfTool: VoiceTool = {
  name: 'send_dtmf',
  description: 'Presses keys of the telephone, for example to go through a menu of the other side.',
  parameters: {
    type: 'object',
    properties: { digits: { type: 'string', pattern: '^[0-9*#]{1,64}$', description: 'Keys in order: 0-9, * and #.' } },
    required: ['digits'],
    additionalProperties: false,
  },
  // 64 keys of 100 ms with gaps of 300 ms take 25.6 s.
  timeoutMs: 30_000,
  run: async (args, context) => {
    const { digits } = args;
    if (typeof digits !== 'string' || digits.length > MAX_DIGITS_LENGTH || !/^[0-9*#]+$/.test(digits)) {
      throw new ToolFailed('invalid_arguments', 'digits must be 1 to 64 of the keys 0-9, * and #.');
    }
    await context.control.sendDtmf(digits);
    return { sent: digits };
  },
};

/** The tools of every agent. */
export const BUILTIN_TOOLS: VoiceTool[] = [endCallTool, sendDtmfTool];

/** The tool of agents that may put the other party on the do-not-call list; it writes the list of the account. */
export const DO_NOT_CALL_TOOL: ToolDefinition = {
  name: 'do_not_call',
  description:
    'Puts the number of the person on the do-not-call list, so that it is never called again. Call it when the person asks not to be called again, and only then. Afterwards confirm it, say goodbye and end the call.',
  parameters: {
    type: 'object',
    properties: { reason: { type: 'string', description: 'What the person asked for, in a few words.' } },
    required: ['reason'],
    additionalProperties: false,
  },
};

/** The tool of agents that may transfer calls; its implementation depends on where the call runs. */
export const TRANSFER_TOOL: ToolDefinition = {
  name: 'call_transfer',
  description:
    'Transfers the phone call to a colleague. Say that you are connecting the caller before you call it. When no colleague can take the call you get an error and go on talking.',
  parameters: {
    type: 'object',
    properties: { reason: { type: 'string', description: 'Why the call is transferred, in a few words.' } },
    additionalProperties: false,
  },
};
