import { AccountLimitsService } from '@app/accounts';
import { TranscriptSearchService } from '@app/analytics';
import { CallAnalysesService } from '@app/call-analysis';
import { CallRetentionService } from '@app/calls';
import type { Log } from '@app/common';
import { CampaignContactsService } from '@app/campaigns';
import { Database, LeaderLeaseRepository } from '@app/database';
import { KnowledgeDeletionService } from '@app/knowledge';
import { WakeUpsService } from '@app/queue';
import { TestRunWorkerService } from '@app/simulation';
import { ToolInvocationsService } from '@app/tools';
import { WebhookRetentionService } from '@app/webhooks';
import type { INestApplicationContext } from '@nestjs/common';
import { RetentionService } from '../../apps/worker/src/retention.service.js';
import { TranscriptRetentionService } from '../../apps/worker/src/transcript-retention.service.js';

/** The retention of a worker with the services of `app`. */
export const retentionOf = (
  app: INestApplicationContext,
  log: Log,
  wakeUps: Pick<WakeUpsService, 'wakeNext'> = { wakeNext: () => undefined },
): RetentionService =>
  new RetentionService(
    app.get(AccountLimitsService),
    app.get(CallRetentionService),
    new TranscriptRetentionService(
      app.get(Database),
      app.get(CallRetentionService),
      app.get(TranscriptSearchService),
      app.get(CampaignContactsService),
      app.get(CallAnalysesService),
      app.get(ToolInvocationsService),
      app.get(WebhookRetentionService),
    ),
    app.get(WebhookRetentionService),
    app.get(KnowledgeDeletionService),
    app.get(TestRunWorkerService),
    app.get(LeaderLeaseRepository),
    wakeUps as WakeUpsService,
    'test',
    log,
  );
