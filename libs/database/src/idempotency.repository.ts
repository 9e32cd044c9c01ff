import { Conflict, InvalidFields } from '@app/common';
import { createHash } from 'node:crypto';
import { rows, type Sql } from './statement.js';

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
      'Idempotency-Key': ['The Idempotency-Key header must be 1 to 255 visible ASCII characters.'],
    });
  }
  return { key: header, hash: createHash('sha256').update(canonical(body)).digest() };
}

/** The same text for the same JSON value, whatever the order of its keys. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`).join(',')}}`;
}

/** A stored key: what was asked, and the answer as the text it was (jsonb would reorder an object's keys). */
export interface KeptAnswer {
  request_hash: Buffer;
  response: string;
}

/** The first answer, for the same body. Throws Conflict when the key came with another one. */
export function replayedAnswer(kept: KeptAnswer, asked: IdempotencyKey): string {
  if (kept.request_hash.equals(asked.hash)) return kept.response;
  throw new Conflict('This Idempotency-Key was used with another request body.');
}

/**
 * A CTE that takes the key, `keyed`: one row when it is ours (or when there is none), no row when another request has it.
 * A concurrent request with the same key waits here until the first one commits, and then finds it taken.
 */
export const keyedCte = (p: { account: string; key: string; hash: string; response: string }): string => `
  taken AS (
    INSERT INTO idempotency_keys AS k (account_id, key, request_hash, response)
    SELECT ${p.account}::integer, ${p.key}::text, ${p.hash}::bytea, to_jsonb(${p.response}::text) WHERE ${p.key}::text IS NOT NULL
    ON CONFLICT (account_id, key) DO UPDATE
      SET request_hash = excluded.request_hash, response = excluded.response, created_at = now()
      WHERE k.created_at < now() - interval '${KEPT_HOURS} hours'
    RETURNING 1),
  keyed AS (SELECT 1 WHERE ${p.key}::text IS NULL UNION ALL SELECT 1 FROM taken)`;

/** Joins the kept answer to a statement that has the account as `a`. */
export const keptAnswerJoin = (key: string): string => `LEFT JOIN idempotency_keys k
  ON k.account_id = a.id AND k.key = ${key}::text AND k.created_at >= now() - interval '${KEPT_HOURS} hours'`;

const FIND = {
  name: 'find-kept-answer',
  text: `SELECT request_hash, response #>> '{}' AS response FROM idempotency_keys
    WHERE account_id = $1 AND key = $2 AND created_at >= now() - interval '${KEPT_HOURS} hours'`,
};

/** The answer that is kept under the key, if one is. Throws Conflict when the key came with another body. */
export async function findKeptAnswer(sql: Sql, accountId: number, asked: IdempotencyKey): Promise<string | undefined> {
  const [kept] = await rows<KeptAnswer & Record<string, unknown>>(sql, FIND, [accountId, asked.key]);
  return kept && replayedAnswer(kept, asked);
}

const KEEP = {
  name: 'keep-answer',
  text: `WITH ${keyedCte({ account: '$1', key: '$2', hash: '$3', response: '$4' })} SELECT 1 FROM keyed`,
};

/** Stores an answer in the transaction of its request. False: another request took the key, and its answer is the valid one. */
export async function keepAnswer(
  tx: Sql,
  accountId: number,
  { key, hash }: IdempotencyKey,
  answer: string,
): Promise<boolean> {
  return (await rows(tx, KEEP, [accountId, key, hash, answer])).length > 0;
}

const FORGET = {
  name: 'forget-idempotency-keys',
  text: `DELETE FROM idempotency_keys k USING (
      SELECT account_id, key FROM idempotency_keys
       WHERE created_at < now() - interval '${KEPT_HOURS} hours' ORDER BY created_at LIMIT 2000) expired
    WHERE k.account_id = expired.account_id AND k.key = expired.key
    RETURNING 1`,
};

/** For a sweeper: deletes expired keys, 2,000 at most. Returns how many. */
export async function forgetIdempotencyKeys(sql: Sql): Promise<number> {
  return (await rows(sql, FORGET)).length;
}
