import { containing, Database, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';

/** A phone number of an account. */
export interface NumberLookup extends Record<string, unknown> {
  id: number;
  e164: string;
  active: boolean;
}

/** Prepared: read in every turn of a campaign. */
const NUMBERS = {
  name: 'numbers-by-id',
  text: 'SELECT id, e164, active FROM phone_numbers WHERE account_id = $1 AND id = ANY ($2::integer[])',
};

/** Prepared: read before each search of a list of calls. */
const NUMBERS_LIKE = {
  name: 'own-numbers',
  text: 'SELECT id FROM phone_numbers WHERE account_id = $1 AND e164 ILIKE $2',
};

const TRUNKS = {
  name: 'trunks-by-id',
  text: 'SELECT id, name, active FROM sip_trunks WHERE account_id = $1 AND id = ANY ($2::integer[])',
};

interface TrunkLookup extends Record<string, unknown> {
  id: number;
  name: string;
  active: boolean;
}

/** Numbers and trunks that other features name. */
@Injectable()
export class RecordLookupsRepository {
  constructor(private readonly database: Database) {}

  /** Without numbers that the account does not have. */
  numbers(accountId: number, ids: readonly number[], tx?: Sql): Promise<NumberLookup[]> {
    return this.database.quickRows<NumberLookup>(NUMBERS, [accountId, ids], tx);
  }

  /** The ids of the numbers that contain, or with `isWhole` are, the text. */
  async numbersLike(accountId: number, text: string, isWhole: boolean): Promise<number[]> {
    const values = [accountId, isWhole ? text : containing(text)];
    return (await this.database.rows<{ id: number }>(NUMBERS_LIKE, values)).map(({ id }) => id);
  }

  /** Without trunks that the account does not have. */
  trunks(accountId: number, ids: readonly number[], tx?: Sql): Promise<TrunkLookup[]> {
    return this.database.quickRows<TrunkLookup>(TRUNKS, [accountId, ids], tx);
  }
}
