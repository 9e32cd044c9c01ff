import { networkOf } from '@app/common';
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { randomTag } from '../../random-ids.js';
import {
  buildChallenges,
  type DigestAlgorithm,
  matchesRequestUri,
  parseCredentials,
  type ReceivedCredentials,
  verifyCredentials,
} from '../messages/digest.js';
import type { Flow } from './flow.js';
import type { SipRequest, SipResponse } from '../messages/message.js';
import { responseTo } from '../messages/responses.js';
import { userOfUri } from '../messages/sip-address.js';
import type { SipLog } from '../user-agent/sip-log.js';

/** A request outside a dialog, before its response. */
export interface AdmissionRequest {
  method: string;
  /** The Request-URI. */
  uri: string;
  /** The source IP literal, without brackets. */
  address: string;
  /** Received over TCP or TLS, which proves the source address. A UDP source may be forged. */
  connected: boolean;
  /** The values of Authorization. */
  authorization: string[];
  /** A request for an unknown dialog or INVITE (481), or a malformed one (400): a challenge would be pointless. */
  stray?: boolean;
}

export type AdmissionDecision =
  /** `callers`: the possible caller names; several when they share an address. */
  | { kind: 'admitted'; callers: readonly string[] }
  /** 401 with these values of WWW-Authenticate. */
  | { kind: 'challenged'; challenges: string[] }
  /** 403; a stray request gets 481 or 400. */
  | { kind: 'refused' }
  /** No answer. */
  | { kind: 'ignored' };

export type Admit = (facts: AdmissionRequest) => AdmissionDecision;

/** The callers known to the application. Called for every request, so it must answer from memory. */
export interface KnownCallers {
  byAddress(address: string): readonly string[];
  /** The callers whose carrier sends calls to that user part of our registered Contact, from this address. */
  byContact(user: string, address: string): readonly string[];
  /** The callers that are registered with a server at that address. It may send requests inside their calls, whatever Contact. */
  byRegistrar(address: string): readonly string[];
  /** All callers with that user name; several accounts may use the same name. */
  byUsername(username: string): readonly { name: string; password: string }[];
  /** False: there is no registered Contact. */
  readonly usesContacts: boolean;
  /** False: all callers are known by address, and a challenge would be useless. */
  readonly usesDigest: boolean;
}

interface AdmissionOptions {
  callers: () => KnownCallers;
  log: SipLog;
  /** Digest algorithms offered to callers, the preferred one first. */
  algorithms: readonly DigestAlgorithm[];
  /** Whole milliseconds of a monotonic clock. */
  now?: () => number;
}

/** The realm of every challenge. It contains no product name and never changes, because callers may be configured with it. */
const REALM = 'sip';
/** Hashed when there is no password to compare with, so that an unknown name takes as long as a wrong password. */
const DUMMY_PASSWORD = 'decoy';
const MINUTE_MS = 60_000;

/**
 * Requests without valid credentials over a connection. The first request of a valid caller counts, and the second resets the count. UDP
 * requests are not counted: forged ones would lock out the trunk whose address they carry.
 */
const UNPROVEN = { attempts: 20, windowMs: MINUTE_MS, penaltyMs: 5 * MINUTE_MS, sources: 10_000 };
/** Wrong passwords with a fresh nonce that was issued to their source. A forger of a source address does not receive the nonces. */
const WRONG = { ...UNPROVEN, attempts: 10 };
/** Stray requests. Valid ones belong to a call that has ended here; forged ones can only suppress such responses. */
const STRAY = { ...UNPROVEN };

/**
 * Admits inbound requests: by address first, then by digest. Unknown sources get a challenge. After wrong passwords, and over a
 * connection after a number of challenges, they get 403 for five minutes; after a number of stray requests, no response to those. The
 * response depends neither on the called number nor on the existence of a user name.
 */
export class Admission {
  private readonly nonces: Nonces;
  private readonly unproven: AttemptLimit;
  private readonly wrong: AttemptLimit;
  private readonly strays: AttemptLimit;

  constructor(private readonly options: AdmissionOptions) {
    // Monotonic: setting back the wall clock would prolong every penalty.
    const now = options.now ?? (() => Math.floor(performance.now()));
    this.nonces = new Nonces(now);
    this.unproven = new AttemptLimit(UNPROVEN, now);
    this.wrong = new AttemptLimit(WRONG, now);
    this.strays = new AttemptLimit(STRAY, now);
  }

  /** The callers whose calls may have requests from that address, without counting an attempt. */
  readonly callersAt = (address: string): readonly string[] => {
    const known = this.options.callers();
    return known.usesContacts ? [...known.byAddress(address), ...known.byRegistrar(address)] : known.byAddress(address);
  };

