import { forgetRateWindows } from '@app/accounts';
import { CallRetentionService } from '@app/calls';
import type { Env } from '@app/common';
import { Database, forgetIdempotencyKeys, purgeOldAudit } from '@app/database';
import { EmbeddingsService } from '@app/knowledge';
import { ENV } from '@app/settings';
import { ToolInvocationsService } from '@app/tools';
import { WebhookRetentionService } from '@app/webhooks';
import { Inject, Injectable } from '@nestjs/common';

/**
 * Deletes rows with a fixed lifetime, a bounded number of each at a time: idempotency keys (24 h), webhook attempts, idle webhook
 * endpoints, SIP messages and tool invocations (30 days), cached embeddings (90 days, 50,000 of them), audit events (AUDIT_DAYS).
 */
@Injectable()
export class PurgeService {
  constructor(
    private readonly calls: CallRetentionService,
    private readonly webhooks: WebhookRetentionService,
    private readonly invocations: ToolInvocationsService,
    private readonly embeddings: EmbeddingsService,
    private readonly database: Database,
    @Inject(ENV) private readonly env: Env,
  ) {}

  async purge(): Promise<void> {
    await forgetIdempotencyKeys(this.database.pool);
    await this.webhooks.purge();
    await this.calls.deleteOldSipMessages();
    await this.invocations.purgeOld();
    await this.embeddings.purgeCache();
    await purgeOldAudit(this.database.pool, this.env.AUDIT_DAYS);
    await forgetRateWindows(this.database.pool);
  }
}
