import type { AudioTask } from '../media-host/audio-task.js';
import type { Bridge } from '../media-host/media-host.js';
import type { Codec } from '../media/media-port.js';
import type { RtpStats } from '../media/rtp-stats.js';
import type { SrtpPolicy } from '../media/srtp-keys.js';
import type { TlsSettings, TransportName } from '../sip/flow.js';
import type { EndedBy, HangupCause, LegStatus } from './hangup-cause.js';

/** Destination and parameters of an outbound call. */
export interface DialRequest {
  /** Names the leg in events and logs; never sent on the wire. */
  legId: string;
  destination: { kind: 'sip'; uri: string } | { kind: 'e164'; number: string };
  from: { number: string; displayName?: string };
  /** The called party does not see `from`; only the carrier of a trunk that asserts identity does (RFC 3323, RFC 3325). */
  anonymous?: boolean;
  /** The number that diverts its call to this leg, for the Diversion header (RFC 5806). */
  divertedFrom?: string;
  /** Needed for a number; a URI goes through it when it is given, with the URI itself as the Request-URI. */
  trunk?: Trunk;
  /** From the first INVITE; then CANCEL and `no_answer`. */
  ringTimeoutMs: number;
  /** Path of the stereo WAV; no recording without it. */
  recordTo?: string;
  /** In the order of preference; those of the trunk when absent, and then what the engine is set up with. */
  codecs?: Codec[];
  /** Further headers of the INVITE by name (`X-Order-Id`), chosen by the trunk's allow-list and checked to be safe there. */
  headers?: Record<string, string>;
  /** Whether the call may go on to a contact that a 3xx names; none is followed without it. */
  redirectAllowed?: (uri: string) => boolean;
  /** The leg that this one will be bridged with. */
  near?: CallLeg;
}

/** One of the places a carrier takes calls at. */
export interface TrunkTarget {
  host: string;
  port?: number;
  /** Absent: RFC 3263 decides. */
  transport?: TransportName;
  /** Lower ones are tried first. */
  priority: number;
}

export interface Trunk {
  /** At least one, in the order in which they are tried. */
  targets: TrunkTarget[];
  username?: string;
  password?: string;
  /** Host part of From; the address of the dialer when absent. */
  fromDomain?: string;
  /** P-Asserted-Identity with the calling number (RFC 3325); only for a carrier that trusts us. */
  assertIdentity?: boolean;
  /** `;user=phone` on the addresses of numbers; true when absent. */
  userPhone?: boolean;
  /** In the order of preference; what the engine is set up with when absent. */
  codecs?: Codec[];
  /** Absent: off. */
  srtp?: SrtpPolicy;
  /** For targets that are reached over TLS. */
  tls?: TlsSettings;
  /** Transfers use REFER, and the carrier places the second call; when absent, the dialer bridges two legs. */
  transferByRefer?: boolean;
  /** Of the engine `livekit`: its own outbound trunk (`ST_…`) instead of these targets and credentials. */
  livekitTrunkId?: string;
}

/** The result of OPTIONS to one target. */
export interface TargetHealth {
  target: TrunkTarget;
  /** Any response counts, refusals included, except 408 and 503: those mean that the target takes no calls. */
  reachable: boolean;
  /** Of the answer. */
  status?: number;
  rttMs?: number;
  /** Why it is not reachable, for the operator. */
  reason?: string;
}

/** One entry per target of the trunk, in their order. */
export interface TrunkHealth {
  targets: TargetHealth[];
}

interface LegRecording {
  path: string;
  bytes: number;
  durationMs: number;
}

export interface LegEnd {
  status: LegStatus;
  cause: HangupCause;
  endedBy: EndedBy;
  /** The final response, when there was one other than 2xx. */
  sipCode?: number;
  sipReason?: string;
  /** The cause of a `Reason: Q.850` header, as received. */
  q850?: number;
  recording?: LegRecording;
  /** Why there is no recording, or not all of it. */
  recordingError?: string;
  stats: RtpStats;
}

/** Progress of a transfer by REFER, as reported by the far end (RFC 3515 §2.4.4). */
export interface TransferProgress {
  /** Of the call that the far end placed: 100 trying, 180 ringing, 200 answered, 4xx-6xx failed. */
  status: number;
  /** No more reports come. */
  final: boolean;
}

export interface LegEvents {
  /** The first INVITE has been handed to the network: from here on the call must never be dialled again. */
  trying: [];
  /** 180, 183 and the like; once. */
  ringing: [];
  /** The far end has audio before the answer (183): it is heard from here on, and sent silence. */
  early: [];
  answered: [];
  /** The far end put the call on hold, or resumed it. */
  hold: [held: boolean];
  /** A key pressed at the far end, by RFC 4733 or INFO. */
  dtmf: [digit: string, durationMs: number];
  transfer: [progress: TransferProgress];
  /** Exactly once, and the last event. */
  ended: [end: LegEnd];
}

