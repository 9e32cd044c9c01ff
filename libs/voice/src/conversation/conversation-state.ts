/**
 * The state of a conversation.
 * - `idle`: not started
 * - `screening`: the answer is not classified yet, or a machine plays its greeting; the agent neither hears nor speaks
 * - `listening`: the agent has nothing to say
 * - `thinking`: a response is requested or generated, and no audio of it is queued yet
 * - `speaking`: audio of the agent is played
 * - `handing-over`: a tool has the line; the agent neither hears nor speaks
 * - `closing`: the end is announced; the remaining speech is played, and nothing interrupts it
 * - `ended`
 */
export type ConversationState =
  'idle' | 'screening' | 'listening' | 'thinking' | 'speaking' | 'handing-over' | 'closing' | 'ended';

/** The activity of the components of a conversation; several may be active. */
export interface Activity {
  /** The answer is not classified yet. */
  isScreening: boolean;
  /** A tool such as a transfer has the line. */
  toolHasLine: boolean;
  /** Audio of the agent is queued or played. */
  isPlaying: boolean;
  /** A response is requested or generated, or a sentence is synthesised. */
  isPreparing: boolean;
}

export type ConversationEvent =
  { type: 'started' } | ({ type: 'activity' } & Activity) | { type: 'end_announced' } | { type: 'ended' };

/** The state after an event. An announced end is final: only `ended` follows it. */
export function nextState(state: ConversationState, event: ConversationEvent): ConversationState {
  switch (event.type) {
    case 'started':
      return state === 'idle' ? 'listening' : state;
    case 'activity':
      return state === 'idle' || state === 'closing' || state === 'ended' ? state : activeState(event);
    case 'end_announced':
      return state === 'ended' ? state : 'closing';
    default:
      return 'ended';
  }
}

/** The owner of the line comes first; playing audio takes precedence over the next response. */
function activeState({ isScreening, toolHasLine, isPlaying, isPreparing }: Activity): ConversationState {
  if (toolHasLine) return 'handing-over';
  if (isScreening) return 'screening';
  if (isPlaying) return 'speaking';
  return isPreparing ? 'thinking' : 'listening';
}

/** The user and the agent hear each other, and the agent may answer. */
export const isConversing = (state: ConversationState): boolean =>
  state === 'listening' || state === 'thinking' || state === 'speaking';
