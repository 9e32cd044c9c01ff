import type { Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import { type NumberLookup, RecordLookupsRepository } from './record-lookups.repository.js';

/** What other features read of the numbers and trunks that they name. */
@Injectable()
export class RecordLookupsService {
  constructor(private readonly records: RecordLookupsRepository) {}

  /** In no order; without numbers that the account does not have. */
  numbers(accountId: number, ids: readonly number[], tx?: Sql): Promise<NumberLookup[]> {
    return this.records.numbers(accountId, ids, tx);
  }

  /** The ids of the numbers that contain, or with `isWhole` are, the text. */
  numbersLike(accountId: number, text: string, isWhole: boolean): Promise<number[]> {
    return this.records.numbersLike(accountId, text, isWhole);
  }

  /** null: the account has no such trunk. */
  async isTrunkActive(accountId: number, id: number, tx?: Sql): Promise<boolean | null> {
    const [trunk] = await this.records.trunks(accountId, [id], tx);
    return trunk?.active ?? null;
  }

  /** By id; deleted trunks are left out. */
  async trunkNames(accountId: number, ids: readonly number[]): Promise<Map<number, string>> {
    return new Map((await this.records.trunks(accountId, ids)).map(({ id, name }) => [id, name]));
  }
}
