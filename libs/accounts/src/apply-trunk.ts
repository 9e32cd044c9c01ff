import type { Encryption } from '@app/common';
import type { StoredTarget } from '@app/database';
import { type ApplyWork, given } from './apply-work.js';
import { checkCertificates, checkKey, PemProblem, pemText } from './pem.js';
import { saveNoted } from './save-noted.js';
import { column, jsonColumn, type SaveResult } from './save-row.js';
import { sealedText } from './sealed-columns.js';
import type { TlsNode, TrunkNode } from './trunk-node.js';

type Inbound = NonNullable<TrunkNode['inbound']>;

/** The node of the file without its passwords and keys, with its id and what became of it. */
export type AppliedTrunk = { id: number; result: SaveResult } & Omit<TrunkNode, 'password' | 'tls' | 'inbound'> & {
    tls?: Omit<TlsNode, 'key'> | null;
    inbound?: Omit<Inbound, 'password'> | null;
  };

/** Creates or changes a trunk by its name. A changed one is asked for its health at once. */
export async function applyTrunk(
  work: ApplyWork,
  accountId: number,
  node: TrunkNode,
  at: number,
): Promise<AppliedTrunk> {
  const { name, password, tls, inbound, ...shown } = node;
  const saved = await saveNoted(
    work,
    'trunk',
    { accountId, name },
    {
      ...targetColumns(node),
      ...(tls === undefined ? {} : tlsColumns(work, tls, at)),
      username: given(shown.username),
      password_sealed: password === undefined ? undefined : sealedText(work.encryption, password, 'trunk-password'),
      from_domain: given(shown.from_domain),
      assert_identity: given(shown.assert_identity),
      user_phone: given(shown.user_phone),
      headers: shown.headers === undefined ? undefined : jsonColumn(shown.headers ?? {}),
      codecs: given(shown.codecs),
      srtp: given(shown.srtp),
      transfer: given(shown.transfer),
      livekit_trunk_id: given(shown.livekit_trunk_id),
      options_ping_seconds: given(shown.options_ping_seconds),
      dial_formats: shown.dial_formats === undefined ? undefined : jsonColumn(shown.dial_formats),
      active: given(shown.active),
      concurrent_calls: given(shown.concurrent_calls),
      calls_per_second: given(shown.calls_per_second),
      ...(inbound === undefined ? {} : inboundColumns(work.encryption, inbound)),
    },
  );
  if (saved.result === 'updated') await forgetHealth(work, saved.id);
  return {
    ...saved,
    name,
    ...shown,
    ...(tls === undefined ? {} : { tls: tls && without(tls, 'key') }),
    ...(inbound === undefined ? {} : { inbound: inbound && without(inbound, 'password') }),
  };
}

/** The first target stands in the columns of old as well, for processes of the release before. */
function targetColumns({ host, port, transport, targets }: TrunkNode) {
  if (!targets) return { host: given(host), port: given(port), transport: given(transport), targets: jsonColumn(null) };
  const inOrder = targets.toSorted((a, b) => a.priority - b.priority).map(storedTarget);
  const [first] = inOrder;
  return {
    host: given(first?.host),
    port: column(first?.port ?? null),
    transport: column(first?.transport ?? 'udp'),
    targets: jsonColumn(inOrder),
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

/** null: no settings of its own any more. Inside the map, what is left out is nothing. */
function tlsColumns(work: ApplyWork, tls: TlsNode | null, at: number) {
  const text = (key: 'ca' | 'cert' | 'key', check: (pem: string) => void): string | null => {
    const source = tls?.[key] ?? null;
    if (source === null) return null;
    try {
      const pem = pemText(source, work.folder);
      check(pem);
      return pem;
    } catch (error) {
      if (!(error instanceof PemProblem)) throw error;
      throw work.file.fault(['accounts', work.index, 'trunks', at, 'tls', key], error.message);
    }
  };
  const cert = text('cert', checkCertificates);
  return {
    tls_ca: column(text('ca', checkCertificates)),
    tls_cert: column(cert),
    tls_key_sealed: sealedText(
      work.encryption,
      text('key', (key) => checkKey(key, cert ?? '')),
      'trunk-tls-key',
    ),
    tls_server_name: column(tls?.server_name ?? null),
  };
}

/** null: calls do not come in over the trunk any more. */
function inboundColumns(encryption: Encryption, inbound: Inbound | null) {
  return {
    inbound_enabled: column(inbound?.enabled ?? false),
    inbound_addresses: column(inbound?.addresses ?? []),
    inbound_username: column(inbound?.username ?? null),
    inbound_password_sealed: sealedText(encryption, inbound?.password ?? null, 'trunk-inbound-password'),
  };
}

const FORGET_HEALTH = `UPDATE trunk_health SET due_at = 'epoch', state = 'unknown', reason = NULL, changed_at = NULL,
  checked_at = NULL, targets = '[]' WHERE trunk_id = $1`;

async function forgetHealth({ sql }: ApplyWork, trunkId: number): Promise<void> {
  await sql.query(FORGET_HEALTH, [trunkId]);
}

function without<T extends object, K extends keyof T>(node: T, secret: K): Omit<T, K> {
  const { [secret]: _secret, ...shown } = node;
  return shown;
}
