/** A reception report about one stream, ours or theirs (RFC 3550 §6.4.1). */
export interface ReportBlock {
  /** Whose stream. */
  ssrc: number;
  /** Of the packets since the last report, in 1/256. */
  fractionLost: number;
  /** Packets since the beginning; less than none when there were duplicates. */
  lost: number;
  /** Cycles in the upper 16 bits, sequence number in the lower. */
  highest: number;
  /** In units of the timestamp. */
  jitter: number;
  /** Middle of the NTP time of the last SR (1/65536 s), 0 for none, and how long ago that came (1/65536 s). */
  lastSr: number;
  sinceLastSr: number;
}

export interface SenderInfo {
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
 * RFC 3550 §6.4, §A.2. Undefined for anything that is no compound packet of the right form; never throws. Packets of other types
 * inside it are passed over.
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
