import { isIPv6 } from 'node:net';
import { FailedTargets } from './failed-targets.js';
import { isWildcard, type Flow, type Target, type TransportName } from './flow.js';
import { LocalAddresses } from './local-address.js';
import type { SipMessage } from './message.js';
import { MalformedMessage, parseMessage } from './parse-message.js';
import { locate, type CheckAddress, type HostToReach } from './resolve-target.js';
import type { SipLog } from './sip-log.js';
import type { ConnectionLimits } from './tcp-connection.js';
import { TcpTransport } from './tcp-transport.js';
import { UdpTransport } from './udp-transport.js';

export interface EndpointOptions {
  /** IP literal; `0.0.0.0` or `::` for every address of the host. */
  bind: string;
  /** 0: a free one, the same for UDP and TCP. */
  port: number;
  /** The address the far end is told in Via and Contact, when it is not the bound one. */
  publicAddress?: string;
  transports?: TransportName[];
  connectionLimits?: Partial<ConnectionLimits>;
  checkAddress?: CheckAddress;
  log: SipLog;
}

/** Where parsed messages go. */
export interface MessageSink {
  /** `data`: the bytes that the message was read from. */
  receive(message: SipMessage, from: Flow, data: Buffer): void;
  receiveMalformed(malformed: MalformedMessage, from: Flow, data: Buffer): void;
}

const PORT_TRIES = 20;

/** One listening SIP endpoint: UDP and TCP on one port, bytes in and messages out. */
export class Endpoint {
  private readonly localAddresses = new LocalAddresses();
  private readonly failed = new FailedTargets();
  private readonly family: 4 | 6;
  private readonly announced: string;
  private readonly check: CheckAddress;
  private udp?: UdpTransport;
  private tcp?: TcpTransport;
  /** Messages that could not be understood, since the start. */
  malformed = 0;

  private constructor(
    private readonly options: EndpointOptions,
    private readonly sink: MessageSink,
  ) {
    this.family = isIPv6(options.bind) ? 6 : 4;
    this.announced = options.publicAddress ?? (isWildcard(options.bind) ? '' : options.bind);
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
        // A free UDP port may be taken on TCP: only then another pair is worth a try.
        const taken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
        if (options.port !== 0 || !taken || attempt === PORT_TRIES) throw error;
      }
    }
  }

  get port(): number {
    return this.udp?.port ?? this.tcp?.port ?? 0;
  }

  /** @throws UnresolvedHost, BlockedAddress when no place is left to try */
  async locate(hops: HostToReach[]): Promise<Target[]> {
    return this.failed.last(await locate(hops, this.family, this.check));
  }

  /** It refused, was silent or out of order: for a while it is tried last. */
  targetFailed(target: Target, retryAfterMs?: number): void {
    this.failed.add(target, retryAfterMs);
  }

  /**
   * The way to one located target. Connects lazily: a refused connection is told by the error callback of `Flow.send`.
   * @throws the socket's error when there is no route
   */
  async flowTo(target: Target): Promise<Flow> {
    const transport = target.transport === 'udp' ? this.udp : this.tcp;
    if (!transport) throw new Error(`this endpoint does not speak ${target.transport}`);
    const local = this.announced || (await this.localAddresses.find(target.address));
    return transport.flow(target.address, target.port, local);
  }

  /** False when the address check refuses it. The unspecified address is nobody's: it stands for hold. */
  permits(address: string): boolean {
    if (isWildcard(address)) return true;
    try {
      this.check(address);
      return true;
    } catch {
      // The reason is the check's own; whoever asks only needs the verdict.
      return false;
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.udp?.close(), this.tcp?.close()]);
  }

  private async bind(): Promise<void> {
    const { bind, transports = ['udp', 'tcp'] } = this.options;
    const receive = (data: Buffer, from: Flow): void => this.receiveBytes(data, from);
    const failed = (error: Error): void => {
      this.options.log.debug('SIP socket reported an error', {
        code: (error as NodeJS.ErrnoException).code ?? error.name,
      });
    };
    const common = { bind, localAddress: this.announced };
    if (transports.includes('udp'))
      this.udp = await UdpTransport.bind({ ...common, port: this.options.port }, receive, failed);
    if (!transports.includes('tcp')) return;
    const port = this.udp?.port ?? this.options.port;
    this.tcp = await TcpTransport.listen({ ...common, port, limits: this.options.connectionLimits }, receive, failed);
  }

  private receiveBytes(data: Buffer, from: Flow): void {
    // CRLF alone over UDP is a keep-alive of a NAT-bound phone (RFC 5626 §3.5.1).
    if (data.length <= 4 && data.toString('latin1').trim() === '') return;
    const message = parseMessage(data);
    if (from.localAddress !== '') return this.deliver(message, from, data);
    const local = this.localAddresses.get(from.address);
    if (local !== undefined) return this.deliver(message, this.udp!.flow(from.address, from.port, local), data);
    this.localAddresses.find(from.address).then(
      (found) => this.deliver(message, this.udp!.flow(from.address, from.port, found), data),
      () => this.options.log.debug('SIP message from an address without a route back', {}),
    );
  }

  private deliver(message: SipMessage | MalformedMessage, from: Flow, data: Buffer): void {
    if (!(message instanceof MalformedMessage)) return this.sink.receive(message, from, data);
    this.malformed++;
    this.options.log.debug('malformed SIP message', { problem: message.problem, transport: from.transport });
    this.sink.receiveMalformed(message, from, data);
  }
}
