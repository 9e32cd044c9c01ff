import { DtmfReceiver } from '../signals/dtmf.js';
import { FrameTimeline, type Placing } from '../session/frame-timeline.js';
import { transcode } from '../codecs/g711.js';
import { type G711, isWideband, type WireCodec } from '../session/media-port.js';
import { ReorderWindow, RtpSource } from './rtp-sequence.js';
import type { ReceivedStream } from './rtcp.js';
import type { RtpPacket } from './rtp-packet.js';
import type { RtpStats } from './rtp-stats.js';
import { fromWire, type Transcoder } from '../codecs/wire-codec.js';

/** RFC 3551 table 4. Each may be sent at any time when all were offered. */
const STATIC_TYPES = new Map<number, WireCodec>([
  [0, 'PCMU'],
  [8, 'PCMA'],
  [9, 'G722'],
]);

export interface ReceiverFormat {
  /** The law of the emitted frames, whatever the received codec is. */
  codec: G711;
  payloadTypes: { codec: WireCodec; audio: number; dtmf?: number | undefined; offeredDtmf?: number | undefined };
}

interface ReceiverListener {
  /** 20 ms for playout, as soon as they are in order. `wide`: the same as L16, when the received codec has it. */
  frame(frame: Buffer, wide?: Buffer): void;
  /** A payload in order, before its frames: as received, or concealed for G.711. */
  payload(payload: Buffer, codec: WireCodec): void;
  /** See TimelineListener: for a recording, which can place packets that are too late for playout. */
  placed?(at: number, audio: Buffer, placing: Placing, nowMs: number): void;
  restarted?(): void;
  digit(digit: string, durationMs: number): void;
}

interface Audio {
  timestamp: number;
  codec: WireCodec;
  payload: Buffer;
}

type ReceiveStats = Pick<RtpStats, 'received' | 'lost' | 'reordered' | 'duplicates' | 'jitterMs'>;

/** Turns RTP packets of one remote party into 20 ms frames, digits and statistics. The caller has checked the source of the packets. */
export class RtpReceiver {
  /** Of the audio; before the first audio also of other packets that are not events. */
  private source: RtpSource | undefined;
  /** Of telephone events with another SSRC than the audio, which gateways insert into the audio of another machine. */
  private eventSource: RtpSource | undefined;
  /** The SSRC of the last event. */
  private eventSsrc: number | undefined;
  private readonly earlierSources = { received: 0, lost: 0, reordered: 0, duplicates: 0 };
  /** Undefined stands for a packet without audio, so that it does not count as lost. */
  private readonly window: ReorderWindow<Audio | undefined>;
  private readonly timeline: FrameTimeline;
  private readonly dtmf: DtmfReceiver;
  private readonly decoders = new Map<WireCodec, Transcoder>();
  private now = 0;
  /** Packets lost since the last audio. */
  private missing = 0;
  private wireCodec: WireCodec | undefined;

  constructor(
    private format: ReceiverFormat,
    private readonly on: ReceiverListener,
  ) {
    this.timeline = new FrameTimeline(format.codec, {
      frame: (frame, concealed, wide) => this.passFrame(frame, concealed, wide),
      placed: (at, audio, placing, nowMs) => on.placed?.(at, audio, placing, nowMs),
      restarted: () => on.restarted?.(),
    });
    this.window = new ReorderWindow({
      release: (audio, missing) => this.release(audio, missing),
      late: (audio) => this.placeLate(audio),
    });
    this.dtmf = new DtmfReceiver((digit, durationMs) => on.digit(digit, durationMs));
  }

  setFormat(format: ReceiverFormat): void {
    this.format = format;
  }

  /** The current source, for our reports. */
  get receivedStream(): ReceivedStream | undefined {
    return this.source ?? this.eventSource;
  }

  /** Whether the payload type was negotiated. */
  expects(packet: RtpPacket): boolean {
    return this.isEvent(packet) || this.codecOf(packet) !== undefined;
  }

  receive(packet: RtpPacket, nowMs: number): void {
    this.now = nowMs;
    const codec = this.codecOf(packet);
    const source = codec ? this.audioSource(packet.ssrc) : this.sourceWithoutAudio(packet);
    const arrival = source?.arrive(packet);
    if (!source || arrival === 'duplicate' || arrival === 'stray') return;
    if (arrival === 'first') this.startOver(source);
    if (this.isEvent(packet)) this.receiveEvent(packet, nowMs);
    if (source !== this.source) return;
    if (codec) source.measureJitter(packet.timestamp, nowMs);
    this.window.push(source.sequence, codec && { timestamp: packet.timestamp, codec, payload: packet.payload }, nowMs);
  }

