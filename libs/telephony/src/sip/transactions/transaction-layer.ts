import { randomBranch, randomTag } from '../../random-ids.js';
import type { RequestAdmission } from '../transport/admission.js';
import { InviteClientTransaction, NonInviteClientTransaction } from './client-transactions.js';
import type { Flow } from '../transport/flow.js';
import { judgeSource, type PeerAddresses } from '../messages/message-source.js';
import type { NextHop } from '../locating/locate.js';
import { parseCseq, serialize, type SipMessage, type SipRequest, type SipResponse } from '../messages/message.js';
import { responseTo } from '../messages/responses.js';
import { InviteServerTransaction, NonInviteServerTransaction } from './server-transactions.js';
import { MAGIC_COOKIE, stampVia, tagOf, uriHost } from '../messages/sip-address.js';
import type {
  ClientTransaction,
  ClientTransactions,
  ClientUser,
  ServerTransaction,
  TimerSettings,
  TransactionFailure,
  Wire,
} from './transaction.js';

/** The user of the transaction layer. */
export interface RequestSink {
  /**
   * Called before a request gets a transaction. A refusal is sent statelessly (RFC 3261 §8.2.7), so that unknown sources cost neither
   * memory nor retransmissions; an undefined refusal drops the request.
   */
  authorizeRequest(request: SipRequest, from: Flow): RequestAdmission;
  onRequest(request: SipRequest, transaction: ServerTransaction, callers: readonly string[]): void;
  /** The ACK of a 2xx, which belongs to no transaction (RFC 3261 §17.1.1). */
  onAck(ack: SipRequest, from: Flow): void;
  /** A message matches a transaction, but comes from another source: it is dropped. */
  onForeign(message: SipMessage, from: Flow): void;
}

/** The endpoint below the layer. */
interface LayerEndpoint {
  /** @throws RefusedTarget, or an error without a route */
  connect(to: NextHop): Promise<Flow>;
  /** The same peer over TCP, for a request that is too large for UDP; undefined when the peer is known not to accept TCP. */
  forLargeRequest(flow: Flow): Flow | undefined;
  largeRequestFailed(flow: Flow): void;
}

/** RFC 3261 §18.1.1: larger requests may exceed the path MTU. */
const MAX_OVER_UDP = 1_300;

/** Receives every message that is sent or received, retransmissions included; `data` is its wire form. */
export type MessageTap = (direction: 'in' | 'out', message: SipMessage, flow: Flow, data: Buffer) => void;

interface RequestOptions {
  /** Responses come from the address of the flow or one of these. */
  peer?: PeerAddresses;
  /** Timer B of an INVITE; 64 x T1 if absent. */
  timeoutMs?: number;
}

interface TransactionStart extends RequestOptions {
  flow: Flow;
  user: ClientUser;
  branch: string;
}

/** Matches messages to transactions (RFC 3261 §17.1.3, §17.2.3) and owns all of them. */
export class TransactionLayer implements Wire, ClientTransactions {
  private readonly clients = new Map<string, ClientTransaction>();
  private readonly servers = new Map<string, ServerTransaction>();
  /** The number of client transactions without a final response. */
  private unanswered = 0;
  private disposed = false;
  private whenSettled: (() => void)[] = [];

  constructor(
    readonly timers: TimerSettings,
    private readonly sink: RequestSink,
    private readonly endpoint: LayerEndpoint,
    private readonly tap?: MessageTap,
  ) {}

  /** Transactions that have not terminated. */
  get open(): number {
    return this.clients.size + this.servers.size;
  }

  /** Starts a client transaction and adds the Via. A CANCEL has the branch of its INVITE. */
  request(
    request: SipRequest,
    flow: Flow,
    user: ClientUser,
    branch = randomBranch(),
    { peer, timeoutMs }: RequestOptions = {},
  ): ClientTransaction {
    request.headers.prepend('via', this.via(flow, branch));
    const data = serialize(request);
    if (flow.transport !== 'udp') return this.start(request, data, { flow, user, branch, peer, timeoutMs });
    // RFC 3261 §9.1: the CANCEL uses the flow of its INVITE, which may have been too large for UDP.
    const inviteFlow = request.method === 'CANCEL' ? this.clients.get(`${branch} INVITE`)?.flow : undefined;
    const tooLarge = data.length > MAX_OVER_UDP;
    const stream = inviteFlow?.reliable ? inviteFlow : tooLarge ? this.endpoint.forLargeRequest(flow) : undefined;
    return stream
      ? this.startLarge(request, stream, { flow, user, branch, peer, timeoutMs })
      : this.start(request, data, { flow, user, branch, peer, timeoutMs });
  }

