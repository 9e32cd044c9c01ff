import { randomBytes } from 'node:crypto';

/**
 * Whether the audio is encrypted. `required` offers and takes nothing else; `optional` takes whatever the far end can. SDES keys
 * travel in the SDP, so they are as secret as the signalling: over UDP or TCP without TLS they protect against nobody on the path.
 */
export type SrtpPolicy = 'off' | 'optional' | 'required';

/** RFC 4568 §6.2 and RFC 7714 §14.2, in the order in which we offer them. */
export const SRTP_SUITES = ['AES_CM_128_HMAC_SHA1_80', 'AES_CM_128_HMAC_SHA1_32'] as const;

export type SrtpSuite = (typeof SRTP_SUITES)[number];

/** One side's master key and salt as in `a=crypto`: base64 of both, joined. A secret: never log it. */
export interface SrtpKey {
  /** Pairs an answer with its offer (RFC 4568 §4.1). */
  tag: number;
  suite: SrtpSuite;
  key: string;
}

/** Our keys for one call, the same in every description of it, and how much we insist on them. */
export interface LocalSrtp {
  policy: Exclude<SrtpPolicy, 'off'>;
  /** One per suite. */
  keys: SrtpKey[];
}

/** Fresh keys for one call; undefined when the policy wants none. */
export function newLocalSrtp(policy: SrtpPolicy): LocalSrtp | undefined {
  if (policy === 'off') return undefined;
  const keys = SRTP_SUITES.map((suite, index) => ({ tag: index + 1, suite, key: randomBytes(30).toString('base64') }));
  return { policy, keys };
}
