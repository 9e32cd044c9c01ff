import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import {
  type CallLeg,
  type DialRequest,
  type LegEnd,
  type LegEvents,
  NoMediaYet,
  NotSupportedByEngine,
} from '../engine/carrier-engine.js';
import { type HangupCause, outcomeOf, outcomeOfHangup } from '../engine/hangup-cause.js';
import { UndialableDestination } from '../engine/sip-destination.js';
import { bridgeAudio, recordingOf, registerBridge } from '../media-host/local-media-host.js';
import { type AudioTask, runLocalTask, type TaskKinds, UnknownAudioTask } from '../media-host/audio-task.js';
import type { Bridge } from '../media-host/media-host.js';
import type { Codec } from '../media/session/media-port.js';
import { emptyStats, type RtpStats } from '../media/rtp/rtp-stats.js';
import { RefusedTarget, UnresolvedHost } from '../sip/locating/locate.js';
import { headerValue, UnsafeSipText } from '../sip/messages/headers.js';
import { parseSipUri } from '../sip/messages/sip-address.js';
import type { SipLog } from '../sip/user-agent/sip-log.js';
import { type CallRoom, type JoinRoom, RoomAudio, type RoomListener } from './room-audio.js';
import { type DialPlan, dialPlans, hostsOf } from './dial-plan.js';
import {
  apiReason,
  callFailure,
  type CallFailure,
  isRefusal,
  leftAfterAnswer,
  leftBeforeAnswer,
  type LiveKitApi,
  mayTryNextTarget,
  sipStatusOf,
} from './livekit-api.js';

/** Dependencies of a leg. */
interface LiveKitLegContext {
  api: LiveKitApi;
  roomUrl: string;
  join: JoinRoom;
  tasks: TaskKinds;
  codecs: Codec[];
  maxCallSeconds: number;
  checkHosts: (hosts: string[]) => Promise<void>;
  log: SipLog;
  /** Work that continues after the end of the leg: the deletion of a room. */
  follow(work: Promise<void>): void;
}

type TransferAnswer = Awaited<ReturnType<CallLeg['refer']>>;

/** LiveKit's ring timer expires after ours, in case the dialer dies. */
const RING_MARGIN_SECONDS = 2;
/** The phone has left the room: the API response with the reason follows. */
const REASON_MS = 5_000;

/** One call that LiveKit places: a separate room with the phone and the dialer. */
export class LiveKitLeg extends EventEmitter<LegEvents> implements CallLeg {
  readonly direction = 'outbound';
  readonly id: string;
  private readonly roomName: string;
  private readonly over = new AbortController();
  private readonly bridges = new Set<Bridge>();
  private room?: CallRoom;
  private audio?: RoomAudio;
  private participant = '';
  private rang = false;
  private answered = false;
  private transferring?: Promise<TransferAnswer>;
  private finished = false;
  private hangupCause?: HangupCause;
  private deletion?: Promise<void>;
  private resolveEnd!: (problem: CallFailure) => void;
  /** Resolves when the call ends without an API response: hang-up, ring timeout, or a participant leaving the room. */
  private readonly ending = new Promise<CallFailure>((resolve) => (this.resolveEnd = resolve));

  constructor(
    private readonly request: DialRequest,
    private readonly context: LiveKitLegContext,
    signal?: AbortSignal,
  ) {
    super();
    this.id = request.legId;
    this.roomName = `trunkline-${request.legId}-${randomUUID().slice(0, 8)}`;
    const abort = (): void => this.hangup('cancelled');
    if (signal?.aborted) this.hangup('cancelled');
    signal?.addEventListener('abort', abort, { once: true });
    this.once('ended', () => signal?.removeEventListener('abort', abort));
  }

  attach(kind: string, init: unknown): AudioTask {
    const { audio } = this;
    if (!audio || !(this.rang || this.answered)) throw new NoMediaYet();
    const run = Object.hasOwn(this.context.tasks, kind) ? this.context.tasks[kind] : undefined;
    if (!run) throw new UnknownAudioTask(kind);
    const task = runLocalTask(run, audio, init, this.over.signal);
    this.context.follow(this.logFailure(task));
    return task;
  }

  bridge(other: CallLeg, isConference = false): Bridge {
    if (isConference) throw new NotSupportedByEngine('conferences');
    if (!(other instanceof LiveKitLeg)) throw new NotSupportedByEngine('bridging with a leg of another engine');
    return registerBridge(bridgeAudio(this.flowingAudio(), other.flowingAudio()), [this.bridges, other.bridges]);
  }

