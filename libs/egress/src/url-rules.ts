import { isIP } from 'node:net';
import { isAddressAllowed, type AllowList } from '@app/common';

const MAX_URL_LENGTH = 2048;

export interface UrlRules {
  httpsOnly: boolean;
  /** Networks that are allowed although they are not public. */
  allow: AllowList;
  /** A proxy resolves the names, so that nothing is known of their addresses; absent: we do. */
  proxied?: boolean;
  /** Characters; 2048 when absent. */
  maxLength?: number;
}

/** Names that resolvers inside a company, a cluster or a cloud answer, never the public DNS (RFC 6761, 6762, 8375, ICANN's .internal). */
const INSIDE_NAME = /(^|\.)(localhost|localdomain|local|internal|intranet|private|corp|home|lan|svc|home\.arpa)$/;

// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const CONTROL_OR_SPACE = /[\u0000-\u0020\u007f-\u00a0\u2028\u2029]/;

/**
 * Whether a URL may be stored or requested, as far as this is known without the DNS.
 * @returns a sentence for the person who wrote the URL, or undefined when nothing is wrong.
 */
export function urlProblem(text: string, rules: UrlRules): string | undefined {
  const checked = checkUrl(text, rules);
  return typeof checked === 'string' ? checked : undefined;
}

/** The parsed URL, or what is wrong with it. */
export function checkUrl(text: string, rules: UrlRules): URL | string {
  if (text.length > (rules.maxLength ?? MAX_URL_LENGTH)) return tooLong(rules);
  if (CONTROL_OR_SPACE.test(text)) return 'The URL must not contain spaces or control characters.';
  // WHATWG parsers read `\` as `/`, others do not: the two would see different hosts.
  if (text.includes('\\')) return 'The URL must not contain a backslash.';
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return 'The URL must be an absolute http or https URL.';
  const url = new URL(text);
  return parsedUrlProblem(url, rules) ?? url;
}

const tooLong = (rules: UrlRules): string =>
  `The URL must not be longer than ${rules.maxLength ?? MAX_URL_LENGTH} characters.`;

function parsedUrlProblem(url: URL, rules: UrlRules): string | undefined {
  const { httpsOnly, allow, proxied = false, maxLength = MAX_URL_LENGTH } = rules;
  if (httpsOnly && url.protocol !== 'https:') return 'The URL must start with https://.';
  if (url.username || url.password) return 'The URL must not contain a user name or password.';
  // Percent-encoding makes it longer than what was typed.
  if (url.href.length > maxLength) return tooLong(rules);
  const host = hostOf(url);
  if (isIP(host) > 0) return isAddressAllowed(host, allow) ? undefined : 'The URL must not point to an inside address.';
  // With an allow-list the answer of the DNS decides, when the connection is made; a proxy does not pass the answer on.
  if (isInsideName(host) && (allow.length === 0 || proxied)) return 'The URL must not point to an inside name.';
  return undefined;
}

/** The host without the brackets of IPv6 and without the dot that ends a full name. */
const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');

/** True for names the public DNS does not know: without a dot, or under an inside domain. */
export const isInsideName = (host: string): boolean => !host.includes('.') || INSIDE_NAME.test(host);

/**
 * Whether two URLs have the same scheme, host and port (RFC 6454 §4): secrets that were stored for one may be sent to the other.
 * A URL that cannot be parsed has the origin of no other.
 */
export function sameOrigin(one: string, other: string): boolean {
  if (!URL.canParse(one) || !URL.canParse(other)) return false;
  return new URL(one).origin === new URL(other).origin;
}
