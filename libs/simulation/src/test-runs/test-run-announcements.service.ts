import type { EntityTransaction } from '@app/database';
import { WakeUpsService } from '@app/queue';
import { testRunRecord, WebhookOutboxRepository } from '@app/webhooks';
import { Injectable } from '@nestjs/common';
import { runView } from './presenters/test-run.presenter.js';
import type { ScenarioCounts } from './scenario-runs.repository.js';
import type { TestRunEntity } from './test-run.entity.js';

/** Tells workers of runs that are queued, and receivers of those that have ended, by the webhook `test-run`. */
@Injectable()
export class TestRunAnnouncementsService {
  constructor(
    private readonly outbox: WebhookOutboxRepository,
    private readonly wakeUps: WakeUpsService,
  ) {}

  /** After the commit. */
  queued(): void {
    this.wakeUps.wake('test-runs');
  }

  /** In the transaction that ends the run. */
  async ended(run: TestRunEntity, counts: readonly ScenarioCounts[], tx: EntityTransaction): Promise<void> {
    const { accountId, webhookUrl, notify, status } = run;
    if (webhookUrl === null || (notify === 'failure' && status === 'passed')) return;
    const data = runView(run, counts);
    const record = testRunRecord({ accountId, event: status, url: webhookUrl, createdAt: new Date(), data });
    await this.outbox.writeSingle(record, tx);
    // Before the commit: a dispatcher that finds nothing looks again within a second.
    this.wakeUps.wake('webhooks');
  }
}