  hangup(cause: HangupCause): void {
    if (this.hangupCause !== undefined || this.finished) return;
    this.hangupCause = cause;
    this.resolveEnd({ outcome: outcomeOfHangup(cause, this.answered), sip: {} });
  }

  /** LiveKit sends BYE and REFER without headers of ours. */
  writeAtEnd(): void {}

  async sendDtmf(digits: string): Promise<void> {
    await this.flowingAudio().sendDtmf(digits);
  }

  async pauseRecording(isPaused: boolean): Promise<void> {
    this.flowingAudio().pauseRecording(isPaused);
  }

  stats(): RtpStats {
    return this.audio?.stats() ?? emptyStats();
  }

  /** LiveKit responds when the remote party has reached `to`, so there is no progress in between. */
  async refer(to: string): Promise<TransferAnswer> {
    if (!parseSipUri(headerValue('Refer-To', to))) throw new UnsafeSipText('Refer-To');
    if (!this.answered || this.finished) return { accepted: false };
    this.transferring = this.transfer(to);
    const answer = await this.transferring;
    if (!answer.accepted) this.transferring = undefined;
    return answer;
  }

  private async transfer(to: string): Promise<TransferAnswer> {
    try {
      await this.context.api.transfer(this.roomName, this.participant, to);
    } catch (error) {
      const status = sipStatusOf(error);
      return { accepted: false, ...(status === undefined ? {} : { status }) };
    }
    this.emit('transfer', { status: 200, final: true });
    return { accepted: true };
  }

  /** Opens the room and places the call. Never rejects. */
  async start(): Promise<void> {
    const problem = await this.callOut();
    await this.finish(problem ?? (await this.ending));
  }

  /** From the check of the destination to the answer; undefined when the call is answered. */
  private async callOut(): Promise<CallFailure | undefined> {
    let plans: DialPlan[];
    try {
      plans = dialPlans(this.request, this.context.codecs);
      if (this.hangupCause === undefined) await this.context.checkHosts(hostsOf(this.request));
      if (this.hangupCause !== undefined) return await this.ending;
      await this.openRoom();
    } catch (error) {
      return this.failureBeforeDial(error);
    }
    // Hung up meanwhile: no phone may ring.
    if (this.hangupCause !== undefined) return this.ending;
    const problem = await this.ring(plans);
    if (!problem) this.connect();
    return problem;
  }

  /** The outcome before the dial request to LiveKit. */
  private failureBeforeDial(error: unknown): CallFailure {
    const { log } = this.context;
    const failed = (cause: HangupCause): CallFailure => ({
      outcome: { status: 'failed', cause, endedBy: 'system' },
      sip: {},
    });
    if (error instanceof UndialableDestination || error instanceof UnsafeSipText)
      return failed('invalid_number_format');
    if (error instanceof RefusedTarget) return { outcome: outcomeOf({ kind: 'blocked' }), sip: {} };
    if (error instanceof UnresolvedHost) return { outcome: outcomeOf({ kind: 'unreachable' }), sip: {} };
    if (error instanceof NotSupportedByEngine) {
      log.warn('LiveKit does not support an option of the trunk', { leg_id: this.id, error: error.message });
      return failed('service_unavailable');
    }
    log.warn('LiveKit room of a call leg could not be opened', { leg_id: this.id, error: apiReason(error) });
    return this.deletion === undefined ? callFailure(error, false) : failed('media_unavailable');
  }

  private async openRoom(): Promise<void> {
    const { api, join, roomUrl } = this.context;
    try {
      await api.createRoom(this.roomName);
    } catch (error) {
      // The room may exist when only the response was lost.
      if (!isRefusal(error)) this.context.follow(api.deleteRoom(this.roomName));
      throw error;
    }
    try {
      const token = await api.agentToken(this.roomName);
      this.room = await join({ url: roomUrl, token }, this.listener());
    } catch (error) {
      void this.deleteRoom();
      throw error;
    }
    this.audio = new RoomAudio(this.room);
  }

  private listener(): RoomListener {
    return {
      onAudio: (samples) => this.audio?.receive(samples),
      onDigit: (digit) => this.receiveDigit(digit),
      onCallStatus: (identity, status) => this.callStatus(identity, status),
      onLeft: (identity, reason) => this.participantLeft(identity, reason),
      onLost: () => this.roomLost(),
    };
  }

