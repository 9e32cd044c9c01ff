import { CONSENT_RESULTS, GUARDRAIL_ACTIONS, GUARDRAIL_SIDES, TRANSFER_STATUSES } from '../domain/call.js';
import { DECLINED_REASONS } from '../domain/warm-transfer.js';
import { isoTime } from '@app/common';
import type { CallEventEntity } from '../events/call-event.entity.js';
import { flowEvents } from './flow-events.js';
import { type CallEventField, type CallEventType, ms, text, WAITING_EVENTS } from './waiting-events.js';

/** Of everything that happened after the answer. */
const AT_MS = ms('Time of the event in milliseconds since the answer.', 8_120);
const STARTED_MS = ms('Start in milliseconds since the answer.', 5_980);
const ENDED_MS = ms('End in milliseconds since the answer.', 7_860);
const ROLE: CallEventField = {
  ...text(
    'The speaker: `callee` on outbound calls, `caller` on inbound ones, `supervisor` for a person who has taken over.',
    'agent',
  ),
  values: ['agent', 'callee', 'caller', 'supervisor'],
};
const PERSON = text('Name of the person, or of the API token.', 'Anna Berg');
const TURN = ms('Number of the turn in this call, from 1.', 2);
const nothing = { at_ms: AT_MS };
const ANSWERING_MACHINE: CallEventField = {
  type: 'object',
  description: 'Result, confidence and evidence, as in `answering_machine` of the call.',
  example: { result: 'voicemail', confidence: 0.7, evidence: { reason: 'long_greeting' }, decided_after_ms: 2_800 },
  optional: true,
};
const REDACTED: CallEventField = {
  type: 'array',
  items: 'object',
  description: 'Kinds of secrets that were removed, with their counts. Absent: nothing was removed.',
  example: [{ kind: 'card', count: 1 }],
  optional: true,
};
const FAILURE: CallEventField = {
  type: 'object',
  description:
    'Why the call failed, as in `failure` of the call: a code, and a sentence that says what to do. Null: it did not fail.',
  example: { code: 'no_response', message: 'The carrier sent no response. Check the address of the trunk.' },
  optional: true,
  nullable: true,
};
const COMMAND = {
  command_id: text('ID of the command.', '019e4a52-7c1e-7b4e-9a57-3f1f0f6f2c33'),
  command_type: text('Type of the command.', 'say'),
};
const COMMAND_PROBLEM = {
  ...COMMAND,
  code: text('Code of the reason.', 'interrupted'),
  message: text('The reason as a sentence.', 'The user interrupted the words.'),
};

/**
 * The event types of the API with their fields. `callEventView` and the documentation are generated from this table; other fields in the
 * database stay internal.
 */
