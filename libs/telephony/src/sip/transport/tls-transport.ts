import { readFile } from 'node:fs/promises';
import { type AddressInfo, isIP, isIPv6 } from 'node:net';
import {
  checkServerIdentity,
  connect,
  type ConnectionOptions,
  createSecureContext,
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
import type { SipLog } from '../user-agent/sip-log.js';
import { ConnectionLost } from './stream-connection.js';
import type { TcpOptions } from './tcp-transport.js';

interface TlsOptions extends Omit<TcpOptions, 'port'> {
  /** Absent: TLS only on outgoing connections. */
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

  /** @throws the listen error of the server, or the read error of a certificate */
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
   * The open connection, or a new one after its handshake: messages go only to authenticated peers.
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
        // Without a listener, peers find the open connection by this port.
        const localPort = this.port || (socket.localPort ?? 0);
        // The authorities of a trunk may issue any name, also that of another trunk's carrier.
        const verifiedNames = target.tls?.ca === undefined ? namesOf(socket, target.tls?.serverName) : undefined;
        resolve(this.connections.keep(key, socket, { ...target, localAddress, localPort, verifiedNames }));
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
    const verifiedNames = socket.authorized ? namesOf(socket) : undefined;
    this.connections.accept(socket, 'tls', this.port, this.options.announcedTo, verifiedNames);
  }
}

/**
 * RFC 5922 §7.1: the certificate is valid for `domain` when it contains it as a SIP URI or a DNS name. Unlike §7.2, a wildcard in the
 * left-most label of a DNS name counts, as usual with TLS: carriers with many names have such certificates. Undefined when the name is
 * right.
 */
function certificateNameError(domain: string, certificate: PeerCertificate): Error | undefined {
  return sipUris(certificate.subjectaltname).includes(domain.toLowerCase())
    ? undefined
    : checkServerIdentity(domain, certificate);
}

const sipUris = (alternatives: string | undefined): string[] => alternativeNames(alternatives, 'URI:sip:');

function alternativeNames(alternatives = '', kind: 'URI:sip:' | 'DNS:'): string[] {
  // Node quotes names that contain its separators (CVE-2021-44532): such a list is ignored.
  if (alternatives.includes('"')) return [];
  const names = alternatives.split(', ').filter((one) => one.startsWith(kind));
  return names.map((one) => one.slice(kind.length).toLowerCase());
}

/** The names of a verified certificate (RFC 5922 §7.1), and the one for which it was verified. */
function namesOf(socket: TLSSocket, expected?: string): readonly string[] {
  const { subjectaltname: alternatives } = socket.getPeerCertificate();
  const names = [...sipUris(alternatives), ...alternativeNames(alternatives, 'DNS:')];
  return expected === undefined ? names : [expected.toLowerCase(), ...names];
}

export interface TlsListening {
  /** 0: a free one. */
  port: number;
  /** PEM files: the certificate with its chain, its key, and the authorities of requested client certificates. */
  certFile: string;
  keyFile: string;
  caFile?: string;
  /** How often the files are read for a renewed certificate. */
  recheckMs?: number;
}

interface ServerCertificate {
  cert: Buffer;
  key: Buffer;
  ca?: Buffer;
}

/** Polled: mounted secrets change by symbolic links, which watchers do not follow. */
const RECHECK_MS = 60_000;

/** The certificate of the listener, read again when its files change, so that a renewal needs no restart. */
class TlsCertificateFiles {
  private listener?: (certificate: ServerCertificate) => void;
  private timer?: NodeJS.Timeout;

  private constructor(
    private readonly files: TlsListening,
    private readonly log: SipLog,
    public current: ServerCertificate,
  ) {}

  /** @throws when a file cannot be read, or certificate and key do not match */
  static async open(files: TlsListening, log: SipLog): Promise<TlsCertificateFiles> {
    const opened = new TlsCertificateFiles(files, log, await read(files));
    opened.timer = setInterval(() => void opened.recheck(), files.recheckMs ?? RECHECK_MS).unref();
    return opened;
  }

  onChange(listener: (certificate: ServerCertificate) => void): void {
    this.listener = listener;
  }

  close(): void {
    clearInterval(this.timer);
  }

  private async recheck(): Promise<void> {
    try {
      const now = await read(this.files);
      if (same(now, this.current)) return;
      this.current = now;
      this.listener?.(now);
      this.log.debug('the SIP TLS certificate was renewed', {});
    } catch (error) {
      // During a renewal certificate and key may not match: the old pair stays in use until they do.
      const { code, name } = error as NodeJS.ErrnoException;
      this.log.warn('the SIP TLS certificate cannot be renewed from its files', { code: code ?? name });
    }
  }
}

async function read({ certFile, keyFile, caFile }: TlsListening): Promise<ServerCertificate> {
  const [cert, key, ca] = await Promise.all([
    readFile(certFile),
    readFile(keyFile),
    caFile === undefined ? undefined : readFile(caFile),
  ]);
  const certificate = { cert, key, ...(ca && { ca }) };
  createSecureContext(certificate);
  return certificate;
}

function same(a: ServerCertificate, b: ServerCertificate): boolean {
  return a.cert.equals(b.cert) && a.key.equals(b.key) && (a.ca ?? NONE).equals(b.ca ?? NONE);
}

const NONE = Buffer.alloc(0);
