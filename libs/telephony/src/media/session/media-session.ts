import { DtmfDeduplicator, DtmfSender } from '../signals/dtmf.js';
import { AddedVoice } from './added-voice.js';
import type { ConferenceMixer } from './conference-mixer.js';
import { decode, encode, silentFrame } from '../codecs/g711.js';
import { MediaLink } from './media-link.js';
import type { MediaOptions, MediaSession } from './media-session.types.js';
import {
  type DtmfTransport,
  FRAME_BYTES,
  FRAME_MS,
  frameBytesOf,
  type G711,
  isWideband,
  type LineCodec,
  type RecordingPause,
  type RemoteMedia,
  type WireCodec,
} from './media-port.js';
import { OutgoingAudio, PlayoutWaiters } from './playout-queue.js';
import { type Paced, pacer } from './pacer.js';
import { RemotePlayout } from './remote-playout.js';
import { RtcpReporter } from '../rtp/rtcp.js';
import type { RtpPacket } from '../rtp/rtp-packet.js';
import { bindRtcpSocket, bindRtpSocket, type RtpSocket } from '../rtp/rtp-port-pool.js';
import { RtpReceiver } from '../rtp/rtp-receiver.js';
import { RtpSender } from '../rtp/rtp-sender.js';
import { emptyStats, estimateMos, remoteLossRate, type RtpStats } from '../rtp/rtp-stats.js';
import { SpeechFilter } from '../signals/tone-detector.js';
import { dtmfTones } from '../signals/tones.js';
import { StereoTap, type TappedFrame } from './stereo-tap.js';
import { type RecordingOutcome, RecordingPauses, WavRecorder } from './wav-recorder.js';

const DEFAULT_MEDIA_TIMEOUT_MS = 30_000;
const DEFAULT_SILENCE_LIMIT_MS = 300_000;
/** The same timing as the RFC 4733 digits of DtmfSender. */
const [TONE_MS, TONE_GAP_MS] = [100, 300];

/** The session was closed during a wait. */
export class MediaClosed extends Error {
  constructor() {
    super('The media session has been closed.');
    this.name = 'MediaClosed';
  }
}

/** Opens a UDP socket on a free even port of the range; sending begins with start(). Throws NoMediaPorts. */
export async function openMediaSession(options: MediaOptions): Promise<MediaSession> {
  return new RtpMediaSession(await bindRtpSocket(options.bindAddress, options.ports), options);
}

/** The companding law of the port for a codec on the wire. */
const lawOf = (codec: WireCodec): G711 => (codec === 'PCMA' ? codec : 'PCMU');

class RtpMediaSession implements MediaSession, Paced {
  readonly rate = 8000;
  readonly localPort: number;
  readonly localAddress: string;
  private readonly outgoing = new OutgoingAudio();
  private readonly playoutWaiters = new PlayoutWaiters();
  private readonly dtmf = new DtmfSender();
  private readonly digits = new DtmfDeduplicator((digit, durationMs, way) => {
    for (const listener of this.digitListeners) listener(digit, durationMs, way);
  });
  private speechFilter: SpeechFilter | undefined;
  private readonly link: MediaLink;
  private readonly sender: RtpSender;
  private readonly reporter: RtcpReporter;
  private readonly frameListeners = new Set<(frame: Buffer, wide?: Buffer) => void>();
  private readonly audioListeners = new Set<(frame: Buffer, wide?: Buffer) => void>();
  private readonly payloadListeners = new Set<(payload: Buffer, codec: WireCodec) => void>();
  private readonly digitListeners = new Set<(digit: string, durationMs: number, way?: DtmfTransport) => void>();
  private readonly timeoutListeners: ((final: boolean) => void)[] = [];
  private conference: ConferenceMixer | undefined;
  private portCodec: G711 = 'PCMU';
  private receiver: RtpReceiver | undefined;
  private recorder: WavRecorder | undefined;
  /** Of a remote party that reports it. */
  private remotePlayout: RemotePlayout | undefined;
  private readonly taps = new Set<StereoTap>();
  private readonly pauses = new RecordingPauses();
  private remote: RemoteMedia | undefined;
  private heardAt = 0;
  /** Milliseconds of silence until the next report. */
  private reportAfter = 0;
  private timedOut = false;
  private lateFrames = 0;
  private leavePacer: (() => void) | undefined;
  private closing: Promise<RecordingOutcome> | undefined;

