import type { AgentOfAccount } from '@app/common';
import { containing, Database, type EntityTransaction } from '@app/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, Not, type QueryDeepPartialEntity, Repository, type SelectQueryBuilder } from 'typeorm';
import type { NewAction, NewTool, ToolChanges, AgentTool, McpTool, ToolAction } from './domain/tool.js';
import { ToolAgentEntity, ToolEntity, ToolActionEntity } from './tool.entity.js';

/** The filters of a list of tools; `search` is a case-insensitive part of the name. */
export interface ToolFilter {
  isActive?: boolean;
  search?: string;
}

/** An action in the JSON of a statement, with bytes in base64. */
interface ActionJson extends Omit<ToolAction, 'headersEncrypted'> {
  headers: string | null;
}

/** The MCP server of a tool, in the same form. */
interface McpJson extends Omit<McpTool, 'headersEncrypted'> {
  headers: string | null;
}

type WithJson<T> = Omit<T, 'actions' | 'mcp'> & { actions: ActionJson[]; mcp: McpJson | null };

/** The actions of tool `t` as a JSON list: one statement reads tools with their actions. */
const ACTIONS = `(SELECT coalesce(json_agg(json_build_object('id', a.id, 'name', a.name, 'url', a.url, 'method', a.method,
    'payload', a.payload, 'headers', encode(a.headers_sealed, 'base64'), 'queryParams', a.query_params,
    'waitResponse', a.wait_response, 'timeoutMs', a.timeout_ms) ORDER BY a.position), '[]')
  FROM tool_actions a WHERE a.tool_id = t.id AND a.account_id = t.account_id)`;

/** The MCP server of tool `t` as JSON; null: the tool has actions. */
const MCP = `(SELECT json_build_object('serverId', s.id, 'name', t.mcp_name, 'url', s.url,
    'headers', encode(s.headers_sealed, 'base64'), 'timeoutMs', s.timeout_ms)
  FROM mcp_servers s WHERE s.id = t.mcp_server_id AND s.account_id = t.account_id)`;

/** Prepared, because it runs at the beginning of each conversation. */
const OF_AGENT = {
  name: 'tools-of-agent',
  text: `SELECT t.id, t.name, t.description, t.parameters, t.behaviour, ${ACTIONS} AS actions, ${MCP} AS mcp
    FROM tool_agents l JOIN tools t ON t.id = l.tool_id
    WHERE l.account_id = $1 AND l.agent_id = $2 AND t.is_active ORDER BY t.id`,
};
/** `assign` of the behaviour of a tool; tools without one assign nothing. */
const NAMES = {
  name: 'tool-names-of-agent',
  text: `SELECT t.name, ARRAY(SELECT json_object_keys(t.behaviour -> 'assign')
      WHERE json_typeof(t.behaviour -> 'assign') = 'object') AS assigned
    FROM tool_agents l JOIN tools t ON t.id = l.tool_id WHERE l.account_id = $1 AND l.agent_id = $2 ORDER BY t.name`,
};
// With the name of the agent, which is above tools, in one round trip.
const INVOKABLE = {
  name: 'invokable-tool',
  text: `SELECT g.name AS agent_name, t.id, t.name, t.description, t.parameters, t.behaviour, ${ACTIONS} AS actions, ${MCP} AS mcp
    FROM agents g LEFT JOIN (tool_agents l JOIN tools t ON t.id = l.tool_id)
      ON l.account_id = g.account_id AND l.agent_id = g.id AND l.tool_id = $3
    WHERE g.account_id = $1 AND g.id = $2`,
};

/** Tools and their actions. Those of a conversation are read by prepared statements, in one round trip. */
@Injectable()
export class ToolsRepository {
  constructor(
    private readonly database: Database,
    @InjectRepository(ToolEntity) private readonly tools: Repository<ToolEntity>,
  ) {}

  /** A tool that the agent uses, with its actions in their order, its MCP server and its agents. */
  async find({ accountId, agentId }: AgentOfAccount, id: number, tx?: EntityTransaction): Promise<ToolEntity | null> {
    const tool = this.complete(tx).where({ accountId, id }).andWhere(USED_BY('tool'), { agentId });
    const [found = null] = await withAgents(tool.orderBy('action.position'));
    return found;
  }

