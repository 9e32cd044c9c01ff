import { LiveSet } from '@app/common';
import type { AudioTask } from '../media-host/audio-task.js';
import type { Bridge } from '../media-host/media-host.js';
import type { Codec } from '../media/session/media-port.js';
import type { RtpStats } from '../media/rtp/rtp-stats.js';
import type { SrtpPolicy } from '../media/rtp/srtp-keys.js';
import type { TlsSettings, TransportName } from '../sip/transport/flow.js';
import type { RegistrationState } from '../sip/user-agent/registration.js';
import type { WebLine } from '../web/web-line.js';
import type { EndedBy, HangupCause, LegStatus } from './hangup-cause.js';

/** Destination and parameters of an outbound call. */
export interface DialRequest {
  /** Names the leg in events and logs; never sent on the wire. */
  legId: string;
  destination: { kind: 'sip'; uri: string } | { kind: 'e164'; number: string };
  from: { number: string; displayName?: string };
  /** Hides `from` from the called party; only the carrier of a trunk that asserts identity sees it (RFC 3323, RFC 3325). */
  anonymous?: boolean;
  /** The diverting number, for the Diversion header (RFC 5806). */
  divertedFrom?: string;
  /** Required for a number. A URI goes through the trunk when one is given, as the Request-URI. */
  trunk?: Trunk;
  /** Time from the first INVITE until CANCEL and `no_answer`. */
  ringTimeoutMs: number;
  /** Path of the stereo WAV; no recording without it. */
  recordTo?: string;
  /** The recording is silent until a task of the leg ends the pause for `consent`. */
  recordsAfterConsent?: boolean;
  /** In the order of preference. Absent: those of the trunk, else those of the engine. */
  codecs?: Codec[];
  /** Further headers of the INVITE by name (`X-Order-Id`), chosen by the trunk's allow-list and checked to be safe there. */
  headers?: Record<string, string>;
  /** Whether the call may be redirected to the contact of a 3xx; absent: never. */
  redirectAllowed?: (uri: string) => boolean | Promise<boolean>;
  /**
   * Whether the INVITE for a URI may go to a resolved address past the trunk; absent: to every address that the engine permits. An engine
   * that does not resolve hosts itself ignores it.
   */
  targetAllowed?: (uri: string, targets: readonly { address: string; port: number }[]) => Promise<readonly boolean[]>;
  /** The leg to bridge this one with. */
  near?: CallLeg;
}

/** One SIP address of a carrier. */
export interface TrunkTarget {
  host: string;
  port?: number;
  /** Absent: RFC 3263 decides. */
  transport?: TransportName;
  /** Lower values are tried first. */
  priority: number;
}

export interface Trunk {
  /** At least one, in the order in which they are tried. */
  targets: TrunkTarget[];
  username?: string;
  password?: string;
  /** Its name by admission: addresses known by it may send requests inside its dialogs. Absent: only its targets. */
  callerName?: string;
  /** Host part of From; the address of the dialer when absent. */
  fromDomain?: string;
  /** Sends P-Asserted-Identity with the calling number (RFC 3325); only for a carrier that trusts us. */
  assertIdentity?: boolean;
  /** `;user=phone` on the addresses of numbers; true when absent. */
  userPhone?: boolean;
  /** In the order of preference; absent: those of the engine. */
  codecs?: Codec[];
  /** Absent: off. */
  srtp?: SrtpPolicy;
  /** How long a call waits for any response of the last target; absent: 32 s. */
  responseTimeoutMs?: number;
  /** For targets over TLS. */
  tls?: TlsSettings;
  /** `refer`: the carrier places the second call of a transfer; absent: the dialer bridges two legs. */
  transferByRefer?: boolean;
  /** Of the engine `livekit`: its own outbound trunk (`ST_…`) instead of these targets and credentials. */
  livekitTrunkId?: string;
}

/** The resolved address of a target that responded. */
export interface Responder {
  address: string;
  port: number;
}

/** The result of OPTIONS to one target. */
export interface TargetHealth {
  target: TrunkTarget;
  /** Any response counts, refusals included, except 408 and 503: those mean that the target takes no calls. */
  reachable: boolean;
  /** Of a reachable target; absent when the engine does not know it. */
  responder?: Responder;
  /** Time of the answer. */
  status?: number;
  rttMs?: number;
  /** The reason why it is unreachable, for the operator. */
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
  /** The reason why the recording is missing or incomplete. */
  recordingError?: string;
  stats: RtpStats;
}

