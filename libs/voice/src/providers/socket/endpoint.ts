import { isInsideAddress, VERSION } from '@app/common';
import { lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';

/** The URL and headers of one connection. */
export interface Endpoint {
  url: URL;
  headers: Record<string, string>;
  /** Present without TLS: refuses names that resolve outside the private network. */
  lookup?: LookupFunction;
}

/** The URL must not be used; the message is a sentence for the operator. */
export class InsecureEndpoint extends Error {}

/**
 * The URL of a server with the model in its query; a `deployment` in the operator's URL (Azure's dated API versions) names the
 * model already. Throws InsecureEndpoint when audio and key would be sent over the Internet without TLS.
 */
export function endpointOf({ url: base, key, model }: { url: string; key?: string; model?: string }): Endpoint {
  const url = new URL(base);
  if (model !== undefined && !url.searchParams.has('deployment')) url.searchParams.set('model', model);
  const endpoint = { url, headers: { 'user-agent': `trunkline/${VERSION}`, ...credentials(url, key) } };
  if (url.protocol === 'wss:') return endpoint;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !isInsideAddress(host)) throw new InsecureEndpoint(PLAIN);
  return { ...endpoint, lookup: insideOnly };
}

const PLAIN = 'Speech and key would travel the Internet unencrypted: the address of the voice provider must be wss://.';

/** Azure expects a key as `api-key`; a bearer token there would be one of Entra ID. */
function credentials({ hostname }: URL, key: string | undefined): Record<string, string> {
  if (!key) return {};
  if (/\.azure(?:-api)?\.(?:com|net|us|cn)$/.test(hostname)) return { 'api-key': key };
  return { authorization: `Bearer ${key}` };
}

const insideOnly: LookupFunction = (hostname, options, callback) =>
  lookup(hostname, options, (error, address, family) => {
    const addresses = typeof address === 'string' ? [address] : (address ?? []).map((one) => one.address);
    const outside = addresses.some((one) => !isInsideAddress(one));
    if (!error && outside) callback(new InsecureEndpoint(PLAIN), '', 0);
    else callback(error, address, family);
  });
