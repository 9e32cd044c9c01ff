import { BlockedAddress } from '@app/common';
import { EgressTimeout } from './egress.js';
import { ProxyRefusal } from './egress-connections.js';

const SENTENCES: [RegExp, string][] = [
  [/^ECONNREFUSED$/, 'The connection was refused'],
  [/^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, 'The endpoint closed the connection before its answer was complete'],
  [/^(?:ENOTFOUND|ENODATA|EAI_\w+)$/, 'The name of the URL has no address'],
  [/^(?:ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/, 'The connection could not be made in time'],
  [/^(?:EHOSTUNREACH|ENETUNREACH)$/, 'The endpoint cannot be reached'],
  [
    /^(?:HPE_\w+|ERR_ASSERTION|UND_ERR_HEADERS_OVERFLOW|UND_ERR_RES_CONTENT_LENGTH_MISMATCH)$/,
    'The answer is not valid HTTP',
  ],
  [/CERT|^ERR_(?:TLS|SSL)|^UNABLE_TO_(?:GET|VERIFY)|SELF_SIGNED/, 'The TLS connection could not be made'],
];

/** Errors to which undici gives no code, or an ambiguous one: matched by name and message. */
const UNCODED: [RegExp, string][] = [
  [/^HTTPParserError: /, 'The answer is not valid HTTP.'],
  [/^SocketError: bad upgrade$/, 'The endpoint wanted to change the protocol instead of answering.'],
];

/**
 * Why a request got no answer, for the owner of the endpoint. The message never contains an IP address, unlike system errors: a name may
 * resolve to a private address.
 */
export function connectionProblem(error: unknown): string {
  if (error instanceof BlockedAddress || error instanceof EgressTimeout || error instanceof ProxyRefusal)
    return error.message;
  const uncoded = UNCODED.find(([words]) => words.test(String(error)));
  if (uncoded) return uncoded[1];
  const code = (error as NodeJS.ErrnoException | null)?.code;
  if (typeof code !== 'string' || !/^\w{1,64}$/.test(code)) return 'The request failed.';
  const [, sentence] = SENTENCES.find(([codes]) => codes.test(code)) ?? [undefined, 'The request failed'];
  return `${sentence} (${code}).`;
}
