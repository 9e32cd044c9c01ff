export { ANSWER_REASONS, type AnsweredBy, type AnswerReason } from './answering-machine/answer.js';
export { DEFAULT_WAIT_FOR_BEEP_SECONDS, type AnsweringMachineSettings } from './answering-machine/screening.js';
export { AgentSession, type StopReason } from './agent-session.js';
export { DEFAULT_BARGE_IN, type BargeInTimings } from './barge-in.js';
export { BUILTIN_TOOLS, endCallTool, KNOWLEDGE_TOOL, sendDtmfTool } from './builtin-tools.js';
export { pause, systemClock, type Clock } from './clock.js';
export { costOf, type Cost, type CostLine } from './cost.js';
export { DEFAULT_IDLE, type IdleSettings } from './idle-clock.js';
export { DEFAULT_PHRASES, type Phrases } from './phrases.js';
export { carrierUsage, DEFAULT_PRICE_BOOK, INBOUND, type PriceBook, unitPrice } from './price-book.js';
export { RealtimeProvider } from './providers/openai-realtime/realtime-provider.js';
export type { ProviderOptions, TurnDetection, WantedProvider } from './providers/provider-options.js';
export { providerSettings, type ProviderSettings, type RealtimeServer } from './providers/provider-settings.js';
export type { ProviderKind } from './providers/provider-kind.js';
export { keysIn, keysPressed, sayExactly, wordsToSay } from './providers/realtime-wording.js';
export {
  providerFor,
  providerProblem,
  providersFor,
  registerProvider,
  type AgentProviders,
} from './providers/registry.js';
export * from './providers/voice-provider.js';
export type * from './session-events.js';
export type { CallContext, SessionOptions, SessionSettings } from './session-options.js';
export { DistantClips } from './speech/distant-clips.js';
export { openSpeech, Speech, type SpokenSentence } from './speech/speech.js';
export { SpeechThread } from './speech/speech-thread.js';
export { Synthesiser } from './speech/synthesiser.js';
export { isAudible, SAMPLE_RATE, type Voice } from './speech/voice.js';
export { resample } from './speech/resample.js';
export { sentencesOf } from './speech/sentences.js';
export { summaryOf } from './summary.js';
export { resultIn } from './tool-notes.js';
export {
  assertArguments,
  ToolBox,
  ToolFailed,
  unfit,
  type CallControl,
  type CheckArguments,
  type ToolContext,
  type ToolOutcome,
  type VoiceTool,
} from './tool-box.js';
export { speechOf, transcriptOf, type TranscriptTurn } from './transcript.js';
export { totalUsage, USAGE_KINDS, type UsageItem, type UsageKind, type UsageUnit } from './usage.js';
export { TRANSFER_TOOL } from './transfer-tool.js';
