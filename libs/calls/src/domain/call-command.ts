import { ConversationSecrets, mergeRedaction, type Redaction } from '@app/privacy';
import { type TransferMode, valueFault, type VariableDeclaration, type VariableValue } from '@app/agents';
import { type FieldErrors, withCode } from '@app/common';
import type { CallStatus } from './call.js';

export const COMMAND_TYPES = [
  'say',
  'inject',
  'set_variables',
  'mute_agent',
  'unmute_agent',
  'send_dtmf',
  'transfer',
  'cancel_transfer',
  'hang_up',
  'pause_recording',
  'resume_recording',
] as const;
/** `tool_result` is queued by the callback of a background tool, not by clients. */
export const QUEUED_TYPES = [...COMMAND_TYPES, 'tool_result'] as const;
export type CommandType = (typeof QUEUED_TYPES)[number];

/** What a background tool reports. */
export interface LateToolResult {
  tool_call_id: string;
  status: 'progress' | 'completed' | 'failed';
  /** As the model gets it. */
  result: unknown;
  /** The variables that it sets. */
  variables: Record<string, VariableValue | null>;
  assigned?: { name: string; value: VariableValue | null; problem: string | null }[];
}

export const COMMAND_STATUSES = ['pending', 'running', 'done', 'failed', 'not_executed'] as const;
export type CommandStatus = (typeof COMMAND_STATUSES)[number];

export const SAY_WHEN = ['next_pause', 'now'] as const;

export const MAX_SAY_TEXT = 2_000;
export const MAX_NOTE = 4_000;
export const MAX_COMMAND_DIGITS = 64;
/** Values of one `set_variables`. */
export const MAX_SET_VARIABLES = 20;
/** Commands of one call that wait for their execution. */
export const MAX_PENDING_COMMANDS = 100;

/** The fields of a command besides `type`. */
export interface CommandInput {
  text?: string;
  when?: (typeof SAY_WHEN)[number];
  note?: string;
  respond?: boolean;
  variables?: Record<string, VariableValue>;
  digits?: string;
  phone_number?: string;
  /** Name of a destination. */
  destination?: string;
  mode?: TransferMode;
  summary?: string;
  late?: LateToolResult;
}

interface TypeFields {
  required: readonly (keyof CommandInput)[];
  optional: readonly (keyof CommandInput)[];
}

const NONE: TypeFields = { required: [], optional: [] };

/** The fields of each type. */
const FIELDS: Record<CommandType, TypeFields> = {
  say: { required: ['text'], optional: ['when'] },
  inject: { required: ['note'], optional: ['respond'] },
  set_variables: { required: ['variables'], optional: [] },
  mute_agent: NONE,
  unmute_agent: NONE,
  send_dtmf: { required: ['digits'], optional: [] },
  transfer: { required: [], optional: ['phone_number', 'destination', 'mode', 'summary'] },
  cancel_transfer: NONE,
  hang_up: NONE,
  pause_recording: NONE,
  resume_recording: NONE,
  tool_result: { required: ['late'], optional: [] },
};

/** Missing fields, and fields of other types: a misplaced field would otherwise have no effect without a message. */
export function commandFieldErrors(type: CommandType, input: CommandInput): FieldErrors {
  const { required, optional } = FIELDS[type];
  const given = Object.entries(input).flatMap(([field, value]) => (value === undefined ? [] : [field]));
  const allowed: readonly string[] = [...required, ...optional];
  const missing = required.filter((field) => !given.includes(field));
  const misplaced = given.filter((field) => !allowed.includes(field));
  const errors: FieldErrors = {};
  if (Object.keys(input.variables ?? {}).length > MAX_SET_VARIABLES)
    errors['variables'] = [
      withCode('too_many', `The variables field must not have more than ${MAX_SET_VARIABLES} values.`),
    ];
  for (const field of missing)
    errors[field] = [withCode('missing', `The ${field} field is required for the type ${type}.`)];
  for (const field of misplaced)
    errors[field] = [
      withCode('not_allowed', `The ${field.replaceAll('_', ' ')} field is not a field of the type ${type}.`),
    ];
  return errors;
}