  constructor(
    { socket, port }: RtpSocket,
    private readonly options: MediaOptions,
  ) {
    this.localPort = port;
    this.localAddress = options.publicAddress ?? options.bindAddress;
    this.reporter = new RtcpReporter(options.rtcpIntervalMs);
    this.link = new MediaLink(socket, () => bindRtcpSocket(options.bindAddress, options.ports, this.localPort), {
      expects: (packet) => this.receiver?.expects(packet) === true,
      onRtp: (packet, now) => this.receive(packet, now),
      onRtcp: (compound, now) => this.receiveRtcp(compound, now),
      onFailure: () => this.reportTimeout(true),
    });
    this.sender = new RtpSender((packet, length, outcome) => this.link.send(packet, length, outcome));
  }

  get codec(): G711 {
    return this.portCodec;
  }

  get wireCodec(): WireCodec | undefined {
    return this.remote?.codec;
  }

  get wideband(): boolean {
    return isWideband(this.remote?.codec);
  }

  start(remote: RemoteMedia): void {
    if (this.closing) return;
    const now = performance.now();
    this.link.describe(remote, now);
    if (!this.remote?.sendAudio) this.sender.paused();
    this.remote = remote;
    this.remoteIsAlive(now);
    this.timedOut = false;
    if (this.leavePacer) this.receiver?.setFormat(this.receiverFormat(remote));
    else this.startStreams(remote, now);
    this.outgoing.setFormat(this.portCodec, remote.codec);
    this.sender.setFrameBytes(frameBytesOf(remote.codec));
  }

  private startStreams(remote: RemoteMedia, now: number): void {
    this.portCodec = lawOf(remote.codec);
    this.speechFilter = new SpeechFilter(this.portCodec, (digit, durationMs) =>
      this.digits.press('audible', digit, durationMs, performance.now()),
    );
    this.receiver = new RtpReceiver(this.receiverFormat(remote), {
      frame: (frame, wide) => this.passFrame(frame, wide),
      placed: (at, audio, placing, nowMs) => this.recorder?.heard(at, audio, placing, nowMs),
      restarted: () => this.recorder?.restarted(),
      payload: (payload, codec) => {
        for (const listener of this.payloadListeners) listener(payload, codec);
      },
      digit: (digit, durationMs) => this.digits.press('rtp', digit, durationMs, performance.now()),
    });
    if (this.options.recordTo) this.record(this.options.recordTo);
    if (remote.reportsPlayout) this.remotePlayout = new RemotePlayout();
    this.reporter.start(now);
    this.leavePacer = pacer.join(this);
  }

  record(path: string): void {
    if (!this.closing) this.recorder ??= this.pauses.begin(new WavRecorder(path, this.portCodec));
  }

  pauseRecording(isPaused: boolean, by?: RecordingPause): void {
    this.pauses.set(isPaused, by);
  }

  private receiverFormat(remote: RemoteMedia) {
    const { dtmfPayloadType: dtmf, offeredDtmfPayloadType: offeredDtmf } = remote;
    const payloadTypes = { codec: remote.codec, audio: remote.payloadType, dtmf, offeredDtmf };
    return { codec: this.portCodec, payloadTypes };
  }

  onFrame(listener: (frame: Buffer, wide?: Buffer) => void): () => void {
    this.frameListeners.add(listener);
    return () => this.frameListeners.delete(listener);
  }

