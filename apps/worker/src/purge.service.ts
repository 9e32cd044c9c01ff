import { CallAnalysesService } from '@app/call-analysis';
import { AuditService } from '@app/audit';
import { RateLimitsService, SessionsService } from '@app/auth';
import { CallRetentionService, DoNotCallService } from '@app/calls';
import { CampaignImportRunnerService } from '@app/campaigns';
import { deleteInChunks } from '@app/common';
import { IdempotencyRepository } from '@app/database';
import { EmbeddingsService } from '@app/knowledge';
import { ToolInvocationsService } from '@app/tools';
import { WebhookRetentionService } from '@app/webhooks';
import { Injectable } from '@nestjs/common';

/**
 * Deletes rows with a fixed lifetime, a bounded number of each at a time: webhook attempts, idle webhook endpoints, SIP messages and
 * tool invocations and imports of contacts (30 days), batches of analyses (90 days), attempts of numbers (8 days), cached embeddings (90 days,
 * 50,000 of them), audit events and people (AUDIT_DAYS), idempotency keys (24 hours), ended rate windows, sessions and sign-ins.
 */
@Injectable()
export class PurgeService {
  constructor(
    private readonly calls: CallRetentionService,
    private readonly doNotCall: DoNotCallService,
    private readonly webhooks: WebhookRetentionService,
    private readonly invocations: ToolInvocationsService,
    private readonly embeddings: EmbeddingsService,
    private readonly audit: AuditService,
    private readonly limits: RateLimitsService,
    private readonly sessions: SessionsService,
    private readonly analyses: CallAnalysesService,
    private readonly imports: CampaignImportRunnerService,
    private readonly idempotency: IdempotencyRepository,
  ) {}

  async purge(auditDays: number): Promise<void> {
    // In chunks: a million calls a day leave ten million of these.
    await deleteInChunks(() => this.webhooks.deleteOldAttempts());
    await deleteInChunks(() => this.calls.deleteOldSipMessages());
    await deleteInChunks(() => this.invocations.purgeOld());
    await this.webhooks.purge();
    await this.doNotCall.deleteOldAttempts();
    await this.embeddings.purgeCache();
    await this.audit.purgeOlderThan(auditDays);
    await this.limits.forgetEndedWindows();
    await this.sessions.purge();
    await this.analyses.purgeBatches();
    await this.imports.deleteOld();
    await this.idempotency.deleteExpired();
  }
}
