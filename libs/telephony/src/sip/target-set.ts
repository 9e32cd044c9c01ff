import { type AttemptFailure, type CallResult, isContactRefused, mayFailOver } from './call-result.js';
import type { Target } from './flow.js';
import { BlockedAddress, type NextHop } from './locate.js';
import type { SipResponse } from './message.js';
import { isUser } from './safe-text.js';
import { parseNameAddr, parseSipUri, rewriteUri, type SipUri } from './sip-address.js';
import type { UaCore } from './ua-core.js';

/** Where one INVITE goes. */
export interface CallTarget {
  requestUri: string;
  target: Target;
  /** The candidate is one of the configured hops and may receive our credentials. */
  trusted: boolean;
}

/** Whether the account may call that address: a redirecting party must not choose what we pay for. */
export type RedirectAllowed = (uri: string) => boolean | Promise<boolean>;

/** All contacts of one call together. */
const MAX_REDIRECTS = 5;

/** The target set of one call (RFC 3261 §8.1.3.4) in the order to try: the located targets of its hops, after a 3xx its contacts. */
export class TargetSet {
  private candidates: CallTarget[] = [];
  private contacts: RedirectContact[] = [];
  private readonly seen: Set<string>;
  private redirects = 0;

  constructor(
    private readonly core: UaCore,
    private readonly requestUri: string,
    private readonly hops: NextHop[],
    private readonly redirectAllowed: RedirectAllowed = () => false,
  ) {
    this.seen = new Set([requestUri]);
  }

  /** The first candidate, or the result of the call when there is none. */
  async first(): Promise<CallTarget | CallResult> {
    try {
      this.candidates = this.at(this.requestUri, await this.core.locate(this.hops), true);
    } catch (error) {
      this.core.log.debug('SIP destination cannot be reached', { problem: (error as Error).name });
      return { kind: error instanceof BlockedAddress ? 'blocked' : 'unreachable' };
    }
    return this.candidates.shift() ?? { kind: 'unreachable' };
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
   * The contacts of a 3xx replace all remaining candidates. Each is called once, which ends loops (RFC 3261 §8.1.3.4), and none without TLS
   * when the call is to `sips:` (RFC 5630 §5.1.2).
   */
  private redirectTo(contacts: RedirectContact[]): void {
    const secure = isSecure(this.requestUri);
    this.candidates = [];
    this.contacts = contacts.filter(({ uri }) => (!secure || isSecure(uri)) && this.isNew(uri));
  }

  private isNew(uri: string): boolean {
    if (this.seen.has(uri) || this.redirects === MAX_REDIRECTS) return false;
    this.seen.add(uri);
    this.redirects++;
    return true;
  }

  /** None when the address check refuses it or its name is unknown: the 3xx stands. */
  private async targetsOf({ uri, hop }: RedirectContact): Promise<CallTarget[]> {
    const known = this.hops.find((one) => one.host.toLowerCase() === hop.host.toLowerCase());
    try {
      const targets = await this.core.locate([known?.tls ? { ...hop, tls: known.tls } : hop]);
      return this.at(uri, targets, known !== undefined);
    } catch (error) {
      this.core.log.debug('SIP contact of a redirection cannot be used', { problem: (error as Error).name });
      return [];
    }
  }

  private at(requestUri: string, targets: Target[], trusted: boolean): CallTarget[] {
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

/** The Contacts of a 3xx, the highest q first (RFC 3261 §8.1.3.4); those of equal q keep their order. */
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

/** Undefined: RFC 3263 decides. Null: one that we do not speak. */
function transportOf({ scheme, params }: SipUri): NextHop['transport'] | null {
  const named = params.get('transport')?.toLowerCase();
  if (scheme === 'sips') return named === undefined || named === 'tcp' || named === 'tls' ? 'tls' : null;
  if (named === undefined) return undefined;
  return named === 'udp' || named === 'tcp' || named === 'tls' ? named : null;
}

/** RFC 3261 §20.10: 1 when it is not said. */
function preference(q: string | undefined): number {
  const value = Number(q ?? 1);
  return value >= 0 && value <= 1 ? value : 0;
}