  onAudio(listener: (frame: Buffer, wide?: Buffer) => void): () => void {
    this.audioListeners.add(listener);
    return () => this.audioListeners.delete(listener);
  }

  onPayload(listener: (payload: Buffer, codec: WireCodec) => void): () => void {
    this.payloadListeners.add(listener);
    return () => this.payloadListeners.delete(listener);
  }

  onDtmf(listener: (digit: string, durationMs: number, way?: DtmfTransport) => void): () => void {
    this.digitListeners.add(listener);
    return () => this.digitListeners.delete(listener);
  }

  receiveDigit(digit: string, durationMs: number): void {
    if (!this.closing) this.digits.press('signalling', digit, durationMs, performance.now());
  }

  onTimeout(listener: (final: boolean) => void): void {
    this.timeoutListeners.push(listener);
  }

  write(audio: Buffer, mark?: (played: boolean) => void, codec?: LineCodec): void {
    if (this.closing) mark?.(false);
    else this.outgoing.queue.write(audio, mark, codec);
  }

  writePayload(payload: Buffer, codec: WireCodec): void {
    if (this.closing || codec !== this.wireCodec) return;
    this.outgoing.payloads.write(payload, undefined, codec === 'L16' ? codec : undefined);
  }

  get payloadsQueuedMs(): number {
    return this.outgoing.payloads.queuedMs;
  }

  confer(mixer: ConferenceMixer | undefined): void {
    this.conference = mixer;
    this.outgoing.mix = mixer && ((samples) => mixer.mix(samples));
  }

  tap(listener: (frame: TappedFrame) => void): () => void {
    const tap = new StereoTap(this.portCodec, listener);
    this.taps.add(tap);
    return () => this.taps.delete(tap);
  }

  addVoice(): { speak(frame: Buffer): void; remove(): void } {
    const voice = new AddedVoice();
    this.outgoing.added = voice;
    return {
      speak: (frame) => voice.speak(frame),
      remove: () => {
        if (this.outgoing.added === voice) this.outgoing.added = undefined;
      },
    };
  }

  pausePlayout(isPaused: boolean): void {
    this.outgoing.pause(isPaused);
  }

  flush(): { playedMs: number; droppedMs: number } {
    const { remotePlayout, outgoing } = this;
    if (!remotePlayout) return outgoing.queue.flush();
    const unplayedMs = remotePlayout.flush(performance.now());
    const { playedMs, droppedMs } = outgoing.queue.flush();
    // Tells the remote party to drop it.
    this.sender.paused();
    return { playedMs: Math.max(0, playedMs - unplayedMs), droppedMs: droppedMs + unplayedMs };
  }

  setPlayed(unplayedMs: number, isAdvancing: boolean): void {
    this.remotePlayout?.report(unplayedMs, isAdvancing, performance.now());
  }

  get queuedMs(): number {
    return this.outgoing.queue.queuedMs;
  }

  attenuate(db: number): void {
    this.outgoing.volume.attenuate(db);
  }

  async drained(settleMs: number): Promise<void> {
    if (this.closing) throw new MediaClosed();
    if (settleMs > 0 || !this.outgoing.queue.isEmpty || this.isRemotePlaying) await this.playoutWaiters.wait(settleMs);
  }

  async sendDtmf(digits: string): Promise<void> {
    if (this.closing) throw new MediaClosed();
    if (this.remote?.dtmfPayloadType === undefined) await this.sendTones(digits);
    else await this.dtmf.send(digits);
  }

  private async sendTones(digits: string): Promise<void> {
    const tones = encode(this.portCodec, dtmfTones(digits, TONE_MS, TONE_GAP_MS));
    if (tones.length === 0) return;
    const played = await new Promise<boolean>((resolve) => this.outgoing.tones.write(tones, resolve));
    if (!played) throw new MediaClosed();
  }

