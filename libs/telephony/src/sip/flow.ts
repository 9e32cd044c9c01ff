export type TransportName = 'udp' | 'tcp' | 'tls';

/** How a far end proves who it is, and how we do. Certificates are always verified: there is no switch for it. */
export interface TlsSettings {
  /** The name its certificate must have (RFC 5922 §7.1), and SNI; the configured host when absent. */
  serverName?: string;
  /** PEM: the only authorities that are trusted; those of the system when absent. */
  ca?: string;
  /** PEM: our client certificate, and its key. */
  cert?: string;
  key?: string;
}

/** Where a message goes: an address that was already resolved and checked. */
export interface Target {
  transport: TransportName;
  /** IP literal without brackets. */
  address: string;
  port: number;
  /** Of a connection that we open, when `transport` is `tls`. */
  tls?: TlsSettings & { serverName: string };
}

/** A way to one far end. Responses go back over the flow their request came in on. */
export interface Flow extends Target {
  /** The address the far end reaches us at, for Via and Contact; without brackets. */
  readonly localAddress: string;
  /** Its port. For a TLS connection without a listener: the connection's own port, the only way back. */
  readonly localPort: number;
  /** No retransmissions by us on a reliable one (RFC 3261 §17). */
  readonly reliable: boolean;
  readonly closed: boolean;
  send(data: Buffer, onError: (error: Error) => void): void;
  /** The same far end at another port, for responses to a request that did not ask for `rport`; a connection stays itself. */
  toPort(port: number): Flow;
  /** Keeps a connection from being closed for silence until `release` is called as often: a dialog lives on it. */
  hold?(): void;
  release?(): void;
}

/** What a transport hands up: the bytes of one message and where they came from. */
export type ReceiveBytes = (data: Buffer, from: Flow) => void;

/** Bound to every address of the host: what we tell the far end then depends on the route to it. */
export function isWildcard(address: string): boolean {
  return address === '0.0.0.0' || address === '::';
}
