import { noRecord } from '@app/common';
import { type Acting, AuditService } from '@app/audit';
import { type EntityTransaction, faultOf, FOREIGN_KEY_VIOLATION, hasCode, UNIQUE_VIOLATION } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { EntityTarget, FindOptionsWhere } from 'typeorm';
import { InvalidRecord, taken } from '../domain/field-faults.js';
import { type NamedRecord, type RecordIdentity, RecordsRepository, type SavedRecord } from './records.repository.js';

export type RecordKind = 'number' | 'trunk' | 'agent';

/** Who changes a record over the API: operators may do more than tenants. */
export interface ActingTenant extends Acting {
  /** The token has the scope `account:write`. */
  isOperator: boolean;
}

/** A write of one record of an account. */
interface RecordWrite<E extends NamedRecord> {
  kind: RecordKind;
  entity: EntityTarget<E>;
  identity: RecordIdentity;
  /** The wanted values for the stored record; null: it is new. Throws when a record must or must not exist. */
  settings: (stored: E | null) => Partial<E>;
}

/** Writes the numbers, trunks and agents of accounts with their audit events: one way for the API, workspace files and the command line. */
@Injectable()
export class AccountRecordsService {
  constructor(
    private readonly records: RecordsRepository,
    private readonly audit: AuditService,
  ) {}

  /** Throws InvalidRecord when another record of the account has the name or number. */
  async save<E extends NamedRecord & { accountId: number }>(
    acting: Acting,
    { kind, entity, identity, settings }: RecordWrite<E>,
    tx: EntityTransaction,
  ): Promise<SavedRecord> {
    let name = 'name' in identity ? identity.name : '';
    let values: Partial<E> = {};
    const wanted = (stored: E | null): Partial<E> => {
      values = settings(stored);
      name = values.name ?? stored?.name ?? name;
      return values;
    };
    const saved = await this.records
      .save(entity, identity as FindOptionsWhere<E>, wanted, tx)
      .catch((error: unknown) => {
        throw constraintFault(error, kind, { ...values, name }) ?? error;
      });
    await this.recordSaved(acting, kind, name, saved, tx);
    return saved;
  }

  /** The audit event of a saved record names the changed columns, not their values. */
  async recordSaved(
    acting: Acting,
    kind: RecordKind,
    name: string,
    { id, result, changes }: SavedRecord,
    tx: EntityTransaction,
  ): Promise<void> {
    if (result === 'unchanged') return;
    const columns = changes.map(({ column }) => column.replace(/_sealed$/, ''));
    const details = { name, ...(result === 'updated' ? { changed: columns } : {}) };
    await this.record(acting, { action: `${kind}.${result}`, kind, id, details }, tx);
  }

  recordDeleted(acting: Acting, kind: RecordKind, { id, name }: NamedRecord, tx: EntityTransaction): Promise<void> {
    return this.record(acting, { action: `${kind}.deleted`, kind, id, details: { name } }, tx);
  }

  private record(
    { accountId, actor }: Acting,
    { action, kind, id, details }: { action: `${string}.${string}`; kind: string; id: number; details: object },
    tx: EntityTransaction,
  ): Promise<void> {
    const event = { accountId, actor, action, subject: { kind, id }, details: details as Record<string, unknown> };
    return this.audit.record(event, tx);
  }
}

/** The fault behind a violated constraint: the indexes decide, because a concurrent request may have taken a name. */
function constraintFault(error: unknown, kind: RecordKind, values: object): InvalidRecord | undefined {
  if (hasCode(error, UNIQUE_VIOLATION)) {
    const [, field] = /_account_id_(name|e164)_key$/.exec(faultOf(error).constraint ?? '') ?? [];
    return field === undefined ? undefined : taken(field, String((values as Record<string, unknown>)[field]), kind);
  }
  // The agent was deleted after it was found.
  const { agentId = null, closedAgentId = null } = values as { agentId?: number | null; closedAgentId?: number | null };
  if (agentId !== null && hasCode(error, FOREIGN_KEY_VIOLATION, 'phone_numbers_agent_id_fkey'))
    return unknownAgent(agentId);
  if (closedAgentId !== null && hasCode(error, FOREIGN_KEY_VIOLATION, 'phone_numbers_closed_agent_id_fkey'))
    return unknownAgent(closedAgentId, ['closed', 'agent_id']);
  return undefined;
}

export function unknownAgent(id: number, path: readonly string[] = ['agent_id']): InvalidRecord {
  const { code, message: sentence } = noRecord('agent', id);
  return new InvalidRecord([{ path, code, message: 'is not an agent of this account', sentence }]);
}

/** The settings of a record that must not exist yet. */
export const mustBeNew =
  <T>(kind: RecordKind, name: string, settings: T) =>
  (stored: object | null): T => {
    if (stored) throw taken('name', name, kind);
    return settings;
  };
