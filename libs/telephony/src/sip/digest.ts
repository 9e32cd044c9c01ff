import { createHash } from 'node:crypto';
import { parseParams, splitOutsideQuotes } from './header-params.js';

/** One challenge of WWW-Authenticate or Proxy-Authenticate that we can answer. */
export interface Challenge {
  realm: string;
  nonce: string;
  opaque?: string;
  algorithm: DigestAlgorithm;
  /** `qop=auth` was offered; without it the older computation of RFC 2069 is used. */
  qopAuth: boolean;
  stale: boolean;
}

export type DigestAlgorithm = 'MD5' | 'SHA-256' | 'SHA-512-256';

/** Weakest first; names as node:crypto knows them. */
export const HASHES: Record<DigestAlgorithm, string> = { MD5: 'md5', 'SHA-256': 'sha256', 'SHA-512-256': 'sha512-256' };
const STRENGTH = Object.keys(HASHES);

/** Reads one header value. Undefined: another scheme, an algorithm or a qop that we do not speak. */
export function parseChallenge(value: string): Challenge | undefined {
  const scheme = /^Digest\s+/i.exec(value);
  if (!scheme) return undefined;
  const params = parseParams(splitOutsideQuotes(value.slice(scheme[0].length), ',').join(';'));
  const nonce = params.get('nonce');
  const realm = params.get('realm');
  const named = (params.get('algorithm') ?? 'MD5').toUpperCase();
  const qop = params.get('qop');
  const qopAuth = qop !== undefined && qop.split(',').some((one) => one.trim().toLowerCase() === 'auth');
  if (nonce === undefined || realm === undefined || !isAlgorithm(named) || (qop && !qopAuth)) return undefined;
  const opaque = params.get('opaque');
  return {
    realm,
    nonce,
    algorithm: named,
    qopAuth,
    stale: params.get('stale')?.toLowerCase() === 'true',
    ...(opaque === undefined ? {} : { opaque }),
  };
}

export function isAlgorithm(name: string): name is DigestAlgorithm {
  return Object.hasOwn(HASHES, name);
}

/** For each realm the strongest challenge that we can answer. */
export function strongestChallenges(values: string[]): Challenge[] {
  const byRealm = new Map<string, Challenge>();
  for (const value of values) {
    const challenge = parseChallenge(value);
    if (!challenge) continue;
    const best = byRealm.get(challenge.realm);
    if (!best || STRENGTH.indexOf(challenge.algorithm) > STRENGTH.indexOf(best.algorithm))
      byRealm.set(challenge.realm, challenge);
  }
  return [...byRealm.values()];
}

export interface DigestInput {
  username: string;
  password: string;
  method: string;
  uri: string;
  /** How often this nonce has been used, this time included. */
  count: number;
  cnonce: string;
}

/** The `response` parameter: RFC 7616 §3.4.1 with the algorithms of RFC 8760, or RFC 2617 without qop. */
export function digestResponse(challenge: Challenge, input: DigestInput): string {
  const hash = (text: string): string => createHash(HASHES[challenge.algorithm]).update(text).digest('hex');
  const ha1 = hash(`${input.username}:${challenge.realm}:${input.password}`);
  const ha2 = hash(`${input.method}:${input.uri}`);
  if (!challenge.qopAuth) return hash(`${ha1}:${challenge.nonce}:${ha2}`);
  return hash(`${ha1}:${challenge.nonce}:${nonceCount(input.count)}:${input.cnonce}:auth:${ha2}`);
}

/** The value of Authorization or Proxy-Authorization. */
export function digestCredentials(challenge: Challenge, input: DigestInput): string {
  const parts = [
    `username=${quoted(input.username)}`,
    `realm=${quoted(challenge.realm)}`,
    `nonce=${quoted(challenge.nonce)}`,
    `uri=${quoted(input.uri)}`,
    `response="${digestResponse(challenge, input)}"`,
    `algorithm=${challenge.algorithm}`,
  ];
  if (challenge.opaque !== undefined) parts.push(`opaque=${quoted(challenge.opaque)}`);
  if (challenge.qopAuth) parts.push(`cnonce="${input.cnonce}"`, 'qop=auth', `nc=${nonceCount(input.count)}`);
  return `Digest ${parts.join(', ')}`;
}

function nonceCount(count: number): string {
  return count.toString(16).padStart(8, '0');
}

function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}
