import type { SessionEnd, SessionEvent } from '@app/voice';
import type { HeardLine } from '../tester/call-audio.js';

/** What a tester waits for. */
export interface AgentTurnWait {
  /** Index of the first event that counts as the agent's reaction. */
  from: number;
  /** The longest wait for an agent that says nothing, in conversation time. */
  patienceMs: number;
  /** Called with the agent's words since `from` whenever they change, unfinished turns included; true ends the wait at once. */
  isEnough?: (words: string) => boolean;
  /** Whether the tester can go on from here. Otherwise a line with speech waits longer: the agent may have announced a tool. */
  isComplete?: () => boolean;
  /** Ends the wait when the agent has been speaking for so long: the next words interrupt it. Only lines with speech. */
  speechMs?: number;
}

/** The record of a call over SIP. */
export interface TestCallFacts {
  id: string;
  status: string;
  hangup_cause: string | null;
  recorded: boolean;
  /** In micro-USD: provider and carrier. */
  cost_micros: number;
}

/** The signalling of a call that the tester placed. */
export interface SipFacts {
  /** The final status of the INVITE; null: there was none. */
  status: number | null;
  /** Since the answer; 0: none. */
  duration_ms: number;
}

/** A tester's end of one conversation with an agent, over any channel. */
export interface TesterLine {
  /** The events of the conversation so far, in the order in which they were reported. Times count from the answer. */
  readonly events: readonly SessionEvent[];
  /** The end of the conversation; undefined: it continues. */
  readonly end: SessionEnd | undefined;
  /** A sentence on why the conversation cannot continue, independent of the agent: the argument of `stop`, a lost connection. */
  readonly problem: string | undefined;
  /** What the caller's phone heard; absent: the line carries no speech. */
  readonly heard?: HeardLine | undefined;
  /** The record of the call after its end; absent: there was no call over SIP. */
  readonly call?: TestCallFacts | undefined;
  /** Absent: the tester placed no call over SIP. */
  readonly sip?: SipFacts | undefined;
  /** Conversation time since the answer, in milliseconds. */
  nowMs(): number;
  /** Resolves when the agent has answered. Never rejects: a call that fails sets `problem`. */
  connect(): Promise<void>;
  /** Speaks at once, also while the agent speaks; resolves when all words are spoken. */
  say(text: string): Promise<void>;
  /** Resolves when all keys are sent. */
  press(keys: string): Promise<void>;
  /** Says nothing for a time; returns early at the end of the conversation. */
  silence(ms: number): Promise<void>;
  /**
   * Resolves when the agent has spoken, its turn is over and none of its tools runs; at the latest after `patienceMs` without words,
   * at the end of the conversation and when the line has a problem.
   */
  agentTurn(wait: AgentTurnWait): Promise<void>;
  /** Ends the conversation; resolves when its last events have arrived and everything is released. Also after the end. */
  hangUp(): Promise<void>;
  /** Ends the conversation at once and sets `problem`; running waits resolve. */
  stop(why: string): void;
}
