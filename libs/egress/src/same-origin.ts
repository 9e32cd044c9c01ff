/**
 * Whether two URLs have the same scheme, host and port (RFC 6454 §4): secrets that were stored for one may be sent to the other.
 * A URL that cannot be parsed has the origin of no other.
 */
export function sameOrigin(one: string, other: string): boolean {
  if (!URL.canParse(one) || !URL.canParse(other)) return false;
  return new URL(one).origin === new URL(other).origin;
}
