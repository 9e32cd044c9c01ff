export * from './engine/carrier-engine.js';
export {
  AudioLost,
  type AudioTask,
  type RunAudioTask,
  type TaskChannel,
  type TaskKinds,
} from './media-host/audio-task.js';
export { LocalMediaHost, type LocalMediaOptions } from './media-host/local-media-host.js';
export { MediaPool, type MediaPoolOptions } from './media-host/media-pool.js';
export { type ThreadSource } from './media-host/media-thread.js';
export { RINGBACK_TASK, ringbackTask } from './media-host/ringback-task.js';
export { serveMedia, type MediaThreadOptions } from './media-host/serve-media.js';
export {
  NotInOneThread,
  type AudioEnd,
  type AudioListener,
  type Bridge,
  type LegAudio,
  type MediaHost,
} from './media-host/media-host.js';
export { EmbeddedEngine, type EmbeddedEngineOptions } from './engine/embedded-engine.js';
export { LiveKitEngine, type LiveKitEngineOptions } from './livekit/livekit-engine.js';
export { type CallRoom, type JoinRoom, type RoomAccess, type RoomListener } from './livekit/call-room.js';
export {
  HANGUP_CAUSE_MEANINGS,
  HANGUP_CAUSES,
  outcomeOf,
  type EndedBy,
  type HangupCause,
  type LegStatus,
  type Outcome,
} from './engine/hangup-cause.js';
export { sipDestination, UndialableDestination } from './engine/sip-destination.js';
export { type SipEvent } from './engine/sip-event.js';
export { decode, encode, silenceByte } from './media/g711.js';
export { FRAME_BYTES, FRAME_MS, type Codec, type G711, type MediaPort, type RtpStats } from './media/media-port.js';
export {
  DtmfNotNegotiated,
  MediaClosed,
  openMediaSession,
  type MediaOptions,
  type MediaSession,
} from './media/media-session.js';
export { type Address, type RemoteMedia } from './media/remote-media.js';
export { newLocalSrtp, type LocalSrtp, type SrtpKey, type SrtpPolicy } from './media/srtp-keys.js';
export { type PortRange } from './media/resting-ports.js';
export { NoMediaPorts } from './media/rtp-ports.js';
export { VoiceActivity, type VoiceEvent } from './media/voice-activity.js';
export { type PhoneCallRecord } from './sandbox-phone/call-record.js';
export { SandboxPhone, startSandboxPhone, type SandboxPhoneOptions } from './sandbox-phone/sandbox-phone.js';
export {
  buildAnswer,
  buildOffer,
  negotiate,
  parseSdp,
  SdpProblem,
  type LocalAudio,
  type LocalTerms,
  type NegotiatedAudio,
  type SdpAudio,
} from './sdp.js';
export { Admission, type Admit, type AdmissionOptions, type KnownCallers } from './sip/admission.js';
export { type CallResult } from './sip/call-result.js';
export { type IncomingCall } from './sip/incoming-call.js';
export { type ReofferResult } from './sip/own-offers.js';
export { type RedirectAllowed } from './sip/places-to-try.js';
export { type ReferAnswer, type TransferProgress as SipTransferProgress } from './sip/referral.js';
export { type SessionTimerSettings } from './sip/session-expires.js';
export { type OutgoingCall, type OutgoingInvite } from './sip/outgoing-call.js';
export { type Target, type TlsSettings, type TransportName } from './sip/flow.js';
export { type PingResult } from './sip/options-ping.js';
export { REACH_PROBLEM_MEANINGS, reachProblem, type ReachProblem } from './sip/reach-problem.js';
export { type CheckAddress, type HostToReach } from './sip/resolve-target.js';
export { hasControlCharacters, UnsafeSipText } from './sip/safe-text.js';
export { type SipLog } from './sip/sip-log.js';
export { SipUserAgent, type Held, type UserAgentOptions } from './sip/user-agent.js';
