export { AgentSession, type StopReason } from './agent-session.js';
export type { AnsweringMachineSettings } from './answering-machine/screening.js';
export { BUILTIN_TOOLS, KNOWLEDGE_TOOL, TRANSFER_TOOL } from './builtin-tools.js';
export { pause, systemClock, type Clock } from './clock.js';
export { carrierUsage, costOf, DEFAULT_PRICE_BOOK, INBOUND, type PriceBook, unitPrice } from './cost.js';
export { LazyProvider } from './providers/lazy-provider.js';
export { RealtimeProvider } from './providers/openai-realtime/realtime-provider.js';
export {
  providerSettings,
  type RealtimeServer,
  type ProviderChoice,
  type ProviderOptions,
  type ProviderSettings,
  type TurnDetection,
} from './providers/provider-settings.js';
export type { ProviderKind } from './providers/provider-kind.js';
export { keysIn, keysPressed, resultIn, sayExactly, wordsToSay } from './providers/realtime-wording.js';
export { providerProblem, providersFor, registerProvider, type AgentProviders } from './providers/registry.js';
export {
  ProviderUnavailable,
  type AgentProfile,
  type ConnectRequest,
  type ProviderCapabilities,
  type ProviderEvent,
  type ResponseRequest,
  type ToolDefinition,
  type VoiceConnection,
  type VoiceProvider,
} from './providers/voice-provider.js';
export type { EndCause, SessionEnd, SessionEvent, SessionFact, ToolCallFact, TurnRole } from './session-events.js';
export type { SessionSettings } from './session-options.js';
export { RemoteSpeechClient } from './speech/remote-speech-client.js';
export { openSpeech, Speech } from './speech/speech.js';
export { SpeechThread } from './speech/speech-thread.js';
export { Synthesiser } from './speech/synthesiser.js';
export { resample } from './speech/resample.js';
export { sentencesOf } from './speech/sentences.js';
export { isAudible, SAMPLE_RATE, type Voice } from './speech/voice.js';
export {
  assertArguments,
  invalidArguments,
  ToolBox,
  ToolFailed,
  type CallContext,
  type CallControl,
  type CheckArguments,
  type ToolContext,
  type ToolOutcome,
  type VoiceTool,
} from './tool-box.js';
export { summaryOf, transcriptOf, type TranscriptTurn } from './transcript.js';
export { totalUsage, USAGE_KINDS, type UsageItem, type UsageKind } from './usage.js';