  readonly admit: Admit = (facts) => {
    const known = this.options.callers();
    // The registered Contact is more specific: several accounts may be registered at the servers of one carrier.
    const user = known.usesContacts ? userOfUri(facts.uri) : '';
    const registered = user === '' ? [] : known.byContact(user, facts.address);
    const callers = registered.length > 0 ? registered : known.byAddress(facts.address);
    if (callers.length > 0) return { kind: 'admitted', callers };
    const source = networkOf(facts.address);
    if (facts.stray) return this.judgeStray(source);
    if (!known.usesDigest) return this.refuse(source);
    if (this.wrong.exceeded(source)) return { kind: 'refused' };
    const received = facts.authorization.map(parseCredentials);
    const credentials = received.find((one) => one?.realm === REALM && this.options.algorithms.includes(one.algorithm));
    return credentials ? this.judge(credentials, facts, source, known) : this.challenge(facts, source, false);
  };

  private judgeStray(source: string): AdmissionDecision {
    this.strays.count(source);
    return { kind: this.strays.exceeded(source) ? 'ignored' : 'refused' };
  }

  /** Passwords are checked only with a fresh nonce; otherwise a guess would cost nothing. */
  private judge(
    credentials: ReceivedCredentials,
    facts: AdmissionRequest,
    source: string,
    known: KnownCallers,
  ): AdmissionDecision {
    const { method, address, uri } = facts;
    if (!this.nonces.isFresh(credentials.nonce, address)) return this.challenge(facts, source, true);
    if (!matchesRequestUri(credentials, uri)) {
      this.options.log.debug('SIP credentials are for another Request-URI', { source });
      return this.challenge(facts, source, false);
    }
    const named = known.byUsername(credentials.username);
    if (named.length === 0) verifyCredentials(credentials, method, DUMMY_PASSWORD);
    const proven = named.filter((one) => verifyCredentials(credentials, method, one.password));
    if (proven.length === 0) {
      if (this.wrong.count(source)) this.logRefusal(source);
      return this.challenge(facts, source, false);
    }
    if (!this.nonces.use(credentials.nonce, parseInt(credentials.nc, 16), address))
      return this.challenge(facts, source, true);
    this.unproven.forget(source);
    return { kind: 'admitted', callers: proven.map(({ name }) => name) };
  }

  private challenge({ address, connected }: AdmissionRequest, source: string, stale: boolean): AdmissionDecision {
    if (connected) {
      const refused = this.refuse(source);
      if (this.unproven.exceeded(source)) return refused;
    }
    return {
      kind: 'challenged',
      challenges: buildChallenges(this.options.algorithms, REALM, this.nonces.issue(address), stale),
    };
  }

  private refuse(source: string): AdmissionDecision {
    if (this.unproven.count(source)) this.logRefusal(source);
    return { kind: 'refused' };
  }

  private logRefusal(source: string): void {
    this.options.log.warn('an unknown SIP source is refused for five minutes', { source });
  }
}

/** The caller names of an admitted request outside a dialog, or the response that refuses it; some refusals have none. */
export type RequestAdmission = { callers: readonly string[] } | { refusal: SipResponse | undefined };

/**
 * The response to unknown sources reveals nothing: it depends on neither method, number nor required extensions, and names neither product
 * nor capabilities.
 */
export function admitRequest(request: SipRequest, from: Flow, admit: Admit): RequestAdmission {
  const verdict = admit(factsOf(request, from));
  if (verdict.kind === 'admitted') return { callers: verdict.callers };
  return { refusal: refusalOf(verdict, request) };
}

/**
 * Whether a request that matches no dialog, or cannot be parsed, gets its 481 or 400: always from known addresses, from others up to a
 * limit.
 */
export const mayAnswerStray = (request: SipRequest, from: Flow, admit: Admit): boolean =>
  admit({ ...factsOf(request, from), stray: true }).kind !== 'ignored';

function factsOf({ method, uri, headers }: SipRequest, { address, reliable: connected }: Flow) {
  return { method, uri, address, connected, authorization: headers.lines('authorization') };
}

function refusalOf(
  verdict: Exclude<AdmissionDecision, { kind: 'admitted' }>,
  request: SipRequest,
): SipResponse | undefined {
  if (verdict.kind === 'ignored') return undefined;
  const refusal = responseTo(request, verdict.kind === 'challenged' ? 401 : 403, randomTag());
  if (verdict.kind === 'challenged')
    for (const challenge of verdict.challenges) refusal.headers.push('www-authenticate', challenge);
  return refusal;
}

interface AttemptLimitOptions {
  /** Allowed attempts of one source within `windowMs`. */
  attempts: number;
  windowMs: number;
  /** How long a source stays over the limit. It is never extended, so that a trunk with a corrected password works again. */
  penaltyMs: number;
  /** Sources stored at once; the oldest is evicted. */
  sources: number;
}

