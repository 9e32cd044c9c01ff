import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

const HOST = '127.0.0.1';
/**
 * Below the ephemeral ports (32,768 and up), any of which a connection may occupy between the check and the bind, and outside the RTP
 * ports of the service, its sandbox phone and the tests.
 */
const PEERS: PortRange = { first: 16_000, count: 3_000 };

/** Ports `first`, `first + step` and so on. */
interface PortRange {
  first: number;
  count: number;
  step?: number;
}

/** A port that is free on UDP and TCP, chosen at random so that concurrent callers rarely get the same port. */
export async function freePort(range = PEERS): Promise<number> {
  const port = range.first + (range.step ?? 1) * Math.floor(Math.random() * range.count);
  return (await isFree(port)) ? port : freePort(range);
}

/** The first of `count` consecutive ports that are free. */
export async function freePorts(count: number): Promise<number> {
  const first = await freePort();
  for (let port = first + 1; port < first + count; port++) if (!(await isFree(port))) return freePorts(count);
  return first;
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const socket = createSocket('udp4');
  try {
    server.listen(port, HOST);
    await once(server, 'listening');
    socket.bind(port, HOST);
    await once(socket, 'listening');
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    return false;
  } finally {
    socket.close();
    server.close();
  }
}
