import { mayTryNext, refusedBy, type AttemptFailure } from './attempt-failure.js';
import type { CallResult } from './call-result.js';
import type { Target } from './flow.js';
import { redirectContacts, type RedirectContact } from './redirect-contacts.js';
import { BlockedAddress, type HostToReach } from './resolve-target.js';
import type { UaCore } from './ua-core.js';

/** Where one INVITE goes. */
export interface Place {
  requestUri: string;
  target: Target;
  /** Our credentials are meant for it: it is one of the hops that the call was given. */
  trusted: boolean;
}

/** Whether the account may call that address: a far end that redirects must not choose our bill. */
export type RedirectAllowed = (uri: string) => boolean | Promise<boolean>;

/** All contacts of one call together. */
const MAX_REDIRECTS = 5;

/** Everywhere that one call may still be tried, in order: the located targets of its hops, or after a 3xx the contacts instead. */
export class PlacesToTry {
  private places: Place[] = [];
  private contacts: RedirectContact[] = [];
  private readonly seen: Set<string>;
  private redirects = 0;

  constructor(
    private readonly core: UaCore,
    private readonly requestUri: string,
    private readonly hops: HostToReach[],
    private readonly redirectAllowed: RedirectAllowed = () => false,
  ) {
    this.seen = new Set([requestUri]);
  }

  /** The first place, or what the call comes to because there is none. */
  async first(): Promise<Place | CallResult> {
    try {
      this.places = this.at(this.requestUri, await this.core.locate(this.hops), true);
    } catch (error) {
      this.core.log.debug('SIP destination cannot be reached', { problem: (error as Error).name });
      return { kind: error instanceof BlockedAddress ? 'blocked' : 'unreachable' };
    }
    return this.places.shift() ?? { kind: 'unreachable' };
  }

  /** Another place or contact is left. A contact may still turn out not to be allowed, or to have no address. */
  get hasNext(): boolean {
    return this.places.length > 0 || this.contacts.length > 0;
  }

  /** Where the call goes after that failure; undefined: nowhere. */
  async after(failure: AttemptFailure): Promise<Place | undefined> {
    const contacts = failure.response ? redirectContacts(failure.response) : [];
    if (contacts.length > 0) this.redirectTo(contacts);
    else if (this.redirects > 0 && refusedBy(failure)) this.places = [];
    else if (!mayTryNext(failure)) return undefined;
    return this.next();
  }

  private async next(): Promise<Place | undefined> {
    for (;;) {
      const place = this.places.shift();
      if (place) return place;
      const contact = this.contacts.shift();
      if (!contact) return undefined;
      if (await this.redirectAllowed(contact.uri)) this.places = await this.placesOf(contact);
    }
  }

  /**
   * The contacts of a 3xx take the place of all that was left. Each is called once, so that a loop ends (RFC 3261 §8.1.3.4), and
   * none in the clear when `sips:` was asked for (RFC 5630 §5.1.2).
   */
  private redirectTo(contacts: RedirectContact[]): void {
    const secure = isSecure(this.requestUri);
    this.places = [];
    this.contacts = contacts.filter(({ uri }) => (!secure || isSecure(uri)) && this.isNew(uri));
  }

  private isNew(uri: string): boolean {
    if (this.seen.has(uri) || this.redirects === MAX_REDIRECTS) return false;
    this.seen.add(uri);
    this.redirects++;
    return true;
  }

  /** None when the address check refuses it or its name is unknown: the 3xx stands. */
  private async placesOf({ uri, hop }: RedirectContact): Promise<Place[]> {
    const known = this.hops.find((one) => one.host.toLowerCase() === hop.host.toLowerCase());
    try {
      const targets = await this.core.locate([known?.tls ? { ...hop, tls: known.tls } : hop]);
      return this.at(uri, targets, known !== undefined);
    } catch (error) {
      this.core.log.debug('SIP contact of a redirection cannot be used', { problem: (error as Error).name });
      return [];
    }
  }

  private at(requestUri: string, targets: Target[], trusted: boolean): Place[] {
    return targets.map((target) => ({ requestUri, target, trusted }));
  }
}

function isSecure(uri: string): boolean {
  return /^sips:/i.test(uri);
}
