import type { AgentOfAccount } from '@app/common';
import { Database, type EntityTransaction } from '@app/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, type QueryDeepPartialEntity, Repository } from 'typeorm';
import type { OfferedTool } from '../domain/mcp-tools.js';
import { ToolAgentEntity, ToolEntity } from '../tool.entity.js';
import { McpServerEntity } from './mcp-server.entity.js';

/** A pinned tool: the row of the tool and its name on the server. */
export interface PinnedTool extends OfferedTool {
  id: number;
  /** The name that the model uses. */
  modelName: string;
}

/** A server that is due for its check. */
interface DueServer extends AgentOfAccount, Record<string, unknown> {
  id: number;
}

const CHECK_HOURS = 24;
const DUE_AT_ONCE = 10;
/** The new time of the check keeps other workers from the same servers. */
const CLAIM_DUE = {
  name: 'claim-due-mcp-servers',
  text: `UPDATE mcp_servers SET checked_at = now() WHERE id = ANY (ARRAY(
      SELECT id FROM mcp_servers WHERE checked_at < now() - interval '${CHECK_HOURS} hours'
        ORDER BY checked_at LIMIT ${DUE_AT_ONCE} FOR UPDATE SKIP LOCKED))
    RETURNING id, account_id AS "accountId", agent_id AS "agentId"`,
};

export type ServerFields = Partial<
  Pick<
    McpServerEntity,
    | 'name'
    | 'url'
    | 'headersEncrypted'
    | 'allowedTools'
    | 'timeoutMs'
    | 'state'
    | 'error'
    | 'changes'
    | 'skipped'
    | 'offered'
  >
>;

/** All statements on `mcp_servers`, and those on the tools of servers. */
@Injectable()
export class McpServersRepository {
  constructor(
    private readonly database: Database,
    @InjectRepository(McpServerEntity) private readonly servers: Repository<McpServerEntity>,
    @InjectRepository(ToolEntity) private readonly tools: Repository<ToolEntity>,
  ) {}

  find({ accountId, agentId }: AgentOfAccount, id: number, tx?: EntityTransaction): Promise<McpServerEntity | null> {
    return this.of(tx).findOneBy({ accountId, agentId, id });
  }

  /** A page of servers, newest first, and the number of all. */
  page(
    { accountId, agentId }: AgentOfAccount,
    { page, perPage }: { page: number; perPage: number },
  ): Promise<[McpServerEntity[], number]> {
    const place = { take: perPage, skip: (page - 1) * perPage };
    return this.servers.findAndCount({ where: { accountId, agentId }, order: { id: 'DESC' }, ...place });
  }

  /** All servers of an agent, at most MCP_SERVERS_PER_AGENT, in the order of their creation. */
  all({ accountId, agentId }: AgentOfAccount, tx?: EntityTransaction): Promise<McpServerEntity[]> {
    return this.of(tx).find({ where: { accountId, agentId }, order: { id: 'ASC' } });
  }

  count({ accountId, agentId }: AgentOfAccount, tx: EntityTransaction): Promise<number> {
    return this.of(tx).countBy({ accountId, agentId });
  }

  /** @returns the id. */
  async insert({ accountId, agentId }: AgentOfAccount, fields: ServerFields, tx: EntityTransaction): Promise<number> {
    const row = this.of(tx).create({ accountId, agentId, ...fields });
    await this.of(tx).insert(row as QueryDeepPartialEntity<McpServerEntity>);
    return row.id;
  }

  /** Changes the fields that are given. `isCheck`: the server was asked for its tools. */
  async update(
    id: number,
    fields: ServerFields,
    { isCheck }: { isCheck: boolean },
    tx: EntityTransaction,
  ): Promise<void> {
    const now = () => 'now()';
    const given: object = { ...fields, ...(isCheck ? { checkedAt: now } : { updatedAt: now }) };
    await this.of(tx).createQueryBuilder().update().set(given).where({ id }).execute();
  }

  /** Removes a server with its tools. @returns whether it was there */
  async delete({ accountId, agentId }: AgentOfAccount, id: number, tx: EntityTransaction): Promise<boolean> {
    const { affected } = await this.of(tx).delete({ accountId, agentId, id });
    return affected === 1;
  }

  /** The pinned tools of servers, in the order in which they were pinned. */
  async pinned(accountId: number, serverIds: number[], tx?: EntityTransaction): Promise<Map<number, PinnedTool[]>> {
    const tools = tx?.manager.getRepository(ToolEntity) ?? this.tools;
    const found = await tools.find({ where: { accountId, mcpServerId: In(serverIds) }, order: { id: 'ASC' } });
    const byServer = new Map<number, PinnedTool[]>(serverIds.map((id) => [id, []]));
    for (const { id, name, mcpName, mcpServerId, description, parameters } of found)
      byServer.get(mcpServerId!)?.push({ id, modelName: name, name: mcpName!, description, parameters });
    return byServer;
  }

  /** The names of all tools of an agent, shared ones included. */
  async toolNames({ accountId, agentId }: AgentOfAccount, tx: EntityTransaction): Promise<Set<string>> {
    const tools = await tx.manager
      .getRepository(ToolAgentEntity)
      .find({ where: { accountId, agentId }, select: { name: true } });
    return new Set(tools.map(({ name }) => name));
  }

  async insertTool(
    { accountId, agentId }: AgentOfAccount,
    tool: OfferedTool & { modelName: string; serverId: number },
    tx: EntityTransaction,
  ): Promise<void> {
    const { modelName: name, name: mcpName, serverId: mcpServerId, description, parameters } = tool;
    const row = { accountId, agentId, name, mcpName, mcpServerId, description, parameters, isActive: true };
    await tx.manager.getRepository(ToolEntity).insert(row as QueryDeepPartialEntity<ToolEntity>);
  }

  async updateTool(id: number, { description, parameters }: OfferedTool, tx: EntityTransaction): Promise<void> {
    const given: object = { description, parameters, updatedAt: () => 'now()' };
    await tx.manager.createQueryBuilder().update(ToolEntity).set(given).where({ id }).execute();
  }

  async deleteTools(ids: readonly number[], tx: EntityTransaction): Promise<void> {
    if (ids.length > 0) await tx.manager.getRepository(ToolEntity).delete(ids as number[]);
  }

  /** Servers whose last check was a day ago, ten at most; they count as checked from now on. */
  claimDue(): Promise<DueServer[]> {
    return this.database.rows<DueServer>(CLAIM_DUE);
  }

  private of(tx?: EntityTransaction): Repository<McpServerEntity> {
    return tx?.manager.getRepository(McpServerEntity) ?? this.servers;
  }
}
