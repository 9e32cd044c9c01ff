import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type SipTrunkEntity, type StoredTarget, TRUNK_OPTIONS } from '../trunks/sip-trunk.entity.js';
import { encryptedText } from './encrypted-columns.js';
import type { TlsNode, TrunkNode } from './trunk-schema.js';
import type { ApplyContext } from './workspace-file.js';

type Settings = Partial<SipTrunkEntity>;

/** The wanted columns of a trunk; undefined ones are not in the file. Throws WorkspaceError. */
export function trunkSettings(
  context: ApplyContext,
  node: TrunkNode,
  at: number,
): (stored: SipTrunkEntity | null) => Settings {
  const { encryption } = context;
  const { password, tls, inbound } = node;
  return (stored) => ({
    ...targetSettings(node),
    ...(tls === undefined ? {} : tlsSettings(context, tls, at, stored)),
    ...optionSettings(node),
    passwordSealed:
      password === undefined
        ? undefined
        : encryptedText(encryption, 'trunk-password', password, stored?.passwordSealed),
    headers: node.headers === undefined ? undefined : (node.headers ?? {}),
    optionsPingSeconds: node.options_ping_seconds,
    active: node.active,
    concurrentCalls: node.concurrent_calls,
    callsPerSecond: node.calls_per_second,
    ...(inbound === undefined ? {} : inboundSettings(context, inbound, stored)),
  });
}

const optionSettings = (node: TrunkNode): Settings =>
  Object.fromEntries(
    Object.entries(TRUNK_OPTIONS).map(([field, property]) => [property, node[field as keyof typeof TRUNK_OPTIONS]]),
  );

/** The first target is also stored in host, port and transport, which processes of the release before dial. */
function targetSettings({ host, port, transport, targets }: TrunkNode): Settings {
  if (!targets) return { host, port, transport, targets: null };
  const inOrder = targets.toSorted((a, b) => a.priority - b.priority).map(storedTarget);
  const [first] = inOrder;
  return {
    host: first?.host,
    port: first?.port ?? null,
    transport: first?.transport ?? 'udp',
    targets: inOrder,
  };
}

const storedTarget = ({
  host,
  port,
  transport,
  priority,
}: NonNullable<TrunkNode['targets']>[number]): StoredTarget => ({
  host,
  ...(port === undefined || port === null ? {} : { port }),
  ...(transport === undefined ? {} : { transport }),
  priority,
});

/** null clears the settings; so does an absent key of the map. */
function tlsSettings(
  { encryption, file, folder, index }: ApplyContext,
  tls: TlsNode | null,
  at: number,
  stored: SipTrunkEntity | null,
): Settings {
  const text = (key: 'ca' | 'cert' | 'key', check: (pem: string) => void): string | null => {
    const source = tls?.[key] ?? null;
    if (source === null) return null;
    try {
      const pem = pemText(source, folder);
      check(pem);
      return pem;
    } catch (error) {
      if (!(error instanceof PemProblem)) throw error;
      throw file.fault(['accounts', index, 'trunks', at, 'tls', key], error.message);
    }
  };
  const cert = text('cert', checkCertificates);
  const key = text('key', (pem) => checkKey(pem, cert ?? ''));
  return {
    tlsCa: text('ca', checkCertificates),
    tlsCert: cert,
    tlsKeySealed: encryptedText(encryption, 'trunk-tls-key', key, stored?.tlsKeySealed),
    tlsServerName: tls?.server_name ?? null,
  };
}

/** null: the trunk accepts no inbound calls. */
function inboundSettings(
  { encryption }: ApplyContext,
  inbound: NonNullable<TrunkNode['inbound']> | null,
  stored: SipTrunkEntity | null,
): Settings {
  const password = inbound?.password ?? null;
  return {
    inboundEnabled: inbound?.enabled ?? false,
    inboundAddresses: inbound?.addresses ?? [],
    inboundUsername: inbound?.username ?? null,
    inboundPasswordSealed: encryptedText(encryption, 'trunk-inbound-password', password, stored?.inboundPasswordSealed),
  };
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The value is not the expected PEM; the message is a sentence about it. */
class PemProblem extends Error {}

/** The text, or the content of the file, whose path is relative to `folder`. @throws PemProblem */
function pemText(source: string | { file: string }, folder: string): string {
  if (typeof source === 'string') return source;
  try {
    return readFileSync(resolve(folder, source.file), 'utf8');
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new PemProblem(`names a file that cannot be read (${code})`, { cause: error });
  }
}

/** @throws PemProblem unless the text has one or more certificates */
function checkCertificates(pem: string): X509Certificate[] {
  const blocks = pem.match(CERTIFICATE) ?? [];
  if (blocks.length === 0) throw new PemProblem('holds no certificate in PEM');
  try {
    return blocks.map((block) => new X509Certificate(block));
  } catch (error) {
    throw new PemProblem('holds a certificate that cannot be read', { cause: error });
  }
}

/** @throws PemProblem unless it is the unencrypted private key of the first certificate */
function checkKey(key: string, cert: string): void {
  const [own] = checkCertificates(cert);
  if (!own?.checkPrivateKey(privateKey(key))) throw new PemProblem('is not the key of the certificate');
}

function privateKey(pem: string): KeyObject {
  if (/ENCRYPTED/.test(pem))
    throw new PemProblem('is encrypted: give the key without a passphrase, it is sealed at rest');
  try {
    return createPrivateKey(pem);
  } catch (error) {
    throw new PemProblem('holds no private key in PEM', { cause: error });
  }
}
