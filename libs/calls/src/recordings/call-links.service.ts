import { Encryption, type Env } from '@app/common';
import { ENV } from '@app/common/settings';
import { Inject, Injectable } from '@nestjs/common';
import { createHmac, timingSafeEqual } from 'node:crypto';

interface LinkedCall {
  id: string;
  account_id: number;
}

/** The `expires` (Unix seconds) and `signature` of a link. */
export interface LinkProof {
  expires: string;
  signature: string;
}

/** Signed links to the recording and the transcript of a call. They work until they expire or their target is deleted. */
@Injectable()
export class CallLinksService {
  private readonly base: string;
  private readonly recordings: LinkSigner;
  private readonly transcripts: LinkSigner;

  constructor(@Inject(ENV) env: Pick<Env, 'PORT' | 'PUBLIC_URL'>, encryption: Encryption) {
    const origin = env.PUBLIC_URL ?? `http://localhost:${env.PORT}`;
    this.base = `${origin.replace(/\/+$/, '')}/api/v1`;
    this.recordings = new LinkSigner(encryption, 'recording-link');
    this.transcripts = new LinkSigner(encryption, 'transcript-link');
  }

  recording(call: LinkedCall, ttlSeconds: number): string {
    return linkTo(`${this.base}/recordings`, this.recordings, call, ttlSeconds);
  }

  transcript(call: LinkedCall, ttlSeconds: number): string {
    return linkTo(`${this.base}/transcripts`, this.transcripts, call, ttlSeconds);
  }

  opensRecording(call: LinkedCall, proof: LinkProof, now = Date.now()): boolean {
    return this.recordings.verify(call, proof, now);
  }

  opensTranscript(call: LinkedCall, proof: LinkProof, now = Date.now()): boolean {
    return this.transcripts.verify(call, proof, now);
  }
}

/** Signs call, account and expiry. Each purpose has separate keys: a signature of one purpose is invalid for the other. */
class LinkSigner {
  /** The first key signs; during a key rotation the links of the old key stay valid. */
  private readonly keys: Buffer[];

  constructor(encryption: Encryption, purpose: 'recording-link' | 'transcript-link') {
    this.keys = encryption.deriveAll(purpose);
  }

  sign(call: LinkedCall, expires: string): string {
    return signatureOf(this.keys[0] as Buffer, call, expires);
  }

  verify(call: LinkedCall, { expires, signature }: LinkProof, now: number): boolean {
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

function linkTo(collection: string, signer: LinkSigner, call: LinkedCall, ttlSeconds: number): string {
  const expires = String(Math.floor(Date.now() / 1_000) + ttlSeconds);
  return `${collection}/${call.id}?expires=${expires}&signature=${signer.sign(call, expires)}`;
}
