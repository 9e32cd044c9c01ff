import { rows, type Sql } from '@app/database';
import { Problem } from './problem.js';

/** Throws Problem with the names there are. */
export async function accountIdOf(sql: Sql, name: string): Promise<number> {
  const [account] = await rows<{ id: number }>(sql, { text: 'SELECT id FROM accounts WHERE name = $1' }, [name]);
  if (account) return account.id;
  const all = await rows<{ name: string }>(sql, { text: 'SELECT name FROM accounts ORDER BY name LIMIT 20' });
  throw new Problem(
    `There is no account "${name}". The accounts are: ${all.map((row) => row.name).join(', ') || 'none yet'}.`,
  );
}
