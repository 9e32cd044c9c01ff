import type { EntityTransaction } from '@app/database';
import { Injectable } from '@nestjs/common';
import { isDeepStrictEqual } from 'node:util';
import type { EntityTarget, FindOptionsWhere, QueryDeepPartialEntity } from 'typeorm';

export type SaveResult = 'created' | 'updated' | 'unchanged';

/** A column whose value changed. */
export interface ColumnChange {
  column: string;
  /** undefined: the record is new. */
  from: unknown;
  to: unknown;
}

export interface SavedRecord {
  id: number;
  result: SaveResult;
  /** Of a new record: the given columns. */
  changes: ColumnChange[];
}

export const resultOf = ({ id, result }: SavedRecord): { id: number; result: SaveResult } => ({ id, result });

export interface NamedRecord {
  id: number;
  name: string;
}

/** A record of an account by its id or by its name. */
export type RecordIdentity = { accountId: number } & ({ id: number } | { name: string });

/** Writes numbers, trunks, agents and accounts, and reports what changed. */
@Injectable()
export class RecordsRepository {
  /**
   * Creates the record or updates the columns that differ; undefined values are ignored. `settings`: the wanted values for the stored
   * record, which is locked (null: there is none); it throws when a record must or must not exist.
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
    const columnOf = (property: string): string =>
      records.metadata.findColumnWithPropertyName(property)?.databaseName ?? property;
    if (!stored) {
      const row = { ...identity, ...Object.fromEntries(given) } as QueryDeepPartialEntity<E>;
      const { identifiers } = await records.insert(row);
      const changes = given.map(([property, to]) => ({ column: columnOf(property), from: undefined, to }));
      return { id: (identifiers[0] as NamedRecord).id, result: 'created', changes };
    }
    const changed = given.filter(([property, value]) => !isDeepStrictEqual(stored[property as keyof E], value));
    if (changed.length === 0) return { id: stored.id, result: 'unchanged', changes: [] };
    await records.update(stored.id, Object.fromEntries(changed) as QueryDeepPartialEntity<E>);
    const changes = changed.map(([property, to]) => ({
      column: columnOf(property),
      from: stored[property as keyof E],
      to,
    }));
    return { id: stored.id, result: 'updated', changes };
  }
}
