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
export { decode, encode, silentFrame, transcode } from './media/codecs/g711.js';
export { Downsampler, Upsampler } from './media/codecs/sub-band.js';
export { fromWire, pcmBytes, pcmSamples, toWire } from './media/codecs/wire-codec.js';
export { NoMediaPorts, type PortRange } from './media/rtp/rtp-port-pool.js';
export { remoteLossRate, type RtpStats } from './media/rtp/rtp-stats.js';
export { newLocalSrtp, type SrtpPolicy } from './media/rtp/srtp-keys.js';
export { FrameTimeline } from './media/session/frame-timeline.js';
export {
  bytesPerMs,
  type Codec,
  FRAME_MS,
  type G711,
  type LineCodec,
  type MediaPort,
  isWideband,
  type RecordingPause,
  type WireCodec,
} from './media/session/media-port.js';
export { MediaClosed, openMediaSession } from './media/session/media-session.js';
export type { MediaOptions, MediaSession } from './media/session/media-session.types.js';
export { isTapped, type TappedPort } from './media/session/tapped-port.js';
export { beep, tone } from './media/signals/tones.js';
export { wavHeader } from './media/session/wav-recorder.js';
export { SpeechTiming, VoiceActivity, type VoiceEvent } from './media/signals/voice-activity.js';
export { buildAnswer, buildOffer, negotiate, type NegotiatedAudio } from './sdp.js';
export { sipPlace, SipPlaces } from './sip/locating/sip-places.js';
export { hasControlCharacters } from './sip/messages/headers.js';
export { Admission, type KnownCallers } from './sip/transport/admission.js';
export { sourceAddressTo } from './sip/transport/endpoint.js';
export type { TlsSettings, TransportName } from './sip/transport/flow.js';
export { TRANSPORT_ERROR_MEANINGS, type TransportErrorCode } from './sip/transport/transport-error.js';
export type { CallResult } from './sip/user-agent/call-result.js';
export { IncomingCall } from './sip/user-agent/incoming-call.js';
export { OutgoingCall, type OutgoingInvite } from './sip/user-agent/outgoing-call.js';
export type { RegistrationState } from './sip/user-agent/registration.js';
export type { SipLog } from './sip/user-agent/sip-log.js';
export { SipUserAgent, type UserAgentOptions } from './sip/user-agent/user-agent.js';
export { delay } from './timing.js';
export { type PageConnection, WebLine, type WebLineCounts } from './web/web-line.js';
export type { PageFormat } from './web/web-relay.js';
