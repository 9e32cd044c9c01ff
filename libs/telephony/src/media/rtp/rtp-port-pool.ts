import { createSocket, type Socket } from 'node:dgram';
import { isIP } from 'node:net';
import { literalLookup } from '../../ip-address.js';

/** UDP ports, both ends included; RTP takes the even ones (RFC 3550 §11). */
export interface PortRange {
  min: number;
  max: number;
}

/**
 * The free even ports of a range, the longest unused first: a released port still receives the last packets of the old call, which must
 * not be heard in a new one. A ring needs constant time: searching the ports of the last five seconds took 0.3 ms per call at 1,000
 * calls per second.
 */
export class RtpPortPool {
  private readonly ring: Uint16Array;
  private head = 0;
  private length: number;

  constructor({ min, max }: PortRange) {
    const first = min + (min % 2);
    this.length = Math.max(0, Math.floor((max - first) / 2) + 1);
    this.ring = Uint16Array.from({ length: this.length }, (_, index) => first + index * 2);
  }

  get count(): number {
    return this.length;
  }

  take(): number | undefined {
    if (this.length === 0) return undefined;
    const port = this.ring[this.head];
    this.head = (this.head + 1) % this.ring.length;
    this.length--;
    return port;
  }

  /** Releases a port that was taken. */
  add(port: number): void {
    this.ring[(this.head + this.length) % this.ring.length] = port;
    this.length++;
  }
}

/** Every even port of the range is taken. */
export class NoMediaPorts extends Error {
  override readonly name = 'NoMediaPorts';

  constructor(range: PortRange) {
    super(`No free RTP port from ${range.min} to ${range.max}: widen RTP_PORTS or reduce DIALER_CALLS.`);
  }
}

const pools = new Map<string, RtpPortPool>();

/** A bound socket. Its `address()` costs a system call per call. */
export interface RtpSocket {
  socket: Socket;
  port: number;
}

/** A UDP socket bound to an even port: the longest unused free one. Throws NoMediaPorts. */
export async function bindRtpSocket(address: string, range: PortRange): Promise<RtpSocket> {
  const ports = portsOf(range);
  for (let tries = ports.count; tries > 0; tries--) {
    const port = ports.take();
    if (port === undefined) break;
    const socket = await tryBind(address, port).catch((error: Error) => {
      ports.add(port);
      throw error;
    });
    if (socket) return { socket: socket.once('close', () => ports.add(port)), port };
    ports.add(port);
  }
  throw new NoMediaPorts(range);
}

/** A socket for RTCP on the odd port after an RTP port of the range; undefined when it is taken or outside the range. */
export async function bindRtcpSocket(address: string, range: PortRange, rtpPort: number): Promise<Socket | undefined> {
  return rtpPort + 1 > range.max ? undefined : tryBind(address, rtpPort + 1);
}

/** One pool per range and thread, shared by all calls. */
function portsOf(range: PortRange): RtpPortPool {
  const key = `${range.min}-${range.max}`;
  const known = pools.get(key);
  if (known) return known;
  const ports = new RtpPortPool(range);
  pools.set(key, ports);
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
