import { createHash, timingSafeEqual } from 'node:crypto';
import { HASHES, isAlgorithm, type DigestAlgorithm } from './digest.js';
import { parseSipUri } from './sip-uri.js';
import { parseParams, splitOutsideQuotes } from './header-params.js';

/** What a request says to prove who sent it: the credentials of an Authorization header (RFC 3261 §22, RFC 7616 §3.4). */
export interface DigestClaim {
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

/** The values of WWW-Authenticate, one per algorithm; callers take the first that they speak (RFC 8760 §2.4). `stale`: the credentials were right, only their nonce is not good any more. */
export function challenges(
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
export function parseClaim(value: string): DigestClaim | undefined {
  const scheme = /^Digest\s+/i.exec(value);
  if (!scheme) return undefined;
  const params = parseParams(splitOutsideQuotes(value.slice(scheme[0].length), ',').join(';'));
  const text = (name: string): string => params.get(name) ?? '';
  const algorithm = (params.get('algorithm') ?? 'MD5').toUpperCase();
  const claim = {
    username: text('username'),
    realm: text('realm'),
    nonce: text('nonce'),
    uri: text('uri'),
    response: text('response').toLowerCase(),
    cnonce: text('cnonce'),
    nc: text('nc'),
  };
  if (!isAlgorithm(algorithm)) return undefined;
  if (text('qop').toLowerCase() !== 'auth' || !/^[0-9a-f]{8}$/i.test(claim.nc)) return undefined;
  return Object.values(claim).includes('') ? undefined : { ...claim, algorithm };
}

/**
 * Whether the `uri` of the claim is the Request-URI (RFC 7616 §3.4.6): a request that was changed on its way calls another number with
 * the credentials of this one. Parameters do not count, nor does a port that only one of them has. SIPp and some exchanges write the
 * place that they send to, without a user; then host and port decide.
 */
export function isForUri(claim: Pick<DigestClaim, 'uri'>, requestUri: string): boolean {
  const [claimed, requested] = [parseSipUri(claim.uri), parseSipUri(requestUri)];
  if (!claimed || !requested) return claim.uri === requestUri;
  const isSamePort = claimed.port === requested.port || claimed.port === undefined || requested.port === undefined;
  const isSamePlace = claimed.host.toLowerCase() === requested.host.toLowerCase() && isSamePort;
  return isSamePlace && (claimed.user === undefined || claimed.user === requested.user);
}

/** Whether the claim was made with that password; `isForUri` looks at its `uri`. */
export function proves(claim: DigestClaim, method: string, password: string): boolean {
  const hash = (text: string): string => createHash(HASHES[claim.algorithm]).update(text).digest('hex');
  const ha1 = hash(`${claim.username}:${claim.realm}:${password}`);
  const ha2 = hash(`${method}:${claim.uri}`);
  const expected = Buffer.from(hash(`${ha1}:${claim.nonce}:${claim.nc}:${claim.cnonce}:auth:${ha2}`));
  const given = Buffer.from(claim.response);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
