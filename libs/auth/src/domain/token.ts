import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

export const SCOPES = [
  'account:read',
  'account:write',
  'agents:read',
  'agents:write',
  'analytics:read',
  'audit:read',
  'calls:listen',
  'calls:read',
  'calls:write',
  'campaigns:read',
  'campaigns:write',
  'compliance:read',
  'compliance:write',
  'knowledge:read',
  'knowledge:write',
  'numbers:read',
  'numbers:write',
  'tokens:read',
  'tokens:write',
  'tools:read',
  'tools:write',
  'trunks:read',
  'trunks:write',
  'webhooks:read',
  'webhooks:write',
] as const;

export type Scope = (typeof SCOPES)[number];

/** Scopes of operators: `*` does not include them, because a tenant must not raise the limits of its own account. */
export const OPERATOR_SCOPES: readonly Scope[] = ['account:write'];

const isScope = (text: string): text is Scope => (SCOPES as readonly string[]).includes(text);

/** `calls:read,calls:write`; `*` stands for all scopes except those of operators. Throws an error that lists the scopes when one is unknown. */
export function parseScopes(text: string): Scope[] {
  const names = text
    .split(/[\s,]+/)
    .map((name) => name.trim())
    .filter(Boolean);
  const unknown = names.filter((name) => name !== '*' && !isScope(name));
  if (names.length === 0 || unknown.length > 0) {
    throw new Error(
      `Unknown scope ${unknown.join(', ') || "''"}. The scopes are ${SCOPES.join(', ')}; * means all except ${OPERATOR_SCOPES.join(', ')}.`,
    );
  }
  const tenant = names.includes('*') ? SCOPES.filter((scope) => !OPERATOR_SCOPES.includes(scope)) : [];
  return [...new Set([...tenant, ...names.filter(isScope)])];
}

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

/** Whether a token is well-formed. The operator chooses tokens without `tk_` (BOOTSTRAP_TOKEN); they have no checksum. */
export function isPlausibleToken(token: string): boolean {
  if (!token.startsWith(PREFIX)) return token.length > 0 && token.length <= MAX_LENGTH;
  if (!SHAPE.test(token)) return false;
  const secret = token.slice(PREFIX.length, -CHECKSUM_LENGTH);
  return token.endsWith(checksum(secret));
}

/** Whether the service generated the token: its 256 random bits cannot be guessed. */
export const isIssuedToken = (token: string): boolean => token.startsWith(PREFIX) && isPlausibleToken(token);

/** The stored form of a token. A token has 256 bits of entropy, so a plain hash is enough. */
export const hashToken = (token: string): Buffer => hash('sha256', token, 'buffer');

/** The first characters, which distinguish tokens in lists. */
export const tokenHint = (token: string): string => `${token.slice(0, 7)}…`;

const checksum = (secret: string): string => base62(BigInt(crc32(secret)), CHECKSUM_LENGTH);

function base62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; rest > 0n; rest /= 62n) text = DIGITS.charAt(Number(rest % 62n)) + text;
  return text.padStart(length, '0');
}
