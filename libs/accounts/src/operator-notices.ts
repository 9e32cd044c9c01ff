import { rows, type Sql } from '@app/database';

/** What a process noticed about the installation, for `trunkline doctor`. */
export type OperatorNotice = 'untrusted_forwarded_for';

const NOTE = {
  name: 'note-operator-notice',
  text: `INSERT INTO operator_notices (name) VALUES ($1) ON CONFLICT (name) DO UPDATE SET noticed_at = now()`,
};

export async function noteForOperator(sql: Sql, notice: OperatorNotice): Promise<void> {
  await rows(sql, NOTE, [notice]);
}

/** Those of the last day. */
export async function recentNotices(sql: Sql): Promise<Set<OperatorNotice>> {
  const text = `SELECT name FROM operator_notices WHERE noticed_at > now() - interval '1 day'`;
  return new Set((await rows<{ name: OperatorNotice }>(sql, { text }, [])).map(({ name }) => name));
}
