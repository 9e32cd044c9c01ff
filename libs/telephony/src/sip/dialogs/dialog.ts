import { isSameAddress } from '../../ip-address.js';
import type { Flow } from '../transport/flow.js';
import type { InviteParts } from '../user-agent/invite-requests.js';
import type { NextHop } from '../locating/locate.js';
import { type HeadEncoding, newRequest, parseCseq, type SipRequest, type SipResponse } from '../messages/message.js';
import { isRequestUri, isUser } from '../messages/headers.js';
import {
  type CallPeer,
  type DialogPeer,
  judgeSource,
  type MessageSource,
  type PeerAddresses,
  type SourceVerdict,
} from '../messages/message-source.js';
import { parseNameAddr, parseSipUri, tagOf, uriHost } from '../messages/sip-address.js';
import type { UaCore } from '../user-agent/ua-core.js';

interface DialogState {
  role: 'uac' | 'uas';
  callId: string;
  localTag: string;
  remoteTag: string;
  /** From and To values with their tags, from the local view. */
  local: string;
  remote: string;
  remoteTarget: string;
  routeSet: string[];
  localCseq: number;
  remoteCseq: number;
  /** Of the values that are copied from the request of the caller. */
  encoding: HeadEncoding;
}

interface FlowToHop {
  hop: string;
  /** The promise never rejects. */
  flow: Flow | Promise<Flow>;
}

/** The addresses of the first Route and of the remote target, located for a request from an unknown address. */
interface LocatedHops {
  hops: string;
  /** Absent: being located. */
  addresses?: readonly string[];
  done: Promise<void>;
}

function whenFound(flow: Flow | Promise<Flow>, use: (flow: Flow) => void): void {
  if (flow instanceof Promise) void flow.then(use);
  else use(flow);
}

/** RFC 3261 §12: identifiers, route set and sequence numbers of a dialog. */
export class Dialog implements PeerAddresses, DialogPeer {
  private path?: FlowToHop;
  private located?: LocatedHops;
  private authenticated?: MessageSource;

  constructor(
    private readonly core: UaCore,
    private readonly state: DialogState,
    /** The flow of the INVITE, used when the Contact is unreachable or forbidden. */
    readonly inviteFlow: Flow,
    private readonly peer: CallPeer,
  ) {}

  /** §12.1.2, from a response with a To tag to our INVITE. */
  static ofResponse(core: UaCore, invite: InviteParts, response: SipResponse, flow: Flow, peer: CallPeer): Dialog {
    const { from: local } = invite;
    const remote = response.headers.get('to')!;
    const state: DialogState = {
      role: 'uac',
      callId: invite.callId,
      localTag: tagOf(local) ?? '',
      remoteTag: tagOf(remote) ?? '',
      local,
      remote,
      remoteTarget: contactUri(response) ?? invite.uri,
      routeSet: response.headers.list('record-route').reverse(),
      localCseq: invite.cseq,
      remoteCseq: -1,
      encoding: 'utf8',
    };
    return new Dialog(core, state, flow, peer);
  }

  /** §12.1.1, from an INVITE that we answer. */
  static ofRequest(core: UaCore, invite: SipRequest, localTag: string, flow: Flow, peer: CallPeer): Dialog {
    const { headers } = invite;
    const remote = headers.get('from')!;
    const state: DialogState = {
      role: 'uas',
      callId: headers.get('call-id')!,
      localTag,
      remoteTag: tagOf(remote) ?? '',
      local: `${headers.get('to')};tag=${localTag}`,
      remote,
      remoteTarget: contactUri(invite) ?? callerUri(remote, flow),
      routeSet: headers.list('record-route'),
      localCseq: 0,
      remoteCseq: parseCseq(headers.get('cseq'))!.number,
      encoding: headers.encoding,
    };
    return new Dialog(core, state, flow, peer);
  }

  get callId(): string {
    return this.state.callId;
  }

  get localTag(): string {
    return this.state.localTag;
  }

