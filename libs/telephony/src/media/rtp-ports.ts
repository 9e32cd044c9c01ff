import { createSocket, type Socket } from 'node:dgram';
import { isIP } from 'node:net';
import { RestingPorts, type PortRange } from './resting-ports.js';
import { literalLookup } from './udp-address.js';

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

/** A socket for RTCP on the odd port after an RTP port of the range; undefined when it is taken or outside the range. */
export async function bindRtcpSocket(address: string, range: PortRange, rtpPort: number): Promise<Socket | undefined> {
  return rtpPort + 1 > range.max ? undefined : tryBind(address, rtpPort + 1);
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
  const type = isIP(address) === 6 ? 'udp6' : 'udp4';
  const socket = createSocket({ type, lookup: literalLookup(type) });
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
