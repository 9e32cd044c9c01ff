import { Conflict, InvalidFields, withCode } from '@app/common';
import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { Database, type EntityTransaction } from './database.js';
import type { Sql } from './statement.js';

/** An `Idempotency-Key` header with the fingerprint of the body that came with it. */
export interface IdempotencyKey {
  key: string;
  hash: Buffer;
}

/** How long a key is kept. */
const KEPT_HOURS = 24;

const KEY = /^[\x21-\x7e]{1,255}$/;

/** Undefined when there is no header. Throws InvalidFields when it is not 1 to 255 visible ASCII characters. */
export function idempotencyKey(header: string | undefined, body: unknown): IdempotencyKey | undefined {
  if (header === undefined) return undefined;
  if (!KEY.test(header)) {
    throw new InvalidFields({
      'Idempotency-Key': [
        withCode('invalid_format', 'The Idempotency-Key header must be 1 to 255 visible ASCII characters.'),
      ],
    });
  }
  return { key: header, hash: createHash('sha256').update(canonical(body)).digest() };
}

/** The same text for equal JSON values, regardless of the order of their keys. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`).join(',')}}`;
}

/** A stored key: the fingerprint of the request, and the answer as its exact text (jsonb would reorder an object's keys). */
export interface KeptAnswer {
  request_hash: Buffer;
  response: string;
}

/** The first answer, if the body is the same. Throws Conflict when the key was used with another body. */
export function replayedAnswer(kept: KeptAnswer, { hash }: IdempotencyKey): string {
  if (kept.request_hash.equals(hash)) return kept.response;
  throw new Conflict('This Idempotency-Key was used with another request body.');
}

/**
 * A CTE that takes the keys of requests, `keyed`: the account and key of those that have it, not those that another request has.
 * A concurrent request with the same key waits here until the first one commits, and then finds it taken. In the order of the keys, so that
 * requests with several keys do not wait for each other. A fragment, because the creation of calls is one statement in one round trip.
 * @param keys a jsonb list of `{account_id, key, hash, response}`, the hash in hexadecimal digits
 */
export const keyedCte = (keys: string): string => `
  keyed AS (
    INSERT INTO idempotency_keys AS k (account_id, key, request_hash, response)
    SELECT account_id, key, decode(hash, 'hex'), to_jsonb(response)
      FROM jsonb_to_recordset(${keys}::jsonb) AS r(account_id integer, key text, hash text, response text) ORDER BY account_id, key
    ON CONFLICT (account_id, key) DO UPDATE
      SET request_hash = excluded.request_hash, response = excluded.response, created_at = now()
      WHERE k.created_at < now() - interval '${KEPT_HOURS} hours'
    RETURNING k.account_id, k.key)`;

/** Joins the kept answer to a statement that has the account as `a`: the creation of calls reads it with everything else. */
export const keptAnswerJoin = (key: string): string => `LEFT JOIN idempotency_keys k
  ON k.account_id = a.id AND k.key = ${key}::text AND k.created_at >= now() - interval '${KEPT_HOURS} hours'`;

const FIND = {
  name: 'find-kept-answer',
  text: `SELECT request_hash, response #>> '{}' AS response FROM idempotency_keys
    WHERE account_id = $1 AND key = $2 AND created_at >= now() - interval '${KEPT_HOURS} hours'`,
};

const KEEP = {
  name: 'keep-answer',
  text: `WITH ${keyedCte('$1')} SELECT 1 FROM keyed`,
};

const FORGET = {
  name: 'forget-idempotency-keys',
  text: `DELETE FROM idempotency_keys k USING (
      SELECT account_id, key FROM idempotency_keys
       WHERE created_at < now() - interval '${KEPT_HOURS} hours' ORDER BY created_at LIMIT 2000) expired
    WHERE k.account_id = expired.account_id AND k.key = expired.key
    RETURNING 1`,
};

/** A concurrent request with the same key was faster; this transaction is rolled back. */
class KeyTaken extends Error {}

/** An answer, and whether it is that of an earlier request. */
interface Once<T> {
  answer: T;
  replayed: boolean;
}

/**
 * The answers to requests with an `Idempotency-Key`. Services use createOnce. The creation of calls, which is one statement, includes keyedCte
 * and keptAnswerJoin instead.
 */
@Injectable()
export class IdempotencyRepository {
  constructor(private readonly database: Database) {}

  /**
   * Runs a creation in a transaction, once per key: a repetition returns the stored answer, which must be JSON without secrets. `prepare` does
   * before what must not happen in the transaction, such as requests to other servers, and not at all for a repetition. Throws Conflict
   * when the key was used with another body.
   */
  createOnce<T>(
    accountId: number,
    key: IdempotencyKey | undefined,
    create: (tx: EntityTransaction) => Promise<T>,
  ): Promise<Once<T>>;
  createOnce<T, P>(
    accountId: number,
    key: IdempotencyKey | undefined,
    create: (tx: EntityTransaction, prepared: P) => Promise<T>,
    prepare: () => Promise<P>,
  ): Promise<Once<T>>;
  async createOnce<T>(
    accountId: number,
    key: IdempotencyKey | undefined,
    create: (tx: EntityTransaction, prepared?: unknown) => Promise<T>,
    prepare?: () => Promise<unknown>,
  ): Promise<Once<T>> {
    const earlier = key && (await this.find(accountId, key));
    if (earlier !== undefined) return { answer: JSON.parse(earlier) as T, replayed: true };
    const prepared = await prepare?.();
    try {
      const answer = await this.database.entityTransaction(async (tx) => {
        const created = await create(tx, prepared);
        if (key && !(await this.keep(accountId, key, JSON.stringify(created), tx))) throw new KeyTaken();
        return created;
      });
      return { answer, replayed: false };
    } catch (error) {
      // The first request with the key may have ended meanwhile: then a name is taken, and its answer is returned.
      const first = key && (await this.find(accountId, key));
      if (first !== undefined) return { answer: JSON.parse(first) as T, replayed: true };
      throw error;
    }
  }

  /** For a sweep: deletes expired keys, 2,000 at most. */
  async deleteExpired(): Promise<void> {
    await this.database.rows(FORGET);
  }

  private async find(accountId: number, key: IdempotencyKey): Promise<string | undefined> {
    const [kept] = await this.database.rows<KeptAnswer & Record<string, unknown>>(FIND, [accountId, key.key]);
    return kept && replayedAnswer(kept, key);
  }

  /** False: another request took the key, and its answer is the valid one. */
  private async keep(accountId: number, { key, hash }: IdempotencyKey, answer: string, tx: Sql): Promise<boolean> {
    const kept = [{ account_id: accountId, key, hash: hash.toString('hex'), response: answer }];
    return (await this.database.rows(KEEP, [JSON.stringify(kept)], tx)).length > 0;
  }
}
