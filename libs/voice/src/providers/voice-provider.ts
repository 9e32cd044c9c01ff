import type { G711 } from '@app/telephony';
import type { UsageItem } from '../usage.js';

/**
 * What a provider's protocol lets the client do. A full-duplex provider decides by itself when it speaks and stops:
 * there `cancel` and `truncate` are false, and a session only drops what it has not played yet.
 */
export interface ProviderCapabilities {
  /** The client may stop a response that is being generated. */
  readonly cancel: boolean;
  /** The client may tell how much of an item was heard. */
  readonly truncate: boolean;
  /** `user_text` events arrive. Without it the transcript says how long the callee spoke, and no words. */
  readonly transcribesUser: boolean;
}

/** What the agent is, for every provider alike. */
export interface AgentProfile {
  name: string;
  instructions: string;
  /** First words of the agent. Empty: the provider finds its own. */
  greeting: string;
  /** BCP 47 tag such as `en` or `de-DE`. */
  language?: string;
}

/** A function that the model may call; `parameters` is a JSON Schema of type object. */
export interface ToolDefinition {
  name: string;
  description: string;
  parameters: Record<string, unknown>;
}

/** One earlier turn, told to a provider that takes a conversation over. `system`: a note for the agent, such as what a tool gave. */
export interface HistoryTurn {
  role: 'agent' | 'user' | 'system';
  text: string;
}

export interface ConnectRequest {
  agent: AgentProfile;
  /** `text`: no audio either way, whatever the codec says; answers come as `agent_text` alone. */
  modality: 'audio' | 'text';
  /** Audio goes both ways in this encoding, 8 kHz mono. */
  codec: G711;
  tools: ToolDefinition[];
  /** Empty at the start of a call; what was heard so far after a reconnection. */
  history: HistoryTurn[];
  /** What the call was created with, for an agent whose script names it. */
  metadata?: Record<string, unknown> | null;
}

/** `say`: speak these words. Without it: answer what the callee said, typed or what a tool gave. */
export interface ResponseRequest {
  say?: string;
}

export type ResponseStatus = 'completed' | 'cancelled' | 'failed';

/**
 * `audioMs` is a position in the audio sent to this connection (20 ms per frame), as the Realtime protocol counts.
 * All audio and text of a response comes between its `response_started` and its `response_done`.
 */
export type ProviderEvent =
  | { type: 'response_started'; responseId: string }
  | { type: 'audio'; responseId: string; itemId: string; audio: Buffer }
  | { type: 'agent_text'; responseId: string; itemId: string; text: string }
  | { type: 'tool_call'; responseId: string; toolCallId: string; name: string; arguments: string }
  | { type: 'response_done'; responseId: string; status: ResponseStatus }
  /** `createResponse` came while a response was active; it has to be asked for again when that is done. */
  | { type: 'response_refused' }
  /** The provider stopped its own speech because the callee spoke: what is queued must not be played. */
  | { type: 'interrupted' }
  | { type: 'speech_started'; itemId: string; audioMs: number }
  | { type: 'speech_stopped'; itemId: string; audioMs: number }
  /** The words of one callee item; may come long after `speech_stopped`. */
  | { type: 'user_text'; itemId: string; text: string }
  | { type: 'usage'; items: UsageItem[] }
  /** The provider ends every connection after a while, this one in `inMs`: another is to take over between two turns. */
  | { type: 'expiring'; inMs: number }
  /** Something went wrong and the connection goes on. */
  | { type: 'error'; code: string; message: string }
  /** The last event of a connection, also after `close()`. `final`: this provider will not take the conversation again. */
  | { type: 'closed'; reason: string; final?: boolean };

/** One conversation with a provider. Its methods never throw and do nothing once it is closed. */
export interface VoiceConnection {
  /** 20 ms of the callee: 160 bytes in the codec of the request, silence included, or the provider's turn detection stalls. */
  sendAudio(frame: Buffer): void;
  /** Adds to the conversation without asking for an answer. `system` is for the agent alone. */
  sendText(text: string, role: 'user' | 'system'): void;
  /** Keys the callee pressed, as one input; no answer is asked for. */
  sendDigits(digits: string): void;
  createResponse(request: ResponseRequest): void;
  /** Only with the capability `cancel`; otherwise nothing happens. */
  cancelResponse(): void;
  /** Only with the capability `truncate`. `playedMs`: how much of the item left for the callee. */
  truncate(itemId: string, playedMs: number): void;
  /** `result` is JSON. No answer is asked for. */
  sendToolResult(toolCallId: string, result: string): void;
  /** Emits outstanding usage and `closed` before it returns. */
  close(): void;
}

/** A provider as one agent uses it: its model, voice and the like are settled when it is made. */
export interface VoiceProvider {
  readonly name: string;
  readonly capabilities: ProviderCapabilities;
  /** Does ahead of the answer what can be done without a connection, so that the first words leave at once. */
  prepare(agent: AgentProfile, signal: AbortSignal): Promise<void>;
  /**
   * Opens a conversation. `onEvent` is called in order, never before this promise resolves.
   * Rejects with ProviderUnavailable when trying again is useless, with any other error when it may help (ProviderBusy: not
   * before its time).
   */
  connect(
    request: ConnectRequest,
    onEvent: (event: ProviderEvent) => void,
    signal: AbortSignal,
  ): Promise<VoiceConnection>;
}

/** This provider cannot be used here: unknown, not configured, or it refuses us. The message is a sentence for the operator. */
export class ProviderUnavailable extends Error {}

/** The provider has no room for us now, and says when to come back. */
export class ProviderBusy extends Error {
  constructor(
    message: string,
    readonly retryAfterMs: number,
  ) {
    super(message);
  }
}
