import { fewRandomBytes } from '../random-ids.js';
import { parseRtcp, type ReportBlock, type SenderInfo, writeRtcp } from './rtcp-packet.js';
import type { ImplausibleFigure } from './rtp-stats.js';

/** Counters and timestamp of the sent stream. */
export interface SentStream {
  ssrc: number;
  packets: number;
  octets: number;
  timestamp: number;
}

/** Counters of the current source. */
export interface ReceivedStream {
  ssrc: number;
  extendedHighest: number;
  received: number;
  lost: number;
  jitterUnits: number;
}

/** RFC 3550 §6.2; with two members the bandwidth never asks for a longer interval. */
const RTCP_INTERVAL_MS = 5_000;
/** 1900 to 1970. */
const NTP_EPOCH_SECONDS = 2_208_988_800;
const NTP_UNITS = 0x1_0000;
/** A longer round trip is implausible. */
const MAX_ROUND_TRIP_MS = 30_000;
const TIMESTAMPS_PER_MS = 8;
const CLOCK_ERROR_MS = 20;
/** No conversation is possible with more; some endpoints report their whole clock. */
const MAX_JITTER_MS = 10_000;

/** Writes our reports and reads the far end's. Times are of `performance.now()`. */
export class RtcpReporter {
  /** Absent without reports of the far end. */
  rttMs: number | undefined;
  remoteLost: number | undefined;
  remoteJitterMs: number | undefined;
  /** Implausible values in reports so far; they are ignored. */
  readonly implausible = new Set<ImplausibleFigure>();
  /** Random and for this call only (RFC 7022 §4.2): it carries no identity. Undefined before the first report. */
  private cname: string | undefined;
  private dueAt = Infinity;
  private reportedPackets = 0;
  private heardBefore = { received: 0, lost: 0 };
  private lastSr: { ssrc: number; ntp: number; at: number } | undefined;

  constructor(private readonly intervalMs = RTCP_INTERVAL_MS) {}

  /** The first report is due after half an interval. Call once. */
  start(nowMs: number): void {
    this.dueAt = nowMs + spread(this.intervalMs / 2);
  }

  get hasReported(): boolean {
    return this.cname !== undefined;
  }

  isDue(nowMs: number): boolean {
    if (nowMs < this.dueAt) return false;
    this.dueAt = nowMs + spread(this.intervalMs);
    return true;
  }

  /** The compound packet to send now; `bye` makes it the last. */
  report(sent: SentStream, heard: ReceivedStream | undefined, nowMs: number, bye = false): Buffer {
    const { ssrc } = sent;
    const sender = sent.packets > this.reportedPackets ? senderInfo(sent, nowMs) : undefined;
    this.reportedPackets = sent.packets;
    this.cname ??= fewRandomBytes(12).toString('base64');
    return writeRtcp({ ssrc, cname: this.cname, sender, block: heard && this.block(heard, nowMs), bye });
  }

  /** Accepts any bytes and returns whether they are a report. `sentPackets`: packets sent so far, an upper bound for those lost. */
  receive(datagram: Buffer, ourSsrc: number, nowMs: number, sentPackets = Infinity): boolean {
    const report = parseRtcp(datagram);
    if (!report) return false;
    if (report.senderNtp !== undefined) this.lastSr = { ssrc: report.ssrc, ntp: report.senderNtp, at: nowMs };
    for (const block of report.blocks) if (block.ssrc === ourSsrc) this.readBlock(block, nowMs, sentPackets);
    return true;
  }

  private readBlock(block: ReportBlock, nowMs: number, sentPackets: number): void {
    // Less than none is lost when packets arrived twice (§6.4.1).
    if (block.lost <= sentPackets) this.remoteLost = Math.max(0, block.lost);
    else this.implausible.add('remote_lost');
    const jitterMs = block.jitter / TIMESTAMPS_PER_MS;
    if (jitterMs <= MAX_JITTER_MS) this.remoteJitterMs = jitterMs;
    else this.implausible.add('remote_jitter_ms');
    if (block.lastSr === 0) return;
    // §6.4.1: on the circle of 32 bits, because the middle of the NTP time wraps every 18 hours.
    const units = (middleOfNtp(nowMs) - block.lastSr - block.sinceLastSr) | 0;
    const rttMs = (units * 1_000) / NTP_UNITS;
    // Two clocks that differ by less than their resolution make a short round trip negative.
    if (rttMs < -CLOCK_ERROR_MS || rttMs > MAX_ROUND_TRIP_MS) this.implausible.add('rtt_ms');
    else if (rttMs >= 0) this.rttMs = rttMs;
  }

  private block(heard: ReceivedStream, nowMs: number): ReportBlock {
    const { lastSr } = this;
    const knowsSr = lastSr?.ssrc === heard.ssrc;
    return {
      ssrc: heard.ssrc,
      fractionLost: this.fractionLost(heard),
      lost: heard.lost,
      highest: heard.extendedHighest,
      jitter: heard.jitterUnits,
      lastSr: knowsSr ? lastSr.ntp : 0,
      sinceLastSr: knowsSr ? Math.round(((nowMs - lastSr.at) * NTP_UNITS) / 1_000) : 0,
    };
  }

  private fractionLost({ received, lost }: ReceivedStream): number {
    const newlyLost = lost - this.heardBefore.lost;
    const expected = newlyLost + received - this.heardBefore.received;
    this.heardBefore = { received, lost };
    return expected <= 0 || newlyLost <= 0 ? 0 : Math.min(255, Math.floor((newlyLost * 256) / expected));
  }
}

/** §6.2: half to one and a half, so that reports of many calls do not meet. */
const spread = (ms: number): number => ms * (0.5 + Math.random());

function senderInfo({ packets, octets, timestamp }: SentStream, nowMs: number): SenderInfo {
  return { ntp: ntpTime(nowMs), timestamp, packets, octets };
}

/** From the monotonic clock: a wall clock that is set meanwhile must not bend the round trip. */
function ntpTime(nowMs: number): SenderInfo['ntp'] {
  const ms = performance.timeOrigin + nowMs;
  const seconds = Math.floor(ms / 1_000);
  const fraction = Math.floor(((ms / 1_000 - seconds) * 2 ** 32) % 2 ** 32);
  return { seconds: (seconds + NTP_EPOCH_SECONDS) % 2 ** 32, fraction };
}

function middleOfNtp(nowMs: number): number {
  const { seconds, fraction } = ntpTime(nowMs);
  return (((seconds & 0xffff) << 16) | (fraction >>> 16)) >>> 0;
}
