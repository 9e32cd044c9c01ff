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

/** Processes that look for ports at once: the workers of Jest, and the process that started them. Each has a part of a range. */
const PARTS = 6;
const part = Number(process.env.JEST_WORKER_ID ?? 0) % PARTS;
/** The places in their ranges from which the next ports are tried. */
const nextPlaces = new Map<number, number>();

/**
 * A port that is free on UDP and TCP, and that nobody else of this run gets before all others of its part were given out: who asked for it may bind it
 * much later. Two runs start at random places.
 */
export async function freePort(range = PEERS): Promise<number> {
  const { first, count, step = 1 } = range;
  const size = Math.floor(count / PARTS);
  const place = nextPlaces.get(first) ?? Math.floor(Math.random() * size);
  nextPlaces.set(first, (place + 1) % size);
  const port = first + step * (part * size + place);
  return (await isFree(port)) ? port : freePort(range);
}

/** The first of `count` consecutive ports that are free. */
export async function freePorts(count: number): Promise<number> {
  const first = await freePort();
  for (let port = first + 1; port < first + count; port++) if ((await freePort()) !== port) return freePorts(count);
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
