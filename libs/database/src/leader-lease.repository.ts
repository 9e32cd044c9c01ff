import { Injectable } from '@nestjs/common';
import { Database } from './database.js';

const TAKE = {
  name: 'take-leader-lease',
  text: `UPDATE duties SET owner = $2, until = now() + $3 * interval '1 ms'
    WHERE name = $1 AND (until < now() OR owner = $2) RETURNING 1`,
};

/** Leases on work that one process does at a time, on the database's clock: the lease of a dead process expires. */
@Injectable()
export class LeaderLeaseRepository {
  constructor(private readonly database: Database) {}

  /** Takes or renews a lease for `ms`. False: another process holds it. */
  async take(name: 'retention', owner: string, ms: number): Promise<boolean> {
    return (await this.database.rows(TAKE, [name, owner, ms])).length > 0;
  }
}
