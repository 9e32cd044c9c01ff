import type { JsonSchema } from '@app/json-schema';

/** A flow of an agent: the steps of a conversation, of which one is current. */
export interface Flow {
  /** Name of the step in which the conversation starts. */
  start: string;
  steps: FlowStep[];
}

/**
 * One step. A step has exits, or one of `action` and `handoff`, or none of them: then the conversation stays in it until the call
 * ends.
 */
export interface FlowStep {
  name: string;
  /** Read by the model after the instructions of the agent. Placeholders as in those, and of values collected before. */
  instructions?: string;
  /** JSON Schema of the values that the model reports by `continue_flow`, as the parameters of a tool. */
  collect?: JsonSchema;
  /** Names of tools of the agent; all of them when absent. */
  tools?: string[];
  /** Knowledge bases of the agent; all of them when absent. */
  knowledge_base_ids?: number[];
  /** Tried in this order. */
  exits?: FlowExit[];
  action?: FlowAction;
  handoff?: FlowHandoff;
  model?: string;
  voice?: string;
  language?: string;
  /** Turns of the user after which the step `on_limit` follows. */
  max_turns?: number;
  /** Seconds in the step after which the step `on_limit` follows. */
  timeout_seconds?: number;
  /** Name of the step that follows `max_turns` or `timeout_seconds`. */
  on_limit?: string;
}

/** `if` is an expression, which the service decides; `when` describes a situation, which the model decides. */
type FlowExit = { to: string } & ({ if: string } | { when: string });

/**
 * `transfer`: the name of a destination of `call_transfer`, or `true` for the only or first one. `say`: a text, after which the step
 * `then` follows, or the conversation stays. `end`: ends the call, after this sentence when it is text.
 */
type FlowAction = { transfer: string | true } | { say: string; then?: string } | { end: string | true };

export const HANDOFF_CONTEXTS = ['full', 'summary', 'none'] as const;
/** What the other agent knows of the conversation: its transcript, a summary, or nothing but the values. */
export type HandoffContext = (typeof HANDOFF_CONTEXTS)[number];

interface FlowHandoff {
  /** The id of an agent of the account; in a workspace file its name. */
  agent: number | string;
  /** Default: `full`. */
  context?: HandoffContext;
}

/** An agent that the model may hand the call over to, with a tool of its own. */
export interface AgentHandoff {
  /** The id of an agent of the account; in a workspace file its name. */
  agent: number | string;
  /** Describes the situation, for the model. */
  when: string;
  /** Default: `full`. */
  context?: HandoffContext;
}

/** A value that was collected in a call, with its evidence: the step, and the turn of the user (from 1) in which it was reported. */
export interface CollectedValue {
  name: string;
  value: unknown;
  step: string;
  turn: number;
}

/** Why a step was entered. */
export type EnteredBy = 'start' | 'if' | 'when' | 'limit' | 'action' | 'handoff';

export const CONTINUE_FLOW = 'continue_flow';

export const STEP_NAME = /^[a-z][a-z0-9_]{0,39}$/;
export const MAX_STEPS = 50;
export const MAX_EXITS = 20;
/** Characters of an expression. */
export const MAX_EXPRESSION = 500;
/** Step changes of one call. */
export const MAX_STEP_CHANGES = 200;
/** Entries of `handoffs`. */
export const MAX_HANDOFFS = 10;
/** Handoffs of one call. */
export const MAX_CALL_HANDOFFS = 10;
