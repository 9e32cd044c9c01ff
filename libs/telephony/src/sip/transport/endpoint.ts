import { createSocket } from 'node:dgram';
import { isIP, isIPv6 } from 'node:net';
import type { ConnectionClosed } from './connections.js';
import { DnsLookups } from '../locating/dns-lookups.js';
import { type Flow, isWildcard, type Target, type TransportName } from './flow.js';
import { type CheckAddress, FailedTargets, literalTarget, locate, type NextHop } from '../locating/locate.js';
import type { SipMessage } from '../messages/message.js';
import { MalformedMessage, parseMessage } from '../messages/parse-message.js';
import type { SipLog } from '../user-agent/sip-log.js';
import type { ConnectionLimits } from './stream-connection.js';
import { TcpTransport } from './tcp-transport.js';
import { type TlsListening, TlsTransport } from './tls-transport.js';
import { transportErrorCode } from './transport-error.js';
import { UdpTransport } from './udp-transport.js';

export interface EndpointOptions {
  /** IP literal; `0.0.0.0` for every IPv4 address of the host, `::` for every address of both families. */
  bind: string;
  /** 0: a free one, the same for UDP and TCP. */
  port: number;
  /** Announced in Via and Contact to remote parties of its family, when it differs from the bound address. */
  publicAddress?: string;
  /** The listener's certificate; without one TLS is used on outgoing connections only. */
  tls?: TlsListening;
  /** Name servers in place of those of the system: `192.0.2.53`, `192.0.2.53:5353`. */
  dnsServers?: string[];
  transports?: TransportName[];
  connectionLimits?: Partial<ConnectionLimits>;
  checkAddress?: CheckAddress;
  log: SipLog;
}

/** The receiver of parsed messages. */
interface MessageSink {
  /** `data`: the bytes of the message. */
  receive(message: SipMessage, from: Flow, data: Buffer): void;
  receiveMalformed(malformed: MalformedMessage, from: Flow, data: Buffer): void;
  /** The connection closed: requests that wait for a response on it may fail. */
  flowClosed(flow: Flow, error: Error): void;
}

const PORT_TRIES = 20;

const TRANSPORTS: TransportName[] = ['udp', 'tcp', 'tls'];
/** A refused connection must not delay the call: the request falls back to UDP. */
const LARGE_REQUEST_CONNECT_MS = 2_000;

/** One listening SIP endpoint: UDP and TCP on one port, TLS on another; bytes in and messages out. */
export class Endpoint {
  private readonly localAddresses = new LocalAddresses();
  private readonly failed = new FailedTargets();
  private readonly tcpRefusals = new FailedTargets();
  private readonly dns: DnsLookups;
  private readonly transports: TransportName[];
  private readonly families: (4 | 6)[];
  private readonly check: CheckAddress;
  private udp?: UdpTransport;
  private tcp?: TcpTransport;
  private tls?: TlsTransport;
  private closed = false;
  /** The number of malformed messages since the start. */
  malformed = 0;

  private constructor(
    private readonly options: EndpointOptions,
    private readonly sink: MessageSink,
  ) {
    this.transports = options.transports ?? TRANSPORTS;
    // RFC 6724 prefers IPv6 where a route exists; a family without a route fails at once and the next target is tried.
    this.families = options.bind === '::' ? [6, 4] : [isIP(options.bind) === 6 ? 6 : 4];
    this.dns = new DnsLookups({ servers: options.dnsServers, log: options.log });
    this.check = options.checkAddress ?? (() => undefined);
  }

  /** @throws the bind error, such as EADDRINUSE */
  static async open(options: EndpointOptions, sink: MessageSink): Promise<Endpoint> {
    for (let attempt = 1; ; attempt++) {
      const endpoint = new Endpoint(options, sink);
      try {
        await endpoint.bind();
        return endpoint;
      } catch (error) {
        await endpoint.close();
        // A free UDP port may be taken on TCP; only then another pair is tried.
        const taken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
        if (options.port !== 0 || !taken || attempt === PORT_TRIES) throw error;
      }
    }
  }

  get port(): number {
    return this.udp?.port ?? this.tcp?.port ?? 0;
  }

  /** 0: nothing listens for TLS. */
  get tlsPort(): number {
    return this.tls?.port ?? 0;
  }

  /** @throws UnresolvedHost, RefusedTarget when no target is left */
  async locate(hops: NextHop[]): Promise<Target[]> {
    const { dns, transports, families, check } = this;
    return this.failed.last(await locate(hops, dns, { transports, families, check }));
  }

  /** The target of a literal address that is permitted: most requests of most calls need no DNS. */
  literal(hop: NextHop): Target | undefined {
    const target = literalTarget(hop, this.families);
    return target && this.passesCheck(target.address) ? target : undefined;
  }

  /** Moves a target that refused, was silent or out of order to the end of the order for some time. */
  targetFailed(target: Target, retryAfterMs?: number): void {
    this.failed.add(target, retryAfterMs);
  }

  /**
   * The flow to one located target. TCP connects lazily: a refused connection is reported by the error callback of `Flow.send`. TLS
   * completes its handshake first.
   * @throws the socket's error when there is no route, or the TLS handshake failed; `transportErrorCode` reads it
   */
  async flowTo(target: Target): Promise<Flow> {
    const { transport, address, port } = target;
    const local = this.announcedTo(address) || (await this.localAddresses.find(address));
    if (transport === 'tls' && this.tls) return this.tls.flow(target, local);
    const plain = transport === 'udp' ? this.udp : transport === 'tcp' ? this.tcp : undefined;
    if (!plain) throw new Error(`this endpoint does not support ${transport}`);
    return plain.flow(address, port, local);
  }

