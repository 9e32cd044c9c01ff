import { type Acting, AuditService, THE_SERVICE } from '@app/audit';
import { type AgentOfAccount, Conflict, type Log, NotFound } from '@app/common';
import { Database, type EntityTransaction } from '@app/database';
import { metrics } from '@app/metrics';
import { LOG } from '@app/common/settings';
import { Inject, Injectable } from '@nestjs/common';
import { mcpChanges } from '../domain/mcp-tools.js';
import type { McpServerView } from '../presenters/mcp-server.presenter.js';
import { McpFailure } from './mcp-connection.js';
import { type CheckedServer, McpServerCheckService } from './mcp-server-check.service.js';
import type { McpServerEntity } from './mcp-server.entity.js';
import { McpServersRepository } from './mcp-servers.repository.js';
import { McpServersService } from './mcp-servers.service.js';

/** Compares MCP servers with their pinned tools, on request and once a day. */
@Injectable()
export class McpRefreshService {
  constructor(
    private readonly servers: McpServersService,
    private readonly repository: McpServersRepository,
    private readonly check: McpServerCheckService,
    private readonly database: Database,
    private readonly audit: AuditService,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Asks the server for its tools and reports the difference from the pinned ones, which stay. Throws NotFound. */
  async refresh(agent: AgentOfAccount & Acting, id: number): Promise<McpServerView> {
    const before = await this.servers.row(agent, id);
    const checked = await this.check.ofStored(before).catch((error: unknown) => {
      if (error instanceof McpFailure) return error;
      throw error;
    });
    return this.database.entityTransaction(async (tx) => {
      await this.report(agent, await this.servers.lockUnchanged(agent, before, tx), checked, tx);
      return this.servers.find(agent, id, tx);
    });
  }

  /** Refreshes servers whose last check was a day ago; a slow server delays only this run. */
  async refreshDue(): Promise<void> {
    const due = await this.repository.claimDue();
    await Promise.all(
      due.map(async ({ id, ...agent }) => {
        try {
          await this.refresh({ ...agent, actor: THE_SERVICE }, id);
        } catch (err) {
          const isOver = err instanceof NotFound || err instanceof Conflict;
          if (!isOver) this.log.error({ err, mcp_server_id: id }, 'an MCP server could not be checked');
        }
      }),
    );
  }

  private async report(
    agent: AgentOfAccount & Acting,
    server: McpServerEntity,
    checked: CheckedServer | McpFailure,
    tx: EntityTransaction,
  ): Promise<void> {
    const { id } = server;
    const where = { mcp_server_id: id, account_id: agent.accountId, agent_id: agent.agentId };
    if (checked instanceof McpFailure) {
      metrics.mcpServerChecks.inc({ state: 'unreachable' });
      this.log.warn({ ...where, code: checked.error.code }, 'an MCP server could not be reached');
      const fields = { state: 'unreachable' as const, error: checked.message };
      return this.repository.update(id, fields, { isCheck: true }, tx);
    }
    const offered = checked.tools ?? [];
    const pinned = (await this.repository.pinned(agent.accountId, [id], tx)).get(id) ?? [];
    const changes = mcpChanges(pinned, offered);
    const isChanged = changes.length > 0;
    const state = isChanged ? 'changed' : 'connected';
    metrics.mcpServerChecks.inc({ state });
    const isNews = isChanged && JSON.stringify(changes) !== JSON.stringify(server.changes);
    if (isNews) {
      const tools = changes.map(({ tool, change }) => ({ tool, change }));
      this.log.warn({ ...where, tools: tools.length }, 'the tools of an MCP server changed');
      const subject = { kind: 'mcp_server', id };
      await this.audit.recordOfAgent(agent, { action: 'mcp_server.changed', subject, details: { tools } }, tx);
    }
    const fields = { ...checked.fields, state, changes, offered: isChanged ? offered : null } as const;
    await this.repository.update(id, fields, { isCheck: true }, tx);
  }
}