  /** Tries the targets in order, until one answers or fails in another way than by refusing calls. */
  private async ring(plans: DialPlan[]): Promise<CallFailure | undefined> {
    const timer = setTimeout(
      () => this.resolveEnd({ outcome: outcomeOf({ kind: 'no-answer' }), sip: {} }),
      this.request.ringTimeoutMs,
    );
    let problem: CallFailure | undefined;
    for (const [at, plan] of plans.entries()) {
      if (at === 0) this.emit('trying');
      problem = await Promise.race([this.ending, this.attempt(plan, at)]);
      if (!problem || !mayTryNextTarget(problem)) break;
    }
    clearTimeout(timer);
    return problem;
  }

  private async attempt(plan: DialPlan, at: number): Promise<CallFailure | undefined> {
    const { api, maxCallSeconds } = this.context;
    this.participant = `callee-${at + 1}`;
    const ringSeconds = Math.ceil(this.request.ringTimeoutMs / 1_000) + RING_MARGIN_SECONDS;
    try {
      await api.dial({ room: this.roomName, identity: this.participant, plan, ringSeconds, maxCallSeconds });
      return undefined;
    } catch (error) {
      return callFailure(error, this.rang);
    }
  }

  private connect(): void {
    this.answered = true;
    this.audio!.start();
    if (this.request.recordsAfterConsent) this.audio!.pauseRecording(true, 'consent');
    if (this.request.recordTo !== undefined) this.audio!.record(this.request.recordTo);
    this.emit('answered');
  }

  private receiveDigit(digit: string): void {
    if (!this.answered || this.finished) return;
    // LiveKit does not report the duration.
    this.audio!.receiveDigit(digit, 0);
    this.emit('dtmf', digit, 0);
  }

  private callStatus(identity: string, status: string): void {
    if (status !== 'ringing' || identity !== this.participant || this.rang || this.finished) return;
    this.rang = true;
    this.emit('ringing');
    // The room is open: an agent connects to its provider while the phone rings.
    this.emit('open');
  }

  private participantLeft(identity: string, reason: number | undefined): void {
    if (identity !== this.participant) return;
    if (this.answered) return this.endAfterTransfer(reason);
    const attempt = this.participant;
    setTimeout(() => {
      if (!this.answered && this.participant === attempt) this.resolveEnd(leftBeforeAnswer(reason));
    }, REASON_MS).unref();
  }

  /** The remote party of a transfer often hangs up before LiveKit has reported the result. */
  private endAfterTransfer(reason: number | undefined): void {
    const end = (): void => this.resolveEnd(leftAfterAnswer(reason));
    if (!this.transferring) return end();
    setTimeout(end, REASON_MS).unref();
    void this.transferring.then(({ accepted }) => (accepted ? this.hangup('transferred') : end()));
  }

  private roomLost(): void {
    if (this.finished) return;
    this.context.log.warn('a call leg lost its LiveKit room', { leg_id: this.id });
    this.hangup('media_unavailable');
  }

  /** The only exit: ends the call at LiveKit, closes the audio, then emits `ended`. */
  private async finish({ outcome, sip }: CallFailure): Promise<void> {
    if (this.finished) return;
    this.finished = true;
    const deleted = this.room ? this.deleteRoom() : undefined;
    // A call that we hang up is over when LiveKit confirms it.
    if (this.hangupCause !== undefined) await deleted;
    this.emit('ended', { ...outcome, ...sip, ...(await this.closeAudio()) });
  }

  private async closeAudio(): Promise<Pick<LegEnd, 'stats' | 'recording' | 'recordingError'>> {
    for (const bridge of this.bridges) bridge.release();
    const recording = recordingOf((await this.audio?.close()) ?? {});
    this.over.abort();
    await this.room?.leave();
    return { ...recording, stats: this.stats() };
  }

  /** Deleting the room ends everything in it, the phone call included. */
  private deleteRoom(): Promise<void> {
    this.deletion ??= this.context.api.deleteRoom(this.roomName);
    this.context.follow(this.deletion);
    return this.deletion;
  }

  private flowingAudio(): RoomAudio {
    if (!this.audio || !this.answered) throw new NoMediaYet();
    return this.audio;
  }

  private async logFailure(task: AudioTask): Promise<void> {
    try {
      await task.done;
    } catch (error) {
      this.context.log.warn('audio task failed', { leg_id: this.id, error: String(error) });
    }
  }
}
