export type TransportName = 'udp' | 'tcp';

/** Where a message goes: an address that was already resolved and checked. */
export interface Target {
  transport: TransportName;
  /** IP literal without brackets. */
  address: string;
  port: number;
}

/** A way to one far end. Responses go back over the flow their request came in on. */
export interface Flow extends Target {
  /** The address the far end reaches us at, for Via and Contact; without brackets. */
  readonly localAddress: string;
  /** No retransmissions by us on a reliable one (RFC 3261 §17). */
  readonly reliable: boolean;
  readonly closed: boolean;
  send(data: Buffer, onError: (error: Error) => void): void;
  /** The same far end at another port, for responses to a request that did not ask for `rport`; a connection stays itself. */
  toPort(port: number): Flow;
}

/** What a transport hands up: the bytes of one message and where they came from. */
export type ReceiveBytes = (data: Buffer, from: Flow) => void;

/** Bound to every address of the host: what we tell the far end then depends on the route to it. */
export function isWildcard(address: string): boolean {
  return address === '0.0.0.0' || address === '::';
}
