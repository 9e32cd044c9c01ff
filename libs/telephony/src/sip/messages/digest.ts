import { createHash, timingSafeEqual } from 'node:crypto';
import { randomTag } from '../../random-ids.js';
import { hasControlCharacters, parseParams, splitOutsideQuotes, UnsafeSipText } from './headers.js';
import type { SipRequest, SipResponse } from './message.js';
import { parseSipUri, userOfUri } from './sip-address.js';

/** One challenge of WWW-Authenticate or Proxy-Authenticate that we can answer. */
interface Challenge {
  realm: string;
  nonce: string;
  opaque?: string;
  algorithm: DigestAlgorithm;
  /** `MD5-sess` and others: the password is hashed once with the first nonces of both sides (RFC 7616 §3.4.2). */
  isSession: boolean;
  /** The protection to use; undefined: none was offered, and the older computation of RFC 2069 is used. */
  qop: 'auth' | 'auth-int' | undefined;
  stale: boolean;
}

export type DigestAlgorithm = 'MD5' | 'SHA-256' | 'SHA-512-256';

/** Weakest first; names as node:crypto knows them. */
const HASHES: Record<DigestAlgorithm, string> = { MD5: 'md5', 'SHA-256': 'sha256', 'SHA-512-256': 'sha512-256' };
const STRENGTH = Object.keys(HASHES);

/** Reads one header value. Undefined: another scheme, or an unsupported algorithm or qop. */
export function parseChallenge(value: string): Challenge | undefined {
  const scheme = /^Digest\s+/i.exec(value);
  if (!scheme) return undefined;
  const params = parseParams(splitOutsideQuotes(value.slice(scheme[0].length), ',').join(';'));
  const nonce = params.get('nonce');
  const realm = params.get('realm');
  const [, named = '', session] = /^(.*?)(-sess)?$/i.exec(params.get('algorithm') ?? 'MD5') ?? [];
  const algorithm = named.toUpperCase();
  const offered = params.get('qop') ?? '';
  const qop = chooseQop(offered);
  if (nonce === undefined || realm === undefined || !isAlgorithm(algorithm) || (offered && !qop)) return undefined;
  const opaque = params.get('opaque');
  return {
    realm,
    nonce,
    algorithm,
    isSession: session !== undefined,
    qop,
    stale: params.get('stale')?.toLowerCase() === 'true',
    ...(opaque === undefined ? {} : { opaque }),
  };
}

/** `auth` where both are offered: back-to-back user agents on the path may change the body that `auth-int` covers. */
function chooseQop(offered: string): Challenge['qop'] {
  const names = offered.split(',').map((one) => one.trim().toLowerCase());
  return (['auth', 'auth-int'] as const).find((one) => names.includes(one));
}

function isAlgorithm(name: string): name is DigestAlgorithm {
  return Object.hasOwn(HASHES, name);
}

/** For each realm the strongest challenge that we can answer; of equal ones the first. */
export function strongestChallenges(values: string[]): Challenge[] {
  const byRealm = new Map<string, Challenge>();
  for (const value of values) {
    const challenge = parseChallenge(value);
    if (!challenge) continue;
    const best = byRealm.get(challenge.realm);
    if (!best || strengthOf(challenge) > strengthOf(best)) byRealm.set(challenge.realm, challenge);
  }
  return [...byRealm.values()];
}

/** A session variant is not stronger, and less widely supported. */
const strengthOf = ({ algorithm, isSession }: Challenge): number =>
  2 * STRENGTH.indexOf(algorithm) + (isSession ? 0 : 1);

interface DigestInput {
  username: string;
  password: string;
  method: string;
  uri: string;
  body: string;
  /** The number of uses of this nonce, this one included. */
  count: number;
  cnonce: string;
}

/** The `response` parameter: RFC 7616 §3.4.1 with the algorithms of RFC 8760, or RFC 2617 without qop. */
export function digestResponse(challenge: Challenge, input: DigestInput): string {
  const { algorithm, realm, nonce, isSession, qop } = challenge;
  const hash = (text: string): string => createHash(HASHES[algorithm]).update(text).digest('hex');
  const secret = hash(`${input.username}:${realm}:${input.password}`);
  const ha1 = isSession ? hash(`${secret}:${nonce}:${input.cnonce}`) : secret;
  const ha2 = hash(`${input.method}:${input.uri}${qop === 'auth-int' ? `:${hash(input.body)}` : ''}`);
  if (!qop) return hash(`${ha1}:${nonce}:${ha2}`);
  return hash(`${ha1}:${nonce}:${nonceCount(input.count)}:${input.cnonce}:${qop}:${ha2}`);
}

