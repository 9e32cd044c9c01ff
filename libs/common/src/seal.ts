import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

const IV = 12;
const TAG = 16;

/**
 * Encrypts secrets at rest with AES-256-GCM (NIST SP 800-38D). Layout: 12 bytes IV, 16 bytes tag, ciphertext.
 * `context` (for example `webhook-secret`) is authenticated, so a sealed value cannot be moved to another column.
 */
export class Seal {
  private readonly key: Buffer;

  /** `secret`: at least 32 characters of whatever kind; it is hashed to the key. */
  constructor(secret: string) {
    this.key = createHash('sha256').update(`trunkline-seal\0${secret}`).digest();
  }

  /** Tells two keys apart without revealing either; kept in the database to notice a wrong SECRET_KEY at start. */
  get fingerprint(): string {
    return createHash('sha256').update('fingerprint').update(this.key).digest('hex').slice(0, 16);
  }

  /** A key for another purpose, derived so that knowing one does not give the other. */
  derive(purpose: string): Buffer {
    return createHash('sha256').update(`${purpose}\0`).update(this.key).digest();
  }

  seal(plain: string, context: string): Buffer {
    const iv = randomBytes(IV);
    const cipher = createCipheriv('aes-256-gcm', this.key, iv);
    cipher.setAAD(Buffer.from(context));
    const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), body]);
  }

  /** Throws when the value was sealed with another key or context, or was changed. */
  open(sealed: Buffer, context: string): string {
    const decipher = createDecipheriv('aes-256-gcm', this.key, sealed.subarray(0, IV));
    decipher.setAAD(Buffer.from(context));
    decipher.setAuthTag(sealed.subarray(IV, IV + TAG));
    return decipher.update(sealed.subarray(IV + TAG), undefined, 'utf8') + decipher.final('utf8');
  }
}
