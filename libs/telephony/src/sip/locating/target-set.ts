import { createSocket, type Socket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import { type AttemptFailure, type CallResult, isContactRefused, mayFailOver } from '../user-agent/call-result.js';
import type { Flow, Target } from '../transport/flow.js';
import { RefusedTarget, type NextHop } from './locate.js';
import type { CallPeer } from '../messages/message-source.js';
import type { SipResponse } from '../messages/message.js';
import { isUser } from '../messages/headers.js';
import { parseNameAddr, parseSipUri, rewriteUri, type SipUri } from '../messages/sip-address.js';
import { transportErrorCode } from '../transport/transport-error.js';
import type { UaCore } from '../user-agent/ua-core.js';

/** The destination of one INVITE. */
export interface CallTarget {
  requestUri: string;
  target: Target;
  /** The candidate is a configured hop and may receive our credentials. */
  trusted: boolean;
}

/** Whether the account may call that address: a redirecting party must not choose calls at our cost. */
export type RedirectAllowed = (uri: string) => boolean | Promise<boolean>;

/**
 * Whether the INVITE for that URI may go to each of the resolved addresses, in their order: the name may lead to others than when the URI
 * was checked.
 */
export type TargetAllowed = (
  uri: string,
  targets: readonly Pick<Target, 'address' | 'port'>[],
) => Promise<readonly boolean[]>;

/** The limit of contacts per call. */
const MAX_REDIRECTS = 5;

/** The target set of one call (RFC 3261 §8.1.3.4) in the order to try: the located targets of its hops, after a 3xx its contacts. */
export class TargetSet {
  private candidates: CallTarget[] = [];
  private contacts: RedirectContact[] = [];
  /** The contacts so far. */
  private redirected: Set<string> | undefined;

  constructor(
    private readonly core: UaCore,
    private readonly requestUri: string,
    private readonly hops: NextHop[],
    private readonly peer: CallPeer,
    private readonly redirectAllowed: RedirectAllowed = () => false,
    private readonly targetAllowed?: TargetAllowed,
    /** The hops are those of a trunk, which need no permission. */
    private readonly areHopsTrusted = false,
  ) {}

  /** The first candidate, or the result of the call when there is none. */
  async first(): Promise<CallTarget | CallResult> {
    try {
      const literal = this.hops.length === 1 ? this.core.literal(this.hops[0]!) : undefined;
      const located = literal ? [literal] : await this.core.locate(this.hops);
      const targets = this.areHopsTrusted ? located : await this.allowed(this.requestUri, located);
      if (targets.length === 0) return { kind: 'blocked' };
      this.candidates = this.at(this.requestUri, targets, true);
    } catch (error) {
      this.core.log.debug('SIP destination cannot be reached', { problem: (error as Error).name });
      return { kind: error instanceof RefusedTarget ? 'blocked' : 'unreachable' };
    }
    return this.candidates.shift() ?? { kind: 'unreachable' };
  }

  private get redirects(): number {
    return this.redirected?.size ?? 0;
  }

  /** Another candidate or contact is left; a contact may still be forbidden or have no address. */
  get hasNext(): boolean {
    return this.candidates.length > 0 || this.contacts.length > 0;
  }

  /** The next candidate after that failure; undefined when the call ends. */
  async after(failure: AttemptFailure): Promise<CallTarget | undefined> {
    const contacts = failure.response ? redirectContacts(failure.response) : [];
    if (contacts.length > 0) this.redirectTo(contacts);
    else if (this.redirects > 0 && isContactRefused(failure)) this.candidates = [];
    else if (!mayFailOver(failure)) return undefined;
    return this.next();
  }

  private async next(): Promise<CallTarget | undefined> {
    for (;;) {
      const candidate = this.candidates.shift();
      if (candidate) return candidate;
      const contact = this.contacts.shift();
      if (!contact) return undefined;
      if (await this.redirectAllowed(contact.uri)) this.candidates = await this.targetsOf(contact);
    }
  }

  /**
   * The contacts of a 3xx replace all remaining candidates. Each is called once, which prevents loops (RFC 3261 §8.1.3.4); a call to
   * `sips:` never continues without TLS (RFC 5630 §5.1.2).
   */
  private redirectTo(contacts: RedirectContact[]): void {
    const secure = isSecure(this.requestUri);
    this.candidates = [];
    this.contacts = contacts.filter(({ uri }) => (!secure || isSecure(uri)) && this.isNew(uri));
  }

  private isNew(uri: string): boolean {
    if (uri === this.requestUri || this.redirected?.has(uri) || this.redirects === MAX_REDIRECTS) return false;
    (this.redirected ??= new Set()).add(uri);
    return true;
  }

  /** None when the address check refuses it or its name is unknown: the 3xx is the result. */
  private async targetsOf({ uri, hop }: RedirectContact): Promise<CallTarget[]> {
    const known = this.hops.find((one) => one.host.toLowerCase() === hop.host.toLowerCase());
    try {
      const targets = await this.core.locate([known?.tls ? { ...hop, tls: known.tls } : hop]);
      const isKnown = known !== undefined;
      return this.at(uri, isKnown && this.areHopsTrusted ? targets : await this.allowed(uri, targets), isKnown);
    } catch (error) {
      this.core.log.debug('SIP contact of a redirection cannot be used', { problem: (error as Error).name });
      return [];
    }
  }

  private async allowed(uri: string, targets: Target[]): Promise<Target[]> {
    const { targetAllowed } = this;
    if (!targetAllowed) return targets;
    const decisions = await targetAllowed(uri, targets);
    return targets.filter((_, index) => decisions[index]);
  }

  private at(requestUri: string, targets: Target[], trusted: boolean): CallTarget[] {
    // With a single target, its flow has the address.
    if (targets.length > 1) this.peer.add(targets.map(({ address }) => address));
    return targets.map((target) => ({ requestUri, target, trusted }));
  }
}

function isSecure(uri: string): boolean {
  return /^sips:/i.test(uri);
}

/** A Contact of a 3xx. */
interface RedirectContact {
  /** Rebuilt from its parts, without `maddr`, `method` and `?headers`. */
  uri: string;
  hop: NextHop;
}

/** RFC 3261 §21.3: 305 names a proxy and 380 another service; neither is another address of the callee. */
const FOLLOWED = new Set([300, 301, 302]);

/** The Contacts of a 3xx, the highest q first (RFC 3261 §8.1.3.4), equal q in their order. */
function redirectContacts(response: SipResponse): RedirectContact[] {
  if (!FOLLOWED.has(response.status)) return [];
  const contacts = response.headers.list('contact').flatMap((value) => {
    const address = parseNameAddr(value);
    const contact = address && contactOf(address.uri);
    return contact ? [{ ...contact, q: preference(address.params.get('q')) }] : [];
  });
  return contacts.toSorted((a, b) => b.q - a.q).map(({ uri, hop }) => ({ uri, hop }));
}

function contactOf(text: string): RedirectContact | undefined {
  const uri = parseSipUri(text);
  const transport = uri && transportOf(uri);
  if (!uri || transport === null || (uri.user !== undefined && !isUser(uri.user))) return undefined;
  const port = uri.port === undefined ? {} : { port: uri.port };
  const hop = { host: uri.host, ...port, ...(transport === undefined ? {} : { transport }) };
  return { uri: rewriteUri(uri, uri.params.get('transport')?.toLowerCase()), hop };
}

/** Undefined: RFC 3263 decides. Null: unsupported. */
function transportOf({ scheme, params }: SipUri): NextHop['transport'] | null {
  const named = params.get('transport')?.toLowerCase();
  if (scheme === 'sips') return named === undefined || named === 'tcp' || named === 'tls' ? 'tls' : null;
  if (named === undefined) return undefined;
  return named === 'udp' || named === 'tcp' || named === 'tls' ? named : null;
}

/** RFC 3261 §20.10: 1 when absent. */
function preference(q: string | undefined): number {
  const value = Number(q ?? 1);
  return value >= 0 && value <= 1 ? value : 0;
}

/** The double CRLF keep-alive (RFC 5626 §3.5.1), which SIP servers do not read as a message. */
export const KEEP_ALIVE = Buffer.from('\r\n\r\n');

interface FailoverTimeouts {
  /** Longest wait for the first response, in ms. */
  silenceMs: number;
  /** Wait for a response after the system has reported the target unreachable, in ms. */
  refusedMs: number;
}

/**
 * Calls `onSilent` once when the call should fail over: after `silenceMs`, or over UDP `refusedMs` after an ICMP error. The shared SIP
 * socket is not connected and so receives no ICMP errors; a separate connected socket receives them. A firewall may refuse only that
 * port, so a response within `refusedMs` still counts. @returns a function that stops the timer after a response
 */
export function startFailoverTimer(flow: Flow, options: FailoverTimeouts, onSilent: () => void): () => void {
  let probe: Socket | undefined;
  const stop = (): void => {
    clearTimeout(timer);
    probe?.close();
    probe = undefined;
  };
  const giveUp = (): void => {
    stop();
    onSilent();
  };
  let timer = setTimeout(giveUp, options.silenceMs);
  const refused = (): void => {
    if (!probe) return;
    clearTimeout(timer);
    timer = setTimeout(giveUp, Math.min(options.refusedMs, options.silenceMs));
  };
  if (flow.transport === 'udp') probe = probeOf(flow, refused);
  return stop;
}

function probeOf({ address, port }: Flow, onRefused: () => void): Socket {
  const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
  let open = true;
  const failed = (error: Error): void => {
    if (['connection_refused', 'no_route'].includes(transportErrorCode(error))) onRefused();
  };
  socket.on('close', () => (open = false)).on('error', failed);
  socket.connect(port, address, (error?: Error) => {
    if (error) failed(error);
    else if (open) socket.send(KEEP_ALIVE);
  });
  return socket;
}
