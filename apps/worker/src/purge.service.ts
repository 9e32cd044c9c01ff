import { CallAnalysesService } from '@app/analysis';
import { AuditService } from '@app/audit';
import { RateLimitsService, SessionsService } from '@app/auth';
import { CallRetentionService, DoNotCallService } from '@app/calls';
import { EmbeddingsService } from '@app/knowledge';
import { ToolInvocationsService } from '@app/tools';
import { WebhookRetentionService } from '@app/webhooks';
import { Injectable } from '@nestjs/common';

/**
 * Deletes rows with a fixed lifetime, a bounded number of each at a time: webhook attempts, idle webhook endpoints, SIP messages and
 * tool invocations (30 days), batches of analyses (90 days), attempts of numbers (8 days), cached embeddings (90 days, 50,000 of them), audit
 * events and people (AUDIT_DAYS), ended rate windows, sessions and sign-ins.
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
  ) {}

  async purge(auditDays: number): Promise<void> {
    await this.webhooks.purge();
    await this.calls.deleteOldSipMessages();
    await this.doNotCall.deleteOldAttempts();
    await this.invocations.purgeOld();
    await this.embeddings.purgeCache();
    await this.audit.purgeOlderThan(auditDays);
    await this.limits.forgetEndedWindows();
    await this.sessions.purge();
    await this.analyses.purgeBatches();
  }
}