  /** The local address in From or To of the dialog, without parameters. Undefined: not a SIP URI. */
  get localAddressOfRecord(): string | undefined {
    const uri = parseSipUri(parseNameAddr(this.state.local)?.uri ?? '');
    if (!uri || (uri.user !== undefined && !isUser(uri.user))) return undefined;
    return `${uri.scheme}:${uri.user === undefined ? '' : `${uri.user}@`}${uri.host}`;
  }

  get remoteTag(): string {
    return this.state.remoteTag;
  }

  get callers(): readonly string[] {
    return this.peer.callers;
  }

  judge(source: MessageSource): SourceVerdict | 'unlocated' {
    const verdict = judgeSource(this.inviteFlow, source, this);
    if (verdict !== 'foreign') return verdict;
    return this.located?.addresses && this.located.hops === this.hops.join() ? 'foreign' : 'unlocated';
  }

  hasAddress(address: string): boolean {
    const { peer, path, located, authenticated } = this;
    if (peer.hasAddress(address) || (authenticated && isSameAddress(authenticated.address, address))) return true;
    if (path && !(path.flow instanceof Promise) && isSameAddress(path.flow.address, address)) return true;
    return located?.addresses?.some((one) => isSameAddress(one, address)) ?? false;
  }

  authenticate(source: MessageSource): void {
    this.authenticated = source;
  }

  locatePeer(): Promise<void> {
    const hops = this.hops.join();
    if (this.located?.hops === hops) return this.located.done;
    const located: LocatedHops = { hops, done: Promise.resolve() };
    located.done = this.locateHops(located);
    this.located = located;
    return located.done;
  }

  private async locateHops(located: LocatedHops): Promise<void> {
    located.addresses = (await Promise.all(this.hops.map((hop) => this.addressesOf(hop)))).flat();
  }

  private get hops(): string[] {
    const { routeSet, remoteTarget } = this.state;
    return routeSet[0] === undefined ? [remoteTarget] : [routeSet[0], remoteTarget];
  }

  /** Only permitted ones: the address of a phone behind NAT may be that of another host in our network. */
  private async addressesOf(hop: string): Promise<string[]> {
    const to = hostOf(hop, this.inviteFlow);
    try {
      return to ? (await this.core.locate([to])).map(({ address }) => address) : [];
    } catch (error) {
      this.core.log.debug('host of a SIP dialog has no usable address', { problem: (error as Error).name });
      return [];
    }
  }

  /** A new request inside the dialog, without Via and Contact. */
  request(method: string): SipRequest {
    this.state.localCseq++;
    return this.build(method, this.state.localCseq);
  }

  /** The ACK of a 2xx carries the number of its INVITE (§13.2.2.4). */
  ack(inviteCseq: number): SipRequest {
    return this.build('ACK', inviteCseq);
  }

  /** False when the request is older than a previous one: it gets 500 (§12.2.2). */
  acceptsCseq(request: SipRequest): boolean {
    const number = parseCseq(request.headers.get('cseq'))!.number;
    if (number < this.state.remoteCseq) return false;
    this.state.remoteCseq = number;
    return true;
  }

  /** A re-INVITE or UPDATE, or its 2xx, may change the remote target (§12.2). */
  refreshTarget(message: SipRequest | SipResponse): void {
    this.state.remoteTarget = contactUri(message) ?? this.state.remoteTarget;
  }

  /** §13.2.2.4: the 2xx replaces the route set of an early dialog. */
  confirm(response: SipResponse): void {
    const { state } = this;
    state.routeSet = response.headers.list('record-route').reverse();
    this.refreshTarget(response);
    // Equal texts; the earlier ones are slices that keep a provisional response in memory.
    const remote = response.headers.get('to');
    if (remote !== state.remote) return;
    state.remote = remote;
    state.remoteTag = tagOf(remote) ?? '';
  }

  /** The local side created the Call-ID (§14.1): the outbound side. */
  get ownsCallId(): boolean {
    return this.state.role === 'uac';
  }

