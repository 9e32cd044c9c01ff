export { ANSWER_REASONS, type AnsweredBy, type AnswerReason } from './answering-machine/answer.js';
export { DEFAULT_WAIT_FOR_BEEP_SECONDS, type AnsweringMachineSettings } from './answering-machine/screening.js';
export { AgentSession, type StopReason } from './agent-session.js';
export { DEFAULT_BARGE_IN, type BargeInTimings } from './barge-in.js';
export { BUILTIN_TOOLS, endCallTool, KNOWLEDGE_TOOL, sendDtmfTool } from './builtin-tools.js';
export { pause, systemClock, type Clock } from './clock.js';
export { costOf, type Cost, type CostLine } from './cost.js';
export { DEFAULT_IDLE, type IdleSettings } from './session-timers.js';
export { DEFAULT_PHRASES, type Phrases } from './session-options.js';
export { carrierUsage, DEFAULT_PRICE_BOOK, INBOUND, type PriceBook, unitPrice } from './price-book.js';
export { RealtimeProvider, type RealtimeProviderOptions } from './providers/openai-realtime/realtime-provider.js';
export type { ProviderOptions, TurnDetection, ProviderChoice } from './providers/provider-settings.js';
export { providerSettings, type ProviderSettings, type RealtimeServer } from './providers/provider-settings.js';
export {
  providerFor,
  providerProblem,
  providersFor,
  type AgentProviders,
  type ProviderParts,
} from './providers/registry.js';
export * from './providers/voice-provider.js';
export { SandboxThread } from './sandbox-server/sandbox-thread.js';
export { SandboxServer, type SandboxServerOptions } from './sandbox-server/sandbox-server.js';
export { readScript, ScriptInvalid, scriptProblems, type Script } from './sandbox-server/script.js';
export type * from './session-events.js';
export type { CallContext, SessionOptions, SessionSettings } from './session-options.js';
export { RemoteSpeechClient } from './speech/remote-speech-client.js';
export { openSpeech, Speech, type SpokenSentence } from './speech/speech.js';
export { SpeechThread } from './speech/speech-thread.js';
export { Synthesiser } from './speech/synthesiser.js';
export { FormantVoice } from './speech/formant/formant-voice.js';
export type { Voice } from './speech/voice.js';
export { summaryOf } from './summary.js';
export {
  assertArguments,
  ToolBox,
  ToolFailed,
  invalidArguments,
  type CallControl,
  type CheckArguments,
  type ToolContext,
  type ToolOutcome,
  type VoiceTool,
} from './tool-box.js';
export { speechOf, transcriptOf, type TranscriptTurn } from './transcript.js';
export { totalUsage, USAGE_KINDS, type UsageItem, type UsageKind, type UsageUnit } from './usage.js';
export { TRANSFER_TOOL } from './builtin-tools.js';