  /** RFC 3261 §18.1.1: over TCP, with a fallback to UDP when the peer refuses the connection. */
  private startLarge(
    request: SipRequest,
    stream: Flow,
    { flow: udp, user, branch, ...options }: TransactionStart,
  ): ClientTransaction {
    request.headers.set('via', this.via(stream, branch));
    let current: ClientTransaction | undefined;
    let receiver = user;
    const both: ClientUser = {
      onResponse: (response) => receiver.onResponse(response),
      onFailure: (failure, error) => receiver.onFailure(failure, error),
    };
    const onFailure = (failure: TransactionFailure, error?: Error): void => {
      if (failure === 'timeout' || this.disposed) return both.onFailure(failure, error);
      this.endpoint.largeRequestFailed(stream);
      request.headers.set('via', this.via(udp, branch));
      current = this.start(request, serialize(request), { flow: udp, user: both, branch, ...options });
    };
    const overTcp = this.start(request, serialize(request), {
      flow: stream,
      user: { onResponse: (response) => both.onResponse(response), onFailure },
      branch,
      ...options,
    });
    const inUse = (): ClientTransaction => current ?? overTcp;
    return {
      get flow() {
        return inUse().flow;
      },
      receive: (response) => inUse().receive(response),
      connectionLost: (error) => inUse().connectionLost(error),
      stopRepeating: () => inUse().stopRepeating(),
      handOver: (next) => (receiver = next),
      dispose: () => inUse().dispose(),
    };
  }

  private start(
    request: SipRequest,
    data: Buffer,
    { flow, user, branch, peer, timeoutMs }: TransactionStart,
  ): ClientTransaction {
    const key = `${branch} ${request.method}`;
    this.unanswered++;
    const transaction =
      request.method === 'INVITE'
        ? new InviteClientTransaction(this, flow, user, key, this, peer, timeoutMs)
        : new NonInviteClientTransaction(this, flow, user, key, this, peer);
    this.clients.set(key, transaction);
    transaction.start(request, data);
    return transaction;
  }

  answered(): void {
    this.unanswered--;
    if (this.unanswered > 0 || this.whenSettled.length === 0) return;
    for (const resolve of this.whenSettled.splice(0)) resolve();
  }

  terminated(key: string): void {
    this.clients.delete(key);
  }

  /** Sends an ACK for a 2xx. The caller sends it again for a repeated 2xx. */
  ack(ack: SipRequest, flow: Flow, branch: string, onError: (error: Error) => void): void {
    ack.headers.prepend('via', this.via(flow, branch));
    this.send(flow, ack, serialize(ack), onError);
  }

  send(flow: Flow, message: SipMessage, data: Buffer, onError: (error: Error) => void): void {
    if (this.disposed) return onError(new Error('the SIP endpoint is closed'));
    this.tap?.('out', message, flow, data);
    flow.send(data, onError);
  }

  /** RFC 3261 §18.2.2: when the connection of the request has closed, over a new one to the port in the Via of the client. */
  sendResponse(flow: Flow, response: SipResponse, data: Buffer, onError: (error: Error) => void): void {
    const anew = (): void => this.sendOverNewFlow(flow, response, data, onError);
    if (flow.closed) anew();
    else this.send(flow, response, data, flow.reliable ? anew : onError);
  }

  receive(message: SipMessage, from: Flow, data: Buffer): void {
    this.tap?.('in', message, from, data);
    if (message.kind === 'response') return this.receiveResponse(message, from);
    stampTopVia(message, from);
    this.dispatch(message, from);
  }

  /** For a request again whose source was not decided at once. */
  dispatch(request: SipRequest, from: Flow): void {
    const isAck = request.method === 'ACK';
    const key = serverKey(request, isAck ? 'INVITE' : request.method);
    const known = this.servers.get(key);
    if (known) this.receiveAgain(known, request, from);
    else if (isAck) this.sink.onAck(request, from);
    else this.begin(key, request, from);
  }

  /** Fails the requests that wait for their first response on that connection. */
  flowClosed(flow: Flow, error: Error): void {
    for (const one of [...this.clients.values()]) if (one.flow === flow) one.connectionLost(error);
  }

  /** Responds to a request without a transaction, because it could not be parsed completely. */
  refuse(request: SipRequest, status: number, from: Flow, data: Buffer): void {
    this.tap?.('in', request, from, data);
    stampTopVia(request, from);
    const response = responseTo(request, status, randomTag());
    this.sendOnce(responseFlow(request, from), response);
  }

  private sendOnce(flow: Flow, response: SipResponse): void {
    this.send(flow, response, serialize(response), () => undefined);
  }

  /**
   * The INVITE of a CANCEL. Beside the branch (RFC 3261 §9.2) its source, Call-ID and From tag must match those of the INVITE:
   * others may know or guess a branch.
   */
  inviteOf(cancel: SipRequest, from: Flow): InviteServerTransaction | undefined {
    const found = this.servers.get(serverKey(cancel, 'INVITE'));
    if (!(found instanceof InviteServerTransaction) || !isSameCall(found.request, cancel)) return undefined;
    if (judgeSource(found.flow, from) === 'peer') return found;
    this.sink.onForeign(cancel, from);
    return undefined;
  }

