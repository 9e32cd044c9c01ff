import { type AddressInfo, isIP, isIPv6 } from 'node:net';
import {
  checkServerIdentity,
  connect,
  type ConnectionOptions,
  createServer,
  type PeerCertificate,
  type Server,
  type TLSSocket,
} from 'node:tls';
import {
  CONNECT_TIMEOUT_MS,
  type ConnectionClosed,
  Connections,
  limitConnecting,
  listen,
  MAX_SOCKETS,
  targetKey,
} from './connections.js';
import { type Flow, isWildcard, type ReceiveBytes, type Target } from './flow.js';
import type { SipLog } from './sip-log.js';
import { ConnectionLost } from './stream-connection.js';
import type { TcpOptions } from './tcp-transport.js';
import { TlsCertificateFiles, type TlsListening } from './tls-certificate-files.js';

interface TlsOptions extends Omit<TcpOptions, 'port'> {
  /** Absent: TLS only on the connections that we open. */
  listening?: TlsListening;
}

/** RFC 8996 deprecates 1.0 and 1.1. */
const MIN_VERSION = 'TLSv1.2';

/** SIP over TLS (RFC 3261 §26, RFC 5922): outgoing connections always verify the certificate; a listener is optional. */
export class TlsTransport {
  private readonly connections: Connections;
  private readonly opening = new Map<string, Promise<Flow>>();
  private readonly handshaking = new Set<TLSSocket>();
  private server?: Server;
  private certificate?: TlsCertificateFiles;
  private closed = false;

  private constructor(
    private readonly options: TlsOptions,
    private readonly log: SipLog,
    receive: ReceiveBytes,
    onClosed: ConnectionClosed,
  ) {
    this.connections = new Connections(options.limits, receive, onClosed);
  }

  /** @throws the listen error of the server, or that of a certificate which cannot be read */
  static async open(
    options: TlsOptions,
    log: SipLog,
    receive: ReceiveBytes,
    onClosed: ConnectionClosed,
  ): Promise<TlsTransport> {
    const transport = new TlsTransport(options, log, receive, onClosed);
    if (options.listening) await transport.listen(options.listening);
    return transport;
  }

  /** 0: nothing listens. */
  get port(): number {
    return (this.server?.address() as AddressInfo | null | undefined)?.port ?? 0;
  }

  /**
   * The open connection, or a new one after its handshake: messages go to authenticated far ends only.
   * @throws the error of the connection or the handshake; `transportErrorCode` classifies it
   */
  async flow(target: Target, localAddress: string): Promise<Flow> {
    if (this.closed) throw new Error('the TLS transport is closed');
    const key = targetKey(target);
    const standing = this.connections.get(key) ?? this.opening.get(key);
    if (standing) return standing;
    const opening = this.connect(key, target, localAddress).finally(() => this.opening.delete(key));
    this.opening.set(key, opening);
    return opening;
  }

  async close(): Promise<void> {
    this.closed = true;
    this.certificate?.close();
    const stopped = new Promise<void>((resolve) => (this.server ? this.server.close(() => resolve()) : resolve()));
    for (const socket of this.handshaking) socket.destroy(new Error('the TLS transport is closed'));
    this.connections.close();
    await stopped;
  }

  private connect(key: string, target: Target, localAddress: string): Promise<Flow> {
    const socket = connect({ ...this.clientOptions(target), host: target.address, port: target.port });
    this.handshaking.add(socket);
    limitConnecting(socket, 'secureConnect');
    return new Promise<Flow>((resolve, reject) => {
      socket.once('error', reject).once('close', () => reject(new ConnectionLost()));
      socket.once('secureConnect', () => {
        // Without a listener, far ends find the open connection by this port.
        const localPort = this.port || (socket.localPort ?? 0);
        resolve(this.connections.keep(key, socket, { ...target, localAddress, localPort }));
      });
    }).finally(() => this.handshaking.delete(socket));
  }

  private clientOptions({ address, tls }: Target): ConnectionOptions & { family: number } {
    const { serverName = address, ca, cert, key } = tls ?? {};
    return {
      // RFC 6066 §3: no addresses in SNI.
      ...(isIP(serverName) === 0 ? { servername: serverName } : {}),
      ...(isWildcard(this.options.bind) ? {} : { localAddress: this.options.bind }),
      family: isIPv6(address) ? 6 : 4,
      ca,
      cert,
      key,
      minVersion: MIN_VERSION,
      rejectUnauthorized: true,
      checkServerIdentity: (_host, certificate) => certificateNameError(serverName, certificate),
    };
  }

  private async listen(listening: TlsListening): Promise<void> {
    const files = await TlsCertificateFiles.open(listening, this.log);
    const server = createServer({
      ...files.current,
      requestCert: listening.caFile !== undefined,
      rejectUnauthorized: listening.caFile !== undefined,
      minVersion: MIN_VERSION,
      handshakeTimeout: CONNECT_TIMEOUT_MS,
    });
    server.maxConnections = MAX_SOCKETS;
    files.onChange((certificate) => server.setSecureContext({ ...certificate, minVersion: MIN_VERSION }));
    this.certificate = files;
    server.on('secureConnection', (socket) => this.accept(socket));
    server.on('tlsClientError', (error: NodeJS.ErrnoException) => {
      this.log.debug('TLS handshake of a SIP peer failed', { code: error.code ?? error.name });
    });
    this.server = server;
    await listen(server, listening.port, this.options.bind);
    server.on('error', (error: NodeJS.ErrnoException) => {
      this.log.debug('SIP socket reported an error', { code: error.code ?? error.name });
    });
  }

  private accept(socket: TLSSocket): void {
    if (this.closed) return void socket.destroy();
    this.connections.accept(socket, 'tls', this.port, this.options.announcedTo);
  }
}

/**
 * RFC 5922 §7.1: the certificate is valid for `domain` when it names it as a SIP URI or as a DNS name. Against §7.2 a wildcard in
 * the left-most label of a DNS name counts, as everywhere else with TLS: carriers that serve many names have such certificates.
 * Undefined when the name is right.
 */
function certificateNameError(domain: string, certificate: PeerCertificate): Error | undefined {
  return sipUris(certificate.subjectaltname).includes(domain.toLowerCase())
    ? undefined
    : checkServerIdentity(domain, certificate);
}

function sipUris(alternatives = ''): string[] {
  // Node quotes names that contain its separators (CVE-2021-44532): such a list is ignored.
  if (alternatives.includes('"')) return [];
  const uris = alternatives.split(', ').filter((one) => one.startsWith('URI:sip:'));
  return uris.map((one) => one.slice('URI:sip:'.length).toLowerCase());
}
