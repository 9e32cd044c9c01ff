import { LiveSet } from '@app/common';
import { randomTag } from '../../random-ids.js';
import { parseSdp } from '../../sdp-parse.js';
import { type Admit, admitRequest, mayAnswerStray, type RequestAdmission } from '../transport/admission.js';
import { Endpoint, type EndpointOptions } from '../transport/endpoint.js';
import type { Flow, Target } from '../transport/flow.js';
import { IncomingCall } from './incoming-call.js';
import type { DialogPeer } from '../messages/message-source.js';
import type { NextHop } from '../locating/locate.js';
import { MediaWarning, notAcceptable, usableAudio } from '../dialogs/offer-answer.js';
import { sessionDescription } from '../messages/message-body.js';
import { parseCseq, type SipMessage, type SipRequest, type SipResponse } from '../messages/message.js';
import { ping, type PingResult } from './options-ping.js';
import { OutgoingCall, type OutgoingInvite } from './outgoing-call.js';
import { Registration, type RegistrationOptions, type RegistrationState } from './registration.js';
import { capabilities, refusal, responseTo, unsupportedBody, withAllow } from '../messages/responses.js';
import { InviteServerTransaction } from '../transactions/server-transactions.js';
import { DEFAULT_SESSION_TIMER, intervalTooSmall, type SessionTimerSettings } from '../dialogs/session-timer.js';
import { tagOf, uriHost } from '../messages/sip-address.js';
import type { SipLog } from './sip-log.js';
import { type MessageTap, type RequestSink, TransactionLayer } from '../transactions/transaction-layer.js';
import { DEFAULT_TIMERS, type ServerTransaction, type TimerSettings } from '../transactions/transaction.js';
import type { DialogHandler, UaCore } from './ua-core.js';

export interface UserAgentOptions extends EndpointOptions {
  /** The User-Agent header. */
  userAgent: string;
  timers?: TimerSettings;
  sessionTimer?: SessionTimerSettings;
  /** How long an INVITE to a target may be unanswered while another target is left, in ms; 3,000 when absent. */
  failoverMs?: number;
  /** Receives every sent or received message, retransmissions included. */
  tap?: MessageTap;
  /** Decides which sources may begin a dialog; absent: all. */
  admit?: Admit;
  /** The names of the trunks that are known by that address; absent: none. */
  callersAt?: (address: string) => readonly string[];
  /** A message of a dialog or transaction came from another source than its remote party, and was refused or dropped. */
  onForeign?: (kind: ForeignMessage) => void;
}

export type ForeignMessage = 'request' | 'response' | 'ack' | 'cancel';

/** Counts of objects in memory. */
export interface ObjectCounts {
  transactions: number;
  dialogs: number;
  calls: number;
  /** Inbound calls that are neither answered nor refused. */
  undecided: number;
}

/** How long `close` waits for the ACKs of its 2xx, and then for the responses to its BYE and CANCEL. */
const CLOSE_TIMEOUT_MS = 2_000;

/** Within this time an INVITE over UDP is sent three times (at 0, 0.5 and 1.5 s), so that one lost packet does not fail a target. */
const FAILOVER_MS = 3_000;

const PING_TIMEOUT_MS = 5_000;

/** The log has one line per this time about foreign messages, with their number. */
const FOREIGN_LOG_MS = 60_000;

/** One listening SIP endpoint, UDP and TCP on the same port, TLS on another: outbound and inbound calls (RFC 3261). */
export class SipUserAgent implements UaCore {
  readonly layer: TransactionLayer;
  readonly userAgent: string;
  readonly log: SipLog;
  readonly sessionTimer: SessionTimerSettings;
  readonly failoverMs: number;
  readonly callersAt: (address: string) => readonly string[];
  private endpoint!: Endpoint;
  private readonly dialogs = new Map<string, DialogHandler>();
  private readonly outgoing = new LiveSet<OutgoingCall>();
  private readonly incoming = new LiveSet<IncomingCall>();
  private readonly undecided = new Set<string>();
  private readonly admit?: Admit;
  private readonly foreign: ForeignMessages;
  private handler?: (call: IncomingCall) => void;
  private closing = false;
  private onNoneIncoming?: () => void;

  private constructor(options: UserAgentOptions) {
    this.userAgent = options.userAgent;
    this.log = options.log;
    this.sessionTimer = options.sessionTimer ?? DEFAULT_SESSION_TIMER;
    this.failoverMs = options.failoverMs ?? FAILOVER_MS;
    this.admit = options.admit;
    this.callersAt = options.callersAt ?? (() => []);
    this.foreign = new ForeignMessages(options.log, options.onForeign);
    const sink: RequestSink = {
      authorizeRequest: (request, from) => this.authorizeRequest(request, from),
      onRequest: (request, transaction, callers) => this.onRequest(request, transaction, callers),
      onAck: (ack, from) => this.onAck(ack, from),
      onForeign: (message, from) => this.foreign.count(message, from),
    };
    this.layer = new TransactionLayer(options.timers ?? DEFAULT_TIMERS, sink, this, options.tap);
  }

