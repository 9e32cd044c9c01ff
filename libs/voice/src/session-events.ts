import type { EnteredBy, HandoffContext } from '@app/flow';
import type { HangupCause } from '@app/telephony';
import type { AssignedVariable } from './tools/tool-facts.js';
import type { GuardrailAction, GuardrailSide } from './guardrails/guardrail.js';
import type { TurnDecision } from './providers/voice-provider.js';
import type { TurnLatency } from './transcript/turn-latency.js';
import type { UsageItem } from './usage.js';

/** The speaker of a turn. `callee` is the stored name of the user, for inbound calls as well; `supervisor` a person who has taken over. */
export type TurnRole = 'agent' | 'callee' | 'supervisor';

/**
 * Why the agent has the line again: the person gave it back, closed the connection, sent no audio any more, or nobody spoke for too
 * long.
 */
export type HandBackReason = 'handed_back' | 'disconnected' | 'no_audio' | 'silence';

type EndedBy = 'agent' | 'callee' | 'system';
/** Parties that a session does not know. */
type LineEndedBy = 'caller' | 'carrier' | 'api';

/** The event that started the message of `leave_message`. */
export type MessageAfter = 'beep' | 'silence' | 'wait_limit';

/** What picked up. `ivr`: a menu or an announcement. `screening`: a service that asks callers who they are. */
export type AnswerResult = 'human' | 'voicemail' | 'ivr' | 'screening' | 'fax' | 'unknown';

/** Stored with the call. */
export interface AnswerDetection {
  result: AnswerResult;
  /** From 0 to 1. */
  confidence: number;
  evidence: AnswerEvidence;
  /** Audio since the answer; for early media, since its first frame. */
  decided_after_ms: number;
}

/** What the decision is based on, up to now. */
export interface AnswerEvidence {
  reason: AnswerReason;
  /** Speech of the greeting without its pauses, and its words: runs of voice with 0.2 s of silence between them. */
  greeting_ms: number;
  words: number;
  longest_pause_ms: number;
  /** The ends of beeps, since the answer. */
  beeps_ms: number[];
  tone: 'fax' | 'intercept' | null;
  /** Words of machines in the transcript; empty without a transcript. */
  keywords: string[];
  /** Before the answer. Absent: there was no audio. */
  early_media?: EarlyEvidence;
}

export interface EarlyEvidence {
  duration_ms: number;
  /** Sound that is like speech; music and tones are not. */
  speech_ms: number;
  beeps_ms: number[];
  tone: 'fax' | 'intercept' | null;
}

/** The causes that scenarios can expect of a session's end. */
export type EndCause =
  | 'agent_hangup'
  | 'answering_machine'
  | 'message_left'
  | 'recording_refused'
  | 'normal_clearing'
  | 'max_duration'
  | 'agent_provider_error'
  | 'media_timeout'
  | 'session_expired'
  | 'transferred'
  | 'cancelled'
  | 'drained';

/** `not_asked`: a machine picked up, or the call was over before. */
export type ConsentResult = 'announced' | 'accepted' | 'refused' | 'no_answer' | 'not_asked';

export interface SessionEnd {
  endedBy: EndedBy;
  cause: HangupCause;
}

/** An event of a call, stored as it is; `at_ms` and all other times count from the answer. */
export type SessionEvent = { at_ms: number } & SessionFact;

export type SessionFact =
  | { type: 'turn_started'; turn: number; role: TurnRole; started_ms: number }
  | TurnFact
  | AnsweredFact
  /** What the audio before the answer reveals. Reported before the answer, or for a call that is not answered. */
  | { type: 'early_media'; reason: AnswerReason; ms: number; answering_machine: AnswerDetection }
  /** A beep and the silence after it; `frequencies_hz` are one or two. */
  | { type: 'beep'; frequencies_hz: number[]; duration_ms: number; answering_machine: AnswerDetection }
  | { type: 'message_started'; after: MessageAfter }
  /** The agent says who is calling to a screening service. */
  | { type: 'screening_answered'; attempt: number }
  | { type: 'speech_started' }
  | { type: 'speech_stopped'; duration_ms: number }
  | {
      type: 'interrupted';
      by: 'speech' | 'dtmf' | 'provider' | 'machine' | 'command' | 'supervisor' | 'guardrail';
      played_ms: number;
    }
  | TurnDecisionFact
  | { type: 'dtmf_received'; digit: string; duration_ms: number }
  | { type: 'dtmf_input'; digits: string }
  | { type: 'dtmf_sent'; digits: string }
  | { type: 'idle_prompt'; count: number }
  | { type: 'time_warning'; remaining_ms: number }
  /** Whether the call may be recorded. */
  | { type: 'recording_consent'; mode: 'announce' | 'ask'; result: ConsentResult }
  | GuardrailHitFact
  /** The disclosure has ended, or the call before it. `heard_ms` of `of_ms` were played; both are 0 in a text conversation. */
  | { type: 'disclosure_played'; language: string; heard_ms: number; of_ms: number }
  /** A person speaks instead of the agent. */
  | { type: 'took_over'; name: string }
  | { type: 'handed_back'; name: string; reason: HandBackReason }
  | ToolCallFact
  /** The model learns of the result of a background tool, or of its progress. */
  | {
      type: 'tool_result';
      tool_call_id: string;
      name: string;
      status: 'progress' | 'completed' | 'failed';
      result: unknown;
      assigned?: AssignedVariable[];
    }
  | ({ type: 'usage' } & UsageItem)
  /** `exit`: index in the exits of the step before. */
  | { type: 'step_entered'; step: string; from: string | null; by: EnteredBy; exit?: number }
  /** `turn`: of the user in the call, from 1. */
  | { type: 'values_collected'; step: string; turn: number; values: Record<string, unknown> }
  /** Another agent goes on with the conversation. */
  | {
      type: 'handed_over';
      from_agent_id: number;
      to_agent_id: number;
      to_agent_name: string;
      context: HandoffContext;
      reason: string;
      by: 'flow' | 'model';
    }
  | { type: 'provider_lost'; reason: string }
  | { type: 'provider_restored'; attempts: number; provider: string }
  /** An expiring connection was replaced between two turns. */
  | { type: 'provider_rotated' }
  /** `reason`: why the agent was given up, as a sentence for those who may read the call. */
  | { type: 'error'; code: string; message: string; reason?: string }
  /** Of a call that its line ended: the end of the line. */
  | { type: 'ended'; ended_by: EndedBy | LineEndedBy; cause: HangupCause };

