import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { callbackify } from 'node:util';
import { subscribe } from 'node:diagnostics_channel';
import { type AllowList, BlockedAddress, isAddressAllowed, isInsideAddress } from '@app/common';
import { buildConnector, type Dispatcher, Pool, ProxyAgent } from 'undici';
import { isInsideName } from './url-rules.js';

interface ResolvedAddress {
  address: string;
  family: number;
}

/** Resolves all addresses of a name, like `dns.promises.lookup(name, { all: true })`. */
export type Resolve = (name: string) => Promise<ResolvedAddress[]>;

export const systemResolve: Resolve = (name) => systemLookup(name, { all: true });

/**
 * A connector for undici that connects to checked addresses only. Literals are checked before the connection (they never reach
 * `lookup`). Names are resolved once, every address of the response is checked, and only this list is used, so that a second,
 * different response (DNS rebinding) is never requested. The remote address of the socket is checked once more.
 */
export function createGuardedConnector(options: {
  allow: AllowList;
  resolve: Resolve;
  connectTimeoutMs: number;
}): buildConnector.connector {
  const { allow } = options;
  const connect = buildConnector({
    timeout: options.connectTimeoutMs,
    lookup: createCheckedLookup(allow, options.resolve),
    autoSelectFamily: true,
  });
  return (target, callback) => {
    const literal = target.hostname.replace(/^\[|\]$/g, '');
    if (isIP(literal) > 0 && !isAddressAllowed(literal, allow)) {
      callback(new BlockedAddress('The address of the URL is not public.'), null);
      return;
    }
    connect(target, (...[error, socket]) => {
      if (error) return callback(error, null);
      if (isAddressAllowed(socket.remoteAddress ?? '', allow)) {
        followUse(socket);
        return callback(null, socket);
      }
      socket.destroy();
      callback(new BlockedAddress('The address that was connected to is not public.'), null);
    });
  };
}

function createCheckedLookup(allow: AllowList, resolve: Resolve): LookupFunction {
  const addressesOf = callbackify((name: string) => resolveChecked(name, allow, resolve));
  return (name, options, callback) =>
    addressesOf(name, (error, addresses) => {
      if (error) return callback(error, []);
      const [first] = addresses;
      if (options.all || !first) return callback(null, addresses);
      callback(null, first.address, first.family);
    });
}

/** The addresses of a name, all of them allowed. @throws BlockedAddress, or the error of the resolver. */
export async function resolveChecked(name: string, allow: AllowList, resolve: Resolve): Promise<ResolvedAddress[]> {
  const addresses = await resolve(name);
  if (addresses.length === 0) throw new Error('The name of the URL has no address.');
  const allowed = ({ address }: ResolvedAddress) => isAddressAllowed(address, allow);
  // One internal address blocks the name: with a mixed response, an attacker would wait for the attempt that uses it.
  if (!addresses.every(allowed))
    throw new BlockedAddress('The name of the URL resolves to an address that is not public.');
  const inside = isInsideName(name.replace(/\.$/, ''));
  // An internal name must have internal addresses: a public response comes from a foreign name server.
  if (inside && !addresses.every(({ address }) => isInsideAddress(address)))
    throw new BlockedAddress('The URL has an internal host name that resolves to a public address.');
  return addresses;
}

/** The operator's proxy did not connect to the target, perhaps because of its rules. */
export class ProxyRefusal extends Error {
  override readonly name = 'ProxyRefusal';

  constructor(cause: unknown) {
    super('The proxy of this installation did not connect to the target.', { cause });
  }
}

/** The message of undici, which has no separate error code for it. */
const REFUSED = /^Proxy response \(\d+\)/;

/**
 * A dispatcher that reaches every target, http and https, by CONNECT through an HTTP proxy. The proxy resolves the names; TLS
 * terminates at the target, whose certificate is verified through the tunnel. The proxy's address is configured by the operator
 * and not checked.
 * @param url `http://proxy:3128` or https, optionally with user and password.
 */
