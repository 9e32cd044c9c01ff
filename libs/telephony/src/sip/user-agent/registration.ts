import { randomTag } from '../../random-ids.js';
import { type AnsweredChallenges, Authorizer, type Credentials } from '../messages/digest.js';
import type { Flow, Target } from '../transport/flow.js';
import { userPart } from '../messages/headers.js';
import { type PeerAddresses, trunkPeer } from '../messages/message-source.js';
import { hopUri, type NextHop } from '../locating/locate.js';
import { newRequest, type SipRequest, type SipResponse } from '../messages/message.js';
import { ALLOW } from '../messages/responses.js';
import { finalResponse, NoAnswer } from '../transactions/single-request.js';
import { bareHost, parseNameAddr, parseSipUri, uriHost } from '../messages/sip-address.js';
import { KEEP_ALIVE } from '../locating/target-set.js';
import { TRANSPORT_ERROR_MEANINGS, transportErrorCode } from '../transport/transport-error.js';
import { retryAfterMs } from './call-result.js';
import type { UaCore } from './ua-core.js';

export interface RegistrationOptions {
  /** The servers that take the REGISTER, in the order to try: those of the trunk, or its outbound proxy. */
  hops: NextHop[];
  /** The host of the address of record and of the Request-URI. */
  domain: string;
  credentials: Credentials;
  /** The user part of our Contact, to which calls arrive. */
  contactUser: string;
  /** The requested lifetime; the registrar decides. */
  expiresSeconds: number;
  /** The hops are a proxy in front of the registrar, so that the request carries a Route (RFC 3261 §8.1.2). */
  viaProxy?: boolean;
  /** A Contact of a former process with this registration; the first REGISTER removes it. */
  replaces?: string;
  /** The name of the trunk by admission: its addresses may respond as well. */
  callerName?: string;
}

/** `until`, `retryAt`: milliseconds since 1970. */
export type RegistrationState =
  | { state: 'registering' }
  | {
      state: 'registered';
      until: number;
      /** The server that holds the registration. */
      target: Target;
      /** All servers of the registration, which may send calls. */
      addresses: readonly string[];
      /** The registered URI. */
      contact: string;
    }
  | { state: 'failed'; reason: string; status?: number; retryAt: number };

/** Of each request; a lost datagram is repeated five times within it. */
const TIMEOUT_MS = 5_000;
const CLOSING_MS = 2_000;
/** Retries after a silent or broken registrar, and after a refusal, which needs a person; both double up to the longest. */
const RETRY_MS = 5_000;
const REFUSED_MS = 60_000;
const MAX_RETRY_MS = 1_800_000;
/** Bounds of the granted lifetime: a shorter one would be a flood of requests, a longer one would hide a lost registrar. */
const MIN_S = 10;
const MAX_S = 86_400;
/** Credentials are asked for once by the registrar and once by a proxy, then 423 may follow. */
const MAX_REQUESTS = 5;
/** RFC 5626 §4.4.1 and §4.4.2: 24 to 29 s over UDP, 95 to 120 s over a connection. */
const KEEP_ALIVE_MS = { udp: 25_000, connection: 100_000 };

/** A binding that the registrar confirmed. */
interface Binding {
  flow: Flow;
  target: Target;
  /** The sources of responses. */
  peer: PeerAddresses;
  contact: string;
  seconds: number;
}

/**
 * Keeps one address of record registered (RFC 3261 §10.2): registers, refreshes before the lifetime ends, keeps the path through a NAT
 * open, tries the next server when one fails, and retries with growing delays.
 */
export class Registration {
  private readonly callId = randomTag() + randomTag();
  private readonly tag = randomTag();
  private readonly authorizer: Authorizer;
  private sequence = 0;
  private expiresSeconds: number;
  private failures = 0;
  private binding: Binding | undefined;
  private timer: NodeJS.Timeout | undefined;
  private keepAlive: NodeJS.Timeout | undefined;
  private replaces: string | undefined;
  private round: Promise<void> | undefined;
  private closed = false;

  /** @throws UnsafeSipText when user or contact contain forbidden characters */
  constructor(
    private readonly core: UaCore,
    private readonly options: RegistrationOptions,
    private readonly onChange: (state: RegistrationState) => void,
  ) {
    userPart('contact', options.contactUser);
    userPart('username', options.credentials.username);
    this.authorizer = new Authorizer(options.credentials);
    this.expiresSeconds = options.expiresSeconds;
    this.replaces = options.replaces;
  }

