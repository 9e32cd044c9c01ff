import { type Claims, subjectOf } from './person-claims.js';

/** Asymmetric signatures only: with HS256, the public key of the issuer would be the secret. */
export const SIGNATURES = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
] as const;

/** Tolerated difference between the clocks of issuer and service. */
export const CLOCK_TOLERANCE_SECONDS = 30;

/** Longer texts are refused before they are parsed. A token with hundreds of groups has about 12 KB. */
const MAX_LENGTH = 16_000;

/** The end of the year 9999, the last one of RFC 3339. Beyond, a token has no time that can be shown or compared. */
const MAX_TIME = 253_402_300_799;

const isTime = (value: unknown): boolean => typeof value === 'number' && value >= 0 && value <= MAX_TIME;

/** Three parts in base64url, the first a JSON object. */
export const looksLikeJwt = (token: string): boolean =>
  token.startsWith('eyJ') && token.length <= MAX_LENGTH && /^[\w-]+\.[\w-]+\.[\w-]*$/.test(token);

/** Only ID tokens have these. */
const OF_ID_TOKENS = ['nonce', 'at_hash', 'c_hash', 's_hash'];
/** Access tokens name their scope or client: RFC 9068 (`client_id`), Entra ID (`scp`), Okta (`cid`, `scp`), Auth0 and Keycloak (`scope`). */
const OF_ACCESS_TOKENS = ['scope', 'scp', 'client_id', 'cid'];

/** The client that a token was issued to. */
export function clientOf(claims: Claims): string | undefined {
  const named = [claims.client_id, claims.azp, claims.cid, claims.appid];
  return named.find((value) => typeof value === 'string');
}

/**
 * Why a token with a valid signature is not an access token; undefined: it is one. The header `typ` decides (RFC 9068 §4). Most issuers do
 * not set it, so the claims that only one kind of token has decide then.
 */
export function accessTokenProblem(header: { typ?: string }, claims: Claims, now = Date.now()): string | undefined {
  // The proof of a bound token is not checked, so a thief could use it like any bearer token.
  if (claims.cnf !== undefined) return 'bound';
  if (subjectOf(claims) === null) return 'subject';
  if ([claims.exp, claims.nbf, claims.iat].some((value) => value !== undefined && !isTime(value))) return 'time';
  if (typeof claims.iat === 'number' && claims.iat > now / 1_000 + CLOCK_TOLERANCE_SECONDS) return 'issued_later';
  const type = header.typ?.toLowerCase().replace(/^application\//, '');
  if (type === 'at+jwt') return undefined;
  if (type !== undefined && type !== 'jwt') return 'type';
  // Keycloak: `Bearer`, `ID`, `Refresh`, `Logout`.
  if (typeof claims.typ === 'string' && claims.typ.toLowerCase() !== 'bearer') return 'type';
  if (claims.events !== undefined || OF_ID_TOKENS.some((name) => claims[name] !== undefined)) return 'type';
  return OF_ACCESS_TOKENS.some((name) => claims[name] !== undefined) ? undefined : 'type';
}