/** One call leg. Methods of a dialled leg do not throw: the result is the `ended` event. */
export interface CallLeg {
  readonly id: string;
  readonly direction: 'outbound' | 'inbound';
  /**
   * Runs a task on the leg's audio, in the thread of the audio; see RunAudioTask.
   * @throws NoMediaYet before `early` or `answered`
   */
  attach(kind: string, init: unknown): AudioTask;
  /** CANCEL before the answer, BYE after it. Does nothing when the leg is already ending. */
  hangup(cause: HangupCause): void;
  /**
   * By RFC 4733; to a far end without it by SIP INFO where its Allow lists that, else as audible tones. Rejects with InvalidDigits, before
   * the answer and after the end.
   */
  sendDtmf(digits: string): Promise<void>;
  /** Of a running call at most about a second old. */
  stats(): RtpStats;
  /**
   * Asks the far end to call `to` (a SIP URI) instead of us. When it agrees, `transfer` events report the progress.
   * Rejects with NotSupportedByEngine, and with UnsafeSipText when `to` is no address. Not accepted before the answer and
   * after the end.
   */
  refer(to: string): Promise<{ accepted: boolean; status?: number }>;
  /**
   * Joins the audio of two legs until one of them ends or `release`.
   * @throws NoMediaYet; NotInOneThread when neither was dialled `near` the other
   */
  bridge(other: CallLeg): Bridge;
  on<K extends keyof LegEvents>(event: K, listener: (...args: LegEvents[K]) => void): this;
  off<K extends keyof LegEvents>(event: K, listener: (...args: LegEvents[K]) => void): this;
}

/** Parameters of an accepted inbound call. */
export interface IncomingRequest {
  legId: string;
  recordTo?: string;
  /** In the order of preference; what the engine is set up with when absent. */
  codecs?: Codec[];
  /** Absent: off. */
  srtp?: SrtpPolicy;
}

/** An inbound call that waits for an answer. Without `accept` or `refuse` it rings until the caller gives up. */
export interface Invitation {
  /** The caller names by admission; none without admission. */
  readonly callers: readonly string[];
  /** Candidates for the called number, as the carrier wrote it, the most likely first. */
  readonly dialled: readonly string[];
  /** Undefined for an anonymous caller. */
  readonly caller?: { user: string; host: string };
  /** Turns the call into a leg; it ends at once when the caller has given up. */
  accept(request: IncomingRequest): IncomingLeg;
  /** A final response of 400 to 699. Does nothing after `accept`, and when the caller has given up. */
  refuse(status: number, retryAfterSeconds?: number): void;
}

/** The leg of an inbound call. `hangup` before the answer refuses the call. */
export interface IncomingLeg extends CallLeg {
  /** Sends 180. */
  ring(): void;
  /** Opens the audio and answers. */
  answer(): void;
}

export class NoMediaYet extends Error {
  constructor() {
    super('the leg has no media before it is answered');
    this.name = 'NoMediaYet';
  }
}

/** This engine cannot do that: ask its `caps` first. */
export class NotSupportedByEngine extends Error {
  constructor(what: string) {
    super(`The carrier engine does not support ${what}.`);
    this.name = 'NotSupportedByEngine';
  }
}

/** What an engine can do. */
export interface EngineCaps {
  dtmf: boolean;
  refer: boolean;
  bridge: boolean;
  srtp: boolean;
  inbound: boolean;
  recording: boolean;
  /** Every SIP message of a leg can be seen. */
  sipEvents: boolean;
  /** Tasks run on the audio of a leg (`attach`): without it agents cannot talk on its calls. */
  audioTasks: boolean;
}

/** Places and accepts calls: the embedded SIP and RTP stack, or an external engine. */
export interface CarrierEngine {
  readonly caps: EngineCaps;
  /** Asks every target of the trunk (OPTIONS); does not reject for unreachable targets. */
  health(trunk: Trunk): Promise<TrunkHealth>;
  /** Aborting `signal` cancels the call, or hangs up an answered one. */
  dial(request: DialRequest, signal?: AbortSignal): CallLeg;
  /** Accepts inbound calls; without a handler they are refused. Only with the capability `inbound`. */
  onIncoming?(handler: (invitation: Invitation) => void): void;
  /** Resolves when every leg has ended; those still there at `deadline` are hung up as `drained`. */
  drain(deadline: Date): Promise<void>;
  /** Hangs up the remaining legs; releases all resources when every recording is finished. */
  close(): Promise<void>;
}
