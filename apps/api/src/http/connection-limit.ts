import { limitedAddress } from '@app/auth';
import { metrics } from '@app/metrics';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

export interface ConnectionLimit {
  /** Connections of one IPv4 address, or of one IPv6 /64. */
  maxPerAddress: number;
  /** Whether the address is a trusted proxy. Its connections belong to many clients and are not limited. */
  isTrusted: (address: string) => boolean;
}

/** Closes connections of one address beyond its limit, so that it cannot take all connections of the process. */
export function limitConnections(server: Server, { maxPerAddress, isTrusted }: ConnectionLimit): void {
  const open = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket;
    // A socket without an address is closed already.
    if (remoteAddress === undefined || isTrusted(remoteAddress)) return;
    const address = limitedAddress(remoteAddress);
    const count = (open.get(address) ?? 0) + 1;
    if (count > maxPerAddress) {
      metrics.httpRefused.inc({ limit: 'connections' });
      socket.destroy();
      return;
    }
    open.set(address, count);
    socket.once('close', () => {
      const left = (open.get(address) ?? 0) - 1;
      if (left > 0) open.set(address, left);
      else open.delete(address);
    });
  });
}
