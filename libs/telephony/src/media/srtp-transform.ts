import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  timingSafeEqual,
  type KeyObject,
} from 'node:crypto';
import { MASTER_KEY_BYTES, SUITE_PARAMETERS, type SrtpKey } from './srtp-keys.js';
import { derive, Keystream } from './srtp-keystream.js';

/** Where a packet stands in its stream. */
export interface PacketPlace {
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
