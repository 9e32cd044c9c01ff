import { isSameAddress } from '../../ip-address.js';
import type { Flow, TransportName } from '../transport/flow.js';

/** The source of a received message. */
export type MessageSource = Pick<Flow, 'transport' | 'address' | 'verifiedNames'>;

/** The addresses of a remote party, beside that of one flow. */
export interface PeerAddresses {
  hasAddress(address: string): boolean;
}

/**
 * `foreign`: an address that is not known to belong to the remote party. `weaker`: a transport that proves less about its source than
 * that of the dialog.
 */
export type SourceVerdict = 'peer' | 'foreign' | 'weaker';

/** A UDP source may be forged; a TCP source cannot, and TLS hides the messages from others as well. */
const STRENGTH: Record<TransportName, number> = { udp: 0, tcp: 1, tls: 2 };

/**
 * Whether a message comes from the remote party whose flow is known. Call-ID, tags and branches match a message to its dialog, but prove nothing about its
 * sender (RFC 3261 §26.1): every hop of the call knows them. The port is not compared, because it changes behind NAT and with each new
 * connection. Requests may move from UDP to TCP because of their size (§18.1.1), never to a weaker transport.
 */
export function judgeSource(flow: MessageSource, source: MessageSource, addresses?: PeerAddresses): SourceVerdict {
  if (source === flow) return 'peer';
  if (STRENGTH[source.transport] < STRENGTH[flow.transport]) return 'weaker';
  if (isSameAddress(source.address, flow.address) || haveCommonName(flow, source)) return 'peer';
  return addresses?.hasAddress(source.address) ? 'peer' : 'foreign';
}

/** Several hosts of a carrier have certificates for the same name (RFC 5922 §7). */
function haveCommonName({ verifiedNames: ours = [] }: MessageSource, { verifiedNames: theirs = [] }: MessageSource) {
  return ours.some((name) => theirs.includes(name));
}

/** The remote party of one dialog, for the decision about the sources of its messages. */
export interface DialogPeer {
  /** The names of its trunk by admission. */
  readonly callers: readonly string[];
  /** `unlocated`: decided after `locatePeer`, because a host name of the remote party may have the address. */
  judge(source: MessageSource): SourceVerdict | 'unlocated';
  /** Finds the addresses of the first Route and of the remote target, once for each. Never rejects. */
  locatePeer(): Promise<void>;
  /** A request from that address had valid credentials of the trunk: a phone has changed its network. */
  authenticate(source: MessageSource): void;
}

interface CallerNames {
  callersAt(address: string): readonly string[];
}

/** The remote party of a call, beyond the flow of one INVITE: the addresses of its trunk. Small, because transactions keep it. */
export class CallPeer implements PeerAddresses {
  private addresses: string[] | undefined;

  constructor(
    private readonly known: CallerNames,
    /** The names of the trunk by admission; none: a call without a trunk, or without admission. */
    readonly callers: readonly string[],
  ) {}

  /** Further targets of the call, to which its INVITE may fail over. */
  add(addresses: readonly string[]): void {
    if (addresses.length > 0) (this.addresses ??= []).push(...addresses);
  }

  hasAddress(address: string): boolean {
    return (this.addresses?.some((one) => isSameAddress(one, address)) ?? false) || this.isCaller(address);
  }

  private isCaller(address: string): boolean {
    return this.callers.length > 0 && this.known.callersAt(address).some((name) => this.callers.includes(name));
  }
}

/** The remote party of a request outside of calls, located at `addresses`. `callerName`: of the trunk by admission. */
export function trunkPeer(known: CallerNames, callerName: string | undefined, addresses: readonly string[]): CallPeer {
  const peer = new CallPeer(known, callerName === undefined ? [] : [callerName]);
  peer.add(addresses);
  return peer;
}
