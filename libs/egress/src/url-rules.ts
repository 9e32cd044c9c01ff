import { isIP } from 'node:net';
import { type AllowList, type CodedProblem, isAddressAllowed, withCode } from '@app/common';

const MAX_URL_LENGTH = 2048;

export interface UrlRules {
  httpsOnly: boolean;
  /** Networks that are allowed although they are not public. */
  allow: AllowList;
  /** A proxy resolves the names, so that their addresses are unknown here. */
  proxied?: boolean;
  /** Characters; 2048 if absent. */
  maxLength?: number;
}

/**
 * Internal names of companies, clusters and clouds, which the public DNS never resolves (RFC 6761, 6762, 8375,
 * ICANN's .internal).
 */
const INSIDE_NAME = /(^|\.)(localhost|localdomain|local|internal|intranet|private|corp|home|lan|svc|home\.arpa)$/;

// oxlint-disable-next-line no-control-regex -- matches control characters
const CONTROL_OR_SPACE = /[\u0000-\u0020\u007f-\u00a0\u2028\u2029]/;

/**
 * Checks whether a URL may be stored or requested, as far as possible without DNS.
 * @returns an error sentence for the user, or undefined.
 */
export function urlProblem(text: string, rules: UrlRules): string | undefined {
  const checked = checkUrl(text, rules);
  return typeof checked === 'string' ? checked : undefined;
}

/** The same with a code. */
export function urlFault(text: string, rules: UrlRules): CodedProblem | undefined {
  const checked = readUrl(text, rules);
  return checked instanceof URL ? undefined : checked;
}

/** The parsed URL, or an error sentence. */
export function checkUrl(text: string, rules: UrlRules): URL | string {
  const read = readUrl(text, rules);
  return read instanceof URL ? read : read.message;
}

function readUrl(text: string, rules: UrlRules): URL | CodedProblem {
  if (text.length > (rules.maxLength ?? MAX_URL_LENGTH)) return tooLong(rules);
  if (CONTROL_OR_SPACE.test(text)) return malformed('The URL must not contain spaces or control characters.');
  // WHATWG parsers read `\` as `/`, others do not: the two would see different hosts.
  if (text.includes('\\')) return malformed('The URL must not contain a backslash.');
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text))
    return malformed('The URL must be an absolute http or https URL.');
  const url = new URL(text);
  return parsedUrlProblem(url, rules) ?? url;
}

const malformed = (message: string): CodedProblem => withCode('invalid_format', message);

const tooLong = (rules: UrlRules): CodedProblem =>
  withCode('too_long', `The URL must not be longer than ${rules.maxLength ?? MAX_URL_LENGTH} characters.`);

const INSIDE_ADDRESS = withCode('blocked', 'The URL must not point to an internal address.');
const INSIDE_HOST = withCode('blocked', 'The URL must not point to an internal host name.');

function parsedUrlProblem(url: URL, rules: UrlRules): CodedProblem | undefined {
  const { httpsOnly, allow, proxied = false, maxLength = MAX_URL_LENGTH } = rules;
  if (httpsOnly && url.protocol !== 'https:') return malformed('The URL must start with https://.');
  if (url.username || url.password) return malformed('The URL must not contain a user name or password.');
  // Percent-encoding may lengthen the URL.
  if (url.href.length > maxLength) return tooLong(rules);
  const host = hostOf(url);
  if (isIP(host) > 0) return isAddressAllowed(host, allow) ? undefined : INSIDE_ADDRESS;
  // With an allow-list, the resolved addresses are checked at connection time; a proxy does not report them.
  if (isInsideName(host) && (allow.length === 0 || proxied)) return INSIDE_HOST;
  return undefined;
}

/** The host without the brackets of IPv6 and without the final dot of a fully qualified name. */
const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');

/** True for names unknown to the public DNS: without a dot, or under an internal domain. */
export const isInsideName = (host: string): boolean => !host.includes('.') || INSIDE_NAME.test(host);

/**
 * Whether two URLs have the same scheme, host and port (RFC 6454 §4): secrets stored for one may be sent to the other. False if one
 * of them is invalid.
 */
export function isSameOrigin(one: string, other: string): boolean {
  if (one === other) return URL.canParse(one);
  if (!URL.canParse(one) || !URL.canParse(other)) return false;
  return new URL(one).origin === new URL(other).origin;
}
