import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import { withoutPrefix } from '../../ip-address.js';
import type { Flow } from './flow.js';

type ReceiveDatagram = (data: Buffer, address: string, port: number) => void;

const RECEIVE_BUFFER_BYTES = 4 * 1024 * 1024;

interface Datagram {
  data: Buffer;
  port: number;
  to: string;
  onError: (error: Error) => void;
}

/** One UDP socket for all sent and received messages (RFC 3261 §18.1.1, RFC 3581). */
export class UdpTransport {
  readonly port: number;
  private closed = false;
  /** Sent at the end of this turn of the event loop. */
  private outgoing: Datagram[] = [];

  private constructor(
    private readonly socket: Socket,
    private readonly family: 4 | 6,
    receive: ReceiveDatagram,
  ) {
    this.port = socket.address().port;
    socket.on('message', (data: Buffer, from: RemoteInfo) => receive(data, withoutPrefix(from.address), from.port));
  }

  /**
   * @param port 0 takes a free one
   * @throws the bind error of the socket, such as EADDRINUSE
   */
  static async bind(
    o: { bind: string; port: number },
    receive: ReceiveDatagram,
    onError: (error: Error) => void,
  ): Promise<UdpTransport> {
    const family = isIPv6(o.bind) ? 6 : 4;
    const socket = createSocket({
      type: `udp${family}`,
      // All destinations are IP literals: a name would bypass the address check.
      lookup: (host, _options, done) => done(null, host, family),
    });
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.bind(o.port, o.bind, () => {
        socket.off('error', reject);
        resolve();
      });
    });
    socket.on('error', onError);
    growReceiveBuffer(socket, onError);
    return new UdpTransport(socket, family, receive);
  }

  flow(address: string, port: number, localAddress: string): Flow {
    return new UdpFlow(this, address, port, localAddress);
  }

  /**
   * Sends after the received messages of this turn of the event loop. The first datagram wakes the peer, which costs 18 to 33 us on the
   * loopback of a virtual machine; further ones without a pause cost 6 to 9 us.
   */
  send(data: Buffer, address: string, port: number, onError: (error: Error) => void): void {
    if (this.closed) return onError(new Error('the UDP socket is closed'));
    // A socket of IPv6 reaches IPv4 by mapped addresses, when it is bound to both.
    const to = this.family === 6 && !isIPv6(address) ? `::ffff:${address}` : address;
    if (this.outgoing.push({ data, port, to, onError }) === 1) setImmediate(this.flush);
  }

  private readonly flush = (): void => {
    const datagrams = this.outgoing;
    this.outgoing = [];
    for (const { data, port, to, onError } of datagrams)
      this.socket.send(data, port, to, (error) => {
        if (error) onError(error);
      });
  };

  close(): Promise<void> {
    if (this.closed) return Promise.resolve();
    this.flush();
    this.closed = true;
    return new Promise((resolve) => this.socket.close(() => resolve()));
  }
}

/** A class: each datagram has one. */
class UdpFlow implements Flow {
  readonly transport = 'udp';
  readonly reliable = false;
  readonly closed = false;

  constructor(
    private readonly udp: UdpTransport,
    readonly address: string,
    readonly port: number,
    readonly localAddress: string,
  ) {}

  get localPort(): number {
    return this.udp.port;
  }

  send(data: Buffer, onError: (error: Error) => void): void {
    this.udp.send(data, this.address, this.port, onError);
  }

  toPort(port: number): Flow {
    return new UdpFlow(this.udp, this.address, port, this.localAddress);
  }
}

/** A burst of 200 set-ups does not fit into the default of 208 KB; a refusal of the kernel keeps the default. */
function growReceiveBuffer(socket: Socket, onError: (error: Error) => void): void {
  try {
    socket.setRecvBufferSize(RECEIVE_BUFFER_BYTES);
  } catch (error) {
    onError(error as Error);
  }
}