  /** Registers now, also before the next refresh is due. */
  start(): void {
    if (this.closed || this.round) return;
    clearTimeout(this.timer);
    // A failed registration stays failed, with its reason, until the registrar accepts it.
    if (!this.binding && this.failures === 0) this.onChange({ state: 'registering' });
    this.round = this.register().finally(() => (this.round = undefined));
  }

  /** Removes the binding at the registrar, and waits up to four seconds for its responses. No event follows. */
  async stop(): Promise<void> {
    this.closed = true;
    clearTimeout(this.timer);
    clearInterval(this.keepAlive);
    await Promise.race([this.round, new Promise((resolve) => setTimeout(resolve, CLOSING_MS).unref())]);
    const { binding } = this;
    this.binding = undefined;
    if (!binding) return;
    await this.exchange(binding, CLOSING_MS, 0).catch((error: unknown) =>
      this.core.log.debug('a SIP registration could not be removed', { problem: failureOf(error).message }),
    );
    binding.flow.release?.();
  }

  private async register(): Promise<void> {
    let failure = new Failure('The registrar has no address.');
    try {
      const targets = await this.core.locate(this.options.hops);
      const addresses = targets.map(({ address }) => address);
      const peer = trunkPeer(this.core, this.options.callerName, addresses);
      for (const target of targets) {
        if (this.closed) return;
        try {
          const binding = await this.registerAt(target, peer);
          return this.registered(binding, targets);
        } catch (error) {
          failure = failureOf(error);
          if (failure.isRefusal) break;
          this.core.targetFailed(target, failure.retryAfterMs);
        }
      }
    } catch (error) {
      failure = failureOf(error);
    }
    this.failed(failure);
  }

  private async registerAt(target: Target, peer: PeerAddresses): Promise<Binding> {
    const flow = await this.core.flowTo(target);
    const contact = this.core.contact(flow, this.options.contactUser);
    const response = await this.exchange({ flow, contact, peer }, TIMEOUT_MS);
    return { flow, target, peer, contact, seconds: grantedSeconds(response, contact, this.expiresSeconds) };
  }

  /** Answers challenges and 423. Resolves with the 2xx; throws Failure, NoAnswer or a socket error. */
  private async exchange(
    { flow, contact, peer }: Pick<Binding, 'flow' | 'contact' | 'peer'>,
    timeoutMs: number,
    expires?: 0,
  ): Promise<SipResponse> {
    const answered: AnsweredChallenges = new Set();
    for (let requests = 1; ; requests++) {
      const request = this.request(contact, expires ?? this.expiresSeconds);
      const response = await finalResponse(this.core, request, flow, { peer, timeoutMs });
      const { status } = response;
      if (status < 300) {
        this.replaces = undefined;
        return response;
      }
      const repeats =
        ((status === 401 || status === 407) && this.authorizer.learn(response, answered)) || this.prolong(response);
      if (!repeats || requests === MAX_REQUESTS) throw refusalOf(response);
    }
  }

  /** RFC 3261 §10.2.8: 423 names the shortest lifetime. */
  private prolong({ status, headers }: SipResponse): boolean {
    const least = Number(headers.get('min-expires'));
    if (status !== 423 || !Number.isInteger(least) || least <= this.expiresSeconds || least > MAX_S) return false;
    this.expiresSeconds = least;
    return true;
  }

  private request(contact: string, expires: number): SipRequest {
    const { domain, credentials, viaProxy, hops } = this.options;
    const host = uriHost(bareHost(domain));
    const record = `<sip:${userPart('username', credentials.username)}@${host}>`;
    const request = newRequest('REGISTER', `sip:${host}`);
    const [proxy] = hops;
    if (viaProxy && proxy) request.headers.push('route', `<${hopUri(proxy)};lr>`);
    request.headers
      .push('max-forwards', '70')
      .push('from', `${record};tag=${this.tag}`)
      .push('to', record)
      .push('call-id', this.callId)
      .push('cseq', `${++this.sequence} REGISTER`)
      .push('contact', `${contact};expires=${expires}`);
    if (this.replaces !== undefined && this.replaces !== uriIn(contact))
      request.headers.push('contact', `<${this.replaces}>;expires=0`);
    request.headers.push('expires', String(expires)).push('allow', ALLOW).push('user-agent', this.core.userAgent);
    this.authorizer.apply(request);
    return request;
  }

