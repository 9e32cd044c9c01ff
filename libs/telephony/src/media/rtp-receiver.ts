import { DtmfReceiver } from './dtmf-receiver.js';
import { FrameTimeline } from './frame-timeline.js';
import { transcode } from './g711.js';
import type { G711, RtpStats } from './media-port.js';
import { ReorderWindow } from './reorder-window.js';
import type { RtpPacket } from './rtp-packet.js';
import { RtpSource } from './rtp-source.js';

/** RFC 3551 table 4. Either may be sent at any time when both were offered. */
const STATIC_TYPES = new Map<number, G711>([
  [0, 'PCMU'],
  [8, 'PCMA'],
]);

export interface ReceiverFormat {
  /** In which frames are handed on, whatever law they arrive in. */
  codec: G711;
  payloadTypes: { codec: G711; audio: number; dtmf?: number | undefined };
  silence: Buffer;
}

interface Audio {
  timestamp: number;
  payload: Buffer;
}

type ReceiveStats = Pick<RtpStats, 'received' | 'lost' | 'reordered' | 'duplicates' | 'jitterMs'>;

/** From RTP packets of one far end to 20 ms frames, digits and statistics. The caller has checked where the packets come from. */
export class RtpReceiver {
  private source: RtpSource | undefined;
  private readonly earlierSources = { received: 0, lost: 0, reordered: 0, duplicates: 0 };
  /** Undefined holds the place of a packet that is no audio, so that it is not taken for a lost one. */
  private readonly window: ReorderWindow<Audio | undefined>;
  private readonly timeline: FrameTimeline;
  private readonly dtmf: DtmfReceiver;
  private now = 0;

  constructor(
    private format: ReceiverFormat,
    on: { frame: (frame: Buffer) => void; digit: (digit: string, durationMs: number) => void },
  ) {
    this.timeline = new FrameTimeline(() => this.format.silence, on.frame);
    this.window = new ReorderWindow((audio) => {
      if (audio) this.timeline.audio(audio.timestamp, audio.payload, this.now);
    });
    this.dtmf = new DtmfReceiver(on.digit);
  }

  setFormat(format: ReceiverFormat): void {
    this.format = format;
  }

  /** Whether the payload type is one we asked for. */
  expects(packet: RtpPacket): boolean {
    return packet.payloadType === this.format.payloadTypes.dtmf || this.codecOf(packet) !== undefined;
  }

  receive(packet: RtpPacket, nowMs: number): void {
    this.now = nowMs;
    const source = this.sourceOf(packet.ssrc);
    const { arrival, sequence } = source.arrive(packet);
    if (arrival === 'duplicate' || arrival === 'stray') return;
    if (arrival === 'first') this.startOver();
    const codec = this.codecOf(packet);
    if (codec) {
      source.measureJitter(packet.timestamp, nowMs);
      const payload = transcode(packet.payload, codec, this.format.codec);
      this.window.push(sequence, { timestamp: packet.timestamp, payload }, nowMs);
      return;
    }
    if (packet.payloadType === this.format.payloadTypes.dtmf) this.dtmf.receive(packet, nowMs);
    this.window.push(sequence, undefined, nowMs);
  }

  /** Every 20 ms. */
  tick(nowMs: number): void {
    this.now = nowMs;
    this.window.expire(nowMs);
    this.timeline.tick(nowMs);
    this.dtmf.tick(nowMs);
  }

  stats(): ReceiveStats {
    const { received, lost, reordered, duplicates } = this.earlierSources;
    return {
      received: received + (this.source?.received ?? 0),
      lost: lost + (this.source?.lost ?? 0),
      reordered: reordered + (this.source?.reordered ?? 0),
      duplicates: duplicates + (this.source?.duplicates ?? 0),
      jitterMs: this.source?.jitterMs ?? 0,
    };
  }

  private codecOf(packet: RtpPacket): G711 | undefined {
    const { audio, codec } = this.format.payloadTypes;
    return packet.payloadType === audio ? codec : STATIC_TYPES.get(packet.payloadType);
  }

  /** RFC 3550 §8.2: the far end may change its SSRC at any time; everything numbered starts anew. */
  private sourceOf(ssrc: number): RtpSource {
    if (this.source?.ssrc === ssrc) return this.source;
    const { received, lost, reordered, duplicates } = this.stats();
    Object.assign(this.earlierSources, { received, lost, reordered, duplicates });
    this.source = new RtpSource(ssrc);
    return this.source;
  }

  private startOver(): void {
    this.window.reset();
    this.timeline.reset();
    this.dtmf.reset();
  }
}
