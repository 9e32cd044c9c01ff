import { InvalidFields, type Encryption } from '@app/common';
import { rows, type Sql } from '@app/database';
import { type ActionHeader, sealActionHeaders } from './action-headers.js';
import type { NewAction } from './new-tool.js';

const INSERT_ACTIONS = {
  name: 'insert-tool-actions',
  text: `INSERT INTO tool_actions (account_id, tool_id, position, name, url, method, payload, headers_sealed, query_params,
      wait_response, timeout_ms)
    SELECT $1, $2, a.* FROM unnest($3::smallint[], $4::text[], $5::text[], $6::text[], $7::json[], $8::bytea[], $9::json[],
      $10::boolean[], $11::integer[]) AS a`,
};

/** Adds actions in their order. `headers`: of each. */
export async function insertActions(
  tx: Sql,
  encryption: Encryption,
  { accountId, toolId }: { accountId: number; toolId: number },
  actions: readonly NewAction[],
  headers: readonly ActionHeader[][],
): Promise<void> {
  if (actions.length === 0) return;
  const columns = [
    actions.map((_action, index) => index),
    actions.map(({ name }) => name),
    actions.map(({ url }) => url),
    actions.map(({ method }) => method),
    actions.map(({ payload }) => jsonOrNull(payload)),
    headers.map((list) => sealActionHeaders(encryption, list)),
    actions.map(({ queryParams }) => jsonOrNull(queryParams)),
    actions.map(({ waitResponse }) => waitResponse),
    actions.map(({ timeoutMs }) => timeoutMs),
  ];
  await rows(tx, INSERT_ACTIONS, [accountId, toolId, ...columns]);
}

const jsonOrNull = (value: object | null): string | null => (value === null ? null : JSON.stringify(value));

const UNIQUE_VIOLATION = '23505';

/** Runs what writes a name: the database tells of another tool with it, also of one that is made at the same moment. */
export async function withFreeName<T>(name: string | undefined, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const { code, constraint } = error as { code?: unknown; constraint?: unknown };
    if (code !== UNIQUE_VIOLATION || constraint !== 'tools_name') throw error;
    throw new InvalidFields({ name: [`The agent has another tool named ${name}.`] });
  }
}
