import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto';
import { payloadStart, RTP_HEADER_BYTES, sequenceDistance } from './rtp-packet.js';
import { MASTER_KEY_BYTES, type SrtpKey, SUITE_PARAMETERS } from './srtp-keys.js';

/** Bytes that SRTP may add to an RTP packet. */
export const MAX_SRTP_TAG_BYTES = 16;
const SEQUENCES = 0x10000;
/** RTCP: version, length and SSRC of the first packet are not encrypted (RFC 3711 §3.4). */
const RTCP_CLEAR_BYTES = 8;
const INDEX_BYTES = 4;
const ENCRYPTED = 0x8000_0000;
const MAX_RTCP_INDEX = 0x7fff_ffff;
/** More sources than one call has; each must know the key. */
const MAX_SOURCES = 4;
/** The longest accepted packet: phones send shorter ones, and the keystream is bounded. */
const MAX_BODY_BYTES = 2_400;

/** Encrypts the RTP and RTCP of one sender with a single SSRC. */
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

  /**
   * Encrypts the packet of `length` bytes in place and returns its new length. The buffer needs MAX_SRTP_TAG_BYTES free bytes behind
   * it.
   */
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

/** Checks and decrypts received packets with the remote key. Accepts any bytes: forged, repeated or broken packets give undefined. */
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

/** The numbering per synchronisation source; stored only after a genuine packet. */
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

/** The received indices of one stream. Only `take`, after the check of the tag, changes the state. */
class ReplayWindow {
  highest: number | undefined;
  private readonly taken = new Float64Array(WINDOW).fill(-1);

  /** False for an index that was received before, or is too old. */
  isNew(index: number): boolean {
    if (this.highest !== undefined && index <= this.highest - WINDOW) return false;
    return this.taken[index % WINDOW] !== index;
  }

  take(index: number): void {
    this.taken[index % WINDOW] = index;
    this.highest = Math.max(this.highest ?? 0, index);
  }
}

/** The position of a packet in its stream. */
interface PacketPlace {
  ssrc: number;
  /** RTP: 2^16 * ROC + sequence number (RFC 3711 §3.3.1). RTCP: the SRTCP index. */
  index: number;
}

/** The transform of a cipher suite; RTP and RTCP have one each. */
interface SrtpTransform {
  readonly tagBytes: number;
  /** AEAD: the tag belongs to the ciphertext, and the index word of SRTCP comes behind it (RFC 7714 §9). */
  readonly isAead: boolean;
  /**
   * Encrypts `body` in place and returns the tag over `header`, `body` and `trailer` (authenticated but not sent: ROC, or the index
   * word of SRTCP).
   */
  seal(header: Buffer, body: Buffer, trailer: Buffer, place: PacketPlace): Buffer;
  /** Checks the tag and only then decrypts `body` in place. False: forged or damaged. */
  open(header: Buffer, body: Buffer, trailer: Buffer, tag: Buffer, place: PacketPlace): boolean;
}

/** RFC 3711 §4.3.2: labels of the key for encryption, for authentication and of the salt. */
const LABELS = { rtp: [0, 1, 2], rtcp: [3, 4, 5] } as const;

function transformOf(key: SrtpKey, kind: 'rtp' | 'rtcp'): SrtpTransform {
  const bytes = Buffer.from(key.key, 'base64');
  const master = bytes.subarray(0, MASTER_KEY_BYTES);
  const masterSalt = bytes.subarray(MASTER_KEY_BYTES);
  const [encryption, authentication, saltLabel] = LABELS[kind];
  const { tag, rtcpTag, salt: saltBytes } = SUITE_PARAMETERS[key.suite];
  const tagBytes = kind === 'rtp' ? tag : rtcpTag;
  const session = derive(master, masterSalt, encryption, MASTER_KEY_BYTES);
  const salt = derive(master, masterSalt, saltLabel, saltBytes);
  if (key.suite === 'AEAD_AES_128_GCM') return new GcmTransform(kind, session, salt);
  return new CounterModeTransform(
    tagBytes,
    new Keystream(session, salt),
    derive(master, masterSalt, authentication, 20),
  );
}

/** AES_CM_128 with HMAC-SHA1 (RFC 3711 §4.1.1, §4.2.1). */
class CounterModeTransform implements SrtpTransform {
  readonly isAead = false;
  private readonly authentication: KeyObject;

  constructor(
    readonly tagBytes: number,
    private readonly keystream: Keystream,
    authentication: Buffer,
  ) {
    this.authentication = createSecretKey(authentication);
  }

  seal(header: Buffer, body: Buffer, trailer: Buffer, { ssrc, index }: PacketPlace): Buffer {
    this.keystream.apply(body, ssrc, index);
    return this.tag(header, body, trailer);
  }

  open(header: Buffer, body: Buffer, trailer: Buffer, tag: Buffer, { ssrc, index }: PacketPlace): boolean {
    if (!timingSafeEqual(this.tag(header, body, trailer), tag)) return false;
    this.keystream.apply(body, ssrc, index);
    return true;
  }

