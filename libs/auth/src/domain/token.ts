import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const PREFIX = 'tk_';
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 62^43 > 2^256 and 62^6 > 2^32: fixed widths keep every token the same length. */
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const SHAPE = new RegExp(`^${PREFIX}[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`);
/** Longer texts are refused before they are hashed. */
const MAX_LENGTH = 200;

/** `tk_`, 32 random bytes in base62, their CRC-32 in base62: a mistyped or truncated token is refused without a query. */
export function newToken(): string {
  const secret = base62(BigInt(`0x${randomBytes(32).toString('hex')}`), SECRET_LENGTH);
  return PREFIX + secret + checksum(secret);
}

/** Whether a token is well-formed. A token without `tk_` was chosen by the operator (BOOTSTRAP_TOKEN) and has no checksum. */
export function isPlausibleToken(token: string): boolean {
  if (!token.startsWith(PREFIX)) return token.length > 0 && token.length <= MAX_LENGTH;
  if (!SHAPE.test(token)) return false;
  const secret = token.slice(PREFIX.length, -CHECKSUM_LENGTH);
  return token.endsWith(checksum(secret));
}

/** Whether the service generated the token: its 256 random bits cannot be guessed. */
export const isIssuedToken = (token: string): boolean => token.startsWith(PREFIX) && isPlausibleToken(token);

/** Stored and looked up. A token has 256 bits of entropy, so a plain hash is enough. */
export const hashToken = (token: string): Buffer => hash('sha256', token, 'buffer');

/** The first characters, so that people can tell tokens apart. */
export const tokenHint = (token: string): string => `${token.slice(0, 7)}…`;

const checksum = (secret: string): string => base62(BigInt(crc32(secret)), CHECKSUM_LENGTH);

function base62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; rest > 0n; rest /= 62n) text = DIGITS.charAt(Number(rest % 62n)) + text;
  return text.padStart(length, '0');
}
