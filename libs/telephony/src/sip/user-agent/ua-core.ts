import type { Flow, Target } from '../transport/flow.js';
import type { DialogPeer } from '../messages/message-source.js';
import type { NextHop } from '../locating/locate.js';
import type { SipRequest } from '../messages/message.js';
import type { SessionTimerSettings } from '../dialogs/session-timer.js';
import type { SipLog } from './sip-log.js';
import type { TransactionLayer } from '../transactions/transaction-layer.js';
import type { ServerTransaction } from '../transactions/transaction.js';

/** Receives the requests inside one dialog. */
export interface DialogHandler {
  receive(request: SipRequest, transaction: ServerTransaction): void;
  receiveAck(ack: SipRequest): void;
  /** The dialog with that tag of the remote party; an INVITE has several while it rings at several phones. */
  dialogWith(remoteTag: string | undefined): DialogPeer | undefined;
  /** The flow of its INVITE: kept open during the dialog. */
  readonly connection?: Flow;
  /** Stops its timers without events. */
  dispose(): void;
}

/** The user agent, as calls use it. */
export interface UaCore {
  readonly layer: TransactionLayer;
  readonly userAgent: string;
  readonly sessionTimer: SessionTimerSettings;
  /** How long a target may be silent while another one is left, in ms. */
  readonly failoverMs: number;
  readonly log: SipLog;
  /**
   * All targets of the hops in the order to try (priority of the hop, then RFC 3263); each address has passed the address check.
   * @throws UnresolvedHost, RefusedTarget when none is left
   */
  locate(hops: NextHop[]): Promise<Target[]>;
  /** The target of a literal, permitted address; undefined: `locate` finds it or its problem. */
  literal(hop: NextHop): Target | undefined;
  /**
   * The flow to one located target. TCP connects lazily, TLS completes its handshake first.
   * @throws a socket error when there is no route, or the TLS handshake failed; `transportErrorCode` reads it
   */
  flowTo(target: Target): Promise<Flow>;
  /**
   * The target refused the connection, was silent, or responded with 503 (`retryAfterMs`: its Retry-After): it comes last for some
   * time.
   */
  targetFailed(target: Target, retryAfterMs?: number): void;
  /**
   * The flow to the first reachable target of `to`; `standing` when it leads to the same target.
   * @throws UnresolvedHost, RefusedTarget, or a socket error when there is no route
   */
  connect(to: NextHop, standing?: Flow): Promise<Flow>;
  /** Whether `to` is the literal, permitted address of that open flow, which needs no look-up. */
  leadsTo(flow: Flow, to: NextHop): boolean;
  /** The names of the trunks that are known by that address; none without admission. */
  callersAt(address: string): readonly string[];
  /** False when audio must not be sent there: a remote party can announce any address. */
  permits(address: string): boolean;
  /** False: the endpoint has no addresses of that IP version, so no audio can be sent there. */
  speaks(address: string): boolean;
  /** The local Contact value; `sips` when the URI of the request is (RFC 5630 §5.1.1.1). */
  contact(flow: Flow, user: string, scheme?: 'sip' | 'sips'): string;
  /** Sends requests of this dialog to `owner` until it is released. */
  adopt(callId: string, localTag: string, owner: DialogHandler): void;
  release(callId: string, localTag: string, owner: DialogHandler): void;
}
