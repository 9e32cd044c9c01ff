import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import { BlockedAddress, isAddressAllowed, isInsideAddress, type AllowList } from '@app/common';
import { buildConnector } from 'undici';
import { followUse } from './connection-reuse.js';
import { isInsideName } from './url-rules.js';

interface ResolvedAddress {
  address: string;
  family: number;
}

/** All addresses of a name, as `dns.promises.lookup(name, { all: true })` gives them. */
export type Resolve = (name: string) => Promise<ResolvedAddress[]>;

export const systemResolve: Resolve = (name) => systemLookup(name, { all: true });

/**
 * A connector for undici that connects to checked addresses only. Literals are classified before the connection (they never
 * reach `lookup`); names are resolved once, every address of the answer is checked and exactly this list is connected to, so
 * that a second, different answer (DNS rebinding) is never asked for; the address really connected to is checked once more.
 */
export function guardedConnector(options: {
  allow: AllowList;
  resolve: Resolve;
  connectTimeoutMs: number;
}): buildConnector.connector {
  const { allow } = options;
  const connect = buildConnector({
    timeout: options.connectTimeoutMs,
    lookup: checkedLookup(allow, options.resolve),
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

function checkedLookup(allow: AllowList, resolve: Resolve): LookupFunction {
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
  // One bad address spoils the answer: an attacker who mixes them waits for the attempt that takes the inside one.
  if (!addresses.every(allowed))
    throw new BlockedAddress('The name of the URL resolves to an address that is not public.');
  const inside = isInsideName(name.replace(/\.$/, ''));
  // An inside name is for inside targets: a public answer comes from a foreign name server.
  if (inside && !addresses.every(({ address }) => isInsideAddress(address)))
    throw new BlockedAddress('The URL has an inside name that resolves to a public address.');
  return addresses;
}