  /** The same peer over TCP, for a request that is too large for UDP; undefined when the peer is known not to accept TCP. */
  forLargeRequest({ address, port, localAddress }: Flow): Flow | undefined {
    const target = { transport: 'tcp' as const, address, port };
    if (!this.tcp || this.closed || this.tcpRefusals.has(target)) return undefined;
    return this.tcp.flow(address, port, localAddress, LARGE_REQUEST_CONNECT_MS);
  }

  largeRequestFailed({ transport, address, port }: Flow): void {
    this.tcpRefusals.add({ transport, address, port }, 600_000);
  }

  /** False when the address check refuses it. The unspecified address stands for hold. */
  permits(address: string): boolean {
    return isWildcard(address) || this.passesCheck(address);
  }

  /** Whether the endpoint supports that IP version. The unspecified address of either version stands for hold. */
  speaks(address: string): boolean {
    const { families } = this;
    return isWildcard(address) || families.some((family) => family === isIP(address));
  }

  async close(): Promise<void> {
    this.closed = true;
    await Promise.all([this.udp?.close(), this.tcp?.close(), this.tls?.close()]);
  }

  private passesCheck(address: string): boolean {
    try {
      this.check(address);
      return true;
    } catch {
      // Only the result of the check matters here.
      return false;
    }
  }

  private async bind(): Promise<void> {
    const { bind, tls: listening, connectionLimits: limits, log, port: asked } = this.options;
    const { transports } = this;
    const receive = (data: Buffer, from: Flow): void => this.deliver(parseMessage(data), from, data);
    const closed: ConnectionClosed = (flow, error) => this.connectionClosed(flow, error);
    const failed = (error: NodeJS.ErrnoException): void => {
      log.debug('SIP socket reported an error', { code: error.code ?? error.name });
    };
    const receiveDatagram = (data: Buffer, address: string, port: number): void =>
      this.receiveDatagram(data, address, port);
    if (transports.includes('udp')) this.udp = await UdpTransport.bind({ bind, port: asked }, receiveDatagram, failed);
    const stream = { bind, announcedTo: (remote: string) => this.announcedTo(remote), limits };
    const port = this.udp?.port ?? asked;
    if (transports.includes('tcp')) this.tcp = await TcpTransport.listen({ ...stream, port }, receive, closed, failed);
    if (transports.includes('tls')) this.tls = await TlsTransport.open({ ...stream, listening }, log, receive, closed);
  }

  /** The empty string when the address depends on the route. */
  private announcedTo(remote: string): string {
    const { publicAddress, bind } = this.options;
    const family = publicAddress === undefined ? undefined : isIP(publicAddress);
    if (publicAddress !== undefined && (family === 0 || family === isIP(remote))) return publicAddress;
    return isWildcard(bind) ? '' : bind;
  }

  private connectionClosed(flow: Flow, error: Error): void {
    this.options.log.debug('SIP connection closed', { problem: transportErrorCode(error), transport: flow.transport });
    this.sink.flowClosed(flow, error);
  }

  private receiveDatagram(data: Buffer, address: string, port: number): void {
    // CRLF alone over UDP is a keep-alive of a NAT-bound phone (RFC 5626 §3.5.1).
    if (data.length <= 4 && data.toString('latin1').trim() === '') return;
    const message = parseMessage(data);
    const deliver = (local: string): void => this.deliver(message, this.udp!.flow(address, port, local), data);
    const local = this.announcedTo(address) || this.localAddresses.get(address);
    if (local !== undefined) return deliver(local);
    this.localAddresses
      .find(address)
      .then(deliver, () => this.options.log.debug('SIP message from an address without a route', {}));
  }

  private deliver(message: SipMessage | MalformedMessage, from: Flow, data: Buffer): void {
    if (!(message instanceof MalformedMessage)) return this.sink.receive(message, from, data);
    this.malformed++;
    this.options.log.debug('malformed SIP message', { problem: message.problem, transport: from.transport });
    this.sink.receiveMalformed(message, from, data);
  }
}

const MAX_REMEMBERED = 10_000;

/** The local address that the kernel uses for a peer: a connected UDP socket reports it without sending. */
class LocalAddresses {
  private readonly known = new Map<string, string>();

  get(remote: string): string | undefined {
    return this.known.get(remote);
  }

  /** @throws when there is no route to `remote` */
  async find(remote: string): Promise<string> {
    const known = this.known.get(remote);
    if (known !== undefined) return known;
    const local = await sourceAddressTo(remote);
    // Source addresses of datagrams can be forged, so the cache is bounded.
    if (this.known.size >= MAX_REMEMBERED) this.known.clear();
    this.known.set(remote, local);
    return local;
  }
}

/** The local address of the route to an address. @throws when there is none */
export function sourceAddressTo(remote: string): Promise<string> {
  const socket = createSocket(isIPv6(remote) ? 'udp6' : 'udp4');
  return new Promise<string>((resolve, reject) => {
    socket.once('error', reject);
    // The discard port; connect() sends no packet.
    socket.connect(9, remote, () => resolve(socket.address().address));
  }).finally(() => socket.close());
}