  /** @throws the bind error, such as EADDRINUSE */
  static async start(options: UserAgentOptions): Promise<SipUserAgent> {
    const agent = new SipUserAgent(options);
    agent.endpoint = await Endpoint.open(options, {
      receive: (message, from, data) => agent.layer.receive(message, from, data),
      flowClosed: (flow, error) => agent.layer.flowClosed(flow, error),
      receiveMalformed: ({ request, status }, from, data) => {
        if (request && agent.answers(request, from)) agent.layer.refuse(request, status, from, data);
      },
    });
    return agent;
  }

  get port(): number {
    return this.endpoint.port;
  }

  /** 0: nothing listens for TLS. */
  get tlsPort(): number {
    return this.endpoint.tlsPort;
  }

  /** The number of malformed messages since the start. */
  get malformed(): number {
    return this.endpoint.malformed;
  }

  /** Objects in memory; all counts are 0 from 32 s (Timer D) after the last call. */
  get held(): ObjectCounts {
    const calls = this.outgoing.size + this.incoming.size;
    return { transactions: this.layer.open, dialogs: this.dialogs.size, calls, undecided: this.undecided.size };
  }

  /** Places a call. Returns at once; progress and result are events of the call. */
  invite(options: OutgoingInvite): OutgoingCall {
    const call = new OutgoingCall(this, options);
    call.once('ended', this.outgoing.add(call));
    void call.start();
    return call;
  }

  /** Accepts inbound calls. Without a handler INVITE is answered with 405. */
  onInvite(handler: (call: IncomingCall) => void): void {
    this.handler = handler;
  }

  locate(hops: NextHop[]): Promise<Target[]> {
    return this.endpoint.locate(hops);
  }

  literal(hop: NextHop): Target | undefined {
    return this.endpoint.literal(hop);
  }

  leadsTo(flow: Flow, to: NextHop): boolean {
    const target = flow.closed ? undefined : this.endpoint.literal(to);
    return target !== undefined && isSameRemote(target, flow);
  }

  flowTo(target: Target): Promise<Flow> {
    return this.endpoint.flowTo(target);
  }

  targetFailed(target: Target, retryAfterMs?: number): void {
    this.endpoint.targetFailed(target, retryAfterMs);
  }

  async connect(to: NextHop, standing?: Flow): Promise<Flow> {
    const targets = await this.locate([to]);
    if (standing && targets.some((one) => isSameRemote(one, standing)))
      return standing.closed ? this.flowTo(targetOf(standing)) : standing;
    return firstFlow(targets, (target) => this.flowTo(target));
  }

  forLargeRequest(flow: Flow): Flow | undefined {
    return this.endpoint.forLargeRequest(flow);
  }

  largeRequestFailed(flow: Flow): void {
    this.endpoint.largeRequestFailed(flow);
  }

  /**
   * Sends OPTIONS to the targets of the hop until one responds.
   * @param timeoutMs per target
   * @param callerName of the trunk by admission: its addresses may respond as well
   */
  options(hop: NextHop, timeoutMs = PING_TIMEOUT_MS, callerName?: string): Promise<PingResult> {
    return ping(this, hop, { timeoutMs, ...(callerName !== undefined && { callerName }) });
  }

  /** Keeps an address of record registered until `stop`. @throws UnsafeSipText */
  register(options: RegistrationOptions, onChange: (state: RegistrationState) => void): Registration {
    const registration = new Registration(this, options, onChange);
    registration.start();
    return registration;
  }

  permits(address: string): boolean {
    const permitted = this.endpoint.permits(address);
    if (!permitted) this.log.warn('audio address of a SIP peer is not allowed', { address });
    return permitted;
  }

  speaks(address: string): boolean {
    return this.endpoint.speaks(address);
  }

  contact(flow: Flow, user: string, asked: 'sip' | 'sips' = 'sip'): string {
    // A sips: Contact on another transport than TLS could not be reached.
    const scheme = flow.transport === 'tls' ? asked : 'sip';
    const at = user === '' ? '' : `${user}@`;
    // RFC 5630 §3.1.3: a sips: URI needs no transport=tls.
    const transport = flow.transport === 'udp' || scheme === 'sips' ? '' : `;transport=${flow.transport}`;
    return `<${scheme}:${at}${uriHost(flow.localAddress)}:${flow.localPort}${transport}>`;
  }

