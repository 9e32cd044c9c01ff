import { isoTime } from '@app/common';
import type { CallEventEntity } from '../call-event.entity.js';

/** A field of an event's `data`, with its JSON Schema type. */
export interface CallEventField {
  type: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object' | 'any';
  /** Of the elements of an array. */
  items?: 'string' | 'integer' | 'number' | 'object';
  description: string;
  example: unknown;
  values?: readonly string[];
  /** Not present in every event of the type. */
  optional?: true;
  nullable?: true;
}

export interface CallEventType {
  description: string;
  fields: Readonly<Record<string, CallEventField>>;
}

const ms = (description: string, example: number): CallEventField => ({ type: 'integer', description, example });
const text = (description: string, example: string): CallEventField => ({ type: 'string', description, example });

/** Every event after the answer has it. */
const AT_MS = ms('When it happened, in milliseconds since the answer.', 8_120);
const STARTED_MS = ms('Beginning, in milliseconds since the answer.', 5_980);
const ENDED_MS = ms('End, in milliseconds since the answer.', 7_860);
const ROLE: CallEventField = {
  ...text('The speaker: `callee` on outbound calls, `caller` on inbound ones.', 'agent'),
  values: ['agent', 'callee', 'caller'],
};
const TURN = ms('Number of the turn in this call, from 1.', 2);
const nothing = { at_ms: AT_MS };

/**
 * The event types of the API with their fields. `callEventView` and the documentation are generated from this table; other fields in the
 * database stay internal.
 */
