import { type Acting, AuditService } from '@app/audit';
import { type AgentOfAccount, Conflict, Encryption, InvalidFields, NotFound, withCode } from '@app/common';
import { Database, type EntityTransaction, hasCode, RecordExistenceRepository, UNIQUE_VIOLATION } from '@app/database';
import { Injectable } from '@nestjs/common';
import { TOOLS_PER_AGENT } from '../domain/limits.js';
import { MCP_SERVERS_PER_AGENT, mcpChanges, nameForModel, type OfferedTool } from '../domain/mcp-tools.js';
import { mcpServerView, type McpServerView } from '../presenters/mcp-server.presenter.js';
import { ToolsRepository } from '../tools.repository.js';
import {
  type CheckedServer,
  type McpServerChanges,
  McpServerCheckService,
  type NewMcpServer,
} from './mcp-server-check.service.js';
import type { McpServerEntity } from './mcp-server.entity.js';
import { McpServersRepository, type PinnedTool } from './mcp-servers.repository.js';

/**
 * The MCP servers of agents. Names, descriptions and schemas of a server's tools are pinned when it is added: conversations use the pinned
 * ones until the difference, which checks report, is accepted.
 */
@Injectable()
export class McpServersService {
  constructor(
    private readonly servers: McpServersRepository,
    private readonly tools: ToolsRepository,
    private readonly check: McpServerCheckService,
    private readonly existence: RecordExistenceRepository,
    private readonly database: Database,
    private readonly audit: AuditService,
    private readonly encryption: Encryption,
  ) {}

  /** A page of an agent's servers, newest first, with the total. Throws NotFound when the account has no such agent. */
  async page(
    agent: AgentOfAccount,
    place: { page: number; perPage: number },
  ): Promise<{ servers: McpServerView[]; total: number }> {
    const [found, total] = await this.servers.page(agent, place);
    if (total === 0) await this.requireAgent(agent);
    const pinned = await this.servers.pinned(
      agent.accountId,
      found.map(({ id }) => id),
    );
    return { servers: found.map((server) => this.view(server, pinned.get(server.id))), total };
  }

  /** Throws NotFound when the account's agent has no such server, or the account no such agent. */
  async find(agent: AgentOfAccount, id: number, tx?: EntityTransaction): Promise<McpServerView> {
    const server = await this.row(agent, id, tx);
    const pinned = await this.servers.pinned(agent.accountId, [id], tx);
    return this.view(server, pinned.get(id));
  }

  /**
   * Connects to a server and pins its tools. Throws NotFound, Conflict (the agent has the most servers or tools), and InvalidFields (a
   * field is invalid, the name is taken, or the server cannot be used).
   */
  async create(agent: AgentOfAccount & Acting, server: NewMcpServer): Promise<McpServerView> {
    await this.requireAgent(agent);
    const checked = await this.check.ofNew(agent, server);
    return this.database.entityTransaction(async (tx) => {
      await this.lock(agent, tx);
      return this.find(agent, await this.insertWithin(agent, checked, tx), tx);
    });
  }

  /** Saves a new server that was checked; the agent is locked. @returns its id */
  async insertWithin(
    agent: AgentOfAccount & Acting,
    { fields, tools = [] }: CheckedServer,
    tx: EntityTransaction,
  ): Promise<number> {
    if ((await this.servers.count(agent, tx)) >= MCP_SERVERS_PER_AGENT)
      throw new Conflict(`The agent has ${MCP_SERVERS_PER_AGENT} MCP servers, which is the most. Delete one first.`);
    const { name = '' } = fields;
    const id = await withFreeName(name, () => this.servers.insert(agent, { ...fields, state: 'connected' }, tx));
    await this.pin(agent, { id, name }, tools, tx);
    await this.record(agent, 'mcp_server.created', { id, name }, tx);
    return id;
  }

  /**
   * Changes the given fields. A new URL, new headers or a new list of tools connect again and pin the tools anew. Throws NotFound,
   * Conflict and InvalidFields like `create`.
   */
  async update(agent: AgentOfAccount & Acting, id: number, changes: McpServerChanges): Promise<McpServerView> {
    const changed = Object.entries(changes).flatMap(([field, value]) => (value === undefined ? [] : [field]));
    const before = await this.row(agent, id);
    if (changed.length === 0) return this.find(agent, id);
    const checked = await this.check.ofChanged(before, changes);
    return this.database.entityTransaction(async (tx) => {
      await this.lockUnchanged(agent, before, tx);
      await this.updateWithin(agent, { before, changed, checked }, tx);
      return this.find(agent, id, tx);
    });
  }

  /** Saves the checked changes of a server; the agent is locked. */
  async updateWithin(
    agent: AgentOfAccount & Acting,
    { before, changed, checked }: { before: McpServerEntity; changed: string[]; checked: CheckedServer },
    tx: EntityTransaction,
  ): Promise<void> {
    const { fields, tools } = checked;
    const { id } = before;
    const { name = before.name } = fields;
    await withFreeName(name, () => this.servers.update(id, fields, { isCheck: tools !== undefined }, tx));
    if (tools) await this.pin(agent, { id, name }, tools, tx);
    await this.record(agent, 'mcp_server.updated', { id, changed }, tx);
  }

