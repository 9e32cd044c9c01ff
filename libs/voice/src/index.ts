export { AgentSession, type StopReason } from './agent-session.js';
export type { AnsweringMachineSettings } from './answering-machine/screening.js';
export { BUILTIN_TOOLS, KNOWLEDGE_TOOL, TRANSFER_TOOL } from './builtin-tools.js';
export { pause, systemClock, type Clock } from './clock.js';
export { carrierUsage, costOf, DEFAULT_PRICE_BOOK, INBOUND, type PriceBook, unitPrice } from './cost.js';
export { RealtimeProvider } from './providers/openai-realtime/realtime-provider.js';
export {
  providerSettings,
  type ProviderChoice,
  type ProviderOptions,
  type ProviderSettings,
  type TurnDetection,
} from './providers/provider-settings.js';
export { providerFor, providerProblem, providersFor, type AgentProviders } from './providers/registry.js';
export {
  ProviderUnavailable,
  type ConnectRequest,
  type ProviderEvent,
  type ResponseRequest,
  type ToolDefinition,
  type VoiceConnection,
  type VoiceProvider,
} from './providers/voice-provider.js';
export { SandboxThread } from './sandbox-server/sandbox-thread.js';
export { SandboxServer } from './sandbox-server/sandbox-server.js';
export { scriptProblems } from './sandbox-server/script.js';
export type { EndCause, SessionEnd, SessionEvent, SessionFact, ToolCallFact, TurnRole } from './session-events.js';
export type { SessionSettings } from './session-options.js';
export { FormantVoice } from './speech/formant/formant-voice.js';
export { RemoteSpeechClient } from './speech/remote-speech-client.js';
export { openSpeech, Speech } from './speech/speech.js';
export { SpeechThread } from './speech/speech-thread.js';
export { Synthesiser } from './speech/synthesiser.js';
export type { Voice } from './speech/voice.js';
export {
  assertArguments,
  invalidArguments,
  ToolBox,
  ToolFailed,
  type CallContext,
  type CallControl,
  type ToolContext,
  type ToolOutcome,
  type VoiceTool,
} from './tool-box.js';
export { summaryOf, transcriptOf, type TranscriptTurn } from './transcript.js';
export { totalUsage, USAGE_KINDS, type UsageItem, type UsageKind } from './usage.js';
