export interface RtpHeader {
  payloadType: number;
  marker: boolean;
  /** 16 bits. */
  sequence: number;
  /** 32 bits, unsigned; 8,000 per second for G.711 and for telephone-event/8000. */
  timestamp: number;
  ssrc: number;
}

export interface RtpPacket extends RtpHeader {
  payload: Buffer;
}

export const RTP_HEADER_BYTES = 12;

/** 300 ms of G.711, more than phones put into one datagram. */
const MAX_PAYLOAD_BYTES = 2_400;

/** RFC 5761 §4: with the marker bit these payload types are RTCP packets (SR, RR, SDES, BYE, APP) on the RTP port. */
export const isRtcp = (datagram: Buffer): boolean => {
  const type = datagram.length < 2 ? 0 : datagram.readUInt8(1);
  return type >= 192 && type <= 223;
};

/** RFC 3550 §5.1. Returns undefined for malformed packets; never throws. */
export function parseRtp(datagram: Buffer): RtpPacket | undefined {
  if (datagram.length < RTP_HEADER_BYTES) return undefined;
  const first = datagram.readUInt8(0);
  const second = datagram.readUInt8(1);
  if (first >> 6 !== 2 || isRtcp(datagram)) return undefined;
  const start = payloadStart(datagram);
  const end = payloadEnd(datagram, first);
  if (start === undefined || end < start || end - start > MAX_PAYLOAD_BYTES) return undefined;
  return {
    payloadType: second & 0x7f,
    marker: (second & 0x80) !== 0,
    sequence: datagram.readUInt16BE(2),
    timestamp: datagram.readUInt32BE(4),
    ssrc: datagram.readUInt32BE(8),
    payload: copy(datagram, start, end),
  };
}

/**
 * A copy in Node's pool of small buffers. A view would keep the datagram's own memory, whose three objects every garbage collection
 * then copies as long as the frame waits; frames in the pool share theirs.
 */
function copy(datagram: Buffer, start: number, end: number): Buffer {
  const payload = Buffer.allocUnsafe(end - start);
  // `copy` of a part creates another view.
  for (let i = start; i < end; i++) payload[i - start] = datagram[i] as number;
  return payload;
}

/** Length of the fixed header, the contributing sources and the extension; may lie behind the end of a broken packet. */
export function payloadStart(datagram: Buffer): number | undefined {
  const first = datagram.readUInt8(0);
  const afterSources = RTP_HEADER_BYTES + (first & 0x0f) * 4;
  if ((first & 0x10) === 0) return afterSources;
  if (afterSources + 4 > datagram.length) return undefined;
  return afterSources + 4 + datagram.readUInt16BE(afterSources + 2) * 4;
}

/** -1 when the padding count is impossible. */
function payloadEnd(datagram: Buffer, first: number): number {
  if ((first & 0x20) === 0) return datagram.length;
  const padding = datagram.readUInt8(datagram.length - 1);
  return padding === 0 ? -1 : datagram.length - padding;
}

/** Writes the 12 bytes before the payload; `packet` is reused from frame to frame. */
export function writeRtpHeader(packet: Buffer, header: RtpHeader): void {
  packet[0] = 0x80;
  packet[1] = (header.marker ? 0x80 : 0) | header.payloadType;
  packet.writeUInt16BE(header.sequence, 2);
  packet.writeUInt32BE(header.timestamp, 4);
  packet.writeUInt32BE(header.ssrc, 8);
}

/** Signed distance from `from` to `to` on the 16-bit circle of sequence numbers. */
export const sequenceDistance = (from: number, to: number): number => ((to - from) << 16) >> 16;

/** Signed distance on the 32-bit circle of timestamps. */
export const timestampDistance = (from: number, to: number): number => (to - from) | 0;
