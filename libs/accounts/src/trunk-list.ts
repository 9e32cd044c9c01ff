import { NotFound } from '@app/common';
import { rows, type Sql, type SipTrunkEntity, type StoredDialFormats, type StoredTarget } from '@app/database';
import { LEGS_OF_TRUNK } from './legs-of-trunk.js';
import type { HealthState, TargetState } from './trunk-health.js';

/** A trunk with its health; nothing in it is secret. */
export interface TrunkRow {
  id: number;
  account_id: number;
  account: string;
  name: string;
  active: boolean;
  host: string;
  port: number | null;
  transport: string;
  targets: StoredTarget[] | null;
  tls_ca: string | null;
  tls_cert: string | null;
  tls_server_name: string | null;
  username: string | null;
  from_domain: string | null;
  assert_identity: boolean;
  user_phone: boolean;
  headers: Record<string, string>;
  codecs: string[] | null;
  srtp: SipTrunkEntity['srtp'];
  transfer: SipTrunkEntity['transfer'];
  livekit_trunk_id: string | null;
  dial_formats: StoredDialFormats | null;
  options_ping_seconds: number;
  concurrent_calls: number | null;
  calls_per_second: number | null;
  created_at: Date;
  updated_at: Date;
  live_calls: number;
  state: HealthState;
  reason: string | null;
  changed_at: Date | null;
  checked_at: Date | null;
  target_states: TargetState[];
}

const COLUMNS = `t.id, t.account_id, a.name AS account, t.name, t.active, t.host, t.port, t.transport, t.targets, t.tls_ca,
  t.tls_cert, t.tls_server_name, t.username, t.from_domain, t.assert_identity, t.user_phone, t.headers, t.codecs, t.srtp, t.livekit_trunk_id,
  t.transfer, t.dial_formats, t.options_ping_seconds, t.concurrent_calls, t.calls_per_second, t.created_at, t.updated_at,
  ${LEGS_OF_TRUNK} AS live_calls,
  coalesce(h.state, 'unknown') AS state, h.reason, h.changed_at, h.checked_at, coalesce(h.targets, '[]') AS target_states`;
const FROM = 'FROM sip_trunks t JOIN accounts a ON a.id = t.account_id LEFT JOIN trunk_health h ON h.trunk_id = t.id';

const FIND = { name: 'find-trunk', text: `SELECT ${COLUMNS} ${FROM} WHERE t.account_id = $1 AND t.id = $2` };

/** Throws NotFound when the account has no such trunk. */
export async function findTrunk(sql: Sql, accountId: number, trunkId: number): Promise<TrunkRow> {
  const [row] = await rows<TrunkRow & Record<string, unknown>>(sql, FIND, [accountId, trunkId]);
  if (!row) throw new NotFound('Trunk');
  return row;
}

const PAGE = {
  name: 'list-trunks',
  text: `SELECT ${COLUMNS} ${FROM} WHERE t.account_id = $1 ORDER BY t.name LIMIT $2 OFFSET $3`,
};
const COUNT = { name: 'count-trunks', text: 'SELECT count(*)::integer AS total FROM sip_trunks WHERE account_id = $1' };

/** The account's trunks by name. */
export async function pageOfTrunks(
  sql: Sql,
  accountId: number,
  { page, perPage }: { page: number; perPage: number },
): Promise<{ trunks: TrunkRow[]; total: number }> {
  const [trunks, [count]] = await Promise.all([
    rows<TrunkRow & Record<string, unknown>>(sql, PAGE, [accountId, perPage, (page - 1) * perPage]),
    rows<{ total: number }>(sql, COUNT, [accountId]),
  ]);
  return { trunks, total: count?.total ?? 0 };
}

/** All trunks by account and name; of one account when its id is given. For the command line. */
export const allTrunks = (sql: Sql, accountId?: number): Promise<TrunkRow[]> =>
  rows<TrunkRow & Record<string, unknown>>(
    sql,
    { text: `SELECT ${COLUMNS} ${FROM} WHERE $1::integer IS NULL OR t.account_id = $1 ORDER BY a.name, t.name` },
    [accountId ?? null],
  );
