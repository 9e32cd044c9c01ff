import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Env, Seal } from '@app/common';
import type { Links } from './call-view.js';

export interface RecordedCall {
  id: string;
  account_id: number;
}

/** Signs what a recording link may open: this call of this account, until then. */
export class RecordingSigner {
  /** The first signs; links of a key that is being replaced open, too. */
  private readonly keys: Buffer[];

  constructor(seal: Seal) {
    this.keys = seal.deriveAll('recording-link');
  }

  /** `expires`: seconds since 1970. */
  sign(call: RecordedCall, expires: string): string {
    return signatureOf(this.keys[0] as Buffer, call, expires);
  }

  verify(call: RecordedCall, expires: string, signature: string, now = Date.now()): boolean {
    if (!/^\d{1,12}$/.test(expires) || Number(expires) * 1_000 < now) return false;
    const given = Buffer.from(signature);
    return this.keys.some((key) => {
      const expected = Buffer.from(signatureOf(key, call, expires));
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
  }
}

const signatureOf = (key: Buffer, call: RecordedCall, expires: string): string =>
  createHmac('sha256', key).update(`${call.id}\n${call.account_id}\n${expires}`).digest('base64url');

/** Where our links begin: PUBLIC_URL, or this machine when it is not set. Without a slash at the end. */
export const publicUrl = (env: Pick<Env, 'PORT'> & { PUBLIC_URL?: string }): string =>
  (env.PUBLIC_URL ?? `http://localhost:${env.PORT}`).replace(/\/+$/, '');

/** Whoever has the link may fetch the file until it expires or the call is deleted. */
export function linksOf(env: Pick<Env, 'PORT'> & { PUBLIC_URL?: string }, seal: Seal): Links {
  const signer = new RecordingSigner(seal);
  const base = publicUrl(env);
  return {
    recording: (call, ttlSeconds) => {
      const expires = String(Math.floor(Date.now() / 1_000) + ttlSeconds);
      return `${base}/api/v1/recordings/${call.id}?expires=${expires}&signature=${signer.sign(call, expires)}`;
    },
  };
}
