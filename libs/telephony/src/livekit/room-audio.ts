import { emptyStats, type RtpStats } from '../media/rtp/rtp-stats.js';
import { eventsOfDigits } from '../media/signals/dtmf.js';
import { FrameTimeline } from '../media/session/frame-timeline.js';
import { decode, encode, silenceByte, Volume } from '../media/codecs/g711.js';
import {
  FRAME_BYTES,
  FRAME_MS,
  type LineCodec,
  type MediaPort,
  type RecordingPause,
} from '../media/session/media-port.js';
import { MediaClosed } from '../media/session/media-session.js';
import { type Paced, pacer, type Pacer } from '../media/session/pacer.js';
import { narrowing, PlayoutQueue, PlayoutWaiters } from '../media/session/playout-queue.js';
import { type RecordingOutcome, RecordingPauses, WavRecorder } from '../media/session/wav-recorder.js';

/** Events of the room of a call. `identity` names the participant of a phone. */
export interface RoomListener {
  /** 16-bit samples of the remote party, mono, 8 kHz, in any number. */
  onAudio(samples: Int16Array): void;
  /** A key of the remote party. */
  onDigit(digit: string): void;
  /** `sip.callStatus`: dialing, ringing, automation, active, hangup. */
  onCallStatus(identity: string, status: string): void;
  /** `reason`: LiveKit's DisconnectReason by number, when the room knows it. */
  onLeft(identity: string, reason: number | undefined): void;
  /** Our connection to the room is lost permanently. */
  onLost(): void;
}

/** The room of one call, seen by a participant. */
export interface CallRoom {
  /** Queues 16-bit samples, mono, 8 kHz. The array is not copied: do not modify it afterwards. */
  send(samples: Int16Array): void;
  /** Queued audio that has not been sent. */
  readonly queuedMs: number;
  clearQueue(): void;
  /** `code`: the event of RFC 4733. */
  sendDigit(code: number, digit: string): Promise<void>;
  /** Never rejects. */
  leave(): Promise<void>;
}

interface RoomAccess {
  /** `wss://…` or `ws://…` */
  url: string;
  token: string;
}

/** Joins a room and publishes an audio track in it. Rejects when that takes longer than some seconds. */
export type JoinRoom = (access: RoomAccess, listener: RoomListener) => Promise<CallRoom>;

/** Audio that the room has in advance: the tolerance between our ticks and its clock before it runs dry. */
const CUSHION_MS = 40;
/** A room with this much unsent audio gets no more: late audio is worse than none. */
const MAX_AHEAD_MS = 120;
/** A longer silence of the room, plus a frame, is a pause. */
const PAUSE_MS = 40;
/** Like RFC 4733 digits: a tone of 100 ms, a gap of 300 ms. */
const TICKS_PER_DIGIT = 400 / FRAME_MS;

const SILENT_SAMPLES = FRAME_BYTES;

interface DigitsToSend {
  digits: { code: number; digit: string }[];
  resolve: () => void;
  reject: (reason: Error) => void;
}

/** The audio of a room as a MediaPort: G.711 frames on our side, 16-bit samples on the room's. */
export class RoomAudio implements MediaPort, Paced {
  readonly codec = 'PCMU';
  readonly rate = 8000;
  readonly wideband = false;
  private readonly queue = new PlayoutQueue();
  private readonly volume = new Volume();
  private readonly playoutWaiters = new PlayoutWaiters();
  private readonly frameListeners = new Set<(frame: Buffer) => void>();
  private readonly digitListeners = new Set<(digit: string, durationMs: number) => void>();
  private readonly timeline = new FrameTimeline(this.codec, {
    frame: (frame) => this.passFrame(frame),
    placed: (at, audio, placing, nowMs) => this.recorder?.heard(at, audio, placing, nowMs),
  });
  private readonly frame = Buffer.alloc(FRAME_BYTES);
  /** Milliseconds of audio in each of the frames that the room may still have. */
  private inFlight: number[] = [];
  private pendingDigits: DigitsToSend[] = [];
  private ticksToNextDigit = 0;
  private receivedSamples = 0;
  private sent = 0;
  private received = 0;
  private lateFrames = 0;
  private recorder: WavRecorder | undefined;
  private readonly pauses = new RecordingPauses();
  private leavePacer: (() => void) | undefined;
  private closing: Promise<RecordingOutcome> | undefined;

  constructor(
    private readonly room: CallRoom,
    private readonly clock: Pick<Pacer, 'join'> = pacer,
  ) {
    this.queue.setFormat(false, narrowing(this.codec));
  }

  /** Sends a frame to the room every 20 ms, silence when the queue is empty. */
  start(): void {
    this.leavePacer ??= this.clock.join(this);
  }

  /** Records from now on. */
  record(path: string): void {
    this.recorder ??= this.pauses.begin(new WavRecorder(path, this.codec));
  }

  pauseRecording(isPaused: boolean, by?: RecordingPause): void {
    this.pauses.set(isPaused, by);
  }

  /** Audio of the remote party. */
  receive(samples: Int16Array): void {
    if (this.closing || !this.leavePacer) return;
    this.timeline.audio(this.receivedSamples, encode(this.codec, samples), performance.now());
    this.receivedSamples = (this.receivedSamples + samples.length) >>> 0;
  }

  receiveDigit(digit: string, durationMs: number): void {
    for (const listener of this.digitListeners) listener(digit, durationMs);
  }

