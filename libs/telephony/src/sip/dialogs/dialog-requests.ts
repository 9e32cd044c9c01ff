import { randomBranch } from '../../random-ids.js';
import type { AnsweredChallenges, Authorizer } from '../messages/digest.js';
import type { Dialog } from './dialog.js';
import type { Flow } from '../transport/flow.js';
import { buildCancel, CREDENTIALS, type InviteParts, invitePartsOf } from '../user-agent/invite-requests.js';
import { type SipRequest, type SipResponse } from '../messages/message.js';
import {
  type ClientTransaction,
  DETACHED_USER,
  type TransactionFailure,
  transactionTimeout,
} from '../transactions/transaction.js';
import type { UaCore } from '../user-agent/ua-core.js';

/** A final response, or the reason for its absence. */
export type Reply = SipResponse | TransactionFailure;

/** One request inside a dialog, until its final response. */
interface Exchange {
  method: string;
  write: (request: SipRequest) => void;
  challenges?: AnsweredChallenges;
  settle: (reply: Reply) => void;
  /** The running transaction. */
  transaction?: ClientTransaction;
  /** Its time limit has passed: the request is neither sent nor retransmitted. */
  abandoned?: boolean;
}

/** RFC 3261 §12.2, RFC 3311 §5.1: their 2xx may change the remote target. */
const REFRESHING = new Set(['INVITE', 'UPDATE']);
const WITH_CONTACT = new Set([...REFRESHING, 'REFER']);

/** Outgoing requests inside one dialog, with credentials, the ACKs of a re-INVITE, and time limits. */
export class DialogRequests {
  private waiting: Set<() => void> | undefined;

  constructor(
    private readonly core: UaCore,
    readonly dialog: Dialog,
    private readonly contact: string,
    private readonly authorizer: Authorizer,
  ) {}

  /**
   * `write` adds headers and a body; it is called for each attempt. `limitMs`: without a response within this time retransmissions stop and
   * the request fails as `timeout`; the transaction's limit when absent. Never rejects.
   */
  send(method: string, write: (request: SipRequest) => void = () => undefined, limitMs?: number): Promise<Reply> {
    return new Promise((resolve) => {
      let limit: NodeJS.Timeout | undefined;
      const giveUp = (): void => settle('transport');
      const settle = (reply: Reply): void => {
        clearTimeout(limit);
        this.waiting?.delete(giveUp);
        resolve(reply);
      };
      (this.waiting ??= new Set()).add(giveUp);
      const exchange: Exchange = { method, write, settle };
      if (limitMs !== undefined) limit = setTimeout(() => abandon(exchange), limitMs);
      this.attempt(exchange);
    });
  }

  /** Ends the dialog: settles all pending requests and sends BYE, whose response changes nothing. `write`: see `send`. */
  bye(write: (request: SipRequest) => void = () => undefined): void {
    this.end();
    this.attempt({ method: 'BYE', write, settle: () => undefined });
  }

  /** Settles all pending requests at the end of the dialog. */
  end(): void {
    for (const giveUp of this.waiting ?? []) giveUp();
  }

  private attempt(exchange: Exchange): void {
    const request = this.dialog.request(exchange.method);
    if (WITH_CONTACT.has(exchange.method)) request.headers.push('contact', this.contact);
    exchange.write(request);
    this.authorizer.apply(request);
    this.dialog.onFlow((flow) => this.transact(request, flow, exchange));
  }

  private transact(request: SipRequest, flow: Flow, exchange: Exchange): void {
    const { method, settle } = exchange;
    if (exchange.abandoned) return;
    const branch = randomBranch();
    let ack: (() => void) | undefined;
    let limit: (() => void) | undefined;
    const onResponse = (response: SipResponse): void => {
      if (response.status < 200) {
        if (method === 'INVITE')
          limit ??= limitReInvite(this.core, this.dialog, { request, transaction, branch }, () => settle('timeout'));
        return;
      }
      limit?.();
      // A repeated 2xx: its ACK was lost.
      if (ack) return ack();
      if (response.status < 300 && REFRESHING.has(method)) this.dialog.refreshTarget(response);
      if (response.status < 300 && method === 'INVITE')
        ack = acknowledge(this.core, this.dialog, invitePartsOf(request));
      if (this.mayRepeat(response, exchange)) this.attempt(exchange);
      else settle(response);
    };
    const onFailure = (failure: TransactionFailure): void => {
      this.core.log.debug('SIP request in a dialog had no response', { method, failure, call_id: this.dialog.callId });
      settle(failure);
    };
    const transaction = this.core.layer.request(request, flow, { onResponse, onFailure }, branch, {
      peer: this.dialog,
    });
    exchange.transaction = transaction;
  }

  private mayRepeat(response: SipResponse, exchange: Exchange): boolean {
    if (exchange.abandoned) return false;
    const challenged = response.status === 401 || response.status === 407;
    return challenged && this.authorizer.learn(response, (exchange.challenges ??= new Set()));
  }
}

function abandon(exchange: Exchange): void {
  exchange.abandoned = true;
  exchange.transaction?.stopRepeating();
  exchange.settle('timeout');
}

/**
 * Ends a re-INVITE that gets only provisional responses, because its transaction has no timer for that: CANCEL after the time of a
 * transaction, disposal after another one (RFC 3261 §9.1). Returns a function that removes the limit.
 */
function limitReInvite(
  core: UaCore,
  dialog: Dialog,
  { request: invite, transaction, branch }: { request: SipRequest; transaction: ClientTransaction; branch: string },
  settle: () => void,
): () => void {
  const limitMs = transactionTimeout(core.layer.timers);
  let timer = setTimeout(() => {
    core.layer.request(buildCancel(invite), transaction.flow, DETACHED_USER, branch, { peer: dialog });
    timer = setTimeout(() => transaction.dispose(), limitMs);
    settle();
  }, limitMs);
  return () => clearTimeout(timer);
}

/**
 * Sends the ACK of a 2xx; the returned function sends it again for a repeated 2xx (RFC 3261 §13.2.2.4). It is kept for 32 s, so it keeps
 * the parts of the ACK.
 */
export function acknowledge(core: UaCore, dialog: Dialog, { cseq, credentials }: InviteParts): () => void {
  const branch = randomBranch();
  const send = (): void =>
    dialog.onFlow((flow) => {
      const ack = dialog.ack(cseq);
      // §22.1: the ACK carries the credentials of its INVITE.
      for (const name of CREDENTIALS) credentials?.copyTo(ack.headers, name);
      core.layer.ack(ack, flow, branch, (error) =>
        core.log.debug('ACK could not be sent', { problem: error.message, call_id: dialog.callId }),
      );
    });
  send();
  return send;
}
