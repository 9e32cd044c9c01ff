import type { Env } from '@app/common';
import { sourceAddressTo } from '@app/telephony';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';

const LOOPBACK = '127.0.0.1';

/**
 * The host at which other processes reach this one: the setting, else the local address of the route to the database, which all of them
 * reach. A database on this machine means that they are here as well.
 */
export async function internalHost(env: Pick<Env, 'INTERNAL_ADDRESS' | 'DATABASE_URL'>): Promise<string> {
  if (env.INTERNAL_ADDRESS !== undefined) return env.INTERNAL_ADDRESS;
  const database = databaseHost(env.DATABASE_URL);
  if (database === undefined) return LOOPBACK;
  const { address } = await lookup(database);
  return isLoopback(address) ? LOOPBACK : sourceAddressTo(address);
}

/** The address to listen on; undefined: every one, for a name, or an address of another machine that forwards. */
export function bindAddressOf(host: string): string | undefined {
  if (isIP(host) === 0) return undefined;
  const own = Object.values(networkInterfaces()).flatMap((all) => all?.map(({ address }) => address) ?? []);
  return isLoopback(host) || own.includes(host) ? host : undefined;
}

/** As the host of a URL. */
export const hostOf = (host: string): string => (isIP(host) === 6 ? `[${host}]` : host);

const isLoopback = (address: string): boolean =>
  address === '::1' || (isIP(address) === 4 && address.startsWith('127.'));

/** Undefined: a socket of this machine. */
function databaseHost(url: string | undefined): string | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined;
  const { hostname, searchParams } = new URL(url);
  const host = searchParams.get('host') ?? decodeURIComponent(hostname).replace(/^\[(.*)\]$/, '$1');
  return host === '' || host.startsWith('/') ? undefined : host;
}
