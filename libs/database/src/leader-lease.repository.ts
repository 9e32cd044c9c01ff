import { rows, type Sql } from './statement.js';

const TAKE = {
  name: 'take-leader-lease',
  text: `UPDATE duties SET owner = $2, until = now() + $3 * interval '1 ms'
    WHERE name = $1 AND (until < now() OR owner = $2) RETURNING 1`,
};

/**
 * Takes or renews the lease on a duty that one process at a time does, for `ms` on the database's clock: the lease of a dead process
 * expires. False: another process holds it.
 */
export async function takeLeaderLease(sql: Sql, name: 'retention', owner: string, ms: number): Promise<boolean> {
  return (await rows(sql, TAKE, [name, owner, ms])).length > 0;
}
