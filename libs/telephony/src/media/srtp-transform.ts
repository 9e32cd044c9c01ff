import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto';
import { MASTER_KEY_BYTES, type SrtpKey, SUITE_PARAMETERS } from './srtp-keys.js';

/** Where a packet stands in its stream. */
interface PacketPlace {
  ssrc: number;
  /** RTP: 2^16 * ROC + sequence number (RFC 3711 §3.3.1). RTCP: the SRTCP index. */
  index: number;
}

/** What a cipher suite does to one packet; RTP and RTCP have one each. */
export interface SrtpTransform {
  readonly tagBytes: number;
  /** AEAD: the tag belongs to the ciphertext, and the index word of SRTCP comes behind it (RFC 7714 §9). */
  readonly isAead: boolean;
  /**
   * Encrypts `body` in place and returns the tag over `header`, `body` and `trailer` (what is authenticated and not sent here: ROC, or
   * the index word of SRTCP).
   */
  seal(header: Buffer, body: Buffer, trailer: Buffer, place: PacketPlace): Buffer;
  /** Checks the tag and only then decrypts `body` in place. False: forged or damaged. */
  open(header: Buffer, body: Buffer, trailer: Buffer, tag: Buffer, place: PacketPlace): boolean;
}

/** RFC 3711 §4.3.2: labels of the key for encryption, for authentication and of the salt. */
const LABELS = { rtp: [0, 1, 2], rtcp: [3, 4, 5] } as const;

export function transformOf(key: SrtpKey, kind: 'rtp' | 'rtcp'): SrtpTransform {
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
      return false; // the one thing that final() can find wrong here is the tag
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

  /** Encrypts or decrypts `bytes` in place; `index` is the packet's, up to 48 bits. */
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
