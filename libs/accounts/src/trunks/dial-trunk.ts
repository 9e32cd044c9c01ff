import type { Codec, Trunk, TrunkTarget } from '@app/telephony';
import { isIPv6 } from 'node:net';
import { type StoredTarget, TRUNK_OPTIONS, type TrunkOptions, type TrunkTransport } from './sip-trunk.entity.js';

/** A stored trunk; encrypted values in base64. */
export interface DialTrunk extends Omit<TrunkOptions, 'codecs'> {
  id: number;
  host: string;
  port: number | null;
  transport: TrunkTransport;
  targets: StoredTarget[] | null;
  password_sealed: string | null;
  tls_ca: string | null;
  tls_cert: string | null;
  tls_key_sealed: string | null;
  tls_server_name: string | null;
  /** Header name -> metadata key. */
  headers: Record<string, string>;
  codecs: Codec[] | null;
}

const PLAIN = [
  ...['id', 'host', 'port', 'transport', 'targets', 'tls_ca', 'tls_cert', 'tls_server_name', 'headers'],
  ...Object.keys(TRUNK_OPTIONS),
];
const ENCRYPTED = ['password_sealed', 'tls_key_sealed'];

/** SQL: the row `t` of `sip_trunks` as a DialTrunk. */
export const DIAL_TRUNK = `jsonb_build_object(${[
  ...PLAIN.map((column) => `'${column}', t.${column}`),
  ...ENCRYPTED.map((column) => `'${column}', replace(encode(t.${column}, 'base64'), chr(10), '')`),
].join(', ')})`;

/** Decrypts a value of a trunk. @throws when it was encrypted with another SECRET_KEY */
export type OpenTrunkSecret = (encrypted: string, context: 'trunk-password' | 'trunk-tls-key') => string;

/** The trunk in the form of the call engine. */
export function trunkOf(trunk: DialTrunk, open: OpenTrunkSecret): Trunk {
  const { password_sealed: password, user_phone: userPhone, assert_identity: assertIdentity, srtp } = trunk;
  return {
    targets: targetsOf(trunk),
    callerName: String(trunk.id),
    username: trunk.username ?? undefined,
    password: password === null ? undefined : open(password, 'trunk-password'),
    fromDomain: trunk.from_domain ?? undefined,
    assertIdentity,
    userPhone,
    codecs: trunk.codecs ?? undefined,
    srtp,
    ...(trunk.response_timeout_seconds !== null && { responseTimeoutMs: trunk.response_timeout_seconds * 1_000 }),
    tls: tlsOf(trunk, open),
    transferByRefer: trunk.transfer === 'refer',
    ...(trunk.livekit_trunk_id !== null && { livekitTrunkId: trunk.livekit_trunk_id }),
  };
}

/** In the order in which they are tried. */
function targetsOf({ host, port, transport, targets }: DialTrunk): TrunkTarget[] {
  const stored = targets ?? [{ host, port: port ?? undefined, transport, priority: 0 }];
  return stored.map((target) => ({ ...target, host: inUri(target.host) }));
}

/** SIP writes IPv6 addresses in brackets. */
const inUri = (host: string): string => (isIPv6(host) ? `[${host}]` : host);

function tlsOf(trunk: DialTrunk, open: OpenTrunkSecret): Trunk['tls'] {
  const { tls_ca: ca, tls_cert: cert, tls_key_sealed: key, tls_server_name: serverName } = trunk;
  if (ca === null && cert === null && serverName === null) return undefined;
  return {
    ca: ca ?? undefined,
    cert: cert ?? undefined,
    key: key === null ? undefined : open(key, 'trunk-tls-key'),
    serverName: serverName ?? undefined,
  };
}