  private registered(binding: Binding, targets: readonly Target[]): void {
    const { flow, seconds } = binding;
    flow.hold?.();
    this.binding?.flow.release?.();
    this.binding = binding;
    this.failures = 0;
    if (this.closed) return;
    this.refreshIn(refreshMs(seconds));
    clearInterval(this.keepAlive);
    this.keepAlive = setInterval(
      () => this.keepPathOpen(),
      flow.reliable ? KEEP_ALIVE_MS.connection : KEEP_ALIVE_MS.udp,
    );
    const addresses = [...new Set(targets.map(({ address }) => address))];
    const until = Date.now() + seconds * 1_000;
    this.onChange({ state: 'registered', until, target: binding.target, addresses, contact: uriIn(binding.contact) });
  }

  private failed({ message: reason, status, isRefusal, retryAfterMs = 0 }: Failure): void {
    if (this.closed) return;
    clearInterval(this.keepAlive);
    this.binding?.flow.release?.();
    this.binding = undefined;
    const delayMs = Math.max(retryAfterMs, retryMs(isRefusal ? REFUSED_MS : RETRY_MS, this.failures++));
    this.refreshIn(delayMs);
    this.onChange({
      state: 'failed',
      reason,
      ...(status === undefined ? {} : { status }),
      retryAt: Date.now() + delayMs,
    });
  }

  /** A lost connection is replaced at once: calls arrive over it. */
  private keepPathOpen(): void {
    const { binding } = this;
    if (!binding) return;
    if (binding.flow.closed) return this.start();
    binding.flow.send(KEEP_ALIVE, () => this.start());
  }

  private refreshIn(ms: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.start(), ms);
  }
}

/** Why a round failed. */
class Failure extends Error {
  constructor(
    message: string,
    readonly status?: number,
    /** The registrar decided: another server of it would decide alike. */
    readonly isRefusal = false,
    readonly retryAfterMs?: number,
  ) {
    super(message);
  }
}

function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error;
  const code = error instanceof NoAnswer ? 'timeout' : transportErrorCode(error);
  return new Failure(TRANSPORT_ERROR_MEANINGS[code]);
}

function refusalOf({ status, reason, headers }: SipResponse): Failure {
  const askedMs = retryAfterMs(headers);
  const waitMs = askedMs === undefined ? undefined : Math.min(askedMs, MAX_RETRY_MS);
  const message =
    status === 401 || status === 407
      ? 'The registrar refused the user name or the password.'
      : `The registrar responded with ${status} ${reason}.`.replace(' .', '.');
  return new Failure(message, status, status !== 408 && status !== 480 && status < 500, waitMs);
}

/** RFC 3261 §10.2.4: of our Contact in the list of all bindings, else of the Expires header, else as requested. */
function grantedSeconds({ headers }: SipResponse, contact: string, requested: number): number {
  const own = parseSipUri(uriIn(contact));
  const bindings = headers.list('contact').map((value) => parseNameAddr(value));
  const sameUser = bindings.filter((one) => own && parseSipUri(one?.uri ?? '')?.user === own.user);
  // Registrars rewrite the address of a Contact behind a NAT.
  const binding =
    sameUser.find((one) => one?.uri === uriIn(contact)) ?? (sameUser.length === 1 ? sameUser[0] : undefined);
  const granted = Number(binding?.params.get('expires') ?? headers.get('expires') ?? requested);
  if (!Number.isFinite(granted) || granted <= 0) return requested;
  return Math.min(MAX_S, Math.max(MIN_S, granted));
}

/** Half of a short lifetime, nine tenths of a long one; spread, so that the refreshes of many trunks do not meet. */
function refreshMs(seconds: number): number {
  const share = seconds <= 120 ? 0.5 : 0.9;
  return seconds * 1_000 * share * (0.9 + 0.1 * Math.random());
}

/** RFC 5626 §4.5: doubles with each failure, and is spread over its second half. */
function retryMs(base: number, failures: number): number {
  const longest = Math.min(MAX_RETRY_MS, base * 2 ** Math.min(failures, 20));
  return longest * (0.5 + 0.5 * Math.random());
}

/** `<sip:u@h>` -> `sip:u@h`. */
const uriIn = (contact: string): string => parseNameAddr(contact)?.uri ?? contact;