  /** Every 20 ms. */
  tick(nowMs: number): void {
    this.now = nowMs;
    this.window.expire(nowMs);
    this.timeline.tick(nowMs, this.window.waitMs);
    this.dtmf.tick(nowMs);
  }

  stats(): ReceiveStats {
    const sum = { ...this.earlierSources };
    for (const source of [this.source, this.eventSource]) if (source) addCounts(sum, source);
    return { ...sum, jitterMs: this.source?.jitterMs ?? 0 };
  }

  /** Ends the stream: releases the packets that still wait. */
  flush(nowMs: number): void {
    this.now = nowMs;
    this.window.reset();
    this.timeline.flush();
  }

  private release(audio: Audio | undefined, missing: number): void {
    this.missing += missing;
    // An empty payload has no audio.
    if (!audio || audio.payload.length === 0) return;
    const { timestamp, codec, payload } = audio;
    const lost = this.missing;
    this.missing = 0;
    this.wireCodec = codec;
    const decoder = this.decoderOf(codec);
    const decoded = decoder.convert(payload);
    this.timeline.goTo(timestamp, decoded, this.now, lost);
    this.on.payload(payload, codec);
    this.timeline.audio(timestamp, decoded, this.now, 0, decoder.wide?.());
  }

  private placeLate(audio: Audio | undefined): void {
    if (audio) this.timeline.late(audio.timestamp, this.decoderOf(audio.codec).convert(audio.payload), this.now);
  }

  private passFrame(frame: Buffer, concealed: boolean, wide?: Buffer): void {
    const { codec: law } = this.format;
    const wire = this.wireCodec;
    if (concealed && wire !== undefined && !isWideband(wire))
      this.on.payload(transcode(frame, law, wire as G711), wire);
    this.on.frame(frame, wide);
  }

  /** A stream may change its codec from packet to packet; the G.722 decoder keeps its state meanwhile. */
  private decoderOf(codec: WireCodec): Transcoder {
    const known = this.decoders.get(codec);
    if (known) return known;
    const decoder = fromWire(codec, this.format.codec);
    this.decoders.set(codec, decoder);
    return decoder;
  }

  private isEvent({ payloadType }: RtpPacket): boolean {
    const { dtmf, offeredDtmf } = this.format.payloadTypes;
    return payloadType === dtmf || payloadType === offeredDtmf;
  }

  private codecOf(packet: RtpPacket): WireCodec | undefined {
    const { audio, codec } = this.format.payloadTypes;
    return packet.payloadType === audio ? codec : STATIC_TYPES.get(packet.payloadType);
  }

  /** RFC 3550 §8.2: the remote party may change its SSRC at any time; all numbering restarts. */
  private audioSource(ssrc: number): RtpSource {
    if (this.source?.ssrc === ssrc) return this.source;
    this.retire(this.source);
    const known = this.eventSource?.ssrc === ssrc ? this.eventSource : undefined;
    if (known) this.eventSource = undefined;
    this.source = known ?? new RtpSource(ssrc);
    this.startAudioOver();
    return this.source;
  }

  /**
   * Only audio moves the stream to another SSRC: events may have their own (RFC 4733 §2.6), and packets of another source that are
   * neither are ignored.
   */
  private sourceWithoutAudio(packet: RtpPacket): RtpSource | undefined {
    const { ssrc } = packet;
    if (this.source?.ssrc === ssrc) return this.source;
    if (!this.isEvent(packet)) return this.source ? undefined : (this.source = new RtpSource(ssrc));
    if (this.eventSource?.ssrc === ssrc) return this.eventSource;
    this.retire(this.eventSource);
    return (this.eventSource = new RtpSource(ssrc));
  }

  private receiveEvent(packet: RtpPacket, nowMs: number): void {
    // The timestamps of another source are unrelated.
    if (packet.ssrc !== this.eventSsrc) this.dtmf.reset();
    this.eventSsrc = packet.ssrc;
    this.dtmf.receive(packet, nowMs);
  }

  private retire(source: RtpSource | undefined): void {
    if (source) addCounts(this.earlierSources, source);
  }

  private startOver(source: RtpSource): void {
    if (source === this.source) this.startAudioOver();
    if (source.ssrc === this.eventSsrc) this.dtmf.reset();
  }

  private startAudioOver(): void {
    this.window.reset();
    this.timeline.reset();
  }
}

type Counts = Pick<RtpStats, 'received' | 'lost' | 'reordered' | 'duplicates'>;

function addCounts(sum: Counts, { received, lost, reordered, duplicates }: Counts): void {
  sum.received += received;
  sum.lost += lost;
  sum.reordered += reordered;
  sum.duplicates += duplicates;
}
