import type { Flow } from './flow.js';
import type { SipMessage, SipRequest, SipResponse } from './message.js';
import type { TimerSettings } from './timer-settings.js';

/** No final response in time, or the message could not be sent. */
export type TransactionFailure = 'timeout' | 'transport';

/** Who started a client transaction. */
export interface ClientUser {
  /** Every provisional once per arrival, the final once; for an INVITE also each further 2xx (RFC 6026). */
  onResponse(response: SipResponse): void;
  /** `error`: what the transport said. */
  onFailure(failure: TransactionFailure, error?: Error): void;
}

export interface ClientTransaction {
  readonly request: SipRequest;
  readonly flow: Flow;
  receive(response: SipResponse): void;
  /** Its connection is over: a request that nothing was heard of yet has failed. */
  connectionLost(error: Error): void;
  /** Sends the request no more; answers are still received. */
  stopRepeating(): void;
  /** Stops all timers without a word to the user. */
  dispose(): void;
}

/** What a client transaction sends, and over what. */
export interface Outgoing {
  request: SipRequest;
  /** Its wire form. */
  data: Buffer;
  flow: Flow;
}

/** Takes the place of a user who wants to hear no more, so that a transaction which waits for late messages holds on to nobody. */
export const NOBODY: ClientUser = { onResponse: () => undefined, onFailure: () => undefined };

export interface ServerTransaction {
  readonly request: SipRequest;
  readonly flow: Flow;
  respond(response: SipResponse): void;
  /** The same request again, or the ACK of a failed INVITE. */
  receive(request: SipRequest): void;
  dispose(): void;
}

/** What transactions need from the layer that holds them. */
export interface Wire {
  readonly timers: TimerSettings;
  send(flow: Flow, message: SipMessage, data: Buffer, onError: (error: Error) => void): void;
  /** The same for a response, which may outlive the connection its request came in on. */
  sendResponse(flow: Flow, response: SipResponse, data: Buffer, onError: (error: Error) => void): void;
}

/** The doubling retransmission of Timers A, E and G, with or without the cap of T2. */
export class Retransmission {
  private timer?: NodeJS.Timeout;

  constructor(
    private interval: number,
    private readonly cap: number,
    private readonly again: () => void,
  ) {
    this.schedule();
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