const UNDECLARED = { code: 'not_found', problem: 'is not a variable of the agent' } as const;

/** Values that do not fit the agent's declarations: unlike a new call, a live one takes declared variables only. */
export function variableErrors(
  declared: readonly VariableDeclaration[],
  values: Readonly<Record<string, VariableValue>> = {},
): FieldErrors {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      const declaration = declared.find((one) => one.name === name);
      const fault = declaration ? valueFault(value, declaration.max_length) : UNDECLARED;
      if (fault === undefined) return [];
      return [[`variables.${name}`, [withCode(fault.code, `The variables.${name} field ${fault.problem}.`)]]];
    }),
  );
}

/** The facts of a call that decide whether it takes a command. */
export interface CommandedCall {
  status: CallStatus;
  owner: string | null;
  /** Commands that wait. */
  pending: number;
  /** A target of transfers is configured. */
  can_transfer: boolean;
  /** The variables of the agent's version. */
  declared: VariableDeclaration[];
  /** Of the agent's version, in addition to that of the account. */
  redaction: Redaction | null;
  account_redaction: Redaction | null;
}

/** The input of a command as it may be stored. Numbers to call and values of variables are the client's own data. */
export function redactInput(
  input: CommandInput,
  call: Pick<CommandedCall, 'redaction' | 'account_redaction'>,
): CommandInput {
  const redaction = mergeRedaction(call.account_redaction, call.redaction);
  if (!redaction) return input;
  const secrets = new ConversationSecrets(redaction);
  const { text, note, summary, digits } = input;
  return {
    ...input,
    ...(text !== undefined && { text: secrets.redact(text).text }),
    ...(note !== undefined && { note: secrets.redact(note).text }),
    ...(summary !== undefined && { summary: secrets.redact(summary).text }),
    ...(digits !== undefined && { digits: secrets.redact(digits.split('').join(' ')).text.replaceAll(' ', '') }),
  };
}

type CommandRefusal = { kind: 'conflict' | 'too_many'; message: string };

/** Why a call does not take a command now; undefined: it does. */
export function commandRefusal(
  call: CommandedCall,
  { type, input }: { type: CommandType; input: CommandInput },
): CommandRefusal | undefined {
  const conflict = (message: string): CommandRefusal => ({ kind: 'conflict', message });
  if (call.status === 'pending' || call.status === 'ringing')
    return conflict(
      type === 'hang_up'
        ? 'The call has not been answered yet. Cancel it with POST /api/v1/calls/{callId}/cancel.'
        : 'The call has not been answered yet. Send the command when its status is in_progress.',
    );
  if (call.status !== 'in_progress' || call.owner === null)
    return conflict('The call has already ended and takes no more commands.');
  if (type === 'transfer' && input.phone_number === undefined && !call.can_transfer)
    return conflict('The call has no transfer number. Give one in phone_number.');
  if (call.pending >= MAX_PENDING_COMMANDS)
    return {
      kind: 'too_many',
      message: `The call has ${MAX_PENDING_COMMANDS} commands that wait, which is the most. Try again when some were executed.`,
    };
  return undefined;
}

/** The end of an executed command. */
export type CommandOutcome =
  | { status: 'done'; effectiveAt: Date; atMs: number; result?: Record<string, unknown> }
  | { status: 'failed' | 'not_executed'; code: string; message: string; result?: Record<string, unknown> };

/** Reasons that the end of a call gives its unfinished commands. */
export const UNFINISHED = {
  callEnded: { code: 'call_ended', message: 'The call ended before the command was executed.' },
  dialerLost: {
    code: 'dialer_lost',
    message: 'The dialer of the call was lost before it executed the command.',
  },
  unknown: {
    code: 'outcome_unknown',
    message: 'The dialer of the call was lost while it executed the command. It may have taken effect.',
  },
} as const;