  adopt(callId: string, localTag: string, owner: DialogHandler): void {
    const key = `${callId} ${localTag}`;
    owner.connection?.hold?.();
    this.dialogs.get(key)?.connection?.release?.();
    this.dialogs.set(key, owner);
  }

  release(callId: string, localTag: string, owner: DialogHandler): void {
    const key = `${callId} ${localTag}`;
    if (this.dialogs.get(key) !== owner) return;
    this.dialogs.delete(key);
    owner.connection?.release?.();
  }

  /** Hangs up the remaining calls, waits briefly for the responses, and closes the sockets. New calls get 503 meanwhile. */
  async close(): Promise<void> {
    this.closing = true;
    const deadline = performance.now() + CLOSE_TIMEOUT_MS;
    for (const call of [...this.outgoing.values(), ...this.incoming.values()]) call.hangup();
    // RFC 3261 §15: a callee must not send BYE before its 2xx is acknowledged.
    await this.noneIncoming(CLOSE_TIMEOUT_MS);
    for (const call of this.incoming.values()) call.abandon();
    // Requests of a hang-up are sent after their target is resolved.
    await new Promise((resolve) => setImmediate(resolve));
    await this.layer.settled(Math.max(0, deadline - performance.now()));
    for (const call of this.outgoing.values()) call.abandon();
    for (const dialog of this.dialogs.values()) dialog.dispose();
    this.layer.dispose();
    await this.endpoint.close();
  }