export const CALL_EVENT_TYPES = {
  status: {
    description: 'The new status of the call. The last event of a call is a `status` with `hangup_cause`.',
    fields: {
      status: {
        ...text('Same as `status` of the call.', 'completed'),
        values: ['pending', 'ringing', 'in_progress', 'completed', 'failed', 'no_answer', 'busy', 'cancelled'],
      },
      hangup_cause: {
        ...text('Reason for the end of the call. Absent before.', 'agent_hangup'),
        optional: true,
        nullable: true,
      },
      ended_by: { ...text('The party that ended the call. Absent before.', 'agent'), optional: true, nullable: true },
      failure: FAILURE,
    },
  },
  turn_started: {
    description: 'A party started speaking. The text follows in a `turn` event with the same number.',
    fields: { ...nothing, turn: TURN, role: ROLE, started_ms: STARTED_MS },
  },
  turn: {
    description:
      'A finished turn of the transcript. For the agent, it contains the text that was played, not the generated text.',
    fields: {
      ...nothing,
      redacted: REDACTED,
      turn: TURN,
      role: ROLE,
      text: text('Spoken text; `[speech 1.6 s]` for speech without transcription.', 'Your parcel comes today.'),
      started_ms: STARTED_MS,
      ended_ms: ENDED_MS,
      truncated: { type: 'boolean', description: 'Whether the agent was interrupted.', example: false },
      name: { ...text('Name of a supervisor. Absent otherwise.', 'Anna Berg'), optional: true },
      command_id: {
        ...text(
          'ID of the command `say` whose words these are. Absent otherwise.',
          '019e4a52-7c1e-7b4e-9a57-3f1f0f6f2c33',
        ),
        optional: true,
      },
      latency: {
        type: 'object',
        description:
          "How fast the agent answered the user's input, in milliseconds: `input_ended_ms` since the answer of the call; from there " +
          '`endpoint_ms`, `first_token_ms` (when known), `first_audio_ms` and `heard_ms`; `tools_ms`: for how long tools ran before the first ' +
          'audio, absent when none did. Absent for turns that answer no input.',
        example: { input_ended_ms: 5_320, endpoint_ms: 310, first_token_ms: 520, first_audio_ms: 640, heard_ms: 660 },
        optional: true,
      },
    },
  },
  speech_started: { description: 'The remote party started speaking.', fields: nothing },
  speech_stopped: {
    description: 'The remote party stopped speaking.',
    fields: { ...nothing, duration_ms: ms('Duration of the speech in milliseconds.', 1_840) },
  },
  interrupted: {
    description: 'The agent was interrupted.',
    fields: {
      ...nothing,
      by: {
        ...text(
          'Cause of the interruption: speech, a key, the provider, an answering machine, a command, a supervisor who took over, or a rule of the agent.',
          'speech',
        ),
        values: ['speech', 'dtmf', 'provider', 'machine', 'command', 'supervisor', 'guardrail'],
      },
      played_ms: ms('Played audio of the turn in milliseconds.', 1_260),
    },
  },
  turn_decision: {
    description:
      "The agent decided whether the user's turn had ended, or whether speech over the agent interrupted it.",
    fields: {
      ...nothing,
      turn: { ...ms('Number of the turn. Absent for speech that is no turn, such as noise.', 4), optional: true },
      outcome: {
        ...text('The decision.', 'turn_ended'),
        values: ['turn_ended', 'acknowledgement', 'interruption', 'noise'],
      },
      reason: {
        ...text('Why.', 'silence_after_punctuation'),
        values: [
          'silence_after_punctuation',
          'silence',
          'longest_silence',
          'vendor_end_of_turn',
          'no_words',
          'only_acknowledgements',
          'words',
        ],
      },
      waited_ms: ms('Silence of the user before the decision in milliseconds; 0 while the user speaks.', 320),
    },
  },
  dtmf_received: {
    description: 'The remote party pressed a key.',
    fields: {
      ...nothing,
      redacted: REDACTED,
      digit: text('The key: `0` to `9`, `*`, `#`, `A` to `D`.', '4'),
      duration_ms: ms('Duration of the key press in milliseconds.', 120),
    },
  },
  dtmf_input: {
    description: 'A sequence of keys, ended by `#` or by a pause, was passed to the agent.',
    fields: { ...nothing, redacted: REDACTED, digits: text('The keys in order, without the final `#`.', '4711') },
  },
  dtmf_sent: {
    description: 'The agent sent keys to the remote party.',
    fields: { ...nothing, redacted: REDACTED, digits: text('The keys in order.', '12#') },
  },
  idle_prompt: {
    description: 'After a silence, the agent asks whether the user is still there.',
    fields: { ...nothing, count: ms('Number of prompts in this silence.', 1) },
  },
  time_warning: {
    description: 'The agent was informed that the maximum duration of the call is near.',
    fields: { ...nothing, remaining_ms: ms('Remaining time in milliseconds.', 30_000) },
  },
  tool_call: {
    description: 'The agent called a tool or searched its knowledge bases.',
    fields: {
      ...nothing,
      redacted: REDACTED,
      tool_call_id: text('Same as in `tool_calls` of the post-call webhook.', 'call_Yx81'),
      name: text('Name of the tool.', 'order_status'),
      arguments: { type: 'any', description: 'Arguments given by the model.', example: { order: '4711' } },
      result: {
        type: 'any',
        description: 'Result of the tool; `{error: {code, message}}` for a failed call.',
        example: { state: 'sent' },
      },
      ok: { type: 'boolean', description: 'Whether the tool call succeeded.', example: true },
      started_ms: STARTED_MS,
      ended_ms: ENDED_MS,
      invocation_id: {
        ...text(
          'ID of the invocation in `GET …/tool-calls`. Absent for built-in tools.',
          '019e4a52-7c1e-7b4e-9a57-3f1f0f6f2c33',
        ),
        optional: true,
      },
      assigned: {
        type: 'array',
        items: 'object',
        description:
          'Variables that the answer set; `problem` says why a value is null. Absent: none (`assign` of the tool).',
        example: [{ name: 'booking_id', value: 'b-4711', problem: null }],
        optional: true,
      },
      confirmation: {
        type: 'object',
        description:
          'Of a tool with `confirm`. `asked`: the model was told to read the values back. `refused`: the user had not answered. Both: nothing ran. `confirmed`: with the words of the user.',
        example: { state: 'confirmed', words: 'Yes, please.', at_ms: 21_400 },
        optional: true,
      },
      actions: {
        type: 'array',
        items: 'object',
        description:
          'Outcome of each action, as in `GET …/tool-calls`, without the responses. Absent for built-in tools.',
        example: [{ name: 'look_up', method: 'POST', outcome: 'succeeded', status: 200, latency_ms: 84, error: null }],
        optional: true,
      },
    },
  },
  tool_result: {
    description: 'The agent learns of the result of a background tool, or of its progress.',
    fields: {
      ...nothing,
      redacted: REDACTED,
      tool_call_id: text('Same as in the event `tool_call`.', 'call_Yx81'),
      name: text('Name of the tool.', 'book_table'),
      status: { ...text('What was reported.', 'completed'), values: ['progress', 'completed', 'failed'] },
      result: { type: 'any', description: 'The result or the note, as the model got it.', example: { id: 'b-4711' } },
      assigned: {
        type: 'array',
        items: 'object',
        description: 'Variables that the result set. Absent: none.',
        example: [{ name: 'booking_id', value: 'b-4711', problem: null }],
        optional: true,
      },
    },
  },
  transfer: {
    description: 'The state of a transfer has changed.',
    fields: {
      ...nothing,
      status: {
        ...text('Same as in `transfers` of the call.', 'ringing'),
        values: [...TRANSFER_STATUSES],
      },
      method: { ...text('`bridge`: a second leg. `refer`: SIP REFER.', 'bridge'), values: ['bridge', 'refer'] },
      destination: { ...text('Name of the destination. Null: it has none.', 'support'), nullable: true },
      accepted_by: {
        ...text('How the person accepted a warm transfer.', 'key'),
        values: ['key', 'voice'],
        nullable: true,
      },
      declined_reason: {
        ...text('Why an answered warm transfer was not connected.', 'no_reaction'),
        values: [...DECLINED_REASONS],
        nullable: true,
      },
      hangup_cause: {
        ...text('Reason for the end of the transfer. Null while it is in progress.', 'user_busy'),
        nullable: true,
      },
      sip_code: { ...ms('SIP status of the response that rejected the transfer.', 486), nullable: true },
    },
  },
  transfer_briefing: {
    description: 'A person is briefed in private about a warm transfer. Deleted with the transcript.',
    fields: {
      ...nothing,
      destination: { ...text('Name of the destination. Null: it has none.', 'support'), nullable: true },
      text: text('The briefing, or the facts that the agent speaks about in its own words.', 'I have Ada on the line.'),
    },
  },
  transfer_left: {
    description: 'The other person has left a conference; the agent goes on with the caller.',
    fields: {
      ...nothing,
      destination: { ...text('Name of the destination. Null: it has none.', 'support'), nullable: true },
    },
  },
  listener_joined: {
    description: 'A person or a program began to listen to the call (`GET …/audio`).',
    fields: { ...nothing, name: PERSON },
  },
  listener_left: {
    description: 'A person or a program listens no longer.',
    fields: { ...nothing, name: PERSON },
  },
  took_over: {
    description: 'A person speaks to the remote party instead of the agent, which hears the conversation.',
    fields: { ...nothing, name: PERSON },
  },
  handed_back: {
    description: 'The agent has the line again.',
    fields: {
      ...nothing,
      name: PERSON,
      reason: {
        ...text(
          'The person gave it back, closed the connection, sent no audio for 1.5 s, or nobody spoke for 30 s.',
          'handed_back',
        ),
        values: ['handed_back', 'disconnected', 'no_audio', 'silence'],
      },
    },
  },
  command_queued: {
    description: 'A command to the call was accepted (`POST …/commands`).',
    fields: { ...nothing, ...COMMAND },
  },
  command_done: {
    description:
      'A command was executed. `at_ms` is the time at which it took effect; for `say`, the end of its audio at the phone.',
    fields: {
      ...nothing,
      ...COMMAND,
      played_ms: { ...ms('Of `say`: played audio in milliseconds.', 2_140), optional: true },
    },
  },
  command_failed: { description: 'A command failed. It may have taken effect in part.', fields: COMMAND_PROBLEM },
  command_not_executed: { description: 'A command was not executed and had no effect.', fields: COMMAND_PROBLEM },
  recording_paused: {
    description:
      'The recording contains silence, and the transcript no words and keys, from here to `recording_resumed`.',
    fields: nothing,
  },
  recording_consent: {
    description: 'Whether the other party agreed to the recording; it is silent before.',
    fields: {
      ...nothing,
      mode: { ...text('Announced or asked.', 'ask'), values: ['announce', 'ask'] },
      result: { ...text('The result.', 'accepted'), values: [...CONSENT_RESULTS] },
    },
  },
  disclosure_played: {
    description:
      'The disclosure has ended, or the call before it. It was heard completely when `heard_ms` is not below `of_ms`.',
    fields: {
      ...nothing,
      language: text('Language of the sentence.', 'en'),
      heard_ms: ms('Played audio in milliseconds; 0 in a conversation in text.', 3_420),
      of_ms: ms('Length of the sentence in milliseconds; estimated when it was not generated to its end.', 3_420),
    },
  },
  guardrail_hit: {
    description: 'A rule of the agent applied.',
    fields: {
      ...nothing,
      name: text('Name of the rule.', 'no_guarantees'),
      on: { ...text('Whose words were judged.', 'agent'), values: [...GUARDRAIL_SIDES] },
      action: { ...text('What the rule does.', 'replace'), values: [...GUARDRAIL_ACTIONS] },
      words: text('The words, or the name and the arguments of the tool.', 'This return is guaranteed.'),
      turn: ms('Number of the latest turn of the call.', 4),
      redacted: REDACTED,
    },
  },
  recording_resumed: { description: 'The recording and the transcript continue.', fields: nothing },
  hold: { description: 'The remote party put the call on hold.', fields: nothing },
  resume: { description: 'The remote party resumed the call.', fields: nothing },
  answered_by: {
    description:
      'The answering party was detected. Later evidence may change it: a beep, words of a machine, or a person who picks up.',
    fields: {
      ...nothing,
      answered_by: { ...text('The answering party.', 'human'), values: ['human', 'machine', 'unknown'] },
      reason: text('Reason for the decision.', 'short_greeting'),
      ms: ms('Time of the decision, in milliseconds of audio since the answer.', 1_900),
      answering_machine: ANSWERING_MACHINE,
    },
  },
  early_media: {
    description:
      'The audio before the answer is that of a machine: an announcement with its tones, a mailbox or a fax.',
    fields: {
      ...nothing,
      reason: text('Reason for the decision.', 'intercept'),
      ms: ms('Time of the decision, in milliseconds since the first audio.', 2_400),
      answering_machine: ANSWERING_MACHINE,
    },
  },
  screening_answered: {
    description: 'The agent answers a service that asks who is calling.',
    fields: { ...nothing, attempt: ms('Number of the answer in this call.', 1) },
  },
  beep: {
    description: 'The beep of an answering machine was detected.',
    fields: {
      ...nothing,
      frequencies_hz: {
        type: 'array',
        items: 'number',
        description: 'One or two frequencies in hertz.',
        example: [1_000],
      },
      duration_ms: ms('Duration of the beep in milliseconds.', 480),
      answering_machine: ANSWERING_MACHINE,
    },
  },
  message_started: {
    description: 'The agent leaves its message on an answering machine.',
    fields: { ...nothing, after: text('The event that the message waited for.', 'beep') },
  },
  header_dropped: {
    description: 'A header that the trunk derives from the metadata was not sent.',
    fields: {
      header: text('Name of the header.', 'X-Order'),
      metadata_key: text('Metadata key of the value.', 'order'),
      reason: text('Reason for dropping the header.', 'the value is empty'),
    },
  },
  ...flowEvents(REDACTED),
  ...WAITING_EVENTS,
  variables_missing: {
    description: 'Placeholders in the texts of the agent have no value in this call. They are replaced by empty text.',
    fields: {
      names: { type: 'array', items: 'string', description: 'Names of the placeholders.', example: ['customer_name'] },
    },
  },
  provider_lost: {
    description: 'The connection to the voice provider was lost and is being restored.',
    fields: nothing,
  },
  provider_restored: {
    description: 'The connection to the voice provider is restored.',
    fields: { ...nothing, attempts: ms('Number of attempts.', 1) },
  },
  provider_rotated: {
    description: 'A new connection to the voice provider replaced an expiring one between two turns.',
    fields: nothing,
  },
  error: {
    description: 'An error of the agent. The call may continue.',
    fields: {
      at_ms: { ...AT_MS, optional: true },
      code: text('Code of the error.', 'agent_provider_error'),
      reason: {
        ...text(
          'Why the agent could not speak, as a sentence. Only with `agent_provider_error`, which ends the call.',
          'The voice provider openai-realtime needs OPENAI_API_KEY, or REALTIME_URL for another server.',
        ),
        optional: true,
      },
    },
  },
  ended: {
    description: 'The conversation with the agent has ended. The end of the call follows as `status`.',
    fields: {
      ...nothing,
      ended_by: {
        ...text('The party that ended the conversation. If the call ended with it, same as in `status`.', 'agent'),
        values: ['agent', 'callee', 'caller', 'carrier', 'api', 'system'],
      },
      cause: text(
        'Reason for the end of the conversation. If the call ended with it, same as `hangup_cause`.',
        'agent_hangup',
      ),
      failure: FAILURE,
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
