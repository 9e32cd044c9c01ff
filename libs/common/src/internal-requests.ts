import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { Env } from './environment/env.js';
import { secretKey } from './environment/setting-errors.js';

/** Unix seconds at which the signature expires. */
const EXPIRES = 'x-trunkline-expires';
/** HMAC-SHA256 in hex. */
const SIGNATURE = 'x-trunkline-signature';

const LIFETIME_S = 30;

/** A request as the receiver sees it: `url` is the path with its query. */
interface ReceivedRequest {
  method?: string | undefined;
  url?: string | undefined;
  headers: Readonly<Record<string, string | string[] | undefined>>;
}

/**
 * Signs the requests between processes of one installation, and the tokens with which a page resumes its web call. The keys are derived
 * from SECRET_KEY (HKDF, RFC 5869); keys of SECRET_KEY_FALLBACKS verify as well, during a rotation.
 */
export class InternalRequests {
  private requestKeys?: Buffer[];
  private resumeKeys?: Buffer[];

  constructor(private readonly env: Pick<Env, 'SECRET_KEY' | 'SECRET_KEY_FALLBACKS'>) {}

  /** The headers of a request to another process, valid for 30 s. `path`: with its query. */
  sign(method: string, path: string, nowMs = Date.now()): Record<string, string> {
    const expires = String(Math.floor(nowMs / 1_000) + LIFETIME_S);
    const [key] = (this.requestKeys ??= this.keys('trunkline internal requests'));
    return { [EXPIRES]: expires, [SIGNATURE]: requestMac(key!, method, path, expires).toString('hex') };
  }

  /** Whether a process of this installation signed the request, at most 30 s ago. */
  isSigned({ method = '', url = '', headers }: ReceivedRequest, nowMs = Date.now()): boolean {
    const { [EXPIRES]: expires, [SIGNATURE]: signature } = headers;
    if (typeof expires !== 'string' || typeof signature !== 'string') return false;
    if (!/^\d{1,12}$/.test(expires) || !/^[0-9a-f]{64}$/.test(signature)) return false;
    const leftS = Number(expires) - nowMs / 1_000;
    if (leftS < 0 || leftS > LIFETIME_S) return false;
    const given = Buffer.from(signature, 'hex');
    const keys = (this.requestKeys ??= this.keys('trunkline internal requests'));
    return keys.some((key) => timingSafeEqual(given, requestMac(key, method, url, expires)));
  }

  /** The token with which a page connects to its live call again; base64url. */
  resumeToken(callId: string): string {
    const [key] = (this.resumeKeys ??= this.keys('trunkline web call resume'));
    return resumeMac(key!, callId).toString('base64url');
  }

  /** Whether `token` is the resume token of the call. The caller checks that the call lives. */
  isResumeToken(callId: string, token: string): boolean {
    const given = Buffer.from(token, 'base64url');
    const keys = (this.resumeKeys ??= this.keys('trunkline web call resume'));
    return keys.some((key) => given.length === key.length && timingSafeEqual(given, resumeMac(key, callId)));
  }

  private keys(info: string): Buffer[] {
    const secrets = [secretKey(this.env), ...this.env.SECRET_KEY_FALLBACKS];
    return secrets.map((secret) => Buffer.from(hkdfSync('sha256', secret, '', info, 32)));
  }
}

const requestMac = (key: Buffer, method: string, path: string, expires: string): Buffer =>
  createHmac('sha256', key).update(`${method}\n${path}\n${expires}`).digest();

const resumeMac = (key: Buffer, callId: string): Buffer => createHmac('sha256', key).update(callId).digest();
