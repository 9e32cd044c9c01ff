import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Env, Encryption } from '@app/common';
import type { Links } from './call-view.js';

export interface LinkedCall {
  id: string;
  account_id: number;
}

/** What a link opens. Each has keys of its own, so that the signature of one is worth nothing for the other. */
export type LinkPurpose = 'recording-link' | 'transcript-link';

/** Signs what a link may open: the recording, or the transcript, of this call of this account, until then. */
export class LinkSigner {
  /** The first signs; links of a key that is being replaced open, too. */
  private readonly keys: Buffer[];

  constructor(encryption: Encryption, purpose: LinkPurpose) {
    this.keys = encryption.deriveAll(purpose);
  }

  /** `expires`: seconds since 1970. */
  sign(call: LinkedCall, expires: string): string {
    return signatureOf(this.keys[0] as Buffer, call, expires);
  }

  verify(call: LinkedCall, expires: string, signature: string, now = Date.now()): boolean {
    if (!/^\d{1,12}$/.test(expires) || Number(expires) * 1_000 < now) return false;
    const given = Buffer.from(signature);
    return this.keys.some((key) => {
      const expected = Buffer.from(signatureOf(key, call, expires));
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
  }
}

const signatureOf = (key: Buffer, call: LinkedCall, expires: string): string =>
  createHmac('sha256', key).update(`${call.id}\n${call.account_id}\n${expires}`).digest('base64url');

/** Where our links begin: PUBLIC_URL, or this machine when it is not set. Without a slash at the end. */
export const publicUrl = (env: Pick<Env, 'PORT'> & { PUBLIC_URL?: string }): string =>
  (env.PUBLIC_URL ?? `http://localhost:${env.PORT}`).replace(/\/+$/, '');

/** Whoever has a link may fetch what it names until it expires, or the call, the recording or the transcript is deleted. */
export function linksOf(env: Pick<Env, 'PORT'> & { PUBLIC_URL?: string }, encryption: Encryption): Links {
  const base = `${publicUrl(env)}/api/v1`;
  return {
    recording: linkTo(`${base}/recordings`, new LinkSigner(encryption, 'recording-link')),
    transcript: linkTo(`${base}/transcripts`, new LinkSigner(encryption, 'transcript-link')),
  };
}

function linkTo(collection: string, signer: LinkSigner) {
  return (call: LinkedCall, ttlSeconds: number): string => {
    const expires = String(Math.floor(Date.now() / 1_000) + ttlSeconds);
    return `${collection}/${call.id}?expires=${expires}&signature=${signer.sign(call, expires)}`;
  };
}
