import { limitedAddress } from '@app/auth';
import { metrics } from '@app/metrics';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

export interface ConnectionShare {
  /** Connections of one address; of IPv6 of one /64. */
  most: number;
  /** Whether the address is a trusted proxy, whose connections are those of all its clients. */
  isTrusted: (address: string) => boolean;
}

/** Closes what one address opens beyond its share, so that it cannot take all connections of the process. */
export function shareConnections(server: Server, { most, isTrusted }: ConnectionShare): void {
  const open = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket;
    // Without an address it is closed already.
    if (remoteAddress === undefined || isTrusted(remoteAddress)) return;
    const address = limitedAddress(remoteAddress);
    const count = (open.get(address) ?? 0) + 1;
    if (count > most) {
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
