import { type Dispatcher, Pool, ProxyAgent } from 'undici';

/** The operator's proxy did not connect to the target; its own rules may forbid it. */
export class ProxyRefusal extends Error {
  override readonly name = 'ProxyRefusal';

  constructor(cause: unknown) {
    super('The proxy of this installation did not connect to the target.', { cause });
  }
}

/** undici's way of saying it: there is no code for it alone. */
const REFUSED = /^Proxy response \(\d+\)/;

/**
 * A dispatcher that reaches every target, http and https, by CONNECT through an HTTP proxy. The proxy resolves the names; TLS is
 * spoken with the target, whose certificate is verified through the tunnel. The address of the proxy is the operator's choice
 * and not checked.
 * @param url `http://proxy:3128`, or https, with a user and password or without.
 */
export function throughProxy(url: string, connectTimeoutMs: number): Dispatcher {
  const timeouts = { timeout: connectTimeoutMs };
  return new ProxyAgent({
    uri: url,
    proxyTls: timeouts,
    requestTls: timeouts,
    // A proxy that never answers CONNECT would otherwise hold its connection for minutes after the request gave up.
    clientFactory: (origin, options) => new Pool(origin, { ...options, headersTimeout: connectTimeoutMs }),
  });
}

/** The error of a request as its sender should know it. */
export const proxyError = (error: unknown): unknown =>
  error instanceof Error && REFUSED.test(error.message) ? new ProxyRefusal(error) : error;
