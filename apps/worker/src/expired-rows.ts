import type { AuditService } from '@app/audit';
import type { RateLimitsService } from '@app/auth';
import { forgetSipMessages } from '@app/calls';
import { forgetIdempotencyKeys, type Sql } from '@app/database';
import { purgeEmbeddingCache } from '@app/knowledge';
import { purgeOldInvocations } from '@app/tools';
import { purgeOldAttempts, purgeOldEndpoints, purgeOldHosts } from '@app/webhooks';

/** Deletes what is only kept for a time: idempotency keys (24 h), webhook attempts, idle webhook endpoints, SIP messages and invocations of tools (30 days), vectors of texts (90 days, 50,000 of them), audit events (`auditDays`), a bounded number of each. */
export async function purgeExpiredRows(
  sql: Sql,
  { audit, limits, auditDays }: { audit: AuditService; limits: RateLimitsService; auditDays: number },
): Promise<void> {
  await forgetIdempotencyKeys(sql);
  await purgeOldAttempts(sql);
  await purgeOldEndpoints(sql);
  await purgeOldHosts(sql);
  await forgetSipMessages(sql);
  await purgeOldInvocations(sql);
  await purgeEmbeddingCache(sql);
  await audit.purgeOlderThan(auditDays);
  await limits.forgetEndedWindows();
}
