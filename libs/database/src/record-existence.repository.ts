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

/** Whether an account has a record: one look-up by key, for all tables. */
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
}