  /** Removes a server with its tools. Throws NotFound. */
  async delete(agent: AgentOfAccount & Acting, id: number): Promise<void> {
    await this.database.entityTransaction((tx) => this.deleteWithin(agent, id, tx));
  }

  /** `delete` in a transaction. */
  async deleteWithin(agent: AgentOfAccount & Acting, id: number, tx: EntityTransaction): Promise<void> {
    const { name } = await this.row(agent, id, tx);
    if (!(await this.servers.delete(agent, id, tx))) throw new NotFound('MCP server');
    await this.record(agent, 'mcp_server.deleted', { id, name }, tx);
  }

  /** Pins the tools that the last check reported. Throws NotFound, and Conflict when there is no difference or too many tools. */
  async accept(agent: AgentOfAccount & Acting, id: number): Promise<McpServerView> {
    return this.database.entityTransaction(async (tx) => {
      await this.lock(agent, tx);
      const server = await this.row(agent, id, tx);
      if (!server.offered)
        throw new Conflict('The tools of the MCP server have not changed: there is nothing to accept.');
      await this.pin(agent, server, server.offered, tx);
      const { changes } = server;
      const state = server.state === 'changed' ? ('connected' as const) : server.state;
      await this.servers.update(id, { state, changes: [], offered: null }, { isCheck: false }, tx);
      await this.record(agent, 'mcp_server.accepted', { id, tools: changes.map(({ tool }) => tool) }, tx);
      return this.find(agent, id, tx);
    });
  }

  /**
   * Locks the tools of the agent. Throws Conflict when the server has changed since `before`: its answer belongs to the settings with
   * which it was asked.
   */
  async lockUnchanged(agent: AgentOfAccount, before: McpServerEntity, tx: EntityTransaction): Promise<McpServerEntity> {
    await this.lock(agent, tx);
    const now = await this.row(agent, before.id, tx);
    if (now.updatedAt.getTime() !== before.updatedAt.getTime())
      throw new Conflict('Another request changed the MCP server meanwhile. Try again.');
    return now;
  }

  /** Makes these the pinned tools of the server; known tools keep id, name and state. */
  private async pin(
    agent: AgentOfAccount,
    { id: serverId, name: server }: { id: number; name: string },
    tools: readonly OfferedTool[],
    tx: EntityTransaction,
  ): Promise<void> {
    const pinned = (await this.servers.pinned(agent.accountId, [serverId], tx)).get(serverId) ?? [];
    const names = new Set(tools.map(({ name }) => name));
    const gone = pinned.filter(({ name }) => !names.has(name)).map(({ id }) => id);
    await this.servers.deleteTools(gone, tx);
    const known = new Map(pinned.map((tool) => [tool.name, tool]));
    const added = tools.filter(({ name }) => !known.has(name));
    if ((await this.tools.count(agent, tx)) + added.length > TOOLS_PER_AGENT)
      throw new Conflict(
        `The agent would have more than ${TOOLS_PER_AGENT} tools, which is the most. Name the tools of the MCP server that it needs.`,
      );
    const taken = await this.servers.toolNames(agent, tx);
    for (const tool of tools) {
      const before = known.get(tool.name);
      if (before && mcpChanges([before], [tool]).length > 0) await this.servers.updateTool(before.id, tool, tx);
      if (before) continue;
      const modelName = nameForModel(tool.name, server, taken);
      taken.add(modelName);
      await this.servers.insertTool(agent, { ...tool, modelName, serverId }, tx);
    }
  }

  private view(server: McpServerEntity, pinned: readonly PinnedTool[] = []): McpServerView {
    return mcpServerView(server, pinned, this.encryption);
  }

  /** Throws NotFound. */
  async row(agent: AgentOfAccount, id: number, tx?: EntityTransaction): Promise<McpServerEntity> {
    const server = await this.servers.find(agent, id, tx);
    if (!server) throw new NotFound('MCP server');
    return server;
  }

  private async requireAgent(agent: AgentOfAccount): Promise<void> {
    if (!(await this.existence.exists(agent.accountId, { table: 'agents', id: agent.agentId })))
      throw new NotFound('Agent');
  }

  /** Locks the tools of the agent. Throws NotFound. */
  async lock(agent: AgentOfAccount, tx: EntityTransaction): Promise<void> {
    if (!(await this.existence.lock(agent.accountId, 'agents', agent.agentId, tx))) throw new NotFound('Agent');
  }

  private record(
    agent: AgentOfAccount & Acting,
    action: `mcp_server.${string}`,
    { id, ...details }: { id: number } & Record<string, unknown>,
    tx: EntityTransaction,
  ): Promise<void> {
    return this.audit.recordOfAgent(agent, { action, subject: { kind: 'mcp_server', id }, details }, tx);
  }
}

/** Runs a statement that writes a name. The unique index detects another server of this name, even a concurrent creation. */
async function withFreeName<T>(name: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!hasCode(error, UNIQUE_VIOLATION, 'mcp_servers_name')) throw error;
    throw new InvalidFields({ name: [withCode('taken', `The agent has another MCP server named ${name}.`)] });
  }
}
