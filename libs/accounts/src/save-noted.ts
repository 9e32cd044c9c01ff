import { type AuditAction, writeAudit } from '@app/database';
import type { ApplyWork } from './apply-work.js';
import { isRetention } from './retention.js';
import { type Columns, saveRow, type SavedRow, type SaveResult } from './save-row.js';

type NamedKind = 'number' | 'trunk' | 'agent';

const TABLES: Record<NamedKind, string> = { number: 'phone_numbers', trunk: 'sip_trunks', agent: 'agents' };

/** Saves a row of an account under its name, and notes what became of it: which columns, not what stands in them. */
export async function saveNoted(
  work: Pick<ApplyWork, 'sql' | 'actor'>,
  kind: NamedKind,
  { accountId, name }: { accountId: number; name: string },
  columns: Columns,
): Promise<{ id: number; result: SaveResult }> {
  const { id, result, changes } = await saveRow(work.sql, TABLES[kind], { account_id: accountId, name }, columns);
  const changed = result === 'updated' ? { changed: changes.map(({ column }) => plainName(column)) } : {};
  if (result !== 'unchanged') {
    const action: AuditAction = `${kind}.${result}`;
    const { sql, actor } = work;
    await writeAudit(sql, { accountId, actor, action, subject: { kind, id }, details: { name, ...changed } });
  }
  return { id, result };
}

/** Saves an account by its name. Its columns are limits and times that data is kept; what they were before is worth knowing afterwards. */
export async function saveAccount(
  { sql, actor }: Pick<ApplyWork, 'sql' | 'actor'>,
  name: string,
  columns: Columns,
): Promise<{ id: number; result: SaveResult }> {
  const { id, result, changes } = await saveRow(sql, 'accounts', { name }, columns);
  const subject = { kind: 'account', id };
  if (result === 'created') {
    await writeAudit(sql, { accountId: id, actor, action: 'account.created', subject, details: { name } });
  }
  if (result === 'updated') {
    const kept = changes.filter(({ column }) => isRetention(column));
    const limits = changes.filter(({ column }) => !isRetention(column));
    const note = (action: AuditAction, details: Record<string, unknown>) =>
      writeAudit(sql, { accountId: id, actor, action, subject, details });
    if (limits.length > 0) await note('limits.changed', fromTo(limits));
    if (kept.length > 0) await note('retention.changed', fromTo(kept));
  }
  return { id, result };
}

const plainName = (column: string): string => column.replace(/_sealed$/, '');

const fromTo = (changes: SavedRow['changes']): Record<string, unknown> =>
  Object.fromEntries(changes.map(({ column, from, to }) => [column, { from, to }]));
