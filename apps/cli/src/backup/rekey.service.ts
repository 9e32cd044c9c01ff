import type { Encryption } from '@app/common';
import { inTransaction, rows, writeAudit, type Actor, type Sql } from '@app/database';
import type { Pool } from 'pg';

interface SealedColumn {
  table: string;
  column: string;
  /** What Seal authenticates with the value. */
  context: string;
}

/** Columns of sealed bytes; `test/rekey.e2e-spec.ts` finds those that are missing here. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  { table: 'webhook_secrets', column: 'secret_sealed', context: 'webhook-secret' },
  { table: 'sip_trunks', column: 'password_sealed', context: 'trunk-password' },
  { table: 'sip_trunks', column: 'tls_key_sealed', context: 'trunk-tls-key' },
  { table: 'sip_trunks', column: 'inbound_password_sealed', context: 'trunk-inbound-password' },
  { table: 'tool_actions', column: 'headers_sealed', context: 'tool-headers' },
  { table: 'webhook_deliveries', column: 'headers_sealed', context: 'webhook-headers' },
];

/** Columns of JSON with `"headers_sealed": "<base64>"` somewhere inside. */
export const SEALED_JSON: readonly Omit<SealedColumn, 'context'>[] = [
  { table: 'agents', column: 'post_call_webhook' },
  { table: 'agents', column: 'call_status_webhook' },
  { table: 'calls', column: 'settings' },
];
const JSON_CONTEXT = 'webhook-headers';

const BATCH = 500;

/**
 * Seals everything anew with the first key of `encryption`. Runs beside the service, and may be run again: a row that changes meanwhile is
 * left to its writer, who has the new key already. Returns how many values were sealed anew. Throws when a value opens with none of the keys.
 */
export async function rekey(pool: Pool, encryption: Encryption, actor: Actor): Promise<number> {
  let count = 0;
  for (const { table, column, context } of SEALED_COLUMNS) {
    count += await eachRow(pool, table, column, `${column} IS NOT NULL`, (value) =>
      resealed(encryption, value as Buffer, context),
    );
  }
  for (const { table, column } of SEALED_JSON) {
    const where = `${column}::text LIKE '%"headers_sealed"%'`;
    count += await eachRow(pool, table, column, where, (value) => resealedJson(encryption, value as object));
  }
  await inTransaction(pool, async (tx) => {
    await tx.query('UPDATE installation SET key_fingerprint = $1', [encryption.fingerprint]);
    await writeAudit(tx, { accountId: null, actor, action: 'secret_key.rekeyed', details: { values: count } });
  });
  return count;
}

/** Goes through a table by its id; `change` gives undefined where nothing is to be done. */
async function eachRow(
  sql: Sql,
  table: string,
  column: string,
  where: string,
  change: (value: unknown) => unknown,
): Promise<number> {
  let count = 0;
  let last: unknown;
  for (;;) {
    const after = last === undefined ? '' : 'AND id > $1';
    const text = `SELECT id, ${column} AS value FROM ${table} WHERE ${where} ${after} ORDER BY id LIMIT ${BATCH}`;
    const page = await rows<{ id: unknown; value: unknown }>(sql, { text }, last === undefined ? [] : [last]);
    for (const { id, value } of page) {
      const changed = change(value);
      if (changed === undefined) continue;
      const update = { text: `UPDATE ${table} SET ${column} = $2 WHERE id = $1 AND ${column} = $3 RETURNING 1` };
      count += (await rows(sql, update, [id, changed, value])).length;
    }
    if (page.length < BATCH) return count;
    last = page.at(-1)?.id;
  }
}

function resealed(encryption: Encryption, value: Buffer, context: string): Buffer | undefined {
  return encryption.isCurrent(value, context)
    ? undefined
    : encryption.encrypt(encryption.decrypt(value, context), context);
}

function resealedJson(encryption: Encryption, value: object): object | undefined {
  let changed = false;
  const copy = JSON.parse(JSON.stringify(value), (key, item: unknown) => {
    if (key !== 'headers_sealed' || typeof item !== 'string') return item;
    const anew = resealed(encryption, Buffer.from(item, 'base64'), JSON_CONTEXT);
    if (!anew) return item;
    changed = true;
    return anew.toString('base64');
  }) as object;
  return changed ? copy : undefined;
}
