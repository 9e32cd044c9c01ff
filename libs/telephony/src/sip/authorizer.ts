import { randomTag } from '../random-ids.js';
import { type Challenge, digestCredentials, strongestChallenges } from './digest.js';
import type { SipRequest, SipResponse } from './message.js';
import { hasControlCharacters, UnsafeSipText } from './safe-text.js';

export interface Credentials {
  username: string;
  password: string;
}

/** Challenges that one request has answered: a second one of the same realm means wrong credentials. */
export type AnsweredChallenges = Set<string>;

/** More realms than any path has; limits a peer that challenges with ever new realms. */
const MAX_CHALLENGES = 10;

/** The challenges of one call and our credentials for them, which its BYE reuses (RFC 3261 §22.1-22.3). */
export class Authorizer {
  private readonly challenges = new Map<string, { header: string; challenge: Challenge; count: number }>();

  /** @throws UnsafeSipText */
  constructor(private readonly credentials?: Credentials) {
    if (credentials && hasControlCharacters(credentials.username)) throw new UnsafeSipText('username');
  }

  /**
   * Takes the challenges of a 401 or 407. True: the request may be sent again with `apply`. A nonce that is only stale is
   * answered once more (RFC 7616 §3.3).
   */
  learn(response: SipResponse, answered: AnsweredChallenges): boolean {
    if (!this.credentials) return false;
    const proxy = response.status === 407;
    const from = proxy ? 'proxy-authenticate' : 'www-authenticate';
    const to = proxy ? 'proxy-authorization' : 'authorization';
    let fresh = false;
    for (const challenge of strongestChallenges(response.headers.lines(from))) {
      const key = `${to} ${challenge.realm}`;
      const mark = answered.has(key) && challenge.stale ? `${key} stale` : key;
      if (answered.has(mark) || answered.size >= MAX_CHALLENGES) continue;
      if (!this.challenges.has(key) && this.challenges.size >= MAX_CHALLENGES) continue;
      answered.add(mark);
      this.challenges.set(key, { header: to, challenge, count: 0 });
      fresh = true;
    }
    return fresh;
  }

  /** Adds credentials for every challenge known so far. */
  apply(request: SipRequest): void {
    if (!this.credentials) return;
    for (const known of this.challenges.values()) {
      known.count++;
      const input = { ...this.credentials, method: request.method, uri: request.uri, count: known.count };
      request.headers.push(known.header, digestCredentials(known.challenge, { ...input, cnonce: randomTag() }));
    }
  }
}
