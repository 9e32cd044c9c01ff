import { parseParams } from './header-params.js';
import { isHost } from './safe-text.js';

/** One SIP URI in parts. `host` of an IPv6 literal keeps its brackets; `user` keeps its escapes. */
export interface SipUri {
  scheme: 'sip' | 'sips';
  user?: string;
  host: string;
  port?: number;
  params: ReadonlyMap<string, string>;
}

/** Reads `sip:user:password@host:port;params?headers`; passwords and headers are dropped. Undefined: not a SIP URI. */
export function parseSipUri(text: string): SipUri | undefined {
  const colon = text.indexOf(':');
  const scheme = text.slice(0, colon).toLowerCase();
  if (scheme !== 'sip' && scheme !== 'sips') return undefined;
  const at = text.indexOf('@', colon + 1);
  const hostStart = at < 0 ? colon + 1 : at + 1;
  const question = text.indexOf('?', hostStart);
  const end = question < 0 ? text.length : question;
  const semicolon = text.indexOf(';', hostStart);
  const hostEnd = semicolon < 0 || semicolon > end ? end : semicolon;
  const hostPort = parseHostPort(text.slice(hostStart, hostEnd));
  if (!hostPort) return undefined;
  const user = at < 0 ? undefined : text.slice(colon + 1, at).split(':', 1)[0];
  if (at >= 0 && !user) return undefined;
  return { scheme, user, ...hostPort, params: parseParams(hostEnd < end ? text.slice(hostEnd + 1, end) : '') };
}

/** `host`, `host:port`, `[v6]`, `[v6]:port`. */
export function parseHostPort(text: string): { host: string; port?: number } | undefined {
  const colon = text.startsWith('[') ? text.indexOf(':', text.indexOf(']')) : text.indexOf(':');
  const host = colon < 0 ? text : text.slice(0, colon);
  if (!isHost(host)) return undefined;
  if (colon < 0) return { host };
  const digits = text.slice(colon + 1);
  const port = Number(digits);
  if (!/^\d{1,5}$/.test(digits) || port < 1 || port > 65_535) return undefined;
  return { host, port };
}

/** ITU-T E.164 §6 with its plus: the only user part that `;user=phone` may stand beside (RFC 3261 §19.1.1, RFC 3966 §5.1.4). */
export const isE164User = (user: string): boolean => /^\+[1-9]\d{1,14}$/.test(user);

/** An address as it stands in URIs and Via: IPv6 gets brackets. */
export function uriHost(address: string): string {
  return address.includes(':') && !address.startsWith('[') ? `[${address}]` : address;
}

/** `[::1]` -> `::1`, for the socket calls. */
export function bareHost(host: string): string {
  return host.startsWith('[') ? host.slice(1, -1) : host;
}