  private get isRemotePlaying(): boolean {
    return this.remotePlayout !== undefined && this.remotePlayout.unplayedMs(performance.now()) > 0;
  }

  stats(): RtpStats {
    const { remote, reporter } = this;
    const { rttMs, remoteLost, remoteJitterMs, implausible } = reporter;
    const stats = emptyStats();
    if (this.receiver) Object.assign(stats, this.receiver.stats());
    const { received, lost, jitterMs } = stats;
    stats.sent = this.sender.sent;
    stats.lateFrames = this.lateFrames;
    stats.lossRate = lost === 0 ? 0 : lost / (received + lost);
    stats.srtp = remote?.srtp !== undefined;
    if (rttMs !== undefined) stats.rttMs = rttMs;
    if (remoteLost !== undefined) stats.remoteLost = remoteLost;
    if (remoteJitterMs !== undefined) stats.remoteJitterMs = remoteJitterMs;
    if (implausible.size > 0) stats.implausible = [...implausible];
    if (remote?.latchTo !== undefined) stats.refusedAddress = remote.address;
    if (!remote) return stats;
    const { codec } = remote;
    stats.codec = codec;
    if (received > 0) stats.mos = estimateMos({ lossRate: stats.lossRate, jitterMs, rttMs, codec });
    const remoteLoss = remoteLossRate({ remoteLost, sent: stats.sent });
    if (remoteLoss !== undefined)
      stats.remoteMos = estimateMos({ lossRate: remoteLoss, jitterMs: remoteJitterMs ?? 0, rttMs, codec });
    return stats;
  }

  close(): Promise<RecordingOutcome> {
    this.closing ??= this.shutDown();
    return this.closing;
  }

  private async shutDown(): Promise<RecordingOutcome> {
    this.leavePacer?.();
    this.playoutWaiters.fail(() => new MediaClosed());
    this.dtmf.fail(() => new MediaClosed());
    this.remotePlayout?.flush(performance.now());
    this.outgoing.queue.flush();
    this.outgoing.payloads.flush();
    this.outgoing.tones.flush();
    // RFC 3550 §6.3.7: a participant that has sent nothing sends no BYE.
    if (this.link.takesRtcp && (this.sender.sent > 0 || this.reporter.hasReported))
      await this.link.sendRtcp(this.compound(performance.now(), true));
    await this.link.close();
    this.frameListeners.clear();
    this.audioListeners.clear();
    this.payloadListeners.clear();
    this.taps.clear();
    // Packets that wait for a lost one belong to the recording.
    this.receiver?.flush(performance.now());
    return (await this.recorder?.finish()) ?? {};
  }

  /** Paced: 20 ms have passed. */
  tick(): void {
    const now = performance.now();
    this.receiver?.tick(now);
    if (!this.closing) this.sendFrame(this.remote as RemoteMedia);
    if (this.reporter.isDue(now)) void this.sendReport(now);
    this.checkTimeout(now);
  }

  /** Paced: the process stalled. The audio waits, but the clock continues. */
  skipped(frames: number): void {
    this.lateFrames += frames;
    this.sender.advance(frames);
    for (let i = 0; i < frames; i++) this.recorder?.tick();
  }

  private async sendReport(now: number): Promise<void> {
    if (this.link.takesRtcp) await this.link.sendReport(this.compound(now, false));
  }

  private compound(now: number, bye: boolean): Buffer {
    return this.reporter.report(this.sender.stream, this.receiver?.receivedStream, now, bye);
  }

  private sendFrame(remote: RemoteMedia): void {
    this.sender.advance(1);
    if (!remote.sendAudio || !this.link.isReachable) {
      this.sender.paused();
      this.ticked();
      return;
    }
    if (!this.sendDigit(remote)) this.sendAudio(remote);
  }

  private sendDigit(remote: RemoteMedia): boolean {
    const event = remote.dtmfPayloadType === undefined ? undefined : this.dtmf.next();
    if (!event) return false;
    this.sender.sendEvent(remote.dtmfPayloadType as number, event);
    this.ticked();
    return true;
  }

