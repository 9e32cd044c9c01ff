import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

const IV = 12;
const TAG = 16;

/**
 * Encrypts secrets at rest with AES-256-GCM (NIST SP 800-38D). Layout: 12 bytes IV, 16 bytes tag, ciphertext.
 * `context` (for example `webhook-secret`) is authenticated, so an encrypted value cannot be moved to another column.
 */
export class Encryption {
  private readonly key: Buffer;
  private readonly fallbacks: Encryption[];

  /**
   * `secret`: at least 32 arbitrary characters; it is hashed to the key. `fallbacks`: other secrets that stored values may be
   * encrypted with; they are only used to decrypt.
   */
  constructor(secret: string, fallbacks: readonly string[] = []) {
    this.key = createHash('sha256').update(`trunkline-seal\0${secret}`).digest();
    this.fallbacks = fallbacks.map((fallback) => new Encryption(fallback));
  }

  /** Identifies the key without revealing it; stored in the database to detect a wrong SECRET_KEY at startup. */
  get fingerprint(): string {
    return createHash('sha256').update('fingerprint').update(this.key).digest('hex').slice(0, 16);
  }

  /** Fingerprints of all keys that decrypt values; the first one encrypts. */
  get fingerprints(): string[] {
    return [this, ...this.fallbacks].map((encryption) => encryption.fingerprint);
  }

  /** `derive` for every key that may have signed a link; the first one signs. */
  deriveAll(purpose: string): Buffer[] {
    return [this, ...this.fallbacks].map((encryption) => encryption.derive(purpose));
  }

  /** A key for another purpose; neither key reveals the other. */
  derive(purpose: string): Buffer {
    return createHash('sha256').update(`${purpose}\0`).update(this.key).digest();
  }

  encrypt(plain: string, context: string): Buffer {
    const iv = randomBytes(IV);
    const cipher = createCipheriv('aes-256-gcm', this.key, iv);
    cipher.setAAD(Buffer.from(context));
    const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), body]);
  }

  /** Throws when the value was encrypted with an unknown key or another context, or was changed. */
  decrypt(sealed: Buffer, context: string): string {
    try {
      return this.decryptOwn(sealed, context);
    } catch (error) {
      for (const fallback of this.fallbacks) {
        const opened = fallback.tryDecryptOwn(sealed, context);
        if (opened !== undefined) return opened;
      }
      throw error;
    }
  }

  /** Whether the value is encrypted with the current key. */
  isCurrent(sealed: Buffer, context: string): boolean {
    return this.tryDecryptOwn(sealed, context) !== undefined;
  }

  private tryDecryptOwn(sealed: Buffer, context: string): string | undefined {
    try {
      return this.decryptOwn(sealed, context);
    } catch {
      return undefined;
    }
  }

  private decryptOwn(sealed: Buffer, context: string): string {
    const decipher = createDecipheriv('aes-256-gcm', this.key, sealed.subarray(0, IV));
    decipher.setAAD(Buffer.from(context));
    decipher.setAuthTag(sealed.subarray(IV, IV + TAG));
    return decipher.update(sealed.subarray(IV + TAG), undefined, 'utf8') + decipher.final('utf8');
  }
}