/** Progress of a transfer by REFER, as reported by the remote party (RFC 3515 §2.4.4). */
export interface TransferProgress {
  /** Of the call that the remote party placed: 100 trying, 180 ringing, 200 answered, 4xx-6xx failed. */
  status: number;
  /** The last report. */
  final: boolean;
}

export interface LegEvents {
  /** The first INVITE has been handed to the network: from here on the call must never be dialled again. */
  trying: [];
  /** 180, 183 and the like; once. */
  ringing: [];
  /** It rings, and takes tasks on its audio, which need not flow yet. */
  open: [];
  /** The remote party has audio before the answer (183): it is audible from here on, and receives silence. */
  early: [];
  /** `responder`: of the trunk or of the host of the SIP URI; absent after a redirection, and when the engine does not know it. */
  answered: [responder?: Responder];
  /** The remote party put the call on hold, or resumed it. */
  hold: [held: boolean];
  /** A key pressed at the remote party, by RFC 4733 or INFO. */
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
   * @throws NoMediaYet before `open`, `early` or `answered`
   */
  attach(kind: string, init: unknown): AudioTask;
  /** CANCEL before the answer, BYE after it. Does nothing when the leg is already ending. */
  hangup(cause: HangupCause): void;
  /**
   * By RFC 4733; for a remote party without it by SIP INFO when its Allow lists INFO, else as audible tones. Rejects with
   * InvalidDigits, before the answer and after the end.
   */
  sendDtmf(digits: string): Promise<void>;
  /**
   * Both channels of the recording are silent from now on, until `pauseRecording(false)`; it keeps its length. Resolves when that is in
   * effect, also for a leg without a recording. Rejects before the answer and after the end.
   */
  pauseRecording(isPaused: boolean): Promise<void>;
  /** For a running call at most about a second old. */
  stats(): RtpStats;
  /**
   * Asks the remote party to call `to` (a SIP URI) instead of us. When it agrees, `transfer` events report the progress.
   * Rejects with NotSupportedByEngine, and with UnsafeSipText when `to` is not an address. Not accepted before the answer and
   * after the end.
   */
  refer(to: string): Promise<{ accepted: boolean; status?: number }>;
  /** Headers of our BYE and REFER, asked for when one is sent. An engine that sends neither itself does not ask. */
  writeAtEnd(headers: () => Record<string, string>): void;
  /**
   * Bridges the audio of two legs until one of them ends or `release`. Conference: the agent of this leg goes on, and all three hear each
   * other.
   * @throws NoMediaYet; NotInOneThread when neither was dialled `near` the other
   */
  bridge(other: CallLeg, isConference?: boolean): Bridge;
  on<K extends keyof LegEvents>(event: K, listener: (...args: LegEvents[K]) => void): this;
  off<K extends keyof LegEvents>(event: K, listener: (...args: LegEvents[K]) => void): this;
}

/** Parameters of an accepted inbound call. */
export interface IncomingRequest {
  legId: string;
  /** Which of the invitation's `callers` the call belongs to. Absent: not known, all of them may send requests inside its dialog. */
  callerName?: string;
  recordTo?: string;
  /** As for an outbound call. */
  recordsAfterConsent?: boolean;
  /** In the order of preference; absent: those of the engine. */
  codecs?: Codec[];
  /** Absent: off. */
  srtp?: SrtpPolicy;
}

/** The registration of a trunk at its carrier (RFC 3261 §10). */
export interface RegisterRequest {
  /** With user name and password. */
  trunk: Trunk;
  /** Requested lifetime in seconds. */
  expiresSeconds: number;
  /** The user part of our Contact, to which the carrier sends calls. */
  contactUser: string;
  /** Takes the requests in place of the targets of the trunk. */
  outboundProxy?: Omit<TrunkTarget, 'priority'>;
  /** The Contact of a former process, which is removed. */
  replaces?: string;
}