/** The result of answering machine detection. Later evidence may change it: a beep, words, or a person who picks up. */
interface AnsweredFact {
  type: 'answered_by';
  answered_by: AnsweredBy;
  reason: AnswerReason;
  /** Time of the decision, in milliseconds of audio since the answer. */
  ms: number;
  answering_machine: AnswerDetection;
}

/** Why a turn of the user ended, or why speech over the agent did or did not interrupt it. */
interface TurnDecisionFact {
  type: 'turn_decision';
  /** Absent: the speech is not a turn, such as noise. */
  turn?: number;
  outcome: TurnDecision['outcome'];
  reason: TurnDecision['reason'];
  /** Silence of the user before the decision; 0 while the user speaks. */
  waited_ms: number;
}

/** A finished turn. For the agent, `text` is the part that was played; `truncated`: more had been generated. */
export interface TurnFact {
  type: 'turn';
  turn: number;
  role: TurnRole;
  text: string;
  started_ms: number;
  ended_ms: number;
  truncated: boolean;
  /** Of a supervisor. */
  name?: string;
  /** The words are those of this command `say`. */
  command_id?: string;
  /** Of an answer of the agent. */
  latency?: TurnLatency;
  /** When the words were said, for transcribers that report it. Not stored. */
  words?: SpokenWord[];
}

/** A word of a turn and its time since the answer. */
export interface SpokenWord {
  text: string;
  start_ms: number;
  end_ms: number;
}

/** The words of a running turn so far; its `turn` replaces them. Not an event: nothing is stored. */
export interface TurnWords {
  turn: number;
  role: TurnRole;
  /** For the agent: the part that was played. */
  text: string;
  started_ms: number;
}

/** A rule of the agent applied. `words`: of the user or the agent, or the name and the arguments of a tool. `turn`: the latest turn. */
interface GuardrailHitFact {
  type: 'guardrail_hit';
  name: string;
  on: GuardrailSide;
  action: GuardrailAction;
  words: string;
  turn: number;
}

export interface ToolCallFact {
  type: 'tool_call';
  tool_call_id: string;
  name: string;
  arguments: unknown;
  /** `{ error: { code, message } }` after a failure. */
  result: unknown;
  ok: boolean;
  started_ms: number;
  ended_ms: number;
  /** The variables that the answer set. */
  assigned?: AssignedVariable[];
  /** Of a tool that the user confirms. `asked`: the model reads the values back. `refused`: the user has not agreed. Both: nothing ran. */
  confirmation?: { state: 'asked' | 'refused' | 'confirmed'; words?: string; at_ms?: number };
}

/** The classification of the answer. */
export type AnsweredBy = 'human' | 'machine' | 'unknown';

/** The evidence for it. */
export type AnswerReason =
  // human
  | 'short_greeting' // a few words, then silence
  | 'key_pressed'
  | 'picked_up' // speech in turn-taking after a machine: a person has picked up
  // machine
  | 'long_greeting' // more speech than people use to answer a telephone
  | 'many_words' // more separate words than people use to answer a telephone
  | 'keywords' // words of machines in the transcript
  | 'beep' // a single steady tone, then silence
  | 'fax' // the answer tone of a fax or modem (2100 Hz, ITU-T T.30)
  | 'intercept' // the three rising tones before a carrier's announcement (ITU-T E.180)
  // unknown
  | 'initial_silence' // no speech within the first seconds
  | 'analysis_time'; // the time to decide was over

export interface Answer {
  answeredBy: AnsweredBy;
  reason: AnswerReason;
  /** Audio time since the answer. */
  atMs: number;
}
