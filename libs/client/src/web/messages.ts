/** The messages on the WebSocket of a web call and of a listener, besides the audio. */

/** The subprotocol of both connections. The token is a second one, because URLs end up in logs. */
export const SUBPROTOCOL = 'trunkline.v1';

/** A turn of the conversation; `final` is false while its words may still change. Turns of one person have increasing numbers. */
export interface TranscriptMessage {
  type: 'transcript';
  /** `user`, `agent`, or `supervisor` for a person who has taken over. */
  role: string;
  text: string;
  final: boolean;
  turn: number;
}

export interface ErrorMessage {
  type: 'error';
  code: string;
  /** An English sentence for the person at the page. */
  message: string;
}

export interface EndedMessage {
  type: 'ended';
  status?: string;
  cause?: string | null;
  message?: string;
}

export interface CallReadyMessage {
  type: 'ready';
  call_id: string;
  resume_token: string;
  format: string;
  frame_ms: number;
}

/** What the service sends to the page of a web call. */
export type CallMessage =
  | CallReadyMessage
  | { type: 'status'; status: string }
  | TranscriptMessage
  | { type: 'clear' }
  | { type: 'dtmf'; digit: string }
  | ErrorMessage
  | EndedMessage;

/** What the page of a web call sends. */
export type CallCommand =
  /** Audio of the agent that was played since the first `ready`. */
  { type: 'played'; ms: number } | { type: 'dtmf'; digits: string } | { type: 'hangup' };

/** What a listener sends. */
export interface ListenerCommand {
  type: 'take_over' | 'hand_back' | 'whisper' | 'end_whisper';
}

export interface ListenerReadyMessage {
  type: 'ready';
  call_id: string;
  format: string;
  channels: number;
  may_speak: boolean;
}

/** Who listens, and who speaks instead of the agent. */
export interface ListenerState {
  type: 'state';
  listeners: { name: string }[];
  speaker: { name: string } | null;
  /** A colleague of a transfer or a conference can hear a whisper. */
  can_whisper: boolean;
}

/** What the service sends to a listener. */
export type ListenerMessage =
  | ListenerReadyMessage
  | ListenerState
  | { type: 'status'; status: string }
  | TranscriptMessage
  | { type: 'clear' }
  | ErrorMessage
  | EndedMessage;

/** The message of a text frame; undefined for what is not an object with a type, which later versions of the service may send. */
export function messageOf(text: string): { type: string } | undefined {
  try {
    const value = JSON.parse(text) as { type?: unknown } | null;
    return typeof value?.type === 'string' ? (value as { type: string }) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