  onFrame(listener: (frame: Buffer) => void): () => void {
    this.frameListeners.add(listener);
    return () => this.frameListeners.delete(listener);
  }

  onDtmf(listener: (digit: string, durationMs: number) => void): () => void {
    this.digitListeners.add(listener);
    return () => this.digitListeners.delete(listener);
  }

  write(audio: Buffer, mark?: (played: boolean) => void, codec?: LineCodec): void {
    if (this.closing) mark?.(false);
    else this.queue.write(audio, mark, codec);
  }

  pausePlayout(isPaused: boolean): void {
    this.queue.pause(isPaused);
    if (!isPaused) this.volume.rise();
  }

  /** Also drops the audio that the room has not sent yet. */
  flush(): { playedMs: number; droppedMs: number } {
    const frames = Math.ceil(this.room.queuedMs / FRAME_MS);
    const recalledMs = frames === 0 ? 0 : sum(this.inFlight.slice(-frames));
    this.room.clearQueue();
    this.inFlight = [];
    const { playedMs, droppedMs } = this.queue.flush();
    return { playedMs: Math.max(0, playedMs - recalledMs), droppedMs: droppedMs + recalledMs };
  }

  get queuedMs(): number {
    return this.queue.queuedMs;
  }

  attenuate(db: number): void {
    this.volume.attenuate(db);
  }

  /** Also waits for the room's queue, which holds the last audio when ours is empty. */
  async drained(settleMs: number): Promise<void> {
    if (this.closing) throw new MediaClosed();
    if (settleMs > 0 || !this.queue.isEmpty || sum(this.inFlight) > 0)
      await this.playoutWaiters.wait(settleMs + CUSHION_MS);
  }

  async sendDtmf(digits: string): Promise<void> {
    if (this.closing) throw new MediaClosed();
    const codes = eventsOfDigits(digits);
    if (codes.length === 0) return;
    const one = codes.map((code, at) => ({ code, digit: digits.charAt(at).toUpperCase() }));
    await new Promise<void>((resolve, reject) => this.pendingDigits.push({ digits: one, resolve, reject }));
  }

  /** Covers only the path between dialer and room, not the network of the phone. */
  stats(): RtpStats {
    return { ...emptyStats(), sent: this.sent, received: this.received, lateFrames: this.lateFrames };
  }

  /** Finishes the recording. Every call has the same result. */
  close(): Promise<RecordingOutcome> {
    this.closing ??= this.shutDown();
    return this.closing;
  }

  private async shutDown(): Promise<RecordingOutcome> {
    this.leavePacer?.();
    this.playoutWaiters.fail(() => new MediaClosed());
    for (const { reject } of this.pendingDigits.splice(0)) reject(new MediaClosed());
    this.queue.flush();
    this.frameListeners.clear();
    this.timeline.flush();
    return (await this.recorder?.finish()) ?? {};
  }

  /** Paced: 20 ms have passed. */
  tick(): void {
    this.timeline.tick(performance.now(), PAUSE_MS);
    this.sendNextDigit();
    this.sendFrame();
  }

  /** Paced: the process stalled. */
  skipped(frames: number): void {
    this.lateFrames += frames;
    for (let i = 0; i < frames; i++) this.recorder?.tick();
  }

  private sendFrame(): void {
    const aheadMs = this.room.queuedMs;
    if (aheadMs > MAX_AHEAD_MS) {
      this.lateFrames++;
      this.recorder?.tick();
      return;
    }
    // The room ran dry or has just started: silence now is better than a gap at every late tick.
    if (aheadMs === 0) this.pass(new Int16Array((SILENT_SAMPLES * CUSHION_MS) / FRAME_MS), 0);
    const taken = this.queue.take(this.frame, 0, FRAME_BYTES);
    this.volume.apply(this.codec, this.frame, taken);
    this.frame.fill(silenceByte(this.codec), taken);
    this.recorder?.tick(this.frame);
    this.pass(decode(this.codec, this.frame), (taken / FRAME_BYTES) * FRAME_MS);
    this.queue.marksReached();
    if (taken > 0) this.playoutWaiters.audioSent(this.queue.isEmpty);
    else if (this.queue.isEmpty) this.playoutWaiters.silenceSent();
  }

  private pass(samples: Int16Array, audioMs: number): void {
    this.room.send(samples);
    this.sent++;
    this.inFlight.push(audioMs);
    if (this.inFlight.length > MAX_AHEAD_MS / FRAME_MS) this.inFlight.shift();
  }

  private sendNextDigit(): void {
    if (this.ticksToNextDigit > 0) {
      this.ticksToNextDigit--;
      return;
    }
    const [request] = this.pendingDigits;
    const next = request?.digits.shift();
    if (!request || !next) return;
    this.ticksToNextDigit = TICKS_PER_DIGIT;
    const last = request.digits.length === 0;
    if (last) this.pendingDigits.shift();
    this.room.sendDigit(next.code, next.digit).then(
      () => last && request.resolve(),
      (error: Error) => this.failDigits(request, error),
    );
  }

  private failDigits(request: DigitsToSend, error: Error): void {
    this.pendingDigits = this.pendingDigits.filter((one) => one !== request);
    request.reject(error);
  }

  private passFrame(frame: Buffer): void {
    this.received++;
    for (const listener of this.frameListeners) listener(frame);
  }
}

const sum = (numbers: number[]): number => numbers.reduce((total, one) => total + one, 0);
