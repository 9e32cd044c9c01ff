import type { G711, LineCodec } from '@app/telephony';
import type { SpeechDetector, SpeechTimings } from '../hearing/hearing-client.js';
import type { UsageItem } from '../usage.js';

/**
 * What a provider's protocol allows the client. A full-duplex provider decides when it speaks and stops: then `cancel` and `truncate`
 * are false, and a session only drops unplayed audio.
 */
export interface ProviderCapabilities {
  /** The client may cancel a response. */
  readonly cancel: boolean;
  /** The client may report how much of an item was played. */
  readonly truncate: boolean;
  /** `user_text` events arrive. Without it the transcript has the duration of the user's speech and no words. */
  readonly transcribesUser: boolean;
  /** False: the words of a request are a suggestion to the model. Absent: it speaks them. */
  readonly speaksGivenWords?: false;
  /**
   * The provider decides, by the words, whether speech over the agent interrupts it: the session holds its audio until `interrupted` or
   * `not_interrupted`. Absent: the session decides by the duration of the speech.
   */
  readonly judgesInterruptions?: true;
  /** The provider reports `delayed`. Absent: the session measures how long a response takes. */
  readonly reportsDelays?: true;
  /** The provider takes and sends `L16` audio when the line has it. Absent: its requests name G.711 only. */
  readonly wideband?: true;
  /** `listenOnly` works: the provider can transcribe the user without answering. Absent: it hears silence until the agent may answer. */
  readonly listensOnly?: true;
  /** The provider asks `screen` of the request for each sentence before it speaks it. */
  readonly screensSentences?: true;
  /** The words of each sentence arrive before its audio. Absent: they may arrive with it, or later. */
  readonly wordsFirst?: true;
  /** The provider charges for the time of a connection: it is opened at the answer, and not during ringing. */
  readonly billsConnection?: true;
}

