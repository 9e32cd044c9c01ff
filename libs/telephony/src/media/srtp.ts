import { payloadStart, RTP_HEADER_BYTES, sequenceDistance } from './rtp-packet.js';
import type { SrtpKey } from './srtp-keys.js';
import { type SrtpTransform, transformOf } from './srtp-transform.js';

/** What SRTP may add to an RTP packet. */
export const MAX_SRTP_TAG_BYTES = 16;
const SEQUENCES = 0x10000;
/** RTCP: version, length and SSRC of the first packet stay in the clear (RFC 3711 §3.4). */
const RTCP_CLEAR_BYTES = 8;
const INDEX_BYTES = 4;
const ENCRYPTED = 0x8000_0000;
const MAX_RTCP_INDEX = 0x7fff_ffff;
/** More sources than one call can have; each had to know the key. */
const MAX_SOURCES = 4;
/** The longest packet taken: more is no phone, and the keystream has an end. */
const MAX_BODY_BYTES = 2_400;

/** Encrypts what one sender sends: RTP and RTCP of a single SSRC. */
export class SrtpSealer {
  private readonly rtp: SrtpTransform;
  private readonly rtcp: SrtpTransform;
  private readonly roc = Buffer.alloc(4);
  private rollovers = 0;
  private lastSequence: number | undefined;
  private rtcpIndex = 0;

  constructor(key: SrtpKey) {
    this.rtp = transformOf(key, 'rtp');
    this.rtcp = transformOf(key, 'rtcp');
  }

  /** Encrypts the packet of `length` bytes in place; returns its new length. Behind it are MAX_SRTP_TAG_BYTES free. */
  sealRtp(packet: Buffer, length: number): number {
    const sequence = packet.readUInt16BE(2);
    if (this.lastSequence !== undefined && sequence < this.lastSequence) this.rollovers++;
    this.lastSequence = sequence;
    this.roc.writeUInt32BE(this.rollovers);
    const place = { ssrc: packet.readUInt32BE(8), index: this.rollovers * SEQUENCES + sequence };
    const header = packet.subarray(0, RTP_HEADER_BYTES);
    const tag = this.rtp.seal(header, packet.subarray(RTP_HEADER_BYTES, length), this.roc, place);
    return length + tag.copy(packet, length);
  }

  /** RFC 3711 §3.4, RFC 7714 §9. The compound packet is overwritten. */
  sealRtcp(compound: Buffer): Buffer {
    const index = this.rtcpIndex;
    this.rtcpIndex = (this.rtcpIndex + 1) % MAX_RTCP_INDEX;
    const word = Buffer.alloc(INDEX_BYTES);
    word.writeUInt32BE((ENCRYPTED | index) >>> 0);
    const header = compound.subarray(0, RTCP_CLEAR_BYTES);
    const body = compound.subarray(RTCP_CLEAR_BYTES);
    const tag = this.rtcp.seal(header, body, word, { ssrc: compound.readUInt32BE(4), index });
    // The counter mode suites put their tag at the end, the AEAD one before the index.
    return Buffer.concat(this.rtcp.isAead ? [compound, tag, word] : [compound, word, tag]);
  }
}

/** Checks and decrypts what the far end sends with its key. Takes any bytes: what is forged, repeated or broken gives undefined. */
export class SrtpOpener {
  private readonly rtp: SrtpTransform;
  private readonly rtcp: SrtpTransform;
  private readonly roc = Buffer.alloc(4);
  private readonly rtpSources = new Sources();
  private readonly rtcpSources = new Sources();

  constructor(key: SrtpKey) {
    this.rtp = transformOf(key, 'rtp');
    this.rtcp = transformOf(key, 'rtcp');
  }

  /** The RTP packet, decrypted in place. */
  openRtp(datagram: Buffer): Buffer | undefined {
    if (datagram.length < RTP_HEADER_BYTES) return undefined;
    const start = payloadStart(datagram);
    const end = datagram.length - this.rtp.tagBytes;
    if (start === undefined || end < start || end - start > MAX_BODY_BYTES) return undefined;
    const ssrc = datagram.readUInt32BE(8);
    const window = this.rtpSources.of(ssrc);
    const index = indexOf(datagram.readUInt16BE(2), window.highest);
    if (index < 0 || !window.isNew(index)) return undefined;
    this.roc.writeUInt32BE(Math.floor(index / SEQUENCES));
    const body = datagram.subarray(start, end);
    const place = { ssrc, index };
    if (!this.rtp.open(datagram.subarray(0, start), body, this.roc, datagram.subarray(end), place)) return undefined;
    window.take(index);
    this.rtpSources.keep(ssrc, window);
    return datagram.subarray(0, end);
  }

  /** The compound RTCP packet, decrypted in place. */
  openRtcp(datagram: Buffer): Buffer | undefined {
    const { tagBytes, isAead } = this.rtcp;
    const end = datagram.length - tagBytes - INDEX_BYTES;
    if (end < RTCP_CLEAR_BYTES || end > MAX_BODY_BYTES) return undefined;
    const word = isAead ? datagram.subarray(end + tagBytes) : datagram.subarray(end, end + INDEX_BYTES);
    const tag = isAead ? datagram.subarray(end, end + tagBytes) : datagram.subarray(end + INDEX_BYTES);
    const index = word.readUInt32BE(0) & MAX_RTCP_INDEX;
    const ssrc = datagram.readUInt32BE(4);
    const window = this.rtcpSources.of(ssrc);
    const isEncrypted = (word.readUInt8(0) & 0x80) !== 0;
    if (!isEncrypted || !window.isNew(index)) return undefined;
    const header = datagram.subarray(0, RTCP_CLEAR_BYTES);
    const body = datagram.subarray(RTCP_CLEAR_BYTES, end);
    if (!this.rtcp.open(header, body, word, tag, { ssrc, index })) return undefined;
    window.take(index);
    this.rtcpSources.keep(ssrc, window);
    return datagram.subarray(0, end);
  }
}

/** The index that a sequence number most probably belongs to (RFC 3711 §3.3.1): the one nearest to the highest so far. */
function indexOf(sequence: number, highest: number | undefined): number {
  return highest === undefined ? sequence : highest + sequenceDistance(highest & 0xffff, sequence);
}

/** Numbering per synchronisation source; one is kept only when a packet of it has proved to be genuine. */
class Sources {
  private readonly windows = new Map<number, ReplayWindow>();

  of(ssrc: number): ReplayWindow {
    return this.windows.get(ssrc) ?? new ReplayWindow();
  }

  keep(ssrc: number, window: ReplayWindow): void {
    if (this.windows.has(ssrc)) return;
    const oldest = this.windows.keys().next();
    if (this.windows.size >= MAX_SOURCES && !oldest.done) this.windows.delete(oldest.value);
    this.windows.set(ssrc, window);
  }
}

/** RFC 3711 §3.3.2 asks for 64 at least. */
const WINDOW = 128;

/** Which indices of one stream have been taken. Nothing changes before `take`, which follows the check of the tag. */
class ReplayWindow {
  highest: number | undefined;
  private readonly taken = new Float64Array(WINDOW).fill(-1);

  /** False for an index that was taken before, or is too old to be known. */
  isNew(index: number): boolean {
    if (this.highest !== undefined && index <= this.highest - WINDOW) return false;
    return this.taken[index % WINDOW] !== index;
  }

  take(index: number): void {
    this.taken[index % WINDOW] = index;
    this.highest = Math.max(this.highest ?? 0, index);
  }
}
