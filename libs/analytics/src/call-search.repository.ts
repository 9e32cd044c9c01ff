import { Database, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';

const STORE = {
  name: 'store-searched-words',
  text: `INSERT INTO call_search (call_id, account_id, words)
    SELECT call_id, account_id, words::tsvector FROM unnest($1::uuid[], $2::integer[], $3::text[]) AS n (call_id, account_id, words)
    ON CONFLICT (call_id) DO UPDATE SET words = excluded.words`,
};

const DELETE = { name: 'forget-searched-words', text: 'DELETE FROM call_search WHERE call_id = ANY ($1::uuid[])' };

/** The words of a call: the text of a tsvector. */
export interface SearchedWords {
  callId: string;
  accountId: number;
  words: string;
}

/** The words of transcripts. */
@Injectable()
export class CallSearchRepository {
  constructor(private readonly database: Database) {}

  /** The calls and their transcripts must not be deleted before the end of the transaction. */
  async store(calls: readonly SearchedWords[], tx: Sql): Promise<void> {
    if (calls.length === 0) return;
    const column = <K extends keyof SearchedWords>(name: K) => calls.map((call) => call[name]);
    await this.database.rows(STORE, [column('callId'), column('accountId'), column('words')], tx);
  }

  async delete(callIds: readonly string[], tx: Sql): Promise<void> {
    await this.database.rows(DELETE, [callIds], tx);
  }
}
