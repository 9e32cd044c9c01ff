import { forgetRateWindows } from '@app/accounts';
import type { CallRetentionService } from '@app/calls';
import { forgetIdempotencyKeys, purgeOldAudit, type Sql } from '@app/database';
import { purgeEmbeddingCache } from '@app/knowledge';
import type { ToolInvocationsService } from '@app/tools';
import type { WebhookRetentionService } from '@app/webhooks';

interface Purged {
  sql: Sql;
  calls: CallRetentionService;
  invocations: ToolInvocationsService;
  webhooks: WebhookRetentionService;
}

/** Deletes what is only kept for a time: idempotency keys (24 h), webhook attempts, idle webhook endpoints, SIP messages and invocations of tools (30 days), vectors of texts (90 days, 50,000 of them), audit events (`auditDays`), a bounded number of each. */
export async function purgeExpiredRows({ sql, calls, invocations, webhooks }: Purged, auditDays: number): Promise<void> {
  await forgetIdempotencyKeys(sql);
  await webhooks.purge();
  await calls.deleteOldSipMessages();
  await invocations.purgeOld();
  await purgeEmbeddingCache(sql);
  await purgeOldAudit(sql, auditDays);
  await forgetRateWindows(sql);
}
