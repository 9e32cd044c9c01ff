import { parseParams } from './header-params.js';
import { bareHost, parseHostPort } from './sip-address.js';

interface Via {
  transport: string;
  host: string;
  port?: number;
  params: ReadonlyMap<string, string>;
}

/** RFC 3261 §8.1.1.7: the prefix of RFC 3261 branches. */
export const MAGIC_COOKIE = 'z9hG4bK';

const SENT_PROTOCOL = /^SIP\s*\/\s*2\.0\s*\/\s*([A-Za-z0-9-]+)\s+/i;

/** Reads one Via value, such as `SIP/2.0/UDP [::1]:5060;branch=z9hG4bK1;rport`. */
export function parseVia(value: string): Via | undefined {
  const protocol = SENT_PROTOCOL.exec(value);
  if (!protocol) return undefined;
  const semicolon = value.indexOf(';', protocol[0].length);
  const sentBy = value.slice(protocol[0].length, semicolon < 0 ? undefined : semicolon);
  const hostPort = parseHostPort(sentBy.replace(/\s+/g, ''));
  if (!hostPort) return undefined;
  return {
    transport: protocol[1]!.toUpperCase(),
    ...hostPort,
    params: parseParams(semicolon < 0 ? '' : value.slice(semicolon + 1)),
  };
}

/**
 * The Via that a server stores: with the source address, and the port when rport was requested
 * (RFC 3261 §18.2.1, RFC 3581 §4). Responses carry it back.
 */
export function stampVia(value: string, via: Via, address: string, port: number): string {
  const asksForPort = via.params.get('rport') === '';
  const withPort = asksForPort ? value.replace(/;\s*rport\s*(?=;|$)/i, `;rport=${port}`) : value;
  if (!asksForPort && bareHost(via.host) === address) return withPort;
  return `${withPort};received=${address}`;
}