  /** Resolves when every inbound call has ended, at the latest after `ms`. */
  private noneIncoming(ms: number): Promise<void> {
    if (this.incoming.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.onNoneIncoming = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  private resolveWithoutIncoming(): void {
    if (this.incoming.size === 0) this.onNoneIncoming?.();
  }

  private authorizeRequest(request: SipRequest, from: Flow): RequestAdmission {
    if (request.method === 'CANCEL') {
      // Refused without a transaction, which would occupy the key of the matching CANCEL.
      return this.layer.inviteOf(request, from) ? { callers: [] } : { refusal: this.noSuchCall(request, from) };
    }
    const owner = this.dialogOf(request);
    if (owner) return this.authorizeInDialog(request, from, owner);
    if (!this.admit) return { callers: [] };
    if (tagOf(request.headers.get('to')) !== undefined) return { refusal: this.noSuchCall(request, from) };
    return admitRequest(request, from, this.admit);
  }

  /**
   * Refused like a request for an unknown dialog, so that the response reveals nothing, and before the dialog sees it: its state and
   * sequence numbers do not change. A trunk with a password may authenticate from another address.
   */
  private authorizeInDialog(request: SipRequest, from: Flow, owner: DialogHandler): RequestAdmission {
    const dialog = owner.dialogWith(tagOf(request.headers.get('from')));
    if (!dialog) return { refusal: this.noSuchCall(request, from) };
    const verdict = dialog.judge(from);
    if (verdict === 'peer') return { callers: [] };
    if (verdict === 'unlocated') {
      void dialog.locatePeer().then(() => this.layer.dispatch(request, from));
      return { refusal: undefined };
    }
    const admission = verdict === 'foreign' ? this.authenticate(request, from, dialog) : undefined;
    if (admission && 'callers' in admission) return admission;
    this.foreign.count(request, from);
    return admission ?? { refusal: this.noSuchCall(request, from) };
  }

  /** Undefined: the call has no trunk that could authenticate, or the source belongs to another one. */
  private authenticate(request: SipRequest, from: Flow, dialog: DialogPeer): RequestAdmission | undefined {
    if (!this.admit || dialog.callers.length === 0) return undefined;
    const admission = admitRequest(request, from, this.admit);
    if ('refusal' in admission) return admission;
    if (!admission.callers.some((name) => dialog.callers.includes(name))) return undefined;
    dialog.authenticate(from);
    return admission;
  }

  private onAck(ack: SipRequest, from: Flow): void {
    const owner = this.dialogOf(ack);
    const dialog = owner?.dialogWith(tagOf(ack.headers.get('from')));
    if (!owner || !dialog) return;
    const verdict = dialog.judge(from);
    if (verdict === 'peer') owner.receiveAck(ack);
    else if (verdict === 'unlocated') void dialog.locatePeer().then(() => this.layer.dispatch(ack, from));
    else this.foreign.count(ack, from);
  }

  private noSuchCall(request: SipRequest, from: Flow): SipResponse | undefined {
    return this.answers(request, from) ? responseTo(request, 481, randomTag()) : undefined;
  }

  /** Whether a stray or malformed request gets a response. */
  private answers(request: SipRequest, from: Flow): boolean {
    return !this.admit || this.isOfPeer(request, from) || mayAnswerStray(request, from, this.admit);
  }

  private isOfPeer(request: SipRequest, from: Flow): boolean {
    const dialog = this.dialogOf(request)?.dialogWith(tagOf(request.headers.get('from')));
    return dialog?.judge(from) === 'peer';
  }

  private onRequest(request: SipRequest, transaction: ServerTransaction, callers: readonly string[]): void {
    if (request.method === 'CANCEL') return this.onCancel(request, transaction);
    if (tagOf(request.headers.get('to')) !== undefined) return this.onRequestInDialog(request, transaction);
    const refused = refusal(request, randomTag());
    if (refused) transaction.respond(refused);
    else if (transaction instanceof InviteServerTransaction) this.onNewInvite(request, transaction, callers);
    else if (request.method === 'OPTIONS') transaction.respond(capabilities(request, randomTag()));
    else transaction.respond(responseTo(request, 481, randomTag()));
  }

  private onRequestInDialog(request: SipRequest, transaction: ServerTransaction): void {
    const owner = this.dialogOf(request);
    if (owner) owner.receive(request, transaction);
    else transaction.respond(responseTo(request, 481));
  }

  private dialogOf(request: SipRequest): DialogHandler | undefined {
    return this.dialogs.get(`${request.headers.get('call-id')} ${tagOf(request.headers.get('to'))}`);
  }

  private onCancel(cancel: SipRequest, transaction: ServerTransaction): void {
    const invite = this.layer.inviteOf(cancel, transaction.flow);
    if (!invite) return transaction.respond(responseTo(cancel, 481, randomTag()));
    transaction.respond(responseTo(cancel, 200, invite.localTag));
    invite.cancel();
  }

  private onNewInvite(request: SipRequest, transaction: InviteServerTransaction, callers: readonly string[]): void {
    if (this.closing) return transaction.respond(responseTo(request, 503, randomTag()));
    if (!this.handler) return transaction.respond(withAllow(request, 405, randomTag()));
    const description = sessionDescription(request);
    if (description === undefined) return transaction.respond(unsupportedBody(request, randomTag()));
    const offer = description === '' ? undefined : usableAudio(this, parseSdp(description), transaction.flow.address);
    if (offer instanceof MediaWarning)
      return transaction.respond(notAcceptable(request, transaction.flow.localAddress, offer, randomTag()));
    const tooSmall = intervalTooSmall(request, this.sessionTimer.minSeS, randomTag());
    if (tooSmall) return transaction.respond(tooSmall);
    // RFC 3261 §8.2.2.2: the same request over two paths would ring twice.
    const merged = mergeKey(request);
    if (this.undecided.has(merged)) return transaction.respond(responseTo(request, 482, randomTag()));
    this.undecided.add(merged);
    const call = new IncomingCall(this, transaction, offer, callers, {
      answeredOrRefused: () => this.undecided.delete(merged),
      over: () => {
        remove();
        this.resolveWithoutIncoming();
      },
    });
    const remove = this.incoming.add(call);
    this.handler(call);
  }
}

/** Counts messages whose source is not the remote party of their dialog. The log stays small whatever a stranger sends. */
class ForeignMessages {
  private messages = 0;
  private nextLogAt = 0;

  constructor(
    private readonly log: SipLog,
    private readonly onForeign: (kind: ForeignMessage) => void = () => undefined,
  ) {}

  count(message: SipMessage, { transport }: Flow): void {
    const kind = kindOf(message);
    this.onForeign(kind);
    this.messages++;
    const now = performance.now();
    if (now < this.nextLogAt) return;
    this.log.warn('SIP messages came from other sources than the remote party of their dialog and were refused', {
      messages: this.messages,
      last: kind,
      transport,
    });
    this.messages = 0;
    this.nextLogAt = now + FOREIGN_LOG_MS;
  }
}

function kindOf(message: SipMessage): ForeignMessage {
  if (message.kind === 'response') return 'response';
  return message.method === 'ACK' ? 'ack' : message.method === 'CANCEL' ? 'cancel' : 'request';
}

/** A dialog stays on its connection when the next hop is the peer (RFC 5923), by any name. */
function isSameRemote(a: Target, b: Target): boolean {
  return a.transport === b.transport && a.address === b.address && a.port === b.port;
}

function targetOf({ transport, address, port, tls }: Flow): Target {
  return { transport, address, port, ...(tls === undefined ? {} : { tls }) };
}

/** @throws the error of the last target */
async function firstFlow(targets: Target[], flowTo: (target: Target) => Promise<Flow>): Promise<Flow> {
  const [first, ...others] = targets;
  try {
    return await flowTo(first!);
  } catch (error) {
    if (others.length === 0) throw error;
    return firstFlow(others, flowTo);
  }
}

function mergeKey(request: SipRequest): string {
  const { headers } = request;
  return `${headers.get('call-id')} ${tagOf(headers.get('from'))} ${parseCseq(headers.get('cseq'))!.number}`;
}
