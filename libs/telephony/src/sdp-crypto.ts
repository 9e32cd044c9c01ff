import { MASTER_KEY_BYTES, SUITE_PARAMETERS, type LocalSrtp, type SrtpKey, type SrtpSuite } from './media/srtp-keys.js';

/** RFC 4568 §9.1. Several key parameters (`;`) come with master key identifiers, which nobody uses; such a line is left out. */
const CRYPTO = /^crypto:(\d{1,9}) (\S{1,64}) inline:([A-Za-z0-9+/]{1,128}={0,2})((?:\|[\w^:]{1,32}){0,2})(?: (\S.*))?$/;

/**
 * One `a=crypto`. Undefined when it is malformed, of an unknown suite, or asks for what we do not do: a master key identifier (`|1:4`)
 * or a session parameter (§6.3: who does not know one must not accept the line). Lifetimes are longer than calls.
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
export type Protection = { local: SrtpKey; remote: SrtpKey } | 'plain' | 'refused';

/**
 * What becomes of our policy and their description, offer or answer: the first suite of theirs that we have too. A profile without
 * encryption (RTP/AVP) with keys counts as encrypted when we want it: that is how phones say "optional".
 */
export function protectionOf(ours: LocalSrtp | undefined, theirs: { secure: boolean; crypto: SrtpKey[] }): Protection {
  for (const remote of ours ? theirs.crypto : []) {
    const local = ours?.keys.find((one) => one.suite === remote.suite);
    // RFC 4568 §5.1.2: the answer carries the tag of the line that it accepts.
    if (local) return { local: { ...local, tag: remote.tag }, remote };
  }
  return theirs.secure || ours?.policy === 'required' ? 'refused' : 'plain';
}
