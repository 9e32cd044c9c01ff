import { createHash, timingSafeEqual } from 'node:crypto';
import { parseParams, splitOutsideQuotes } from './header-params.js';
import { parseSipUri } from './sip-address.js';

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
const HASHES: Record<DigestAlgorithm, string> = { MD5: 'md5', 'SHA-256': 'sha256', 'SHA-512-256': 'sha512-256' };
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

function isAlgorithm(name: string): name is DigestAlgorithm {
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

interface DigestInput {
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

/** The credentials of an Authorization header (RFC 3261 §22, RFC 7616 §3.4). */
export interface ReceivedCredentials {
  username: string;
  realm: string;
  nonce: string;
  uri: string;
  response: string;
  algorithm: DigestAlgorithm;
  cnonce: string;
  /** Eight hexadecimal digits, as they were sent: they go into the hash. */
  nc: string;
}

/**
 * The values of WWW-Authenticate, one per algorithm; callers take the first that they speak (RFC 8760 §2.4). `stale`: the credentials were
 * right, only their nonce is not good any more.
 */
export function buildChallenges(
  algorithms: readonly DigestAlgorithm[],
  realm: string,
  nonce: string,
  stale: boolean,
): string[] {
  const again = stale ? ', stale=true' : '';
  return algorithms.map(
    (algorithm) => `Digest realm="${realm}", nonce="${nonce}", algorithm=${algorithm}, qop="auth"${again}`,
  );
}

/** Reads one header value. Undefined: another scheme or algorithm; without qop there is no count to stop a replay. */
export function parseCredentials(value: string): ReceivedCredentials | undefined {
  const scheme = /^Digest\s+/i.exec(value);
  if (!scheme) return undefined;
  const params = parseParams(splitOutsideQuotes(value.slice(scheme[0].length), ',').join(';'));
  const text = (name: string): string => params.get(name) ?? '';
  const algorithm = (params.get('algorithm') ?? 'MD5').toUpperCase();
  const credentials = {
    username: text('username'),
    realm: text('realm'),
    nonce: text('nonce'),
    uri: text('uri'),
    response: text('response').toLowerCase(),
    cnonce: text('cnonce'),
    nc: text('nc'),
  };
  if (!isAlgorithm(algorithm)) return undefined;
  if (text('qop').toLowerCase() !== 'auth' || !/^[0-9a-f]{8}$/i.test(credentials.nc)) return undefined;
  return Object.values(credentials).includes('') ? undefined : { ...credentials, algorithm };
}

/**
 * Whether the `uri` of the credentials is the Request-URI (RFC 7616 §3.4.6): a request that was changed on its way calls another number
 * with the credentials of this one. Parameters do not count, nor does a port that only one of them has. SIPp and some exchanges write the
 * place that they send to, without a user; then host and port decide.
 */
export function matchesRequestUri(credentials: Pick<ReceivedCredentials, 'uri'>, requestUri: string): boolean {
  const [claimed, requested] = [parseSipUri(credentials.uri), parseSipUri(requestUri)];
  if (!claimed || !requested) return credentials.uri === requestUri;
  const isSamePort = claimed.port === requested.port || claimed.port === undefined || requested.port === undefined;
  const isSameHostPort = claimed.host.toLowerCase() === requested.host.toLowerCase() && isSamePort;
  return isSameHostPort && (claimed.user === undefined || claimed.user === requested.user);
}

/** Whether the credentials were made with that password; `matchesRequestUri` looks at its `uri`. */
export function verifyCredentials(credentials: ReceivedCredentials, method: string, password: string): boolean {
  const hash = (text: string): string => createHash(HASHES[credentials.algorithm]).update(text).digest('hex');
  const ha1 = hash(`${credentials.username}:${credentials.realm}:${password}`);
  const ha2 = hash(`${method}:${credentials.uri}`);
  const expected = Buffer.from(hash(`${ha1}:${credentials.nonce}:${credentials.nc}:${credentials.cnonce}:auth:${ha2}`));
  const given = Buffer.from(credentials.response);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
