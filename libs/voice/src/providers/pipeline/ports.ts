import type { G711 } from '@app/telephony';
import type { UsageItem } from '../../usage.js';
import type { ToolDefinition } from '../voice-provider.js';

/** The format of a leg's audio: G.711 at 8 kHz, or 16-bit little-endian PCM at 16 kHz for wideband calls. All mono. */
export type LegAudio = { codec: G711; rate: 8000 } | { codec: 'L16'; rate: 16000 };

/** A word and its time in milliseconds: in the audio of the connection (transcriber), or in the audio of the sentence (synthesizer). */
export interface TimedWord {
  text: string;
  startMs: number;
  endMs: number;
}

/** A failure after which the leg continues; the conversation records it. */
interface LegError {
  type: 'error';
  code: string;
  message: string;
  /** The words of some speech do not come any more. */
  losesWords?: true;
}

interface LegUsage {
  type: 'usage';
  items: UsageItem[];
}

// Transcriber

export interface TranscriptionRequest {
  audio: LegAudio;
  /** BCP 47. Absent: the vendor detects the language when it can. */
  language?: string;
  /** Every language that the user may speak, `language` included; with more than one, the vendor detects it when it can. */
  languages: readonly string[];
  /** Words that the user is likely to say, such as product names. */
  keywords: readonly string[];
}

/**
 * `interim` replaces the interim before it. `final` ends a part of the speech: its words do not change any more, and the next interim
 * begins after it. Times are positions in the audio sent to this stream.
 */
export type TranscriberEvent =
  | { type: 'speech_started'; atMs: number }
  | { type: 'interim'; text: string; endMs: number; language?: string }
  | {
      type: 'final';
      text: string;
      words: readonly TimedWord[];
      startMs: number;
      endMs: number;
      /** The detected language, when the vendor names it. */
      language?: string;
    }
  /** The vendor considers the turn of the user as finished; an opinion, which the turn detector weighs. */
  | { type: 'end_of_turn'; atMs: number }
  /** The turn has probably ended: time to begin an answer. The words so far are in the interim before. */
  | { type: 'may_end'; atMs: number }
  /** The turn goes on after `may_end`. */
  | { type: 'resumed'; atMs: number }
  | LegUsage
  | LegError
  /** The last event, also after `close()`. `final`: the vendor will refuse a new stream as well. */
  | { type: 'closed'; reason: string; final?: boolean };

/** One stream of recognition. Its methods never throw, and do nothing after its end. */
export interface TranscriberStream {
  /** 20 ms of the user, silence included. */
  send(frame: Buffer): void;
  /** Asks for the words of the audio so far at once; nothing happens when the vendor has no such request. */
  flush(): void;
  /** Emits outstanding usage and `closed` before it returns. */
  close(): void;
}

/** Recognises speech with the options of one agent. */
export interface Transcriber {
  /** The vendor, with the model where that sets the price: `deepgram:nova-3`. Also the source of its usage. */
  readonly name: string;
  /** The vendor charges the time of a stream, also without audio: it is opened with the first audio. */
  readonly billsConnection?: true;
  /** It recognises the end of a turn by a model of its own: silence ends a turn only where that does not come. */
  readonly endsTurns?: true;
  /** `onEvent` is called in order, never before the promise resolves. Rejects as `connect` of a VoiceProvider does. */
  open(
    request: TranscriptionRequest,
    onEvent: (event: TranscriberEvent) => void,
    signal: AbortSignal,
  ): Promise<TranscriberStream>;
}

// Language model

/** `tool_results` answers all calls of the assistant message before it. `arguments` and `result` are JSON. */
export type ModelMessage =
  | { role: 'user'; text: string }
  /** A note for the model, such as the pressed keys or the remaining time. */
  | { role: 'system'; text: string }
  | { role: 'assistant'; text: string; toolCalls?: readonly { id: string; name: string; arguments: string }[] }
  | { role: 'tool_results'; results: readonly { id: string; name: string; result: string }[] };

export interface GenerationRequest {
  instructions: string;
  messages: readonly ModelMessage[];
  /** Empty: the model may call none, as in a speculative turn. */
  tools: readonly ToolDefinition[];
  /** The answer is a JSON document, which the instructions describe; vendors that have such a mode use it. */
  json?: boolean;
  /** An answer without any event for this time is given up; absent: the limit of a conversation. */
  standstillMs?: number;
}

/** Text arrives in parts; a tool call arrives complete. `working`: the model generates a part of one, or thinks; its deadline begins again. */
export type GenerationEvent =
  | { type: 'text'; text: string }
  | { type: 'tool_call'; id: string; name: string; arguments: string }
  | { type: 'working' }
  | LegUsage;

/** Generates answers with the options of one agent. */
export interface LanguageModel {
  /** Vendor and model: `anthropic:<model>`. Also the source of its usage. */
  readonly name: string;
  /**
   * Ends when the answer is complete. An abort of the signal ends it early without an error, and cancels the request. Rejects with
   * ProviderUnavailable when a retry is useless, with ProviderBusy when it may help after a time, and with any other error when it may
   * help now.
   */
  generate(request: GenerationRequest, signal: AbortSignal): AsyncIterable<GenerationEvent>;
  /** Opens connections ahead of the first request, where that helps; never rejects. */
  prepare?(signal: AbortSignal): Promise<void>;
}

// Synthesizer

export interface SynthesisRequest {
  /** One sentence, or a part of one. */
  text: string;
  audio: LegAudio;
  /** BCP 47. */
  language?: string;
  /** The sentence before, for the intonation. */
  previousText?: string;
}

/** `words`: times in the audio of this sentence, with all words so far or only new ones; vendors without times send none. */
export type SynthesisEvent =
  { type: 'audio'; audio: Buffer } | { type: 'words'; words: readonly TimedWord[] } | LegUsage;

/** Speaks sentences with the options of one agent; several at a time. */
export interface Synthesizer {
  /** The vendor, with the model where that sets the price: `elevenlabs:eleven_flash_v2_5`. Also the source of its usage. */
  readonly name: string;
  /** Ends after the last audio. Aborts and rejections as `generate` of a LanguageModel. The audio has the format of the request. */
  speak(request: SynthesisRequest, signal: AbortSignal): AsyncIterable<SynthesisEvent>;
  /** Opens connections ahead of the first sentence, where that helps; never rejects. */
  prepare?(signal: AbortSignal): Promise<void>;
  /** To be called at the end of the conversation. */
  close?(): void;
}
