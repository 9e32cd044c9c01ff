import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { countFate, type Tally } from './weather.js';

const HOST = '127.0.0.1';
/** Even ports; the odd ports after them stay free for RTCP without multiplexing, which is not received. */
const PORTS = { first: 45_000, last: 45_998 };
let nextPort = PORTS.first;

/** The delays of the copies of a packet with that name; see `fateOf`. */
export type FateOfPacket = (name: string) => number[];

export type Direction = 'to-callee' | 'to-caller';

/** The path of one call's RTP through a bad network: each side sends to a socket here and receives from the same socket. */
export class MediaPath {
  readonly tally: Record<Direction, Tally> = {
    'to-callee': { sent: 0, lost: 0, doubled: 0 },
    'to-caller': { sent: 0, lost: 0, doubled: 0 },
  };
  private readonly ports: Partial<Record<Direction, number>> = {};

  private constructor(
    /** Faces the caller. */
    private readonly near: Socket,
    /** Faces the callee. */
    private readonly far: Socket,
    private readonly fate: FateOfPacket,
    private readonly later: (delayMs: number, send: () => void) => void,
  ) {
    near.on('message', (packet) => this.pass(packet, 'to-callee'));
    far.on('message', (packet) => this.pass(packet, 'to-caller'));
  }

  static async open(fate: FateOfPacket, later: (delayMs: number, send: () => void) => void): Promise<MediaPath> {
    return new MediaPath(await bindEven(), await bindEven(), fate, later);
  }

  /** Stores the port of a description and returns its replacement. */
  describe(port: number, direction: Direction): number {
    const toCallee = direction === 'to-callee';
    this.ports[toCallee ? 'to-caller' : 'to-callee'] = port;
    return (toCallee ? this.far : this.near).address().port;
  }

  close(): void {
    this.near.close();
    this.far.close();
  }

  private pass(packet: Buffer, direction: Direction): void {
    const port = this.ports[direction];
    if (port === undefined) return;
    const tally = this.tally[direction];
    const isRtcp = packet.length > 1 && packet[1]! >= 192 && packet[1]! <= 223;
    const fate = this.fate(`${direction} ${isRtcp ? 'rtcp' : 'rtp'} ${tally.sent}`);
    if (!isRtcp) countFate(tally, fate);
    const out = direction === 'to-callee' ? this.far : this.near;
    for (const delayMs of fate) this.later(delayMs, () => out.send(packet, port, HOST));
  }
}

async function bindEven(): Promise<Socket> {
  const port = nextPort;
  nextPort = port === PORTS.last ? PORTS.first : port + 2;
  const socket = createSocket('udp4').bind(port, HOST);
  try {
    await once(socket, 'listening');
    return socket;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    return await bindEven();
  }
}
