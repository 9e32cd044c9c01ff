export type TransportName = 'udp' | 'tcp' | 'tls';

/** Certificates of both sides. The remote certificate is always verified; no setting turns that off. */
export interface TlsSettings {
  /** The required name of the certificate (RFC 5922 §7.1), and SNI; absent: the configured host. */
  serverName?: string;
  /** PEM: the only trusted authorities; absent: those of the system. */
  ca?: string;
  /** PEM: our client certificate, and its key. */
  cert?: string;
  key?: string;
}

/** The destination of a message: a resolved and checked address. */
export interface Target {
  transport: TransportName;
  /** IP literal without brackets. */
  address: string;
  port: number;
  /** For an outgoing connection with the transport `tls`. */
  tls?: TlsSettings & { serverName: string };
}

/** A flow to one peer. Responses use the flow of their request. */
export interface Flow extends Target {
  /** The local address for Via and Contact, without brackets. */
  readonly localAddress: string;
  /** The local port. For a TLS connection without a listener: the port of the connection, the only way back. */
  readonly localPort: number;
  /** A reliable flow needs no retransmissions (RFC 3261 §17). */
  readonly reliable: boolean;
  readonly closed: boolean;
  /**
   * Of a TLS connection: the names in the verified certificate of the peer, in lower case. Absent when it was verified by authorities
   * that only one trunk trusts: those may issue any name.
   */
  readonly verifiedNames?: readonly string[];
  send(data: Buffer, onError: (error: Error) => void): void;
  /** The same peer at another port, for responses to a request without `rport`; a connection returns itself. */
  toPort(port: number): Flow;
  /** Exempts a connection with a dialog from the idle time-out until `release` was called as often. */
  hold?(): void;
  release?(): void;
}

/** Receives the bytes of one message and their flow from a transport. */
export type ReceiveBytes = (data: Buffer, from: Flow) => void;

/** Whether the address stands for every address of the host: the announced address then depends on the route. */
export function isWildcard(address: string): boolean {
  return address === '0.0.0.0' || address === '::';
}
