import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';

export interface SimulatedAgent extends Record<string, unknown> {
  accountId: number;
  agentId: number;
  name: string;
}

const FIND = `SELECT o.id AS "accountId", a.id AS "agentId", a.name FROM accounts o JOIN agents a ON a.account_id = o.id
  WHERE ($1::text IS NULL OR o.name = $1) AND ($2::text IS NULL OR a.name = $2 OR a.id::text = $2) ORDER BY a.id LIMIT 2`;

@Injectable()
export class SimulatedAgentsRepository {
  constructor(private readonly database: Database) {}

  /** Up to two agents of any account: `account` is a name, `agent` a name or an id; undefined matches all. */
  find(account: string | undefined, agent: string | undefined): Promise<SimulatedAgent[]> {
    return this.database.rows<SimulatedAgent>({ text: FIND }, [account ?? null, agent ?? null]);
  }
}
