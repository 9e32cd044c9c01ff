import type { AnsweredBy, AnswerReason } from './answering-machine/answer.js';
import type { UsageItem } from './usage.js';

export type TurnRole = 'agent' | 'callee';
type EndedBy = 'agent' | 'callee' | 'system';

/** What `leave_message` waited for. */
export type MessageAfter = 'beep' | 'silence' | 'wait_limit';

/** Why a session ended; each one is a documented hangup cause. */
export type EndCause =
  | 'agent_hangup'
  | 'answering_machine'
  | 'message_left'
  | 'normal_clearing'
  | 'max_duration'
  | 'agent_provider_error'
  | 'media_timeout'
  | 'session_expired'
  | 'transferred'
  | 'cancelled'
  | 'drained';

export interface SessionEnd {
  endedBy: EndedBy;
  cause: EndCause;
}

/** What happened in a call, in order; `at_ms` and all other times count from the answer. Stored as it is. */
export type SessionEvent = { at_ms: number } & SessionFact;

export type SessionFact =
  | { type: 'turn_started'; turn: number; role: TurnRole; started_ms: number }
  | TurnFact
  | AnsweredFact
  /** A beep and the silence after it; `frequencies_hz` are one or two. */
  | { type: 'beep'; frequencies_hz: number[]; duration_ms: number }
  | { type: 'message_started'; after: MessageAfter }
  | { type: 'speech_started' }
  | { type: 'speech_stopped'; duration_ms: number }
  | { type: 'interrupted'; by: 'speech' | 'dtmf' | 'provider' | 'machine'; played_ms: number }
  | { type: 'dtmf_received'; digit: string; duration_ms: number }
  | { type: 'dtmf_input'; digits: string }
  | { type: 'dtmf_sent'; digits: string }
  | { type: 'idle_prompt'; count: number }
  | { type: 'time_warning'; remaining_ms: number }
  | ToolCallFact
  | ({ type: 'usage' } & UsageItem)
  | { type: 'provider_lost'; reason: string }
  | { type: 'provider_restored'; attempts: number; provider: string }
  /** Another connection has taken over, between two turns, from one that would have ended. */
  | { type: 'provider_rotated' }
  | { type: 'error'; code: string; message: string }
  | { type: 'ended'; ended_by: EndedBy; cause: EndCause };

/** What picked up. `unknown` may be followed by `machine`, when a beep is heard after all. */
interface AnsweredFact {
  type: 'answered_by';
  answered_by: AnsweredBy;
  reason: AnswerReason;
  /** When it was known, in milliseconds of audio since the answer. */
  ms: number;
}

/** A finished turn. For the agent `text` is what was played; `truncated` says that more had been generated. */
export interface TurnFact {
  type: 'turn';
  turn: number;
  role: TurnRole;
  text: string;
  started_ms: number;
  ended_ms: number;
  truncated: boolean;
}

export interface ToolCallFact {
  type: 'tool_call';
  tool_call_id: string;
  name: string;
  arguments: unknown;
  /** `{ error: { code, message } }` when it failed. */
  result: unknown;
  ok: boolean;
  started_ms: number;
  ended_ms: number;
}
