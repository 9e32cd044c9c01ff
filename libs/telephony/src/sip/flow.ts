export type TransportName = 'udp' | 'tcp' | 'tls';

/** Certificates of both sides. The remote certificate is always verified; no setting turns that off. */
export interface TlsSettings {
  /** The name its certificate must have (RFC 5922 §7.1), and SNI; the configured host when absent. */
  serverName?: string;
  /** PEM: the only authorities that are trusted; those of the system when absent. */
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
  /** Of a connection that we open, when `transport` is `tls`. */
  tls?: TlsSettings & { serverName: string };
}

/** A flow to one far end. Responses use the flow of their request. */
export interface Flow extends Target {
  /** The address the far end reaches us at, for Via and Contact; without brackets. */
  readonly localAddress: string;
  /** Its port. For a TLS connection without a listener: the connection's own port, the only way back. */
  readonly localPort: number;
  /** A reliable flow needs no retransmissions (RFC 3261 §17). */
  readonly reliable: boolean;
  readonly closed: boolean;
  send(data: Buffer, onError: (error: Error) => void): void;
  /** The same far end at another port, for responses to a request that did not ask for `rport`; a connection returns itself. */
  toPort(port: number): Flow;
  /** Exempts a connection with a dialog from the idle timeout until `release` is called as often. */
  hold?(): void;
  release?(): void;
}

/** Called by a transport with the bytes of one message and their flow. */
export type ReceiveBytes = (data: Buffer, from: Flow) => void;

/** Bound to every address of the host: the announced address then depends on the route. */
export function isWildcard(address: string): boolean {
  return address === '0.0.0.0' || address === '::';
}
