import type { EntityTransaction } from '@app/database';
import { Injectable } from '@nestjs/common';
import { isDeepStrictEqual } from 'node:util';
import { type EntityTarget, type FindOptionsWhere, In, type QueryDeepPartialEntity } from 'typeorm';
import { AgentEntity } from '../agents/agent.entity.js';
import { PhoneNumberEntity } from '../numbers/phone-number.entity.js';
import { TrunkHealthEntity } from '../trunks/sip-trunk.entity.js';

export type SaveResult = 'created' | 'updated' | 'unchanged';

/** A column whose value changed. */
export interface ColumnChange {
  column: string;
  from: unknown;
  to: unknown;
}

export interface SavedRecord {
  id: number;
  result: SaveResult;
  /** Of an updated record. */
  changes: ColumnChange[];
}

interface NamedRecord {
  id: number;
  name: string;
}

/** Arbitrary key of the advisory lock that serialises workspace files. */
const APPLY_LOCK = 7_216_035;

/** Writes the records of a workspace file, all in one transaction. */
@Injectable()
export class WorkspaceRepository {
  /** Waits for other workspace files; the lock is held until the end of the transaction. */
  async lock(tx: EntityTransaction): Promise<void> {
    await tx.query('SELECT pg_advisory_xact_lock($1)', [APPLY_LOCK]);
  }

  /**
   * Locks agents in the order of their ids, as changes of shared knowledge bases do: locked in the order of the file, both could
   * deadlock.
   */
  async lockAgents(accountId: number, names: string[], tx: EntityTransaction): Promise<void> {
    await tx.manager.find(AgentEntity, {
      where: { accountId, name: In(names) },
      select: { id: true },
      order: { id: 'ASC' },
      lock: { mode: 'pessimistic_write' },
    });
  }

  /**
   * Creates the record or updates the columns that differ. `settings`: the wanted values for the stored record (null: the record is
   * new); undefined values are ignored.
   */
  async save<E extends NamedRecord>(
    entity: EntityTarget<E>,
    identity: FindOptionsWhere<E>,
    settings: (stored: E | null) => Partial<E>,
    tx: EntityTransaction,
  ): Promise<SavedRecord> {
    const records = tx.manager.getRepository(entity);
    const stored = await records.findOne({ where: identity, lock: { mode: 'pessimistic_write' } });
    const given = Object.entries(settings(stored)).filter(([, value]) => value !== undefined);
    if (!stored) {
      const row = { ...identity, ...Object.fromEntries(given) } as QueryDeepPartialEntity<E>;
      const { identifiers } = await records.insert(row);
      return { id: (identifiers[0] as NamedRecord).id, result: 'created', changes: [] };
    }
    const changed = given.filter(([property, value]) => !isDeepStrictEqual(stored[property as keyof E], value));
    if (changed.length === 0) return { id: stored.id, result: 'unchanged', changes: [] };
    await records.update(stored.id, Object.fromEntries(changed) as QueryDeepPartialEntity<E>);
    const changes = changed.map(([property, to]) => ({
      column: records.metadata.findColumnWithPropertyName(property)?.databaseName ?? property,
      from: stored[property as keyof E],
      to,
    }));
    return { id: stored.id, result: 'updated', changes };
  }

  /** undefined: the account has no agent of this name. */
  async agentId(accountId: number, name: string, tx: EntityTransaction): Promise<number | undefined> {
    return (await tx.manager.findOne(AgentEntity, { where: { accountId, name }, select: { id: true } }))?.id;
  }

  /** undefined: the account has no phone number of this name. */
  async numberId(accountId: number, name: string, tx: EntityTransaction): Promise<number | undefined> {
    return (await tx.manager.findOne(PhoneNumberEntity, { where: { accountId, name }, select: { id: true } }))?.id;
  }

  /** The health of a changed trunk is unknown, and its next check is due at once. */
  async resetTrunkHealth(trunkId: number, tx: EntityTransaction): Promise<void> {
    const unknown = { state: 'unknown', reason: null, changedAt: null, checkedAt: null } as const;
    await tx.manager.update(TrunkHealthEntity, { trunkId }, { ...unknown, targets: [], dueAt: new Date(0) });
  }
}
