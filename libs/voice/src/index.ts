export { AgentSession, type StopReason } from './agent-session.js';
export { AnswerDetector } from './answering-machine/answer-detector.js';
export { EarlyMedia } from './answering-machine/early-media.js';
export { findPhrases } from './answering-machine/phrases.js';
export { detectionOf } from './answering-machine/verdict.js';
export { type Clock, pause, systemClock } from './clock.js';
export { BargeIn } from './conversation/barge-in.js';
export {
  type AgentFlow,
  type FlowSource,
  type HandoffTarget,
  type NextAgent,
  type StepStyle,
  styledChoice,
} from './flow/agent-flow.js';
export { handOverName } from './flow/hand-over-name.js';
export { loadFlowSession, type RunningFlow } from './flow/running-flow.js';
export { openJudge } from './guardrails/open-judge.js';
export type { Guardrail, GuardrailAction, GuardrailJudge, GuardrailSide } from './guardrails/guardrail.js';
export { HearingClient } from './hearing/hearing-client.js';
export { type HearingModels, HearingService } from './hearing/hearing-service.js';
export { HearingThread } from './hearing/hearing-thread.js';
export { loadRnnoise } from './hearing/rnnoise.js';
export { loadSilero } from './hearing/silero.js';
export { publicReason } from './provider-link/public-reason.js';
export { RealtimeProvider } from './providers/openai-realtime/realtime-provider.js';
export {
  type LegParts,
  type ModelKind,
  type ModelParts,
  modelProblem,
  openModel,
  openSynthesizer,
  openTranscriber,
  registerSandboxLegs,
  type SynthesizerKind,
  type TranscriberKind,
} from './providers/pipeline/leg-registry.js';
export { LegChain } from './providers/pipeline/legs.js';
export type { ModelChoice, PipelineOptions } from './providers/pipeline/pipeline-options.js';
export type {
  GenerationEvent,
  GenerationRequest,
  LanguageModel,
  SynthesisEvent,
  SynthesisRequest,
  Synthesizer,
  Transcriber,
  TranscriberEvent,
  TranscriberStream,
  TranscriptionRequest,
} from './providers/pipeline/ports.js';
export { type TranscriptEvent, Transcription } from './providers/pipeline/turns/transcription.js';
export { providerNames, settingsOfNames } from './providers/provider-names.js';
export {
  needsSandbox,
  type ProviderChoice,
  type ProviderKind,
  type ProviderOptions,
  providerSettings,
  type ProviderSettings,
  type RealtimeServer,
  type TurnDetection,
  type VendorName,
  type VendorServer,
} from './providers/provider-settings.js';
export {
  currentStep,
  formatInjectedNote,
  isTakeover,
  keysIn,
  keysPressed,
  noteIn,
  resultIn,
  sayExactly,
  stepIn,
  systemTextIn,
  wordsToSay,
  YOUR_TURN,
} from './providers/realtime-wording.js';
export {
  type AgentProviders,
  LazyProvider,
  providersFor,
  registerProvider,
  unusableProviders,
} from './providers/registry.js';
export {
  type AgentProfile,
  type ConnectRequest,
  ProviderBusy,
  type ProviderCapabilities,
  type ProviderEvent,
  ProviderUnavailable,
  type ResponseRequest,
  type ToolDefinition,
  type VoiceConnection,
  type VoiceProvider,
} from './providers/voice-provider.js';
export { NO_SESSION, type SessionCommand, type SessionCommandOutcome } from './session-command.js';
export type {
  AnswerResult,
  EndCause,
  SessionEnd,
  SessionEvent,
  SessionFact,
  ToolCallFact,
  TurnRole,
  TurnWords,
} from './session-events.js';
export type {
  AnsweringMachineSettings,
  DisclosureSettings,
  RecordingConsentSettings,
  SessionOptions,
  SessionSettings,
} from './session-options.js';
export { readWav } from './speech/program-voice.js';
export { RemoteSpeechClient, SpeechThread } from './speech/speech-thread.js';
export { openSpeech, sentencesOf, Speech } from './speech/speech.js';
export { Synthesiser } from './speech/synthesiser.js';
export { isAudible, resample, SAMPLE_RATE, type Voice } from './speech/voice.js';
export type { DigitInput } from './tools/digit-input.js';
export {
  COLLECT_DIGITS,
  PAUSE_RECORDING_TOOL,
  RECORDING_CONSENT_TOOL,
  RESUME_RECORDING_TOOL,
  sessionTools,
  USUAL_PAUSE_SECONDS,
} from './tools/session-tools.js';
export {
  assertArguments,
  BUILTIN_TOOLS,
  type CallContext,
  type CallControl,
  type CheckArguments,
  describeFailure,
  DO_NOT_CALL_TOOL,
  invalidArguments,
  KNOWLEDGE_TOOL,
  ToolBox,
  ToolAnswer,
  type ToolContext,
  ToolFailed,
  type ToolOutcome,
  TRANSFER_TOOL,
  type VoiceTool,
} from './tools/tool-box.js';
export type { AssignedVariable } from './tools/tool-facts.js';
export type { ToolPhrases } from './tools/tool-phrases.js';
export { holdMusic } from './tools/tool-sound.js';
export { summaryOf, transcriptOf, type TranscriptTurn } from './transcript/transcript.js';
export type { TurnLatency } from './transcript/turn-latency.js';
export { thousandths, totalUsage, USAGE_KINDS, type UsageItem, type UsageKind } from './usage.js';
