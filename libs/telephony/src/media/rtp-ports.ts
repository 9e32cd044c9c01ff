import { createSocket, type Socket } from 'node:dgram';
import { isIP } from 'node:net';

/** UDP ports, both ends included; RTP takes the even ones (RFC 3550 §11). */
export interface PortRange {
  min: number;
  max: number;
}

/** A port that has just been left still gets the old call's last packets, and those must not be heard in a new call. */
const QUARANTINE_MS = 5_000;

/** Every even port of the range is taken. */
export class NoMediaPorts extends Error {
  constructor(range: PortRange) {
    super(`No free RTP port from ${range.min} to ${range.max}: widen RTP_PORTS or carry fewer calls.`);
  }
}

/** Port -> when it was left. Kept in order of leaving; only ports that this thread has used. */
const leftAt = new Map<number, number>();
let lastPort = 0;

/** A UDP socket bound to a free even port, one that was not used in the last 5 s if there is any. Throws NoMediaPorts. */
export async function bindRtpSocket(address: string, range: PortRange): Promise<Socket> {
  for (const port of candidates(range)) {
    const socket = await tryBind(address, port);
    if (!socket) continue;
    leftAt.delete(port);
    socket.once('close', () => leave(port));
    return socket;
  }
  throw new NoMediaPorts(range);
}

/** Round robin, so that a port rests as long as possible; those in quarantine last, the longest rested first. */
function* candidates(range: PortRange): Generator<number> {
  const first = range.min + (range.min % 2);
  const count = Math.floor((range.max - first) / 2) + 1;
  const start = lastPort >= first && lastPort <= range.max ? (lastPort - first) / 2 + 1 : 0;
  const resting = new Set([...leftAt].filter(([, at]) => performance.now() - at < QUARANTINE_MS).map(([port]) => port));
  for (let i = 0; i < count; i++) {
    const port = first + ((start + i) % count) * 2;
    if (resting.has(port)) continue;
    lastPort = port;
    yield port;
  }
  for (const port of resting) if (port >= first && port <= range.max) yield port;
}

function leave(port: number): void {
  const now = performance.now();
  leftAt.delete(port);
  leftAt.set(port, now);
  for (const [other, at] of leftAt) {
    if (now - at < QUARANTINE_MS) return;
    leftAt.delete(other);
  }
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