export const CALL_EVENT_TYPES = {
  status: {
    description: 'The new status of the call. The last event of a call is a `status` with `hangup_cause`.',
    fields: {
      status: {
        ...text('The same as `status` of the call.', 'completed'),
        values: ['pending', 'ringing', 'in_progress', 'completed', 'failed', 'no_answer', 'busy', 'cancelled'],
      },
      hangup_cause: { ...text('Why the call ended; absent before.', 'agent_hangup'), optional: true, nullable: true },
      ended_by: { ...text('The party that ended the call; absent before.', 'agent'), optional: true, nullable: true },
    },
  },
  turn_started: {
    description: 'A party began to speak. The words follow in a `turn` with the same number.',
    fields: { ...nothing, turn: TURN, role: ROLE, started_ms: STARTED_MS },
  },
  turn: {
    description: 'A finished turn of the transcript. For the agent it is what was heard, not what was generated.',
    fields: {
      ...nothing,
      turn: TURN,
      role: ROLE,
      text: text('The words; `[speech 1.6 s]` for speech that was not transcribed.', 'Your parcel comes today.'),
      started_ms: STARTED_MS,
      ended_ms: ENDED_MS,
      truncated: { type: 'boolean', description: 'The agent had more to say and was interrupted.', example: false },
    },
  },
  speech_started: { description: 'The remote party began to speak.', fields: nothing },
  speech_stopped: {
    description: 'The remote party stopped speaking.',
    fields: { ...nothing, duration_ms: ms('Duration of the speech.', 1_840) },
  },
  interrupted: {
    description: 'The agent stopped in mid-sentence.',
    fields: {
      ...nothing,
      by: {
        ...text('Cause of the interruption: speech, a key, the provider, or an answering machine.', 'speech'),
        values: ['speech', 'dtmf', 'provider', 'machine'],
      },
      played_ms: ms('Audio of the turn that had been played.', 1_260),
    },
  },
  dtmf_received: {
    description: 'The remote party pressed a key.',
    fields: { ...nothing, digit: text('`0` to `9`, `*`, `#`, `A` to `D`.', '4'), duration_ms: ms('How long.', 120) },
  },
  dtmf_input: {
    description: 'Keys that belong together, as the agent gets them: ended by `#` or by a pause.',
    fields: { ...nothing, digits: text('The keys in order, without the `#` at the end.', '4711') },
  },
  dtmf_sent: {
    description: 'The agent sent keys to the remote party.',
    fields: { ...nothing, digits: text('The keys in order.', '12#') },
  },
  idle_prompt: {
    description: 'After a silence the agent asks whether the user is still there.',
    fields: { ...nothing, count: ms('How often it has asked in this silence.', 1) },
  },
  time_warning: {
    description: 'The agent was informed that the longest duration of the call is near.',
    fields: { ...nothing, remaining_ms: ms('Remaining time.', 30_000) },
  },
  tool_call: {
    description: 'A tool of the agent has run, a search of its knowledge bases included.',
    fields: {
      ...nothing,
      tool_call_id: text('The same as in `tool_calls` of the post-call webhook.', 'call_Yx81'),
      name: text('Name of the tool.', 'order_status'),
      arguments: { type: 'any', description: 'Arguments of the model.', example: { order: '4711' } },
      result: {
        type: 'any',
        description: 'The result; `{error: {code, message}}` of a failed call.',
        example: { state: 'sent' },
      },
      ok: { type: 'boolean', description: 'false: it failed.', example: true },
      started_ms: STARTED_MS,
      ended_ms: ENDED_MS,
      invocation_id: {
        ...text(
          'Names the invocation in `GET …/tool-calls`; absent for built-in tools.',
          '019e4a52-7c1e-7b4e-9a57-3f1f0f6f2c33',
        ),
        optional: true,
      },
      actions: {
        type: 'array',
        items: 'object',
        description:
          'The outcome of each action, as in `GET …/tool-calls`, without its response; absent for built-in tools.',
        example: [{ name: 'look_up', method: 'POST', outcome: 'succeeded', status: 200, latency_ms: 84, error: null }],
        optional: true,
      },
    },
  },
  transfer: {
    description: 'The state of a transfer has changed.',
    fields: {
      ...nothing,
      status: {
        ...text('The same as in `transfers` of the call.', 'ringing'),
        values: ['dialing', 'ringing', 'in_progress', 'completed', 'busy', 'no_answer', 'failed', 'cancelled'],
      },
      method: { ...text('A second leg, or SIP REFER.', 'bridge'), values: ['bridge', 'refer'] },
      hangup_cause: { ...text('Why it ended; null while it lasts.', 'user_busy'), nullable: true },
      sip_code: { ...ms('The SIP response that refused it.', 486), nullable: true },
    },
  },
  hold: { description: 'The remote party put the call on hold.', fields: nothing },
  resume: { description: 'The remote party resumed the call.', fields: nothing },
  answered_by: {
    description: 'The answering party was detected. `unknown` may be followed by `machine`.',
    fields: {
      ...nothing,
      answered_by: { ...text('The answering party.', 'human'), values: ['human', 'machine', 'unknown'] },
      reason: text('Reason of the decision.', 'short_greeting'),
      ms: ms('Time of the decision, in milliseconds of audio since the answer.', 1_900),
    },
  },
  beep: {
    description: 'The beep of an answering machine was heard.',
    fields: {
      ...nothing,
      frequencies_hz: { type: 'array', items: 'number', description: 'One or two.', example: [1_000] },
      duration_ms: ms('How long it was.', 480),
    },
  },
  message_started: {
    description: 'The agent leaves its message on an answering machine.',
    fields: { ...nothing, after: text('The event that it waited for.', 'beep') },
  },
  header_dropped: {
    description: 'A header that the trunk makes of the metadata could not be sent.',
    fields: {
      header: text('The header.', 'X-Order'),
      metadata_key: text('The key of the metadata.', 'order'),
      reason: text('Why not.', 'the value is empty'),
    },
  },
  provider_lost: { description: 'The connection to the voice provider broke; it is opened again.', fields: nothing },
  provider_restored: {
    description: 'The connection to the voice provider is restored.',
    fields: { ...nothing, attempts: ms('Number of attempts.', 1) },
  },
  provider_rotated: {
    description: 'Between two turns a new connection to the voice provider took over from one that was to end.',
    fields: nothing,
  },
  error: {
    description: 'An error of the agent. The call may continue.',
    fields: { ...nothing, code: text('Code of the error.', 'agent_provider_error') },
  },
  ended: {
    description: 'The conversation with the agent is over. The end of the call follows as `status`.',
    fields: {
      ...nothing,
      ended_by: { ...text('The party that ended it.', 'agent'), values: ['agent', 'callee', 'system'] },
      cause: text('Why.', 'agent_hangup'),
    },
  },
} as const satisfies Record<string, CallEventType>;

export type CallEventName = keyof typeof CALL_EVENT_TYPES;

/** Written for the bill of the call. */
export const INTERNAL_EVENT_TYPES = ['usage'] as const;

const isShownEvent = (type: string): type is CallEventName => Object.hasOwn(CALL_EVENT_TYPES, type);

/** An event as the statements return it. */
export type CallEventRow = Pick<CallEventEntity, 'seq' | 'at' | 'type' | 'data'>;

/** An event in the API. */
export interface CallEventView {
  /** Number of the event in the call, ascending, with gaps for internal events. */
  seq: number;
  type: CallEventName;
  /** ISO 8601. */
  at: string;
  data: Record<string, unknown>;
}

/** Contains only the documented fields. Undefined: events of this type are internal. */
export function callEventView({ seq, type, at, data }: CallEventRow): CallEventView | undefined {
  if (!isShownEvent(type)) return undefined;
  const names = Object.keys(CALL_EVENT_TYPES[type].fields).filter((name) => Object.hasOwn(data, name));
  return { seq, type, at: isoTime(at), data: Object.fromEntries(names.map((name) => [name, data[name]])) };
}