  /** A page of complete tools, newest first, and the number of tools that match the filter. */
  async page(
    agent: AgentOfAccount,
    filter: ToolFilter,
    { page, perPage }: { page: number; perPage: number },
  ): Promise<{ tools: ToolEntity[]; total: number }> {
    const matching = this.matching(agent, filter);
    // Joined rows cannot be limited: a statement within the statement finds the tools of the page.
    const ids = this.matching(agent, filter).select('one.id').orderBy('one.id', 'DESC');
    ids.limit(perPage).offset((page - 1) * perPage);
    const listed = this.complete().where(`tool.id IN (${ids.getQuery()})`).setParameters(ids.getParameters());
    const [tools, total] = await Promise.all([
      withAgents(listed.orderBy('tool.id', 'DESC').addOrderBy('action.position')),
      matching.getCount(),
    ]);
    return { tools, total };
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

  namesOf(
    { accountId, agentId }: AgentOfAccount,
    tx?: EntityTransaction,
  ): Promise<{ name: string; assigned: string[] }[]> {
    return this.database.rows<{ name: string; assigned: string[] }>(NAMES, [accountId, agentId], tx);
  }

  /** The tools that an agent uses, shared ones included. */
  count({ accountId, agentId }: AgentOfAccount, tx: EntityTransaction): Promise<number> {
    return tx.manager.getRepository(ToolAgentEntity).countBy({ accountId, agentId });
  }

  /** The numbers of tools of agents; agents without tools are missing. */
  async counts(accountId: number, agentIds: readonly number[], tx: EntityTransaction): Promise<Map<number, number>> {
    const rows = await tx.manager
      .createQueryBuilder(ToolAgentEntity, 'link')
      .select('link.agentId', 'agentId')
      .addSelect('count(*)::integer', 'tools')
      .where({ accountId, agentId: In([...agentIds]) })
      .groupBy('link.agentId')
      .getRawMany<{ agentId: number; tools: number }>();
    return new Map(rows.map(({ agentId, tools }) => [agentId, tools]));
  }

  /** The agents among these that have another tool of this name. */
  async agentsWithName(
    accountId: number,
    agentIds: readonly number[],
    { id, name }: { id: number; name: string },
    tx: EntityTransaction,
  ): Promise<Set<number>> {
    const where = { accountId, agentId: In([...agentIds]), name, toolId: Not(id) };
    const links = await tx.manager.getRepository(ToolAgentEntity).find({ where, select: { agentId: true } });
    return new Set(links.map(({ agentId }) => agentId));
  }

  /** Replaces the agents of a tool; the agents are locked, and each exists in the account. */
  async share(
    accountId: number,
    { id: toolId, name }: { id: number; name: string },
    agentIds: readonly number[],
    tx: EntityTransaction,
  ): Promise<void> {
    await tx.manager.delete(ToolAgentEntity, { accountId, toolId, agentId: Not(In([...agentIds])) });
    const rows = agentIds.map((agentId) => ({ accountId, toolId, agentId, name }));
    const links = tx.manager.createQueryBuilder().insert().into(ToolAgentEntity);
    await links.values(rows).orIgnore().execute();
  }

  /** @returns the id. */
  async insert({ accountId, agentId }: AgentOfAccount, tool: NewTool, tx: EntityTransaction): Promise<number> {
    const { name, description, isActive, parameters, behaviour } = tool;
    const values = { accountId, agentId, name, description, isActive, parameters, behaviour };
    const row = tx.manager.getRepository(ToolEntity).create(values);
    await tx.manager.getRepository(ToolEntity).insert(row as QueryDeepPartialEntity<ToolEntity>);
    return row.id;
  }

  /** Changes the fields that are given. False: no such tool. */
  async update(
    { accountId, agentId }: AgentOfAccount,
    id: number,
    { name, description, isActive, parameters, behaviour }: Omit<ToolChanges, 'actions'>,
    tx: EntityTransaction,
  ): Promise<boolean> {
    const tools = tx.manager.createQueryBuilder().update(ToolEntity);
    const given: object = { name, description, isActive, parameters, behaviour, updatedAt: () => 'now()' };
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

  private complete(tx?: EntityTransaction): SelectQueryBuilder<ToolEntity> {
    return (tx?.manager.getRepository(ToolEntity) ?? this.tools)
      .createQueryBuilder('tool')
      .leftJoinAndSelect('tool.actions', 'action')
      .leftJoin('tool.mcpServer', 'server')
      .addSelect(['server.id', 'server.name']);
  }

  private matching(
    { accountId, agentId }: AgentOfAccount,
    { isActive, search }: ToolFilter,
  ): SelectQueryBuilder<ToolEntity> {
    const tools = this.tools.createQueryBuilder('one').where({ accountId }).andWhere(USED_BY('one'), { agentId });
    if (isActive !== undefined) tools.andWhere({ isActive });
    if (search !== undefined) tools.andWhere('one.name ILIKE :name', { name: containing(search) });
    return tools;
  }
}

/**
 * The tools of a statement with the agents that use them. Not by a joined relation, which would repeat each tool, with its schema, for each of
 * its actions and agents.
 */
async function withAgents(tools: SelectQueryBuilder<ToolEntity>): Promise<ToolEntity[]> {
  const agents = '(SELECT json_agg(l.agent_id ORDER BY l.agent_id) FROM tool_agents l WHERE l.tool_id = tool.id)';
  const { entities, raw } = await tools
    .addSelect(agents, 'agent_ids')
    .getRawAndEntities<{ tool_id: number; agent_ids: number[] }>();
  const agentsOf = new Map(raw.map(({ tool_id: id, agent_ids: ids }) => [id, ids]));
  return entities.map((tool) => Object.assign(tool, { agentIds: agentsOf.get(tool.id) ?? [] }));
}

/** The condition that the agent `:agentId` uses the tool of this alias. */
const USED_BY = (alias: string): string =>
  `EXISTS (SELECT 1 FROM tool_agents used WHERE used.tool_id = ${alias}.id AND used.agent_id = :agentId)`;

const fromJson = <T extends { actions: ActionJson[]; mcp: McpJson | null }>(
  row: T,
): Omit<T, 'actions' | 'mcp'> & { actions: ToolAction[]; mcp: McpTool | null } => ({
  ...row,
  actions: row.actions.map(withBytes),
  mcp: row.mcp && withBytes(row.mcp),
});

const withBytes = <T extends { headers: string | null }>({ headers, ...rest }: T) => ({
  ...rest,
  headersEncrypted: headers === null ? null : Buffer.from(headers, 'base64'),
});
