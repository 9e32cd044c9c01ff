import { randomBytes } from 'node:crypto';

/**
 * Whether the audio is encrypted. `required` offers RTP/SAVP and refuses plain RTP. `optional` accepts any offer, and offers RTP/AVP
 * with keys, which most peers understand as "if you can"; peers that insist on RTP/SAVP refuse that (baresip with srtp-mand does) and
 * need `required`. SDES keys are part of the SDP, so they are as secret as the signalling: over UDP or TCP without TLS they do not
 * protect against an attacker on the path.
 */
export type SrtpPolicy = 'off' | 'optional' | 'required';

interface SuiteParameters {
  /** Bytes of the authentication tag, RTP and RTCP. */
  tag: number;
  /** RFC 4568 §6.2: also with the short tag of the RTP, RTCP keeps the full one. */
  rtcpTag: number;
  salt: number;
}

/** RFC 4568 §6.2 and RFC 7714 §12; AES with 128 bits each. */
export const SUITE_PARAMETERS = {
  AES_CM_128_HMAC_SHA1_80: { tag: 10, rtcpTag: 10, salt: 14 },
  AES_CM_128_HMAC_SHA1_32: { tag: 4, rtcpTag: 10, salt: 14 },
  AEAD_AES_128_GCM: { tag: 16, rtcpTag: 16, salt: 12 },
} satisfies Record<string, SuiteParameters>;

type SrtpSuite = keyof typeof SUITE_PARAMETERS;

/** In the order of preference. The first is mandatory in RFC 4568, so every phone with SDES has it. */
export const SRTP_SUITES = Object.keys(SUITE_PARAMETERS) as SrtpSuite[];

export const MASTER_KEY_BYTES = 16;

/** One side's master key and salt as in `a=crypto`: base64 of both, joined. A secret: never log it. */
export interface SrtpKey {
  /** Pairs an answer with its offer (RFC 4568 §5.1.2). */
  tag: number;
  suite: SrtpSuite;
  key: string;
}

/** Our keys for one call, the same in each of its descriptions, and the policy. Plain data. */
export interface LocalSrtp {
  policy: Exclude<SrtpPolicy, 'off'>;
  /** One per suite. */
  keys: SrtpKey[];
}

/** New keys for one call; undefined when the policy is off. */
export function newLocalSrtp(policy: SrtpPolicy): LocalSrtp | undefined {
  if (policy === 'off') return undefined;
  return { policy, keys: SRTP_SUITES.map((suite, index) => ({ tag: index + 1, suite, key: randomKey(suite) })) };
}

function randomKey(suite: SrtpSuite): string {
  return randomBytes(MASTER_KEY_BYTES + SUITE_PARAMETERS[suite].salt).toString('base64');
}

/** RFC 4568 §9.1. Lines with several key parameters (`;`) have master key identifiers, which no known phone uses; they are skipped. */
const CRYPTO =
  /^crypto:\s*(\d{1,9})\s+(\S{1,64})\s+inline:([A-Za-z0-9+/]{1,128}={0,2})((?:\|[\w^:]{1,32}){0,2})(?:\s+(\S.*))?$/;

/**
 * One `a=crypto`. Undefined when it is malformed, of an unknown suite, or uses an unsupported feature: a master key identifier (`|1:4`)
 * or a session parameter (§6.3: an unknown parameter forbids accepting the line). Lifetimes are longer than calls.
 */
export function parseCrypto(attribute: string): SrtpKey | undefined {
  const [, tag, name, key, parameters, session] = CRYPTO.exec(attribute) ?? [];
  const suite = name?.toUpperCase() as SrtpSuite;
  if (!key || !Object.hasOwn(SUITE_PARAMETERS, suite)) return undefined;
  if (parameters?.includes(':') || (session !== undefined && !/^WSH=\d{1,4}$/.test(session))) return undefined;
  const bytes = Buffer.from(key, 'base64').length;
  if (bytes !== MASTER_KEY_BYTES + SUITE_PARAMETERS[suite].salt) return undefined;
  return { tag: Number(tag), suite, key };
}

export const cryptoLine = ({ tag, suite, key }: SrtpKey): string => `a=crypto:${tag} ${suite} inline:${key}`;

/** A pair of keys, plain RTP, or no agreement. */
type Protection = { local: SrtpKey; remote: SrtpKey } | 'plain' | 'refused';

/**
 * Combines the local policy with a received offer or answer: selects the first common suite. A profile without encryption (RTP/AVP)
 * with keys counts as encrypted when our policy allows it: phones mark optional encryption this way.
 */
export function protectionOf(ours: LocalSrtp | undefined, theirs: { secure: boolean; crypto: SrtpKey[] }): Protection {
  for (const remote of ours ? theirs.crypto : []) {
    const local = ours?.keys.find((one) => one.suite === remote.suite);
    // RFC 4568 §5.1.2: the answer carries the tag of the line that it accepts.
    if (local) return { local: { ...local, tag: remote.tag }, remote };
  }
  return theirs.secure || ours?.policy === 'required' ? 'refused' : 'plain';
}
