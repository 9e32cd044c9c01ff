import { isIP } from 'node:net';
import { normaliseE164 } from './destination-policy.js';
import { didYouMean } from './written-number.js';

/** A parsed destination: a number over a trunk, or a SIP URI directly or over a trunk. */
export interface Destination {
  kind: 'e164' | 'sip';
  /** `+15550001111`, or the URI as it was given. */
  address: string;
  /** Of a SIP URI; IPv6 without brackets. */
  host?: string;
}

export type ParsedDestination = Destination | { kind: 'wrong'; problem: string };

const FORMAT = 'Each phone number must be in E.164 or SIP URI format';
const WRONG = `${FORMAT}, such as +15551234567 or sip:user@sip.example.com.`;
const SECURE = `${FORMAT}, and sips: is not supported: use sip: with ;transport=tls, tcp or udp.`;

const PARAMETERS = `${FORMAT}, and of what may follow the host of a SIP URI only ;transport=udp, tcp or tls and ;user=phone are supported.`;

const MAX_URI_LENGTH = 255;
/** E.164 §6 with common punctuation. */
const NUMBER = /^\+[\d ()-]+$/;
/**
 * RFC 3261 §25.1 without passwords, headers and other parameters than `transport` and `user=phone`, each once; of the user part
 * only characters that are harmless in a header. Escapes of control characters are refused: a proxy may decode them.
 */
const SIP_URI =
  /^sip:(?:[\w.!~*'()&=+$,/?-]|%(?![01]|7f)[0-9a-f]{2}){1,128}@(\[[0-9a-f:.]+\]|\w(?:[\w.-]*\w)?\.?)(?::(\d{1,5}))?(?:(?:;user=phone)?(?:;transport=(?:udp|tcp|tls))?|;transport=(?:udp|tcp|tls);user=phone)$/i;

const wrong = (problem: string): ParsedDestination => ({ kind: 'wrong', problem });

/**
 * Parses one element of `to_number`. Punctuation is removed from numbers; URIs stay as they are. The problem of another text says which number
 * it would be; `country`: of texts without a country code.
 */
export function parseDestination(value: unknown, country: string | null = null): ParsedDestination {
  if (typeof value !== 'string') return wrong(WRONG);
  const text = value.trim();
  if (/^sips:/i.test(text)) return wrong(SECURE);
  if (/^sip:/i.test(text)) return parseSipUri(text);
  const number = NUMBER.test(text) ? normaliseE164(text) : undefined;
  return number ? { kind: 'e164', address: number } : wrong(`${WRONG}${didYouMean(text, country)}`);
}

function parseSipUri(text: string): ParsedDestination {
  const match = text.length <= MAX_URI_LENGTH ? SIP_URI.exec(text) : null;
  if (!match) return wrong(isRightBefore(text) ? PARAMETERS : WRONG);
  const host = (match[1] ?? '').replace(/^\[|\]$/g, '');
  const port = match[2] === undefined ? undefined : Number(match[2]);
  if (port !== undefined && (port < 1 || port > 65_535)) return wrong(WRONG);
  if (!isHost(host)) return wrong(WRONG);
  return { kind: 'sip', address: `sip:${text.slice('sip:'.length)}`, host };
}

/** Host and port of a SIP URI, behind the first `@`, IPv6 without brackets. undefined: it is a number, or not a SIP URI. */
export function sipHostOf(uri: string): { host: string; port?: number } | undefined {
  if (!/^sips?:/i.test(uri)) return undefined;
  const place = uri.slice(Math.max(uri.indexOf(':'), uri.indexOf('@')) + 1);
  const [, address, name, port] = /^(?:\[([^\]]+)\]|([^:;?]+))(?::(\d{1,5}))?(?:[;?]|$)/.exec(place) ?? [];
  const host = address ?? name;
  return host === undefined ? undefined : { host, ...(port !== undefined && { port: Number(port) }) };
}

/** Whether only the part after the host is invalid. */
function isRightBefore(text: string): boolean {
  const [uri = ''] = /^[^@]*@[^;?]*(?=[;?])/.exec(text) ?? [];
  return uri !== '' && parseSipUri(uri).kind === 'sip';
}

/**
 * An address or a name, also with underscores (RFC 2181 §11). Text that ends in a number (`999.1.1.1`, `0x7f.1`, `127.1`) is neither, although some resolvers treat it as an
 * address.
 */
function isHost(host: string): boolean {
  if (isIP(host) > 0) return true;
  if (host.includes(':') || /(?:^|\.)(?:\d+|0x[\da-f]*)\.?$/i.test(host)) return false;
  return host
    .replace(/\.$/, '')
    .split('.')
    .every((label) => /^\w(?:[\w-]{0,61}\w)?$/.test(label));
}
