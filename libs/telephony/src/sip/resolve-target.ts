import type { TlsSettings, TransportName } from './flow.js';

/** A host name without an address of our families, or a resolver that failed. */
export class UnresolvedHost extends Error {
  constructor(cause: unknown) {
    super('the host name has no usable address', { cause });
    this.name = 'UnresolvedHost';
  }
}

/** `checkAddress` refused the resolved address: nothing was sent. */
export class BlockedAddress extends Error {
  constructor(cause: unknown) {
    super('the address is not allowed as a destination', { cause });
    this.name = 'BlockedAddress';
  }
}

/** Throws when nothing may be sent to `address`, a resolved IP literal. */
export type CheckAddress = (address: string) => void;

export interface HostToReach {
  host: string;
  port?: number;
  /** Absent: RFC 3263 decides. A `sips:` URI means `tls`. */
  transport?: TransportName;
  tls?: TlsSettings;
  /** Among several hops: lower first. */
  priority?: number;
}
