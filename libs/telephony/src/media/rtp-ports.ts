import { createSocket, type Socket } from 'node:dgram';
import { isIP } from 'node:net';
import { RestingPorts, type PortRange } from './resting-ports.js';

/** Every even port of the range is taken. */
export class NoMediaPorts extends Error {
  constructor(range: PortRange) {
    super(`No free RTP port from ${range.min} to ${range.max}: widen RTP_PORTS or carry fewer calls.`);
  }
}

const queues = new Map<string, RestingPorts>();

/** A UDP socket bound to an even port: of those that are free, the one left longest ago. Throws NoMediaPorts. */
export async function bindRtpSocket(address: string, range: PortRange): Promise<Socket> {
  const ports = portsOf(range);
  for (let tries = ports.count; tries > 0; tries--) {
    const port = ports.take();
    if (port === undefined) break;
    const socket = await tryBind(address, port).catch((error: Error) => {
      ports.add(port);
      throw error;
    });
    if (socket) return socket.once('close', () => ports.add(port));
    ports.add(port);
  }
  throw new NoMediaPorts(range);
}

/** One queue per range and thread, so that ports rest across calls. */
function portsOf(range: PortRange): RestingPorts {
  const key = `${range.min}-${range.max}`;
  const known = queues.get(key);
  if (known) return known;
  const ports = new RestingPorts(range);
  queues.set(key, ports);
  return ports;
}

/** Undefined when the port is in use; any other failure (no such address) is thrown. */
function tryBind(address: string, port: number): Promise<Socket | undefined> {
  const socket = createSocket({ type: isIP(address) === 6 ? 'udp6' : 'udp4', lookup: literalAddress });
  return new Promise((resolve, reject) => {
    socket.once('error', (error: NodeJS.ErrnoException) => {
      socket.close();
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    socket.bind({ address, port, exclusive: true }, () => {
      socket.removeAllListeners('error');
      resolve(socket);
    });
  });
}

/** The default lookup goes through a tick of the event loop per packet; media addresses are always literal. */
function literalAddress(
  address: string,
  _options: unknown,
  done: (error: NodeJS.ErrnoException | null, address: string, family: number) => void,
): void {
  const family = isIP(address);
  done(family ? null : new Error('RTP is sent to literal addresses only.'), address, family);
}