  private tag(header: Buffer, body: Buffer, trailer: Buffer): Buffer {
    const hmac = createHmac('sha1', this.authentication).update(header).update(body).update(trailer);
    return hmac.digest().subarray(0, this.tagBytes);
  }
}

/** AEAD_AES_128_GCM (RFC 7714). */
export class GcmTransform implements SrtpTransform {
  readonly isAead = true;
  readonly tagBytes = SUITE_PARAMETERS.AEAD_AES_128_GCM.tag;
  private readonly key: KeyObject;
  private readonly iv = Buffer.alloc(12);

  constructor(
    private readonly kind: 'rtp' | 'rtcp',
    key: Buffer,
    private readonly salt: Buffer,
  ) {
    this.key = createSecretKey(key);
  }

  seal(header: Buffer, body: Buffer, trailer: Buffer, place: PacketPlace): Buffer {
    const cipher = createCipheriv('aes-128-gcm', this.key, this.ivOf(place)).setAAD(
      this.authenticated(header, trailer),
    );
    cipher.update(body).copy(body);
    cipher.final();
    return cipher.getAuthTag();
  }

  open(header: Buffer, body: Buffer, trailer: Buffer, tag: Buffer, place: PacketPlace): boolean {
    const decipher = createDecipheriv('aes-128-gcm', this.key, this.ivOf(place), { authTagLength: this.tagBytes });
    decipher.setAAD(this.authenticated(header, trailer)).setAuthTag(tag);
    const plain = decipher.update(body);
    try {
      decipher.final();
    } catch {
      return false; // final() fails only for a wrong tag
    }
    plain.copy(body);
    return true;
  }

  /** §9.2: of RTP only the header, because ROC is in the nonce; of RTCP the header and the index word. */
  private authenticated(header: Buffer, trailer: Buffer): Buffer {
    return this.kind === 'rtp' ? header : Buffer.concat([header, trailer]);
  }

  /** §8.1 and §9.1: SSRC and index (ROC and sequence number are its upper and lower bits), XORed with the salt. */
  private ivOf({ ssrc, index }: PacketPlace): Buffer {
    const { iv } = this;
    iv.writeUInt16BE(0, 0);
    iv.writeUInt32BE(ssrc, 2);
    iv.writeUIntBE(index, 6, 6);
    for (let i = 0; i < iv.length; i++) iv[i]! ^= this.salt[i]!;
    return iv;
  }
}

const BLOCK = 16;
/** Blocks of the longest packet that is taken (RTP: 2,400 bytes). */
const MAX_BLOCKS = 160;

/**
 * AES in counter mode as in RFC 3711 §4.1.1. One ECB cipher over a row of counters stays open for the whole call: opening a CTR cipher
 * per packet costs more than twice as much (2.1 to 2.6 µs against 0.9 with OpenSSL 3).
 */
export class Keystream {
  private readonly cipher;
  private readonly counters = Buffer.alloc(MAX_BLOCKS * BLOCK);

  /** `salt`: 14 bytes. */
  constructor(
    key: Buffer,
    private readonly salt: Buffer,
  ) {
    this.cipher = createCipheriv('aes-128-ecb', key, null).setAutoPadding(false);
  }

  /** Encrypts or decrypts `bytes` in place; `index` of the packet has up to 48 bits. */
  apply(bytes: Buffer, ssrc: number, index: number): void {
    const stream = this.of(bytes.length, ssrc, index);
    for (let i = 0; i < bytes.length; i++) bytes[i]! ^= stream[i]!;
  }

  /** At least `length` bytes. */
  private of(length: number, ssrc: number, index: number): Buffer {
    const blocks = Math.ceil(length / BLOCK);
    if (blocks > MAX_BLOCKS) throw new RangeError('The packet is too long for SRTP.');
    const { counters } = this;
    this.salt.copy(counters, 0);
    counters.writeUInt32BE((counters.readUInt32BE(4) ^ ssrc) >>> 0, 4);
    counters.writeUInt16BE(counters.readUInt16BE(8) ^ Math.floor(index / 2 ** 32), 8);
    counters.writeUInt32BE((counters.readUInt32BE(10) ^ (index % 2 ** 32)) >>> 0, 10);
    for (let block = 0; block < blocks; block++) {
      if (block > 0) counters.copyWithin(block * BLOCK, 0, BLOCK - 2);
      counters.writeUInt16BE(block, block * BLOCK + BLOCK - 2);
    }
    return this.cipher.update(counters.subarray(0, blocks * BLOCK));
  }
}

/** Key derivation, RFC 3711 §4.3.1 with a derivation rate of 0. `masterSalt` of 14 bytes; shorter ones end with zeros (RFC 7714 §11). */
export function derive(masterKey: Buffer, masterSalt: Buffer, label: number, bytes: number): Buffer {
  const salt = Buffer.alloc(14);
  masterSalt.copy(salt);
  salt[7]! ^= label;
  const derived = Buffer.alloc(bytes);
  new Keystream(masterKey, salt).apply(derived, 0, 0);
  return derived;
}
