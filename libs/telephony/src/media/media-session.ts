import type { RemoteInfo, Socket } from 'node:dgram';
import { DrainWaiters } from './drain-waiters.js';
import { DtmfSender } from './dtmf-sender.js';
import { silenceByte, transcode } from './g711.js';
import { FRAME_BYTES, type Codec, type G711, type MediaPort, type RtpStats } from './media-port.js';
import { KeyPresses } from './key-presses.js';
import { pacer, type Paced } from './pacer.js';
import { PlayQueue } from './play-queue.js';
import { parseRtp } from './rtp-packet.js';
import type { PortRange } from './resting-ports.js';
import { bindRtpSocket } from './rtp-ports.js';
import { RtpReceiver } from './rtp-receiver.js';
import type { Address, RemoteMedia } from './remote-media.js';
import { RtpSender } from './rtp-sender.js';
import { WavRecorder, type RecordingOutcome } from './wav-recorder.js';

const DEFAULT_MEDIA_TIMEOUT_MS = 30_000;

/** After a new answer moved the far end's address, its old stream is on the way a little longer and must not be latched to. */
const OLD_STREAM_MS = 500;

const SILENCE: Record<G711, Buffer> = {
  PCMU: Buffer.alloc(FRAME_BYTES, silenceByte('PCMU')),
  PCMA: Buffer.alloc(FRAME_BYTES, silenceByte('PCMA')),
};

export interface MediaOptions {
  bindAddress: string;
  /** What the SDP says when it is not the bound address (NAT). */
  publicAddress?: string;
  ports: PortRange;
  /** Path of the stereo WAV; the folder exists. Without it nothing is recorded. */
  recordTo?: string;
  /** 30,000 when absent. */
  mediaTimeoutMs?: number;
}

export interface MediaSession extends MediaPort {
  /** For the SDP. */
  readonly localPort: number;
  readonly localAddress: string;
  /**
   * From now on a packet leaves every 20 ms, silence when nothing is queued. Called again for a new answer (re-INVITE, 183 then 200);
   * `codec` stays that of the first call, a new one on the wire is converted.
   */
  start(remote: RemoteMedia): void;
  /** Records from now on to this path, a stereo WAV; the folder exists. Only after start(), and once; `recordTo` does it from the start. */
  record(path: string): void;
  /** A key that came in the signalling (SIP INFO): told to the listeners of onDtmf, unless it also comes as RFC 4733 events. */
  receiveDigit(digit: string, durationMs: number): void;
  /** No packet from the far end for mediaTimeoutMs, or the socket failed. Once at most; not counted while on hold. */
  onTimeout(listener: () => void): void;
  stats(): RtpStats;
  /** Stops the pacing, closes the socket, finishes the recording. Every call returns the same result. */
  close(): Promise<RecordingOutcome>;
}

/** The session ended while something waited for it. */
export class MediaClosed extends Error {
  constructor() {
    super('The media session has been closed.');
  }
}

/** The far end did not offer telephone-event. */
export class DtmfNotNegotiated extends Error {
  constructor() {
    super('The far end takes no RFC 4733 digits.');
  }
}

/** Opens a UDP socket on a free even port of the range; nothing is sent before start(). Throws NoMediaPorts. */
export async function openMediaSession(options: MediaOptions): Promise<MediaSession> {
  return new RtpMediaSession(await bindRtpSocket(options.bindAddress, options.ports), options);
}

/** The law of the port for what is on the wire. */
const lawOf = (codec: Codec): G711 => (codec === 'G722' ? 'PCMU' : codec);