export function throughProxy(url: string, connectTimeoutMs: number): Dispatcher {
  const timeouts = { timeout: connectTimeoutMs };
  return new ProxyAgent({
    uri: url,
    proxyTls: timeouts,
    requestTls: timeouts,
    // Without this limit, a proxy that never answers CONNECT would hold its connection for minutes after the request ended.
    clientFactory: (origin, options) => new Pool(origin, { ...options, headersTimeout: connectTimeoutMs }),
    factory: (origin, options: Pool.Options) => new Pool(origin, { ...options, connect: followed(options.connect) }),
  });
}

/** `connect` of undici's tunnels, whose connections are tracked like direct ones. */
function followed(connect: Pool.Options['connect']): buildConnector.connector {
  if (typeof connect !== 'function') throw new TypeError('A tunnel is opened by a function.');
  return (target, callback) =>
    connect(target, (...[error, socket]) => {
      if (error) return callback(error, null);
      followUse(socket);
      callback(null, socket);
    });
}

/** Converts undici's error of a refused CONNECT to ProxyRefusal. */
export const proxyError = (error: unknown): unknown =>
  error instanceof Error && REFUSED.test(error.message) ? new ProxyRefusal(error) : error;

interface Use {
  requests: number;
  /** Data arrived after the last request. */
  received: boolean;
  /** The final response of the last request has begun, or no request was sent yet. */
  started: boolean;
  /** The beginning of an interim response whose end has not arrived. */
  held?: Buffer;
}

const uses = new WeakMap<object, Use>();
/** Errors that ended a reused connection. */
const inReuse = new WeakSet<object>();

// undici offers no other way to find the connection of a request.
subscribe('undici:client:sendHeaders', (message) => {
  const use = uses.get((message as { socket: object }).socket);
  if (!use) return;
  use.requests++;
  use.received = false;
  use.started = false;
  use.held = undefined;
});

/** Tracks a connection for `isClosedInReuse` and removes interim responses. Must be called before the first request. */
function followUse(socket: Socket): void {
  const use: Use = { requests: 0, received: false, started: true };
  uses.set(socket, use);
  // Before the listener of undici, which reads what is left.
  socket.prependListener('readable', () => {
    if (!use.started) skipInterimResponses(socket, use);
    else if (socket.readableLength > 0) use.received = true;
  });
  socket.on('error', (error) => {
    if (use.requests > 1 && !use.received) inReuse.add(error);
  });
}

/** 101 is not an interim response: it ends the HTTP exchange (RFC 9110 §15.2.2). */
const INTERIM = /^HTTP\/1\.[01] 1(?!01)\d\d/;
const STATUS_BYTES = 'HTTP/1.1 100'.length;
const MAX_INTERIM_BYTES = 16 * 1024;

/**
 * Removes interim responses from the received data. A client must parse them even if it did not ask for any (RFC 9110 §15.2); undici
 * closes the connection at `100 Continue`, although the server has read and perhaps executed the request.
 */
function skipInterimResponses(socket: Socket, use: Use): void {
  const chunk = socket.read() as Buffer | null;
  if (chunk === null) return;
  use.received = true;
  let data = use.held ? Buffer.concat([use.held, chunk]) : chunk;
  use.held = undefined;
  while (data.length < STATUS_BYTES || INTERIM.test(data.toString('latin1', 0, STATUS_BYTES))) {
    const end = data.length < STATUS_BYTES ? -1 : data.indexOf('\r\n\r\n');
    if (end < 0 && data.length < MAX_INTERIM_BYTES) {
      use.held = data;
      return;
    }
    if (end < 0) break;
    data = data.subarray(end + 4);
  }
  use.started = true;
  socket.unshift(data);
}

/**
 * Whether a reused connection was closed after the request was sent and before any response: the server closed an idle connection
 * at the same moment. The request must be sent again (RFC 9112 §9.3.1): the server most likely did not read it, and requests that
 * must not be executed twice carry an identifier (`Idempotency-Key`, `webhook-id`).
 */
export function isClosedInReuse(error: unknown): boolean {
  if (typeof error !== 'object' || error === null || !inReuse.has(error)) return false;
  const { code } = error as NodeJS.ErrnoException;
  return code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE';
}
