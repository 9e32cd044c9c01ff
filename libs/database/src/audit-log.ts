import { isoTime } from '@app/common';
import type { Actor } from './audit.js';
import { type Query, rows, type Sql } from './statement.js';

/** What a list of audit events is narrowed to. */
export interface AuditFilter {
  /** Absent: of all accounts and of the installation, for its operator. */
  accountId?: number;
  action?: string;
  actor?: { kind: string; id?: string };
  subject?: { kind: string; id?: string };
  from?: Date;
  to?: Date;
}

/** An audit event as the API and the command line show it. */
export interface AuditEventView {
  id: number;
  at: string;
  account_id: number | null;
  actor: { kind: Actor['kind']; id: string | null };
  action: string;
  subject: { kind: string; id: string } | null;
  details: Record<string, unknown>;
  request_id: string | null;
}

interface AuditRow {
  id: string;
  at: Date;
  account_id: number | null;
  actor_kind: Actor['kind'];
  actor_id: string | null;
  action: string;
  subject_kind: string | null;
  subject_id: string | null;
  details: Record<string, unknown>;
  request_id: string | null;
}

/** Counted exactly up to here; beyond it a total says that it is the least there are. */
const CAP = 10_000;
const AT_ONCE = 2_000;
const COLUMNS = 'id, at, account_id, actor_kind, actor_id, action, subject_kind, subject_id, details, request_id';

export interface AuditPage {
  events: AuditEventView[];
  total: number;
  isEstimate: boolean;
}

/** A page of audit events, newest first. */
export async function pageOfAudit(
  sql: Sql,
  filter: AuditFilter,
  { page, perPage }: { page: number; perPage: number },
): Promise<AuditPage> {
  const { list, count } = queriesOf(filter, perPage, (page - 1) * perPage);
  const [found, [counted]] = await Promise.all([
    rows<AuditRow & Record<string, unknown>>(sql, list, list.values),
    rows<{ total: number }>(sql, count, count.values),
  ]);
  const total = counted?.total ?? 0;
  return { events: found.map(auditView), total, isEstimate: total > CAP };
}

const CONDITIONS: [name: string, sql: string, value: (filter: AuditFilter) => unknown][] = [
  ['account', 'account_id =', ({ accountId }) => accountId],
  ['action', 'action =', ({ action }) => action],
  ['actor', 'actor_kind =', ({ actor }) => actor?.kind],
  ['actor_id', 'actor_id =', ({ actor }) => actor?.id],
  ['subject', 'subject_kind =', ({ subject }) => subject?.kind],
  ['subject_id', 'subject_id =', ({ subject }) => subject?.id],
  ['from', 'at >=', ({ from }) => from],
  ['to', 'at <=', ({ to }) => to],
];

/** Named by their shape. */
function queriesOf(filter: AuditFilter, limit: number, offset: number): { list: Query; count: Query } {
  const given = CONDITIONS.map(([name, sql, value]) => ({ name, sql, value: value(filter) })).filter(
    ({ value }) => value !== undefined,
  );
  const values = given.map(({ value }) => value);
  const where = given.map(({ sql }, index) => `${sql} $${index + 1}`).join(' AND ') || 'true';
  const shape = given.map(({ name }) => name).join('-');
  const at = values.length;
  return {
    list: {
      name: `audit-list-${shape}`,
      text: `SELECT ${COLUMNS} FROM audit_events WHERE ${where} ORDER BY at DESC, id DESC LIMIT $${at + 1} OFFSET $${at + 2}`,
      values: [...values, limit, offset],
    },
    count: {
      name: `audit-count-${shape}`,
      text: `SELECT count(*)::integer AS total FROM (SELECT 1 FROM audit_events WHERE ${where} LIMIT ${CAP + 1}) AS capped`,
      values,
    },
  };
}

const auditView = (row: AuditRow): AuditEventView => ({
  id: Number(row.id),
  at: isoTime(row.at),
  account_id: row.account_id,
  actor: { kind: row.actor_kind, id: row.actor_id },
  action: row.action,
  subject: row.subject_kind === null ? null : { kind: row.subject_kind, id: row.subject_id ?? '' },
  details: row.details,
  request_id: row.request_id,
});

/** Deletes events older than `days`, the oldest first, a bounded number at a time. @returns how many there were. */
export async function purgeOldAudit(sql: Sql, days: number): Promise<number> {
  const result = await sql.query(
    `DELETE FROM audit_events WHERE id = ANY (ARRAY(
       SELECT id FROM audit_events WHERE at < now() - make_interval(days => $1) ORDER BY at LIMIT ${AT_ONCE}))`,
    [days],
  );
  return result.rowCount ?? 0;
}