class RtpMediaSession implements MediaSession, Paced {
  readonly rate = 8000;
  readonly localPort: number;
  readonly localAddress: string;
  private readonly queue = new PlayQueue();
  private readonly draining = new DrainWaiters();
  private readonly dtmf = new DtmfSender();
  private readonly keys = new KeyPresses((digit, durationMs) => {
    for (const listener of this.digitListeners) listener(digit, durationMs);
  });
  private readonly sender: RtpSender;
  private readonly frameListeners = new Set<(frame: Buffer) => void>();
  private readonly digitListeners = new Set<(digit: string, durationMs: number) => void>();
  private readonly timeoutListeners: (() => void)[] = [];
  private portCodec: G711 = 'PCMU';
  private receiver: RtpReceiver | undefined;
  private recorder: WavRecorder | undefined;
  private remote: RemoteMedia | undefined;
  /** The first source that sent RTP we asked for: the only one heard, and where ours goes (symmetric RTP, RFC 4961). */
  private latched: Address | undefined;
  private left: (Address & { at: number }) | undefined;
  private heardAt = 0;
  private timedOut = false;
  private lateFrames = 0;
  private leavePacer: (() => void) | undefined;
  private closing: Promise<RecordingOutcome> | undefined;

  constructor(
    private readonly socket: Socket,
    private readonly options: MediaOptions,
  ) {
    this.localPort = socket.address().port;
    this.localAddress = options.publicAddress ?? options.bindAddress;
    this.sender = new RtpSender(socket);
    socket.on('message', (datagram, from) => this.onDatagram(datagram, from));
    // A socket that fails receives no more: for the call that is a silent far end.
    socket.on('error', () => this.reportTimeout());
  }

  get codec(): G711 {
    return this.portCodec;
  }

  start(remote: RemoteMedia): void {
    if (this.closing) return;
    if (this.remote && (this.remote.address !== remote.address || this.remote.port !== remote.port)) this.unlatch();
    if (!this.remote?.sendAudio) this.sender.paused();
    this.remote = remote;
    this.heardAt = performance.now();
    if (this.leavePacer) this.receiver?.setFormat(this.receiverFormat(remote));
    else this.startStreams(remote);
  }

  private startStreams(remote: RemoteMedia): void {
    this.portCodec = lawOf(remote.codec);
    this.receiver = new RtpReceiver(this.receiverFormat(remote), {
      frame: (frame) => this.hear(frame),
      digit: (digit, durationMs) => this.keys.press('rtp', digit, durationMs, performance.now()),
    });
    if (this.options.recordTo) this.record(this.options.recordTo);
    this.leavePacer = pacer.join(this);
  }

  record(path: string): void {
    if (!this.closing) this.recorder ??= new WavRecorder(path, this.portCodec);
  }

  private receiverFormat(remote: RemoteMedia) {
    const payloadTypes = { codec: lawOf(remote.codec), audio: remote.payloadType, dtmf: remote.dtmfPayloadType };
    return { codec: this.portCodec, payloadTypes, silence: SILENCE[this.portCodec] };
  }

  onFrame(listener: (frame: Buffer) => void): () => void {
    this.frameListeners.add(listener);
    return () => this.frameListeners.delete(listener);
  }

  onDtmf(listener: (digit: string, durationMs: number) => void): () => void {
    this.digitListeners.add(listener);
    return () => this.digitListeners.delete(listener);
  }

  receiveDigit(digit: string, durationMs: number): void {
    if (!this.closing) this.keys.press('signalling', digit, durationMs, performance.now());
  }

  onTimeout(listener: () => void): void {
    this.timeoutListeners.push(listener);
  }

  write(audio: Buffer, mark?: (played: boolean) => void): void {
    if (this.closing) mark?.(false);
    else this.queue.write(audio, mark);
  }

  flush(): { playedMs: number; droppedMs: number } {
    return this.queue.flush();
  }

  get queuedMs(): number {
    return this.queue.queuedMs;
  }

  async drained(settleMs: number): Promise<void> {
    if (this.closing) throw new MediaClosed();
    if (settleMs > 0 || !this.queue.isEmpty) await this.draining.wait(settleMs);
  }

  async sendDtmf(digits: string): Promise<void> {
    if (this.closing) throw new MediaClosed();
    if (this.remote?.dtmfPayloadType === undefined) throw new DtmfNotNegotiated();
    await this.dtmf.send(digits);
  }

