import { isoTime } from '@app/common';
import { rows, type Sql } from '@app/database';

interface NumberRow {
  id: number;
  name: string;
  e164: string;
  active: boolean;
  agent_id: number | null;
  created_at: Date;
  updated_at: Date;
}

const PAGE = {
  name: 'list-numbers',
  text: `SELECT id, name, e164, active, agent_id, created_at, updated_at
    FROM phone_numbers WHERE account_id = $1 ORDER BY name LIMIT $2 OFFSET $3`,
};
const COUNT = {
  name: 'count-numbers',
  text: 'SELECT count(*)::integer AS total FROM phone_numbers WHERE account_id = $1',
};

/** The account's phone numbers by name, as the API shows them. */
export async function pageOfNumbers(
  sql: Sql,
  accountId: number,
  { page, perPage }: { page: number; perPage: number },
): Promise<{ numbers: NumberView[]; total: number }> {
  const [numbers, [count]] = await Promise.all([
    rows<NumberRow & Record<string, unknown>>(sql, PAGE, [accountId, perPage, (page - 1) * perPage]),
    rows<{ total: number }>(sql, COUNT, [accountId]),
  ]);
  return { numbers: numbers.map(numberView), total: count?.total ?? 0 };
}

const numberView = (row: NumberRow) => ({
  id: row.id,
  name: row.name,
  e164: row.e164,
  active: row.active,
  agent_id: row.agent_id,
  created_at: isoTime(row.created_at),
  updated_at: isoTime(row.updated_at),
});

export type NumberView = ReturnType<typeof numberView>;
