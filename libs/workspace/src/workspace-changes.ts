import type { AuditEventView } from '@app/audit';
import type { RecordKind, SavedRecord, SaveResult } from '@app/accounts';

type ChangedKind = RecordKind | 'account';

/** A record that a workspace file creates, changes or deletes. */
export interface RecordChange {
  accountId: number;
  account: string;
  kind: ChangedKind;
  name: string;
  id: number;
  result: Exclude<SaveResult, 'unchanged'> | 'deleted';
  fields: FieldChange[];
}

/** A changed column of a record. Secrets have neither value. */
interface FieldChange {
  field: string;
  /** Absent: the record is new. */
  from?: unknown;
  to?: unknown;
}

/** A value of the file that replaced a change over the API. */
export interface OverwrittenValue {
  account: string;
  kind: ChangedKind;
  name: string;
  field: string;
  changed_at: string;
  token_id: string | null;
}

/** Adds the saved record to the changes of the file, unless it is unchanged. */
export function noteChange(
  all: RecordChange[],
  { accountId, account, kind, name }: Pick<RecordChange, 'accountId' | 'account' | 'kind' | 'name'>,
  { id, result, changes }: SavedRecord,
): void {
  if (result === 'unchanged') return;
  const isNew = result === 'created';
  // A new record has no value to compare with: what it leaves empty is not a change. Every number of a file is assigned by the operator.
  const shown = changes.filter(({ column, to }) => !isNew || (to !== null && column !== 'assigned_by_operator'));
  const fields = shown.map(({ column, from, to }): FieldChange => {
    const field = column.replace(/_sealed$/, '');
    if (field !== column) return { field };
    return { field, ...(isNew ? {} : { from: withoutSecrets(from) }), to: withoutSecrets(to) };
  });
  all.push({ accountId, account, kind, name, id, result, fields });
}

/** A copy in which encrypted values, such as the headers of a webhook, are replaced. */
function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== 'object' || value === null) return value;
  if (Buffer.isBuffer(value)) return '(secret)';
  const entries = Object.entries(value).map(([key, one]) =>
    key.endsWith('_sealed') ? [key.replace(/_sealed$/, ''), '(secret)'] : [key, withoutSecrets(one)],
  );
  return Object.fromEntries(entries);
}

/** One change per record: a number is saved twice, because its agent may follow it in the file. */
export function mergeChanges(changes: readonly RecordChange[]): RecordChange[] {
  const merged = new Map<string, RecordChange>();
  for (const change of changes) {
    const key = `${change.kind} ${change.id}`;
    const before = merged.get(key);
    merged.set(key, before ? { ...before, fields: [...before.fields, ...change.fields] } : change);
  }
  return [...merged.values()];
}

/** Of the changed fields, those whose latest change came over the API. `events`: those of the record, newest first. */
export function overwrittenFields(change: RecordChange, events: readonly AuditEventView[]): OverwrittenValue[] {
  if (change.result !== 'updated') return [];
  const { account, kind, name } = change;
  return change.fields.flatMap(({ field }) => {
    const latest = events.find((event) => concerns(event, field));
    if (latest?.actor.kind !== 'token') return [];
    return [{ account, kind, name, field, changed_at: latest.at, token_id: latest.actor.id }];
  });
}

/** The events of accounts name columns with their values; those of other records list the columns; a creation sets all. */
function concerns({ action, details }: AuditEventView, field: string): boolean {
  if (action.endsWith('.created')) return true;
  return Array.isArray(details.changed) ? details.changed.includes(field) : field in details;
}