  stats(): RtpStats {
    const received = this.receiver?.stats() ?? { received: 0, lost: 0, reordered: 0, duplicates: 0, jitterMs: 0 };
    const { received: arrived, lost } = received;
    return {
      sent: this.sender.sent,
      ...received,
      lateFrames: this.lateFrames,
      lossRate: lost === 0 ? 0 : lost / (arrived + lost),
      ...(this.remote && { codec: this.remote.codec }),
      srtp: this.remote?.srtp !== undefined,
    };
  }

  close(): Promise<RecordingOutcome> {
    this.closing ??= this.shutDown();
    return this.closing;
  }

  private async shutDown(): Promise<RecordingOutcome> {
    this.leavePacer?.();
    const closed = new Promise<void>((resolve) => this.socket.close(resolve));
    this.draining.fail(() => new MediaClosed());
    this.dtmf.fail(() => new MediaClosed());
    this.queue.flush();
    await closed;
    return (await this.recorder?.finish()) ?? {};
  }

  /** Paced: 20 ms have passed. */
  tick(): void {
    const now = performance.now();
    this.receiver?.tick(now);
    if (!this.closing) this.sendFrame(this.remote as RemoteMedia);
    this.checkTimeout(now);
  }

  /** Paced: the process stood still. The audio waits, the clock does not. */
  skipped(frames: number): void {
    this.lateFrames += frames;
    this.sender.advance(frames);
    for (let i = 0; i < frames; i++) this.recorder?.tick();
  }

  private sendFrame(remote: RemoteMedia): void {
    this.sender.advance(1);
    if (!remote.sendAudio) {
      this.sender.paused();
      this.recorder?.tick();
      return;
    }
    if (!this.sendDigit(remote)) this.sendAudio(remote);
  }

  private sendDigit(remote: RemoteMedia): boolean {
    const event = remote.dtmfPayloadType === undefined ? undefined : this.dtmf.next();
    if (!event) return false;
    this.sender.sendEvent(this.latched ?? remote, remote.dtmfPayloadType as number, event);
    this.recorder?.tick();
    return true;
  }

  private sendAudio(remote: RemoteMedia): void {
    const { payload } = this.sender.frame;
    const taken = this.queue.take(payload, 0, FRAME_BYTES);
    payload.fill(silenceByte(this.portCodec), taken);
    this.recorder?.tick(payload);
    if (remote.codec !== this.portCodec) transcode(payload, this.portCodec, lawOf(remote.codec)).copy(payload);
    this.sender.sendAudio(this.latched ?? remote, remote.payloadType);
    this.queue.marksReached();
    if (taken > 0) this.draining.audioSent(this.queue.isEmpty);
    else this.draining.silenceSent();
  }

  private onDatagram(datagram: Buffer, from: RemoteInfo): void {
    const packet = this.receiver && !this.closing ? parseRtp(datagram) : undefined;
    if (!packet || !this.receiver) return;
    const now = performance.now();
    if (!this.latched && this.receiver.expects(packet) && !this.isOldStream(from, now)) {
      this.latched = { address: from.address, port: from.port };
    }
    if (from.port !== this.latched?.port || from.address !== this.latched.address) return;
    this.heardAt = now;
    this.receiver.receive(packet, now);
  }

  private unlatch(): void {
    if (this.latched) this.left = { ...this.latched, at: performance.now() };
    this.latched = undefined;
  }

  private isOldStream(from: Address, now: number): boolean {
    if (!this.left || now - this.left.at > OLD_STREAM_MS) return false;
    return from.port === this.left.port && from.address === this.left.address;
  }

  private hear(frame: Buffer): void {
    this.recorder?.heard(frame, this.portCodec);
    for (const listener of this.frameListeners) listener(frame);
  }

  private checkTimeout(now: number): void {
    if (!this.remote?.sendAudio) this.heardAt = now;
    if (now - this.heardAt >= (this.options.mediaTimeoutMs ?? DEFAULT_MEDIA_TIMEOUT_MS)) this.reportTimeout();
  }

  private reportTimeout(): void {
    if (this.timedOut || this.closing) return;
    this.timedOut = true;
    for (const listener of this.timeoutListeners) listener();
  }
}
