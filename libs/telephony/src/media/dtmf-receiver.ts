import { digitOfEvent } from './dtmf-digits.js';
import { timestampDistance, type RtpPacket } from './rtp-packet.js';

/** Senders repeat the event every 20 to 50 ms while the key is down; this much silence means that the end packets were lost. */
const LOST_END_MS = 120;

interface Press {
  timestamp: number;
  digit: string;
  /** In timestamp units of 1/8 ms. */
  duration: number;
  updatedAt: number;
}

/**
 * RFC 4733 telephone events -> one report per key press. All packets of a press share its timestamp, so packets may be lost,
 * doubled or out of order; a press whose end packets are lost is over when the next begins or after 120 ms.
 */
export class DtmfReceiver {
  private current: Press | undefined;
  /** Timestamp of the last press that was reported; late copies of it are ignored. */
  private reported: number | undefined;

  constructor(private readonly report: (digit: string, durationMs: number) => void) {}

  receive(packet: RtpPacket, nowMs: number): void {
    if (packet.payload.length < 4) return;
    const digit = digitOfEvent(packet.payload.readUInt8(0));
    if (digit === undefined || this.isOld(packet.timestamp)) return;
    if (this.current && this.current.timestamp !== packet.timestamp) this.finish();
    this.current ??= { timestamp: packet.timestamp, digit, duration: 0, updatedAt: nowMs };
    this.current.duration = Math.max(this.current.duration, packet.payload.readUInt16BE(2));
    this.current.updatedAt = nowMs;
    const isEnd = (packet.payload.readUInt8(1) & 0x80) !== 0;
    if (isEnd) this.finish();
  }

  /** Every 20 ms. */
  tick(nowMs: number): void {
    if (this.current && nowMs - this.current.updatedAt >= LOST_END_MS) this.finish();
  }

  /** A new source: its timestamps have nothing to do with the old ones. */
  reset(): void {
    this.finish();
    this.reported = undefined;
  }

  private isOld(timestamp: number): boolean {
    const newest = this.current?.timestamp ?? this.reported;
    if (newest === undefined) return false;
    const distance = timestampDistance(newest, timestamp);
    return this.current ? distance < 0 : distance <= 0;
  }

  private finish(): void {
    const press = this.current;
    if (!press) return;
    this.current = undefined;
    this.reported = press.timestamp;
    this.report(press.digit, press.duration / 8);
  }
}
