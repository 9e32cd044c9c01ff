export type {
  CallLeg,
  CarrierEngine,
  DialRequest,
  IncomingLeg,
  IncomingRequest,
  Invitation,
  LegEnd,
  LegEvents,
  RegisterRequest,
  Responder,
  TargetHealth,
  TransferProgress,
  Trunk,
  TrunkHealth,
  TrunkRegistration,
  TrunkTarget,
} from './engine/carrier-engine.js';
export { EmbeddedEngine, type EmbeddedEngineOptions, type SipEvent } from './engine/embedded-engine.js';
export { HANGUP_CAUSES, type HangupCause } from './engine/hangup-cause.js';
export { sipDestination } from './engine/sip-destination.js';
export { isSameAddress } from './ip-address.js';
export { LiveKitEngine } from './livekit/livekit-engine.js';
export type { CallRoom, JoinRoom, RoomListener } from './livekit/room-audio.js';
export {
  AudioLost,
  type AudioTask,
  loopTask,
  RINGBACK_TASK,
  ringbackTask,
  type RunAudioTask,
  type TaskChannel,
  type TaskKinds,
} from './media-host/audio-task.js';
export { LocalMediaHost, type LocalMediaOptions } from './media-host/local-media-host.js';
export type { AudioListener, Bridge, LegAudio, MediaHost } from './media-host/media-host.js';
export { MediaPool, type MediaPoolOptions } from './media-host/media-pool.js';
export { enterRealTimeClass } from './media-host/real-time-class.js';
export { type MediaThreadOptions, serveMedia } from './media-host/serve-media.js';
export { FrameTimeline } from './media/frame-timeline.js';
export { decode, encode, silentFrame, transcode } from './media/g711.js';
export {
  bytesPerMs,
  type Codec,
  FRAME_MS,
  type G711,
  type LineCodec,
  type MediaPort,
  type RecordingPause,
} from './media/media-port.js';
export { MediaClosed, openMediaSession } from './media/media-session.js';
export type { MediaOptions, MediaSession } from './media/media-session.types.js';
export { NoMediaPorts, type PortRange } from './media/rtp-port-pool.js';
export { remoteLossRate, type RtpStats } from './media/rtp-stats.js';
export { newLocalSrtp, type SrtpPolicy } from './media/srtp-keys.js';
export { beep, tone } from './media/tones.js';
export { SpeechTiming, VoiceActivity, type VoiceEvent } from './media/voice-activity.js';
export { fromWire, pcmBytes, pcmSamples, toWire } from './media/wire-codec.js';
export { buildAnswer, buildOffer, negotiate, type NegotiatedAudio } from './sdp.js';
export { Admission, type KnownCallers } from './sip/admission.js';
export type { CallResult } from './sip/call-result.js';
export type { TlsSettings, TransportName } from './sip/flow.js';
export { hasControlCharacters } from './sip/headers.js';
export { IncomingCall } from './sip/incoming-call.js';
export { OutgoingCall, type OutgoingInvite } from './sip/outgoing-call.js';
export type { RegistrationState } from './sip/registration.js';
export type { SipLog } from './sip/sip-log.js';
export { sipPlace, SipPlaces } from './sip/sip-places.js';
export { TRANSPORT_ERROR_MEANINGS, type TransportErrorCode } from './sip/transport-error.js';
export { SipUserAgent, type UserAgentOptions } from './sip/user-agent.js';
export { delay } from './timing.js';