interface Source {
  attempts: number;
  /** The end of the window, or of the penalty, in ms of the clock. */
  until: number;
}

/** Counts attempts by source in bounded memory: forged source addresses can fill it, but not make it grow. */
export class AttemptLimit {
  private readonly known = new Map<string, Source>();

  constructor(
    private readonly options: AttemptLimitOptions,
    private readonly now: () => number,
  ) {}

  get size(): number {
    return this.known.size;
  }

  /** True while the source is over its limit. */
  exceeded(source: string): boolean {
    return (this.current(source)?.attempts ?? 0) > this.options.attempts;
  }

  /** Counts one attempt; true for the attempt that exceeds the limit. */
  count(source: string): boolean {
    const { attempts, windowMs, penaltyMs } = this.options;
    const known = this.current(source) ?? this.begin(source, windowMs);
    known.attempts += 1;
    if (known.attempts !== attempts + 1) return false;
    known.until = this.now() + penaltyMs;
    return true;
  }

  forget(source: string): void {
    this.known.delete(source);
  }

  private current(source: string): Source | undefined {
    const known = this.known.get(source);
    if (known && known.until > this.now()) return known;
    this.known.delete(source);
    return undefined;
  }

  private begin(source: string, windowMs: number): Source {
    const [oldest] = this.known.keys();
    if (oldest !== undefined && this.known.size >= this.options.sources) this.known.delete(oldest);
    const fresh = { attempts: 0, until: this.now() + windowMs };
    this.known.set(source, fresh);
    return fresh;
  }
}

/** Long enough for a caller that answers several challenges with one nonce. */
const LIFE_MS = 300_000;
/** Nonces with stored counts, about 2 MB. */
const REMEMBERED = 10_000;
const RANDOM_BYTES = 8;
const TIME_BYTES = 6;
const MAC_BYTES = 16;

/**
 * The nonces of our challenges (RFC 7616 §5.4). They contain their time and a MAC over it and the address of the caller, so unanswered
 * nonces need no storage and a flood of requests costs no memory.
 */
export class Nonces {
  /** New in each process: nonces of another process are challenged again, and never replayed here. */
  private readonly key = randomBytes(32);
  private readonly counts = new Map<string, number>();
  /** Nonces up to this time were used and forgotten. */
  private forgottenUntil = 0;

  constructor(
    private readonly now: () => number,
    private readonly remembered = REMEMBERED,
  ) {}

  issue(address: string): string {
    const head = Buffer.alloc(RANDOM_BYTES + TIME_BYTES);
    randomBytes(RANDOM_BYTES).copy(head);
    head.writeUIntBE(this.now(), RANDOM_BYTES, TIME_BYTES);
    return Buffer.concat([head, this.mac(head, address)]).toString('base64url');
  }

  /** Whether the nonce was issued to this address at most five minutes ago. */
  isFresh(nonce: string, address: string): boolean {
    return this.issuedAt(nonce, address) !== undefined;
  }

  /**
   * True once for each count of an unexpired nonce of this address; counts only grow. To be called only with proven credentials,
   * because it stores the count.
   */
  use(nonce: string, count: number, address: string): boolean {
    const issuedAt = this.issuedAt(nonce, address);
    if (issuedAt === undefined) return false;
    const last = this.counts.get(nonce);
    if (last === undefined && issuedAt <= this.forgottenUntil) return false;
    if (count <= (last ?? 0)) return false;
    if (last === undefined && this.counts.size >= this.remembered) this.forgetOldest();
    this.counts.set(nonce, count);
    return true;
  }

  /** Undefined: not ours, of another address, or expired. */
  private issuedAt(nonce: string, address: string): number | undefined {
    const bytes = Buffer.from(nonce, 'base64url');
    if (bytes.length !== RANDOM_BYTES + TIME_BYTES + MAC_BYTES) return undefined;
    const head = bytes.subarray(0, RANDOM_BYTES + TIME_BYTES);
    if (!timingSafeEqual(bytes.subarray(head.length), this.mac(head, address))) return undefined;
    const issuedAt = timeOf(head);
    return this.now() - issuedAt <= LIFE_MS ? issuedAt : undefined;
  }

  private forgetOldest(): void {
    const [oldest] = this.counts.keys();
    if (oldest === undefined) return;
    this.counts.delete(oldest);
    this.forgottenUntil = Math.max(this.forgottenUntil, timeOf(Buffer.from(oldest, 'base64url')));
  }

  private mac(head: Buffer, address: string): Buffer {
    return createHmac('sha256', this.key).update(head).update(address).digest().subarray(0, MAC_BYTES);
  }
}

const timeOf = (head: Buffer): number => head.readUIntBE(RANDOM_BYTES, TIME_BYTES);