  private sendAudio(remote: RemoteMedia): void {
    const { outgoing } = this;
    const isTone = !outgoing.tones.isEmpty;
    const frame = outgoing.next(this.sender.frame.payload, this.recorder !== undefined || this.taps.size > 0);
    this.ticked(frame);
    this.sender.sendAudio(remote.payloadType);
    if (this.remotePlayout) this.followPlayout(this.remotePlayout);
    if (isTone) return outgoing.tones.marksReached();
    outgoing.queue.marksReached();
    const isOver = outgoing.queue.isEmpty && !this.isRemotePlaying;
    if (outgoing.played) this.playoutWaiters.audioSent(isOver);
    else if (isOver) this.playoutWaiters.silenceSent();
  }

  private followPlayout(playout: RemotePlayout): void {
    const { outgoing } = this;
    const now = performance.now();
    playout.frameSent((outgoing.playedSamples * FRAME_MS) / FRAME_BYTES);
    outgoing.queue.marksReached((mark) => playout.reached(mark, now));
    playout.run(now);
  }

  /** `sent`: the sent frame in the port's law, absent for silence. */
  private ticked(sent?: Buffer): void {
    this.recorder?.tick(sent);
    if (this.taps.size === 0) return;
    const wide = sent && this.outgoing.sentWide;
    for (const tap of this.taps) tap.tick(this.wideband, this.pauses.isPaused, sent, wide);
  }

  private receive(packet: RtpPacket, now: number): void {
    if (this.closing) return;
    this.remoteIsAlive(now);
    this.receiver?.receive(packet, now);
  }

  private receiveRtcp(compound: Buffer, now: number): void {
    // A PBX that records or waits may send no RTP for minutes; its RTCP reports show that it is alive.
    const { ssrc, sent } = this.sender;
    if (this.reporter.receive(compound, ssrc, now, sent)) this.remoteIsAlive(now);
  }

  private remoteIsAlive(now: number): void {
    this.heardAt = now;
    this.reportAfter = this.mediaTimeoutMs;
  }

  private get mediaTimeoutMs(): number {
    return this.options.mediaTimeoutMs ?? DEFAULT_MEDIA_TIMEOUT_MS;
  }

  private passFrame(frame: Buffer, wide?: Buffer): void {
    for (const listener of this.audioListeners) listener(frame, wide);
    for (const tap of this.taps) tap.heard(frame, wide);
    const { remote, outgoing } = this;
    // Our own tones may come back as echo.
    const listensForKeys = remote?.dtmfPayloadType === undefined && outgoing.tones.isEmpty;
    const speech = this.speechFilter!.of(frame, remote?.sendAudio !== true, listensForKeys);
    if (this.conference) return this.passConference(this.conference, speech);
    const wideSpeech = wide && speech !== frame ? silentFrame('L16') : wide;
    for (const listener of this.frameListeners) listener(speech, wideSpeech);
  }

  /** The agent hears both people, at 8 kHz. */
  private passConference(conference: ConferenceMixer, speech: Buffer): void {
    const both = encode(this.portCodec, conference.userSpoke(decode(this.portCodec, speech)));
    for (const listener of this.frameListeners) listener(both);
  }

  private checkTimeout(now: number): void {
    if (!this.remote?.sendAudio) return this.remoteIsAlive(now);
    const silentMs = now - this.heardAt;
    if (silentMs < this.reportAfter) return;
    this.reportAfter += this.mediaTimeoutMs;
    this.reportTimeout(silentMs >= (this.options.silenceLimitMs ?? DEFAULT_SILENCE_LIMIT_MS));
  }

  private reportTimeout(final: boolean): void {
    if (this.timedOut || this.closing) return;
    this.timedOut = final;
    for (const listener of this.timeoutListeners) listener(final);
  }
}
