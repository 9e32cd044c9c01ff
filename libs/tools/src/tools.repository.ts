import type { AgentOfAccount } from '@app/common';
import type { JsonSchema } from '@app/json-schema';
import { containing, Database, type EntityTransaction, type Query, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { QueryDeepPartialEntity } from 'typeorm';
import type { NewAction, NewTool, ToolChanges, AgentTool, McpTool, ToolAction } from './domain/tool.js';
import { ToolEntity, ToolActionEntity } from './tool.entity.js';

/** The filters of a list of tools; `search` is a case-insensitive part of the name. */
export interface ToolFilter {
  isActive?: boolean;
  search?: string;
}

/** A tool with its actions in their order. */
export interface ToolRow {
  id: number;
  agent_id: number;
  name: string;
  description: string;
  is_active: boolean;
  parameters: JsonSchema;
  created_at: Date;
  updated_at: Date;
  actions: ToolAction[];
  mcp: (McpTool & { serverName: string }) | null;
}

/** An action in the JSON of a statement, with bytes in base64. */
interface ActionJson extends Omit<ToolAction, 'headersEncrypted'> {
  headers: string | null;
}

/** The MCP server of a tool, in the same form. */
interface McpJson extends Omit<McpTool, 'headersEncrypted'> {
  serverName: string;
  headers: string | null;
}

type WithJson<T> = Omit<T, 'actions' | 'mcp'> & { actions: ActionJson[]; mcp: McpJson | null };

/** The actions of tool `t` as a JSON list: one statement reads tools with their actions. */
const ACTIONS = `(SELECT coalesce(json_agg(json_build_object('id', a.id, 'name', a.name, 'url', a.url, 'method', a.method,
    'payload', a.payload, 'headers', encode(a.headers_sealed, 'base64'), 'queryParams', a.query_params,
    'waitResponse', a.wait_response, 'timeoutMs', a.timeout_ms) ORDER BY a.position), '[]')
  FROM tool_actions a WHERE a.tool_id = t.id AND a.account_id = t.account_id)`;

/** The MCP server of tool `t` as JSON; null: the tool has actions. */
const MCP = `(SELECT json_build_object('serverId', s.id, 'serverName', s.name, 'name', t.mcp_name, 'url', s.url,
    'headers', encode(s.headers_sealed, 'base64'), 'timeoutMs', s.timeout_ms)
  FROM mcp_servers s WHERE s.id = t.mcp_server_id AND s.account_id = t.account_id)`;

const COLUMNS = `t.id, t.agent_id, t.name, t.description, t.is_active, t.parameters, t.created_at, t.updated_at,
  ${ACTIONS} AS actions, ${MCP} AS mcp`;

const FIND = {
  name: 'find-tool',
  text: `SELECT ${COLUMNS} FROM tools t WHERE t.account_id = $1 AND t.agent_id = $2 AND t.id = $3`,
};
/** Prepared, because it runs at the beginning of each conversation. */
const OF_AGENT = {
  name: 'tools-of-agent',
  text: `SELECT t.id, t.name, t.description, t.parameters, ${ACTIONS} AS actions, ${MCP} AS mcp
    FROM tools t WHERE t.account_id = $1 AND t.agent_id = $2 AND t.is_active ORDER BY t.id`,
};
const INVOKABLE = {
  name: 'invokable-tool',
  text: `SELECT g.name AS agent_name, t.id, t.name, t.description, t.parameters, ${ACTIONS} AS actions, ${MCP} AS mcp
    FROM agents g LEFT JOIN tools t ON t.account_id = g.account_id AND t.agent_id = g.id AND t.id = $3
    WHERE g.account_id = $1 AND g.id = $2`,
};

/** All statements on `tools` and `tool_actions`. */
@Injectable()
export class ToolsRepository {
  constructor(private readonly database: Database) {}

  async find({ accountId, agentId }: AgentOfAccount, id: number, tx?: Sql): Promise<ToolRow | undefined> {
    const [row] = await this.database.rows<WithJson<ToolRow>>(FIND, [accountId, agentId, id], tx);
    return row && fromJson(row);
  }

  /** A page of tools, newest first, and the number of tools that match the filter. */
  async page(
    agent: AgentOfAccount,
    filter: ToolFilter,
    { page, perPage }: { page: number; perPage: number },
  ): Promise<{ tools: ToolRow[]; total: number }> {
    const { list, count } = pageQueries(agent, filter, perPage, (page - 1) * perPage);
    const [found, [counted]] = await Promise.all([
      this.database.rows<WithJson<ToolRow>>(list, list.values),
      this.database.rows<{ total: number }>(count, count.values),
    ]);
    return { tools: found.map(fromJson), total: counted?.total ?? 0 };
  }

  /** The active tools of an agent, oldest first, with their actions. */
  async ofAgent({ accountId, agentId }: AgentOfAccount): Promise<AgentTool[]> {
    const found = await this.database.rows<WithJson<AgentTool>>(OF_AGENT, [accountId, agentId]);
    return found.map(fromJson);
  }

  /** A tool of an agent, active or not, with the agent's name; undefined: no such agent. `id` is null: no such tool. */
  async invokable(
    { accountId, agentId }: AgentOfAccount,
    toolId: number,
  ): Promise<{ agentName: string; tool: AgentTool | undefined } | undefined> {
    type Row = WithJson<AgentTool> & { agent_name: string; id: number | null };
    const [row] = await this.database.rows<Row>(INVOKABLE, [accountId, agentId, toolId]);
    if (!row) return undefined;
    const { agent_name: agentName, ...tool } = row;
    return { agentName, tool: tool.id === null ? undefined : fromJson(tool) };
  }

  count({ accountId, agentId }: AgentOfAccount, tx: EntityTransaction): Promise<number> {
    return tx.manager.getRepository(ToolEntity).countBy({ accountId, agentId });
  }

  /** @returns the id. */
  async insert({ accountId, agentId }: AgentOfAccount, tool: NewTool, tx: EntityTransaction): Promise<number> {
    const { name, description, isActive, parameters } = tool;
    const values = { accountId, agentId, name, description, isActive, parameters };
    const row = tx.manager.getRepository(ToolEntity).create(values);
    await tx.manager.getRepository(ToolEntity).insert(row as QueryDeepPartialEntity<ToolEntity>);
    return row.id;
  }

  /** Changes the fields that are given. False: no such tool. */
  async update(
    { accountId, agentId }: AgentOfAccount,
    id: number,
    { name, description, isActive, parameters }: Omit<ToolChanges, 'actions'>,
    tx: EntityTransaction,
  ): Promise<boolean> {
    const tools = tx.manager.createQueryBuilder().update(ToolEntity);
    const given: object = { name, description, isActive, parameters, updatedAt: () => 'now()' };
    const { affected } = await tools.set(given).where({ accountId, agentId, id }).execute();
    return affected === 1;
  }

  /** @returns the name; undefined: no such tool. */
  async delete(
    { accountId, agentId }: AgentOfAccount,
    id: number,
    tx: EntityTransaction,
  ): Promise<{ name: string } | undefined> {
    const tools = tx.manager.createQueryBuilder().delete().from(ToolEntity);
    const { raw } = await tools.where({ accountId, agentId, id }).returning('name').execute();
    return (raw as { name: string }[])[0];
  }

  deleteActions(accountId: number, toolId: number, tx: EntityTransaction): Promise<unknown> {
    return tx.manager.getRepository(ToolActionEntity).delete({ accountId, toolId });
  }

  /** Adds actions in their order, each with its encrypted headers. */
  async insertActions(
    { accountId, toolId }: { accountId: number; toolId: number },
    actions: readonly (NewAction & { headersEncrypted: Buffer | null })[],
    tx: EntityTransaction,
  ): Promise<void> {
    const rows = actions.map(({ headers: _plain, ...action }, position) => ({
      ...action,
      accountId,
      toolId,
      position,
    }));
    const repository = tx.manager.getRepository(ToolActionEntity);
    if (rows.length > 0) await repository.insert(rows as QueryDeepPartialEntity<ToolActionEntity>[]);
  }
}

const fromJson = <T extends { actions: ActionJson[]; mcp: McpJson | null }>(
  row: T,
): Omit<T, 'actions' | 'mcp'> & { actions: ToolAction[]; mcp: (McpTool & { serverName: string }) | null } => ({
  ...row,
  actions: row.actions.map(withBytes),
  mcp: row.mcp && withBytes(row.mcp),
});

const withBytes = <T extends { headers: string | null }>({ headers, ...rest }: T) => ({
  ...rest,
  headersEncrypted: headers === null ? null : Buffer.from(headers, 'base64'),
});

/** Named by their shape. An agent has few tools: any filter reads all of them along the index of the list. */
function pageQueries(
  { accountId, agentId }: AgentOfAccount,
  { isActive, search }: ToolFilter,
  limit: number,
  offset: number,
): { list: Query; count: Query } {
  const values: unknown[] = [accountId, agentId];
  const conditions = ['t.account_id = $1', 't.agent_id = $2'];
  if (isActive !== undefined) conditions.push(`t.is_active = $${values.push(isActive)}`);
  if (search !== undefined) conditions.push(`t.name ILIKE $${values.push(containing(search))}`);
  const where = conditions.join(' AND ');
  const page = `LIMIT $${values.length + 1} OFFSET $${values.length + 2}`;
  const shape = `${isActive === undefined ? '' : '-state'}${search === undefined ? '' : '-search'}`;
  return {
    list: {
      name: `tools-list${shape}`,
      text: `SELECT ${COLUMNS} FROM tools t WHERE ${where} ORDER BY t.id DESC ${page}`,
      values: [...values, limit, offset],
    },
    count: {
      name: `tools-count${shape}`,
      text: `SELECT count(*)::integer AS total FROM tools t WHERE ${where}`,
      values,
    },
  };
}
