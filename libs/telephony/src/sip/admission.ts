import { networkOf } from '@app/common';
import { randomTag } from '../random-ids.js';
import { AttemptLimit } from './attempt-limit.js';
import {
  buildChallenges,
  type DigestAlgorithm,
  matchesRequestUri,
  parseCredentials,
  type ReceivedCredentials,
  verifyCredentials,
} from './digest.js';
import type { Flow } from './flow.js';
import type { SipRequest, SipResponse } from './message.js';
import { Nonces } from './nonces.js';
import { responseTo } from './responses.js';
import type { SipLog } from './sip-log.js';

/** A request that belongs to no dialog, before it is answered. */
export interface AdmissionRequest {
  method: string;
  /** The Request-URI. */
  uri: string;
  /** IP literal it came from, without brackets. */
  address: string;
  /** It came over TCP or TLS: the source address is proven. A UDP source may be forged. */
  connected: boolean;
  /** The values of Authorization. */
  authorization: string[];
  /** It names an unknown dialog or INVITE (481) or cannot be parsed (400), so a challenge would be pointless. */
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

/** The callers that the application knows. Called for every request, so it must answer from memory. */
export interface KnownCallers {
  byAddress(address: string): readonly string[];
  /** All callers with that user name: two accounts may have chosen the same one. */
  byUsername(username: string): readonly { name: string; password: string }[];
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

/** Sent in every challenge. It names no product and never changes, because callers may be configured with it. */
const REALM = 'sip';
/** Hashed where there is no password to compare with, so that an unknown name takes as long as a wrong password. */
const DUMMY_PASSWORD = 'decoy';
const MINUTE_MS = 60_000;

/**
 * Requests without valid credentials over a connection. The first request of a valid caller counts and is forgiven with the second. UDP
 * requests are not counted: forged ones would lock out the trunk whose address they carry.
 */
const UNPROVEN = { attempts: 20, windowMs: MINUTE_MS, penaltyMs: 5 * MINUTE_MS, sources: 10_000 };
/** Wrong passwords with a fresh nonce that was issued to their source. The forger of a source address does not receive its nonces. */
const WRONG = { ...UNPROVEN, attempts: 10 };
/** Stray requests. Valid ones belong to a call that has ended here; forged ones can suppress such responses only. */
const STRAY = { ...UNPROVEN };

/**
 * Admits inbound requests: by address first, then by digest. Unknown sources get a challenge. After wrong passwords, and over a
 * connection after a number of challenges, they get 403 for five minutes; after a number of stray requests, no answer to those. The
 * answer never depends on the number that is called, nor on whether a user name exists.
 */
export class Admission {
  private readonly nonces: Nonces;
  private readonly unproven: AttemptLimit;
  private readonly wrong: AttemptLimit;
  private readonly strays: AttemptLimit;

  constructor(private readonly options: AdmissionOptions) {
    // Monotonic: a wall clock that is set back would prolong every penalty.
    const now = options.now ?? (() => Math.floor(performance.now()));
    this.nonces = new Nonces(now);
    this.unproven = new AttemptLimit(UNPROVEN, now);
    this.wrong = new AttemptLimit(WRONG, now);
    this.strays = new AttemptLimit(STRAY, now);
  }

  readonly admit: Admit = (facts) => {
    const known = this.options.callers();
    const callers = known.byAddress(facts.address);
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

  /** Passwords are checked only with a fresh nonce: with another one a guess would cost nothing. */
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

/** The caller names of an admitted request outside a dialog, or the response that refuses it, which may be none. */
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
