import { AccountsService } from '@app/accounts';
import { CallRetentionService } from '@app/calls';
import type { Log } from '@app/common';
import { LeaderLeaseRepository } from '@app/database';
import { KnowledgeDeletionService } from '@app/knowledge';
import { TestRunWorkerService } from '@app/simulation';
import { WebhookRetentionService } from '@app/webhooks';
import type { INestApplicationContext } from '@nestjs/common';
import { RetentionService } from '../../apps/worker/src/retention.service.js';

/** The retention of a worker with the services of `app`. */
export const retentionOf = (app: INestApplicationContext, log: Log): RetentionService =>
  new RetentionService(
    app.get(AccountsService),
    app.get(CallRetentionService),
    app.get(WebhookRetentionService),
    app.get(KnowledgeDeletionService),
    app.get(TestRunWorkerService),
    app.get(LeaderLeaseRepository),
    'test',
    log,
  );
