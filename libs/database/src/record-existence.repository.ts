import { Injectable } from '@nestjs/common';
import { Database } from './database.js';
import type { Sql } from './statement.js';

/** Tables whose records are named in paths of the API. */
export type PathTable =
  | 'sessions'
  | 'agent_versions'
  | 'agents'
  | 'analysis_batches'
  | 'api_tokens'
  | 'call_commands'
  | 'calls'
  | 'campaign_contacts'
  | 'campaign_imports'
  | 'campaigns'
  | 'do_not_call'
  | 'knowledge_bases'
  | 'knowledge_tests'
  | 'mcp_servers'
  | 'phone_numbers'
  | 'sip_trunks'
  | 'test_runs'
  | 'tool_invocations'
  | 'tools'
  | 'web_keys'
  | 'webhook_deliveries'
  | 'webhook_endpoints'
  | 'webhook_secrets';

export interface RecordPlace {
  table: PathTable;
  id: number | string;
  /** The agent that the record must belong to; absent: any. */
  agentId?: number;
}

/** The condition of records that several agents share; other records have the column `agent_id`. */
const OF_AGENT: Partial<Record<PathTable, string>> = {
  knowledge_bases:
    'EXISTS (SELECT 1 FROM knowledge_base_agents l WHERE l.knowledge_base_id = knowledge_bases.id AND l.agent_id = $3)',
};

/** Columns that identify a record of an agent in paths, instead of `id`. */
const KEY: Partial<Record<PathTable, string>> = { agent_versions: 'version' };

/** The account itself: serialises creations that count its records. Inserts of rows that refer to the account do not wait for it. */
const LOCK_ACCOUNT = { name: 'lock-account', text: 'SELECT 1 FROM accounts WHERE id = $1 FOR NO KEY UPDATE' };

/**
 * Whether an account has records, by key, for the tables of all features: a feature asks here for records of the features above it, such
 * as the agent of a tool. What a record contains only its owner tells.
 */
@Injectable()
export class RecordExistenceRepository {
  constructor(private readonly database: Database) {}

  async exists(accountId: number, { table, id, agentId }: RecordPlace, tx?: Sql): Promise<boolean> {
    const ofAgent = agentId === undefined ? '' : ` AND ${OF_AGENT[table] ?? 'agent_id = $3'}`;
    const text = `SELECT 1 FROM ${table} WHERE account_id = $1 AND ${KEY[table] ?? 'id'} = $2${ofAgent}`;
    const name = `exists-${table}${agentId === undefined ? '' : '-of-agent'}`;
    const values = [accountId, id, ...(agentId === undefined ? [] : [agentId])];
    return (await this.database.rows({ name, text }, values, tx)).length > 0;
  }

  /** Those of the ids that the account has. */
  async existing(accountId: number, table: PathTable, ids: readonly number[], tx?: Sql): Promise<Set<number>> {
    const text = `SELECT id FROM ${table} WHERE account_id = $1 AND id = ANY ($2::integer[])`;
    const found = await this.database.rows<{ id: number }>({ name: `existing-${table}`, text }, [accountId, ids], tx);
    return new Set(found.map(({ id }) => id));
  }

  /** Locks a record against changes, but not against rows that refer to it. False: the account has no such record. */
  async lock(accountId: number, table: PathTable, id: number, tx: Sql): Promise<boolean> {
    return (await this.lockAll(accountId, table, [id], tx)).size > 0;
  }

  /** `lock` in the order of the ids, so that no two transactions deadlock. @returns the ids that exist */
  async lockAll(accountId: number, table: PathTable, ids: readonly number[], tx: Sql): Promise<Set<number>> {
    const text = `SELECT id FROM ${table} WHERE account_id = $1 AND id = ANY ($2::integer[]) ORDER BY id FOR NO KEY UPDATE`;
    const found = await this.database.rows<{ id: number }>({ name: `lock-${table}`, text }, [accountId, ids], tx);
    return new Set(found.map(({ id }) => id));
  }

  /** Of two concurrent creations that count the records of the account, the second counts that of the first. */
  async lockAccount(accountId: number, tx: Sql): Promise<void> {
    await this.database.rows(LOCK_ACCOUNT, [accountId], tx);
  }
}