/** The value of Authorization or Proxy-Authorization. */
export function digestCredentials(challenge: Challenge, input: DigestInput): string {
  const { qop, isSession } = challenge;
  const parts = [
    `username=${quote(input.username)}`,
    `realm=${quote(challenge.realm)}`,
    `nonce=${quote(challenge.nonce)}`,
    `uri=${quote(input.uri)}`,
    `response="${digestResponse(challenge, input)}"`,
    `algorithm=${challenge.algorithm}${isSession ? '-sess' : ''}`,
  ];
  if (challenge.opaque !== undefined) parts.push(`opaque=${quote(challenge.opaque)}`);
  // The session key contains the cnonce also without qop.
  if (qop || isSession) parts.push(`cnonce="${input.cnonce}"`);
  if (qop) parts.push(`qop=${qop}`, `nc=${nonceCount(input.count)}`);
  return `Digest ${parts.join(', ')}`;
}

function nonceCount(count: number): string {
  return count.toString(16).padStart(8, '0');
}

function quote(text: string): string {
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
  /** Eight hexadecimal digits, as received: they are part of the hash. */
  nc: string;
}

/**
 * The values of WWW-Authenticate, one per algorithm; callers use the first supported one (RFC 8760 §2.4). `stale`: the credentials were
 * right, but their nonce has expired.
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

/** Reads one header value. Undefined: another scheme or algorithm, or no qop: without a count a replay cannot be detected. */
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
 * Whether the `uri` of the credentials is the Request-URI (RFC 7616 §3.4.6): otherwise a modified request could call another number
 * with the same credentials. Parameters are ignored, and so is a port that only one of them has. SIPp and some exchanges use the
 * destination without a user; then host and port decide.
 */
export function matchesRequestUri(credentials: Pick<ReceivedCredentials, 'uri'>, requestUri: string): boolean {
  const [claimed, requested] = [parseSipUri(credentials.uri), parseSipUri(requestUri)];
  if (!claimed || !requested) return credentials.uri === requestUri;
  const isSamePort = claimed.port === requested.port || claimed.port === undefined || requested.port === undefined;
  const isSameHostPort = claimed.host.toLowerCase() === requested.host.toLowerCase() && isSamePort;
  return isSameHostPort && (claimed.user === undefined || userOfUri(credentials.uri) === userOfUri(requestUri));
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

export interface Credentials {
  username: string;
  password: string;
}

/** The challenges that one request has answered: a second challenge of the same realm means wrong credentials. */
export type AnsweredChallenges = Set<string>;

/** More realms than any path has; bounds a peer that challenges with new realms forever. */
const MAX_CHALLENGES = 10;

interface AnsweredChallenge {
  /** Authorization or Proxy-Authorization. */
  header: string;
  challenge: Challenge;
  cnonce: string;
  count: number;
}

/** The challenges of one call and our credentials for them, which its BYE reuses (RFC 3261 §22.1-22.3). */
export class Authorizer {
  /** Most calls are never challenged. */
  private challenges: Map<string, AnsweredChallenge> | undefined;

  /** @throws UnsafeSipText */
  constructor(private readonly credentials?: Credentials) {
    if (credentials && hasControlCharacters(credentials.username)) throw new UnsafeSipText('username');
  }

  /**
   * Takes the challenges of a 401 or 407. True: the request may be sent again with `apply`. A stale nonce is answered once more (RFC
   * 7616 §3.3).
   */
  learn(response: SipResponse, answered: AnsweredChallenges): boolean {
    if (!this.credentials) return false;
    const proxy = response.status === 407;
    const from = proxy ? 'proxy-authenticate' : 'www-authenticate';
    const to = proxy ? 'proxy-authorization' : 'authorization';
    const challenges = (this.challenges ??= new Map());
    let fresh = false;
    for (const challenge of strongestChallenges(response.headers.lines(from))) {
      const key = `${to} ${challenge.realm}`;
      const mark = answered.has(key) && challenge.stale ? `${key} stale` : key;
      if (answered.has(mark) || answered.size >= MAX_CHALLENGES) continue;
      if (!challenges.has(key) && challenges.size >= MAX_CHALLENGES) continue;
      answered.add(mark);
      // One cnonce per nonce: the session key of `-sess` is made with the first one.
      challenges.set(key, { header: to, challenge, cnonce: randomTag(), count: 0 });
      fresh = true;
    }
    return fresh;
  }

  /** Adds credentials for every challenge known so far. The body must be complete: `auth-int` covers it. */
  apply(request: SipRequest): void {
    if (!this.credentials || !this.challenges) return;
    const { method, uri, body } = request;
    for (const known of this.challenges.values()) {
      known.count++;
      const { header, challenge, cnonce, count } = known;
      request.headers.push(
        header,
        digestCredentials(challenge, { ...this.credentials, method, uri, body, count, cnonce }),
      );
    }
  }
}
