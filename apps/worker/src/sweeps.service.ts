import { StorageQuotaService } from '@app/accounts';
import { DialersService } from '@app/calls';
import type { Env, Log } from '@app/common';
import { IdempotencyRepository } from '@app/database';
import { ENV, LOG } from '@app/common/settings';
import { copyFolder, removeLeftParts, storageFolder, uploadFolder } from '@app/storage';
import { McpRefreshService, ToolInvocationsService } from '@app/tools';
import { Inject, Injectable } from '@nestjs/common';

/** Repairs the state of processes that were killed. */
@Injectable()
export class SweepsService {
  constructor(
    private readonly dialers: DialersService,
    private readonly invocations: ToolInvocationsService,
    private readonly mcpServers: McpRefreshService,
    private readonly quota: StorageQuotaService,
    private readonly idempotency: IdempotencyRepository,
    @Inject(ENV) private readonly env: Env,
    @Inject(LOG) private readonly log: Log,
  ) {}

  endLostCalls(): Promise<void> {
    return this.dialers.endLostCalls();
  }

  endExpiredCalls(): Promise<void> {
    return this.dialers.endExpiredCalls();
  }

  async endAbandonedInvocations(): Promise<void> {
    const invocations = await this.invocations.endAbandoned();
    if (invocations.length > 0) this.log.warn({ invocations }, 'tool invocations of a lost process were ended');
  }

  /** MCP servers are asked for their tools once a day. */
  refreshMcpServers(): Promise<void> {
    return this.mcpServers.refreshDue();
  }

  async recountStorage(): Promise<void> {
    await this.quota.recount();
  }

  /** Idempotency keys are kept for 24 hours. */
  async forgetIdempotencyKeys(): Promise<void> {
    await this.idempotency.deleteExpired();
  }

  /** Removes partial uploads and partial copies to the storage that killed processes left on this machine. */
  async removeLeftParts(): Promise<void> {
    await removeLeftParts(uploadFolder(this.env.TRUNKLINE_HOME));
    const root = storageFolder(this.env);
    if (root !== undefined) await removeLeftParts(copyFolder(root));
  }
}