/** Keeps a trunk registered. */
export interface TrunkRegistration {
  /** Registers now, without waiting for the next refresh. */
  refresh(): void;
  /** Removes the registration at the carrier; resolves after its response or a few seconds. */
  stop(): Promise<void>;
}

/** An inbound call that waits for an answer. Without `accept` or `refuse` it rings until the caller gives up. */
export interface Invitation {
  /** The caller names by admission; none without admission. */
  readonly callers: readonly string[];
  /** Candidates for the called number, as the carrier wrote it, the most likely first. */
  readonly dialled: readonly string[];
  /** Undefined for an anonymous caller. */
  readonly caller?: { user: string; host: string };
  /** The first header of that name in the INVITE, as the caller wrote it. */
  header(name: string): string | undefined;
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

/** The engine lacks this capability; check its `caps` first. */
export class NotSupportedByEngine extends Error {
  constructor(what: string) {
    super(`The carrier engine does not support ${what}.`);
    this.name = 'NotSupportedByEngine';
  }
}

/** The capabilities of an engine. */
export interface EngineCaps {
  dtmf: boolean;
  refer: boolean;
  bridge: boolean;
  /** Bridges two legs while the agent of one stays (`bridge` with `isConference`). */
  conference: boolean;
  srtp: boolean;
  inbound: boolean;
  /** Registers trunks at their carriers (`register`). */
  registration: boolean;
  recording: boolean;
  /** Reports every SIP message of a leg. */
  sipEvents: boolean;
  /** Runs tasks on the audio of a leg (`attach`), as agents need. */
  audioTasks: boolean;
}

/** Places and accepts calls: the embedded SIP and RTP stack, or an external engine. */
export interface CarrierEngine {
  readonly caps: EngineCaps;
  /** Probes every target of the trunk (OPTIONS); does not reject for unreachable targets. */
  health(trunk: Trunk): Promise<TrunkHealth>;
  /** Aborting `signal` cancels the call, or hangs up an answered one. */
  dial(request: DialRequest, signal?: AbortSignal): CallLeg;
  /** Keeps the trunk registered until `stop`; only with the capability `registration`. @throws when its settings cannot be sent */
  register?(request: RegisterRequest, onChange: (state: RegistrationState) => void): TrunkRegistration;
  /** Accepts inbound calls; without a handler they are refused. Only with the capability `inbound`. */
  onIncoming?(handler: (invitation: Invitation) => void): void;
  /** The call of a web page, as an inbound call. Absent: the engine has no audio of its own. */
  inviteFromPage?(line: WebLine): Invitation;
  /** Resolves when every leg has ended; those still there at `deadline` are hung up as `drained`. */
  drain(deadline: Date): Promise<void>;
  /** Hangs up the remaining legs; releases all resources when every recording is finished. */
  close(): Promise<void>;
}

/** The limit of setTimeout: 31 bits of milliseconds. */
const MAX_TIMER_MS = 2 ** 31 - 1;

interface RegisteredLeg extends Pick<CallLeg, 'hangup'> {
  once(event: 'ended', listener: (...args: LegEvents['ended']) => void): unknown;
}

/** The live legs of one engine, and their end when the engine drains. */
export class LegRegistry<Leg extends RegisteredLeg> {
  private readonly legs = new LiveSet<Leg>();
  private waiters: (() => void)[] = [];

  get size(): number {
    return this.legs.size;
  }

  add(leg: Leg): void {
    const remove = this.legs.add(leg);
    leg.once('ended', () => {
      remove();
      this.resolveWhenEmpty();
    });
  }

  hangUpAll(cause: HangupCause): void {
    for (const leg of this.legs.values()) leg.hangup(cause);
  }

  /** Resolves when every leg has ended; those that are left at `deadline` are hung up as `drained`. */
  async drain(deadline: Date): Promise<void> {
    const ms = Math.min(Math.max(0, deadline.getTime() - Date.now()), MAX_TIMER_MS);
    const timer = setTimeout(() => this.hangUpAll('drained'), ms);
    await this.empty();
    clearTimeout(timer);
  }

  /** Resolves when every leg has ended. */
  empty(): Promise<void> {
    if (this.legs.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.waiters.push(resolve));
  }

  private resolveWhenEmpty(): void {
    if (this.legs.size > 0) return;
    for (const resolve of this.waiters.splice(0)) resolve();
  }
}