  /** Calls `use` once with the flow of the next request: at once when the INVITE went to the same address, else when it is located. */
  onFlow(use: (flow: Flow) => void): void {
    const hop = this.state.routeSet[0] ?? this.state.remoteTarget;
    // Located once per target, so that two requests keep their order.
    const path = this.path?.hop === hop ? this.path : (this.path = { hop, flow: this.findFlow(hop) });
    whenFound(path.flow, (flow) => {
      // In place of its promise, for comparisons with sources.
      path.flow = flow;
      if (!flow.closed) return use(flow);
      // The connection was closed during the call.
      if (this.path === path) this.path = { hop, flow: this.findFlow(hop) };
      whenFound(this.path!.flow, use);
    });
  }

  private findFlow(hop: string): Flow | Promise<Flow> {
    const { inviteFlow, state } = this;
    // No connection can be opened to a caller behind NAT, so its connection is reused (RFC 5923).
    if (state.role === 'uas' && inviteFlow.reliable && !inviteFlow.closed && state.routeSet.length === 0)
      return inviteFlow;
    const to = hostOf(hop, inviteFlow);
    return !to || this.core.leadsTo(inviteFlow, to) ? inviteFlow : this.locateFlow(to);
  }

  private async locateFlow(to: NextHop): Promise<Flow> {
    const { inviteFlow, state } = this;
    try {
      return await this.core.connect(to, inviteFlow);
    } catch (error) {
      this.core.log.debug('SIP dialog target cannot be used', {
        problem: (error as Error).name,
        call_id: state.callId,
      });
      return inviteFlow;
    }
  }

  private build(method: string, cseq: number): SipRequest {
    const { state } = this;
    const { uri, routes } = routing(state.routeSet, state.remoteTarget);
    const request = newRequest(method, uri, state.encoding);
    for (const route of routes) request.headers.push('route', route);
    request.headers
      .push('max-forwards', '70')
      .push('from', state.local)
      .push('to', state.remote)
      .push('call-id', state.callId)
      .push('cseq', `${cseq} ${method}`)
      .push('user-agent', this.core.userAgent);
    return request;
  }
}

/** The From URI, for a caller without a usable Contact; as a last resort the source address of the INVITE. */
function callerUri(from: string, { address, port }: Flow): string {
  const uri = parseNameAddr(from)?.uri;
  return uri !== undefined && isRequestUri(uri) ? uri : `sip:${uriHost(address)}:${port}`;
}

/** RFC 3261 §12.2.1.1: loose routes are listed; a first proxy without `lr` takes the place of the Request-URI. */
function routing(routeSet: string[], target: string): { uri: string; routes: string[] } {
  const first = routeSet[0] === undefined ? undefined : parseNameAddr(routeSet[0]);
  if (!first || !isRequestUri(first.uri) || parseSipUri(first.uri)?.params.has('lr'))
    return { uri: target, routes: routeSet };
  return { uri: first.uri, routes: [...routeSet.slice(1), `<${target}>`] };
}

function hostOf(hop: string, inviteFlow: Flow): NextHop | undefined {
  const uri = parseSipUri(hop.includes('<') ? (parseNameAddr(hop)?.uri ?? '') : hop);
  if (!uri) return undefined;
  const named = uri.params.get('transport')?.toLowerCase();
  // Contacts without a transport are common on TCP; they mean the current transport.
  const known = named === 'tcp' || named === 'udp' || named === 'tls' ? named : inviteFlow.transport;
  const transport = uri.scheme === 'sips' ? 'tls' : known;
  const { host, port } = uri;
  if (transport !== 'tls') return { host, port, transport };
  // The TLS settings of the call, for the host name of the new target.
  return { host, port, transport, tls: { ...inviteFlow.tls, serverName: undefined } };
}

function contactUri(message: SipRequest | SipResponse): string | undefined {
  const contact = message.headers.list('contact')[0];
  const uri = contact === undefined ? undefined : parseNameAddr(contact)?.uri;
  // The target becomes the request line of later requests.
  return uri !== undefined && parseSipUri(uri) && isRequestUri(uri) ? uri : undefined;
}
