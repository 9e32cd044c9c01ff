import { fewRandomBytes } from '../../random-ids.js';
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
/** A conversation is impossible with more; some endpoints report their whole clock. */
const MAX_JITTER_MS = 10_000;

/** Writes our reports and reads those of the remote party. Times are of `performance.now()`. */
export class RtcpReporter {
  /** Absent without remote reports. */
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
    // The loss is negative when packets arrived twice (§6.4.1).
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

/** §6.2: half to one and a half, so that reports of many calls do not coincide. */
const spread = (ms: number): number => ms * (0.5 + Math.random());

function senderInfo({ packets, octets, timestamp }: SentStream, nowMs: number): SenderInfo {
  return { ntp: ntpTime(nowMs), timestamp, packets, octets };
}

/** From the monotonic clock: a change of the wall clock must not distort the round trip. */
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

/** A reception report about one stream, ours or theirs (RFC 3550 §6.4.1). */
export interface ReportBlock {
  /** The SSRC of the stream. */
  ssrc: number;
  /** Of the packets since the last report, in 1/256. */
  fractionLost: number;
  /** Packets since the beginning; negative with duplicates. */
  lost: number;
  /** Cycles in the upper 16 bits, sequence number in the lower. */
  highest: number;
  /** In units of the timestamp. */
  jitter: number;
  /** Middle of the NTP time of the last SR (1/65536 s), 0 for none, and the time since its arrival (1/65536 s). */
  lastSr: number;
  sinceLastSr: number;
}

interface SenderInfo {
  /** Seconds since 1900 in the upper half, fraction in the lower (RFC 3550 §4). */
  ntp: { seconds: number; fraction: number };
  timestamp: number;
  packets: number;
  octets: number;
}

/** The content of a received compound packet. */
interface RtcpReport {
  /** SSRC of the reporter. */
  ssrc: number;
  /** Middle 32 bits of the NTP time of its SR. */
  senderNtp?: number;
  blocks: ReportBlock[];
  /** Contains a BYE. */
  bye: boolean;
}

const SR = 200;
const RR = 201;
const SDES = 202;
const BYE = 203;
const CNAME = 1;
const HEADER_BYTES = 8;
const SENDER_INFO_BYTES = 20;
const BLOCK_BYTES = 24;
const MAX_DATAGRAM_BYTES = 1_500;

/**
 * RFC 3550 §6.4, §A.2. Undefined for invalid compound packets; never throws. Packets of other types inside it are skipped.
 */
export function parseRtcp(datagram: Buffer): RtcpReport | undefined {
  if (datagram.length < HEADER_BYTES || datagram.length > MAX_DATAGRAM_BYTES) return undefined;
  const type = datagram.readUInt8(1);
  if (type !== SR && type !== RR) return undefined;
  const report: RtcpReport = { ssrc: datagram.readUInt32BE(4), blocks: [], bye: false };
  let at = 0;
  while (at < datagram.length) {
    if (datagram.length - at < 4 || datagram.readUInt8(at) >> 6 !== 2) return undefined;
    const end = at + 4 + datagram.readUInt16BE(at + 2) * 4;
    if (end > datagram.length) return undefined;
    readPacket(datagram.subarray(at, end), report);
    at = end;
  }
  return report;
}

function readPacket(packet: Buffer, report: RtcpReport): void {
  const type = packet.readUInt8(1);
  if (type === BYE) report.bye = true;
  if ((type !== SR && type !== RR) || packet.length < HEADER_BYTES) return;
  const start = type === SR ? HEADER_BYTES + SENDER_INFO_BYTES : HEADER_BYTES;
  if (type === SR && packet.length >= start) report.senderNtp = packet.readUInt32BE(HEADER_BYTES + 2);
  const count = packet.readUInt8(0) & 0x1f;
  for (let i = 0; i < count && start + (i + 1) * BLOCK_BYTES <= packet.length; i++) {
    report.blocks.push(readBlock(packet.subarray(start + i * BLOCK_BYTES)));
  }
}

function readBlock(bytes: Buffer): ReportBlock {
  return {
    ssrc: bytes.readUInt32BE(0),
    fractionLost: bytes.readUInt8(4),
    lost: bytes.readIntBE(5, 3),
    highest: bytes.readUInt32BE(8),
    jitter: bytes.readUInt32BE(12),
    lastSr: bytes.readUInt32BE(16),
    sinceLastSr: bytes.readUInt32BE(20),
  };
}

/** A compound packet: SR (or RR without `sender`), SDES with the CNAME, and BYE when we leave (RFC 3550 §6.1). */
export function writeRtcp(own: {
  ssrc: number;
  cname: string;
  sender?: SenderInfo | undefined;
  block?: ReportBlock | undefined;
  bye?: boolean;
}): Buffer {
  const parts = [reportPacket(own.ssrc, own.sender, own.block), sdesPacket(own.ssrc, own.cname)];
  if (own.bye) parts.push(packet(BYE, 1, uint32(own.ssrc)));
  return Buffer.concat(parts);
}

function reportPacket(ssrc: number, sender: SenderInfo | undefined, block: ReportBlock | undefined): Buffer {
  const parts = [uint32(ssrc)];
  if (sender) {
    const { ntp, timestamp, packets, octets } = sender;
    parts.push(...[ntp.seconds, ntp.fraction, timestamp, packets, octets].map(uint32));
  }
  if (block) parts.push(blockBytes(block));
  return packet(sender ? SR : RR, block ? 1 : 0, Buffer.concat(parts));
}

function blockBytes(block: ReportBlock): Buffer {
  const bytes = Buffer.alloc(BLOCK_BYTES);
  bytes.writeUInt32BE(block.ssrc, 0);
  bytes.writeUInt8(block.fractionLost, 4);
  bytes.writeIntBE(Math.max(-0x80_0000, Math.min(0x7f_ffff, block.lost)), 5, 3);
  [block.highest, block.jitter, block.lastSr, block.sinceLastSr].forEach((value, i) =>
    bytes.writeUInt32BE(value >>> 0, 8 + 4 * i),
  );
  return bytes;
}

function sdesPacket(ssrc: number, cname: string): Buffer {
  const item = Buffer.concat([uint32(ssrc), Buffer.of(CNAME, cname.length), Buffer.from(cname, 'latin1')]);
  // The list ends with a zero, and the chunk at a multiple of four (§6.5).
  return packet(SDES, 1, Buffer.concat([item, Buffer.alloc(4 - (item.length % 4))]));
}

function packet(type: number, count: number, body: Buffer): Buffer {
  const header = Buffer.of(0x80 | count, type, 0, 0);
  header.writeUInt16BE(body.length / 4, 2);
  return Buffer.concat([header, body]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
}
