import type { Flow } from '../transport/flow.js';
import type { PeerAddresses } from '../messages/message-source.js';
import type { SipMessage, SipRequest, SipResponse } from '../messages/message.js';

/** RFC 3261 §17.1.1.1, in milliseconds. Every other timer is a multiple of these. */
export interface TimerSettings {
  /** Round-trip estimate: first retransmission. */
  t1: number;
  /** Longest gap between retransmissions. */
  t2: number;
  /** How long a message may live in the network. */
  t4: number;
}

export const DEFAULT_TIMERS: TimerSettings = { t1: 500, t2: 4_000, t4: 5_000 };

/** Timers B, D, F, H, J, L and M: 64 x T1, 32 s by default. */
export function transactionTimeout(timers: TimerSettings): number {
  return 64 * timers.t1;
}

/** No final response in time, or the message could not be sent. */
export type TransactionFailure = 'timeout' | 'transport';

/** The transaction user of a client transaction (RFC 3261 §5). */
export interface ClientUser {
  /** Every provisional once per arrival, the final once; for an INVITE also each further 2xx (RFC 6026). */
  onResponse(response: SipResponse): void;
  /** `error`: that of the transport. */
  onFailure(failure: TransactionFailure, error?: Error): void;
}

export interface ClientTransaction {
  readonly flow: Flow;
  /** Addresses beside that of the flow from which responses may come. */
  readonly peer?: PeerAddresses;
  receive(response: SipResponse): void;
  /** The connection is closed: a request without any response has failed. */
  connectionLost(error: Error): void;
  /** Stops retransmissions; responses are still received. */
  stopRepeating(): void;
  /** Further responses are for `user`. */
  handOver(user: ClientUser): void;
  /** Stops all timers without notifying the user. */
  dispose(): void;
}

/** The owner of client transactions, by their keys. */
export interface ClientTransactions {
  /** The final response of a transaction has arrived, or will not; once each. */
  answered(): void;
  terminated(key: string): void;
}

/** Replaces the user of a transaction that waits for late messages, so that it keeps no call in memory. */
export const DETACHED_USER: ClientUser = { onResponse: () => undefined, onFailure: () => undefined };

export interface ServerTransaction {
  readonly request: SipRequest;
  readonly flow: Flow;
  respond(response: SipResponse): void;
  /** The same request again, or the ACK of a failed INVITE. */
  receive(request: SipRequest): void;
  dispose(): void;
}

/** The layer below the transactions. */
export interface Wire {
  readonly timers: TimerSettings;
  send(flow: Flow, message: SipMessage, data: Buffer, onError: (error: Error) => void): void;
  /** The same for a response, which may outlive the connection of its request. */
  sendResponse(flow: Flow, response: SipResponse, data: Buffer, onError: (error: Error) => void): void;
}

/** The doubling retransmission of Timers A, E and G, with or without the cap of T2. */
export class Retransmission {
  private timer?: NodeJS.Timeout;

  constructor(
    private interval: number,
    private readonly cap: number,
    private readonly again: () => void,
  ) {}

  start(): this {
    this.schedule();
    return this;
  }

  /** From now on every `cap` (Timer E in the Proceeding state). */
  slowDown(): void {
    this.interval = this.cap;
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  private schedule(): void {
    this.timer = setTimeout(() => {
      this.interval = Math.min(this.interval * 2, this.cap);
      this.schedule();
      this.again();
    }, this.interval);
  }
}