/** The agent, for all providers alike. */
export interface AgentProfile {
  name: string;
  instructions: string;
  /** The first words of the agent. Empty: the provider finds its own. */
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

/** One earlier turn, for a provider that takes over. `system`: a note for the agent, such as the result of a tool. */
export interface HistoryTurn {
  role: 'agent' | 'user' | 'system';
  text: string;
}

export interface ConnectRequest {
  agent: AgentProfile;
  /** `text`: no audio in either direction; answers are `agent_text` only. */
  modality: 'audio' | 'text';
  /** The encoding of the audio in both directions, mono: G.711 at 8 kHz, or `L16` at 16 kHz for a provider with the capability `wideband`. */
  codec: LineCodec;
  tools: ToolDefinition[];
  /** Empty at the start of a call; the conversation so far after a reconnection. */
  history: HistoryTurn[];
  /**
   * Detects the user's speech better than energy does, for a provider that detects it here; the connection closes the detector.
   * Absent: not wanted for this agent.
   */
  detectSpeech?: (timings: SpeechTimings) => SpeechDetector;
  /** Judges a sentence of the model before it is spoken, for a provider with the capability `screensSentences`. Absent: no rules. */
  screen?: (sentence: string) => ScreenedSentence | Promise<ScreenedSentence>;
  /** The metadata of the call, for scripts that use it. */
  metadata?: Record<string, unknown> | null;
}

/** `say`: what is spoken; absent: nothing. `isLast`: the answer ends here. */
export interface ScreenedSentence {
  say?: string;
  isLast: boolean;
}

/** The codec of a request to a provider without the capability `wideband`. */
export function narrowCodec({ codec }: Pick<ConnectRequest, 'codec'>): G711 {
  if (codec === 'L16') throw new Error('The provider takes G.711 only.');
  return codec;
}

/** `say`: speak these words. Without it: answer the user's speech, keys or text, or a tool's result. */
export interface ResponseRequest {
  say?: string;
}

export type ResponseStatus = 'completed' | 'cancelled' | 'failed';

/** A decision about the user's speech, as evidence. */
export interface TurnDecision {
  outcome: 'turn_ended' | 'acknowledgement' | 'interruption' | 'noise';
  /** For example `silence_after_punctuation`, `longest_silence`, `words`. */
  reason: TurnReason;
  /** Silence of the user before the decision, in milliseconds; 0 while the user speaks. */
  waitedMs: number;
  /** The words at that time. */
  text: string;
}

export type TurnReason =
  | 'silence_after_punctuation'
  | 'silence'
  | 'longest_silence'
  | 'vendor_end_of_turn' // the transcriber considers the turn as finished
  | 'no_words' // speech without recognised words
  | 'only_acknowledgements' // words such as "uh-huh" alone
  | 'words'; // words over the agent that are not acknowledgements

/** A word of the user and its position in the audio of the connection. */
interface AudioWord {
  text: string;
  startMs: number;
  endMs: number;
}

/**
 * `audioMs` is a position in the audio sent to this connection (20 ms per frame), as in the Realtime protocol. All audio and text of a
 * response arrives between its `response_started` and its `response_done`.
 */
export type ProviderEvent =
  | { type: 'response_started'; responseId: string }
  | { type: 'audio'; responseId: string; itemId: string; audio: Buffer }
  | { type: 'agent_text'; responseId: string; itemId: string; text: string }
  | { type: 'tool_call'; responseId: string; toolCallId: string; name: string; arguments: string }
  | { type: 'response_done'; responseId: string; status: ResponseStatus }
  /** `createResponse` was called during an active response; it must be repeated after that. */
  | { type: 'response_refused' }
  /** The provider stopped its speech because the user spoke: queued audio must not be played. */
  | { type: 'interrupted' }
  /** Speech over the agent was an acknowledgement or noise: held audio continues. Only with the capability `judgesInterruptions`. */
  | { type: 'not_interrupted' }
  /** Why a turn of the user ended, or speech did not interrupt; recorded with the call. */
  | { type: 'turn_decision'; itemId: string; decision: TurnDecision }
  /** The user waits unusually long for the next words: the session says a word of comfort. */
  | { type: 'delayed' }
  /** The model generated the first token of the response. Providers that cannot observe it send nothing. */
  | { type: 'first_token'; responseId: string }
  | { type: 'speech_started'; itemId: string; audioMs: number }
  | { type: 'speech_stopped'; itemId: string; audioMs: number }
  /** The words of one user item; may arrive long after `speech_stopped`. */
  | { type: 'user_text'; itemId: string; text: string; words?: readonly AudioWord[] }
  /** The words of an open user item so far; each replaces the one before it, and `user_text` replaces the last one. */
  | { type: 'user_interim'; itemId: string; text: string }
  | { type: 'usage'; items: UsageItem[] }
  /** The provider ends this connection in `inMs`: another one should take over between two turns. */
  | { type: 'expiring'; inMs: number }
  /** An error after which the connection continues. */
  | { type: 'error'; code: string; message: string }
  /** The last event of a connection, also after `close()`. `final`: this provider will refuse the conversation. */
  | { type: 'closed'; reason: string; final?: boolean };

/** Recognised words of another person; `endMs` is a position in the audio that was sent. */
export interface OtherSpeech {
  text: string;
  endMs: number;
}

/** The recognition of another person beside the conversation. Its methods never throw, and do nothing after its end. */
export interface WordsOfOther {
  /** 20 ms of L16, silence included. */
  send(frame: Buffer): void;
  /** Asks for the words of the audio so far at once. */
  flush(): void;
  /** Emits outstanding usage before it returns. */
  close(): void;
}

/** `ended`: no words arrive any more. */
export type OtherSpeechEvent =
  ({ type: 'words' } & OtherSpeech) | { type: 'usage'; items: UsageItem[] } | { type: 'ended'; reason: string };

/** How long a frame may wait for the next ones: not at all (0), or at most 80 or 180 ms. */
export type AudioPatience = 0 | 80 | 180;

/** One conversation with a provider. Its methods never throw, and do nothing after its end. */
export interface VoiceConnection {
  /**
   * 20 ms of the user: 160 bytes of G.711 or 640 of L16, as in the request, silence included, or the provider's turn detection stalls.
   * The buffer is not copied: do not modify it afterwards. `mayWait`: the frame ends no turn, because the user is in the
   * middle of a word, or silent for longer; the connection may send it together with the next ones.
   */
  sendAudio(frame: Buffer, mayWait?: AudioPatience): void;
  /** Adds to the conversation without requesting an answer. `system` is for the agent alone. */
  sendText(text: string, role: 'user' | 'system'): void;
  /** Adds keys that the user pressed, as one input, without requesting an answer. */
  sendDigits(digits: string): void;
  createResponse(request: ResponseRequest): void;
  /** Only with the capability `cancel`; otherwise nothing happens. */
  cancelResponse(): void;
  /** Only with the capability `truncate`. `playedMs`: how much of the item was played to the user. */
  truncate(itemId: string, playedMs: number): void;
  /**
   * Only with the capability `listensOnly`. While on, the provider reports the user's speech and words, but neither answers nor interrupts
   * itself; speech that ended before it is switched off is not answered.
   */
  listenOnly?(isOn: boolean): void;
  /**
   * The instructions, the language and the tools from the next response on; not during a response. Returns false when that needs another
   * connection. Absent: always.
   */
  update?(change: Pick<ConnectRequest, 'agent' | 'tools'>): boolean;
  /** `result` is JSON. Does not request an answer. */
  sendToolResult(toolCallId: string, result: string): void;
  /** Emits outstanding usage and `closed` before it returns. */
  close(): void;
}

/** A provider with the options of one agent, such as model and voice. */
export interface VoiceProvider {
  readonly name: string;
  readonly capabilities: ProviderCapabilities;
  /** Completes `capabilities`, where they are not known from the beginning; to be called before they are used. Rejects as `connect` does. */
  load?(): Promise<void>;
  /** Prepares work without a connection before the answer, so that the first words are sent at once. */
  prepare(agent: AgentProfile, signal: AbortSignal): Promise<void>;
  /**
   * Opens a conversation. `onEvent` is called in order, never before this promise resolves. Rejects with ProviderUnavailable when
   * a retry is useless, with ProviderBusy when it may help after a time, and with any other error when it may help now.
   */
  connect(
    request: ConnectRequest,
    onEvent: (event: ProviderEvent) => void,
    signal: AbortSignal,
  ): Promise<VoiceConnection>;
  /**
   * Recognises the words of a person who speaks instead of the agent. Absent: it cannot. Resolves with undefined when the options of this
   * agent have no recognition, and rejects as `connect` does. `onEvent` is called in order, never before this promise resolves.
   */
  recogniseOther?(
    language: string | undefined,
    onEvent: (event: OtherSpeechEvent) => void,
    signal: AbortSignal,
  ): Promise<WordsOfOther | undefined>;
}

/** The provider is unknown, not configured, or refuses permanently. The message is a sentence for the operator. */
export class ProviderUnavailable extends Error {}

/** The provider has no capacity at the moment, and gives the time for a retry. */
export class ProviderBusy extends Error {
  constructor(
    message: string,
    readonly retryAfterMs: number,
  ) {
    super(message);
  }
}
