import type { Encryption } from '@app/common';
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { InvalidRecord } from '../domain/field-faults.js';
import type { TlsNode, TrunkNode } from './trunk-schema.js';
import { type SipTrunkEntity, type StoredTarget, TRUNK_OPTIONS } from './sip-trunk.entity.js';

type Settings = Partial<SipTrunkEntity>;

interface SettingsContext {
  encryption: Encryption;
  /** Paths of PEM files are relative to it; the schema of the API has no paths. */
  folder?: string;
}

/** The wanted columns of a trunk; undefined ones keep their value. Throws InvalidRecord when a certificate or key is invalid. */
export function trunkSettings(context: SettingsContext, node: TrunkNode, stored: SipTrunkEntity | null): Settings {
  const { encryption } = context;
  const { password, tls, inbound } = node;
  return {
    ...targetSettings(node),
    ...(tls === undefined ? {} : tlsSettings(context, tls, stored)),
    ...optionSettings(node),
    passwordSealed:
      password === undefined ? undefined : encryptText(encryption, 'trunk-password', password, stored?.passwordSealed),
    headers: node.headers === undefined ? undefined : (node.headers ?? {}),
    optionsPingSeconds: node.options_ping_seconds,
    active: node.active,
    concurrentCalls: node.concurrent_calls,
    callsPerSecond: node.calls_per_second,
    ...(inbound === undefined ? {} : inboundSettings(encryption, inbound, stored)),
  };
}

/** The stored trunk as a node of a workspace file, with its secrets. */
export function trunkNode(stored: SipTrunkEntity, encryption: Encryption): TrunkNode {
  const open = (sealed: Buffer | null, context: string): string | null => sealed && encryption.decrypt(sealed, context);
  const { host, port, transport, targets, tlsCa: ca, tlsCert: cert, tlsServerName: server_name } = stored;
  const hasTls = ca !== null || cert !== null || server_name !== null;
  const options = Object.entries(TRUNK_OPTIONS).map(([field, property]) => [field, stored[property]]);
  return {
    name: stored.name,
    ...(targets ? { targets } : { host, port, transport }),
    tls: hasTls ? { ca, cert, key: open(stored.tlsKeySealed, 'trunk-tls-key'), server_name } : null,
    ...(Object.fromEntries(options) as Pick<TrunkNode, keyof typeof TRUNK_OPTIONS>),
    password: open(stored.passwordSealed, 'trunk-password'),
    headers: stored.headers,
    options_ping_seconds: stored.optionsPingSeconds,
    active: stored.active,
    concurrent_calls: stored.concurrentCalls,
    calls_per_second: stored.callsPerSecond,
    inbound: inboundNode(stored, open),
  };
}

function inboundNode(
  stored: SipTrunkEntity,
  open: (sealed: Buffer | null, context: string) => string | null,
): TrunkNode['inbound'] {
  const { inboundEnabled: enabled, inboundAddresses: addresses, inboundUsername: username } = stored;
  if (addresses.length === 0 && username === null) return null;
  return { enabled, addresses, username, password: open(stored.inboundPasswordSealed, 'trunk-inbound-password') };
}

const optionSettings = (node: TrunkNode): Settings =>
  Object.fromEntries(
    Object.entries(TRUNK_OPTIONS).map(([field, property]) => [property, node[field as keyof typeof TRUNK_OPTIONS]]),
  );

/** The first target is also stored in host, port and transport, for processes of an earlier release. */
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

/** null clears the settings, and so does an absent key of the map. */
function tlsSettings(
  { encryption, folder }: SettingsContext,
  tls: TlsNode | null,
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
      throw new InvalidRecord([{ path: ['tls', key], code: 'invalid_format', message: error.message }]);
    }
  };
  const cert = text('cert', checkCertificates);
  const key = text('key', (pem) => checkKey(pem, cert ?? ''));
  return {
    tlsCa: text('ca', checkCertificates),
    tlsCert: cert,
    tlsKeySealed: encryptText(encryption, 'trunk-tls-key', key, stored?.tlsKeySealed),
    tlsServerName: tls?.server_name ?? null,
  };
}

/** null: the trunk accepts no inbound calls. */
function inboundSettings(
  encryption: Encryption,
  inbound: NonNullable<TrunkNode['inbound']> | null,
  stored: SipTrunkEntity | null,
): Settings {
  const password = inbound?.password ?? null;
  return {
    inboundEnabled: inbound?.enabled ?? false,
    inboundAddresses: inbound?.addresses ?? [],
    inboundUsername: inbound?.username ?? null,
    inboundPasswordSealed: encryptText(encryption, 'trunk-inbound-password', password, stored?.inboundPasswordSealed),
  };
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The value is not the expected PEM; the message is a sentence about it. */
class PemProblem extends Error {}

/** The text, or the content of the file, whose path is relative to `folder`. @throws PemProblem */
function pemText(source: string | { file: string }, folder: string | undefined): string {
  if (typeof source === 'string') return source;
  if (folder === undefined) throw new PemProblem('must be PEM text');
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
  if (blocks.length === 0) throw new PemProblem('contains no certificate in PEM');
  try {
    return blocks.map((block) => new X509Certificate(block));
  } catch (error) {
    throw new PemProblem('contains an invalid certificate', { cause: error });
  }
}

/** @throws PemProblem unless it is the unencrypted private key of the first certificate */
function checkKey(key: string, cert: string): void {
  const [own] = checkCertificates(cert);
  if (!own?.checkPrivateKey(privateKey(key))) throw new PemProblem('is not the key of the certificate');
}

function privateKey(pem: string): KeyObject {
  if (/ENCRYPTED/.test(pem))
    throw new PemProblem('is encrypted: remove the passphrase, the service encrypts the key itself');
  try {
    return createPrivateKey(pem);
  } catch (error) {
    throw new PemProblem('contains no private key in PEM', { cause: error });
  }
}

/**
 * A secret for a bytea column. Each encryption of a text gives other bytes: an unchanged secret keeps its stored bytes, so that its record
 * stays unchanged.
 */
function encryptText(
  encryption: Encryption,
  context: string,
  plain: string | null,
  stored: Buffer | null | undefined,
): Buffer | null {
  if (plain === null) return null;
  if (stored && encryption.decrypt(stored, context) === plain) return stored;
  return encryption.encrypt(plain, context);
}