  /** Resolves when no client transaction waits for a final response, at the latest after `ms`. */
  settled(ms: number): Promise<void> {
    if (this.unanswered === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.whenSettled.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  /** Ends every transaction silently. */
  dispose(): void {
    this.disposed = true;
    for (const one of this.clients.values()) one.dispose();
    for (const one of this.servers.values()) one.dispose();
  }

  /** Counts in memory, for tests of leaks. */
  get size(): number {
    return this.clients.size + this.servers.size;
  }

  private sendOverNewFlow(old: Flow, response: SipResponse, data: Buffer, onError: (error: Error) => void): void {
    if (this.disposed) return onError(new Error('the SIP endpoint is closed'));
    this.endpoint.connect(sentBy(response, old)).then((flow) => this.send(flow, response, data, onError), onError);
  }

  private via(flow: Flow, branch: string): string {
    const protocol = flow.transport.toUpperCase();
    return `SIP/2.0/${protocol} ${uriHost(flow.localAddress)}:${flow.localPort};branch=${branch};rport`;
  }

  private receiveResponse(response: SipResponse, from: Flow): void {
    const branch = topBranch(response);
    const method = parseCseq(response.headers.get('cseq'))!.method;
    const transaction = this.clients.get(`${branch} ${method}`);
    // A response without a transaction is late and dropped.
    if (!transaction) return;
    // RFC 3581 §4 and RFC 3261 §18.2.2: a response comes from the address to which the request was sent.
    if (judgeSource(transaction.flow, from, transaction.peer) === 'peer') transaction.receive(response);
    else this.sink.onForeign(response, from);
  }

  /** A retransmission, or the ACK of a failure, which the hop that sent the request sends (RFC 3261 §17.1.1.3). */
  private receiveAgain(transaction: ServerTransaction, request: SipRequest, from: Flow): void {
    if (judgeSource(transaction.flow, from) === 'peer') transaction.receive(request);
    else this.sink.onForeign(request, from);
  }

  private begin(key: string, request: SipRequest, from: Flow): void {
    const admission = this.sink.authorizeRequest(request, from);
    if ('refusal' in admission) {
      if (admission.refusal) this.sendOnce(responseFlow(request, from), admission.refusal);
      return;
    }
    const Transaction = request.method === 'INVITE' ? InviteServerTransaction : NonInviteServerTransaction;
    const flow = responseFlow(request, from);
    const transaction = new Transaction(this, request, flow, () => void this.servers.delete(key));
    this.servers.set(key, transaction);
    if (transaction instanceof InviteServerTransaction) transaction.start();
    this.sink.onRequest(request, transaction, admission.callers);
  }
}

function topBranch({ headers }: SipMessage): string {
  return headers.topVia?.params.get('branch') ?? '';
}

function stampTopVia(request: SipRequest, from: Flow): void {
  const { topVia: via, topViaText: top } = request.headers;
  if (!via || top === undefined) return;
  const line = request.headers.get('via')!;
  const stamped = stampVia(top, via, from.address, from.port);
  request.headers.set('via', stamped + line.slice(line.indexOf(top) + top.length));
}

/** RFC 3261 §18.2.2 and RFC 3581 §4: to the source port when requested, else to the port of the Via. */
function responseFlow(request: SipRequest, from: Flow): Flow {
  const via = request.headers.topVia;
  if (!via || via.params.has('rport')) return from;
  const port = via.port ?? 5060;
  return port === from.port ? from : from.toPort(port);
}

/** The source address of the request: `received` when it differs from the Via. */
function sentBy(response: SipResponse, flow: Flow): NextHop {
  const { port } = response.headers.topVia ?? {};
  return { host: flow.address, transport: flow.transport, ...(port === undefined ? {} : { port }) };
}

function isSameCall({ headers: a }: SipRequest, { headers: b }: SipRequest): boolean {
  return a.get('call-id') === b.get('call-id') && tagOf(a.get('from')) === tagOf(b.get('from'));
}

/** RFC 3261 §17.2.3; without the magic cookie the older rule, which uses more of the message. */
function serverKey(request: SipRequest, method: string): string {
  const via = request.headers.topVia;
  const branch = via?.params.get('branch') ?? '';
  if (branch.startsWith(MAGIC_COOKIE)) return `${branch} ${via!.host}:${via!.port ?? ''} ${method}`;
  const cseq = parseCseq(request.headers.get('cseq'))!.number;
  return `${request.headers.get('call-id')} ${cseq} ${request.headers.get('from')} ${branch} ${method}`;
}
