import { AccountLimitsService } from '@app/accounts';
import { CallRetentionService } from '@app/calls';
import type { Log } from '@app/common';
import { LeaderLeaseRepository } from '@app/database';
import { KnowledgeDeletionService } from '@app/knowledge';
import { metrics } from '@app/metrics';
import { LOG, OWNER } from '@app/common/settings';
import { WakeUpsService } from '@app/queue';
import { SkipList } from '@app/storage';
import { TestRunWorkerService } from '@app/simulation';
import { WebhookRetentionService } from '@app/webhooks';
import { Inject, Injectable } from '@nestjs/common';
import { TranscriptRetentionService } from './transcript-retention.service.js';

/** The most chunks of each kind in one round: a backlog is processed in rounds, so that other kinds do not wait. */
const CHUNKS = 20;
/** The pause while there is a backlog: an account that limits its retention for the first time may have millions of calls. */
const BACKLOG_PAUSE_MS = 1_000;
/** Longer than the time-out of a chunk whose storage does not respond. */
const LEASE_MS = 300_000;

/** Deletes one chunk. @returns how many were deleted. */
type DeleteChunk<Id extends string | number> = (skipList: SkipList<Id>) => Promise<number>;

/** Deletes recordings, transcripts, deliveries, test runs and documents whose retention has ended. One worker at a time holds the lease. */
@Injectable()
export class RetentionService {
  constructor(
    private readonly accounts: AccountLimitsService,
    private readonly calls: CallRetentionService,
    private readonly transcripts: TranscriptRetentionService,
    private readonly webhooks: WebhookRetentionService,
    private readonly knowledgeBases: KnowledgeDeletionService,
    private readonly testRuns: TestRunWorkerService,
    private readonly leases: LeaderLeaseRepository,
    private readonly wakeUps: WakeUpsService,
    @Inject(OWNER) private readonly owner: string,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** One round, in chunks. A failure of one kind does not stop the others; the next round retries it. A backlog queues the next round. */
  async deleteExpired(): Promise<void> {
    const backlogs = [
      await this.deleteKind<string>('recordings', (skipList) => this.calls.deleteExpiredRecordings(skipList)),
      await this.deleteKind('transcripts', () => this.transcripts.deleteExpired()),
      await this.deleteKind('test_runs', async () =>
        this.testRuns.deleteExpired(await this.accounts.retentionPeriods('transcripts')),
      ),
      await this.deleteKind('deliveries', async () =>
        this.webhooks.deleteExpiredDeliveries(await this.accounts.retentionPeriods('deliveries')),
      ),
      await this.deleteKind<number>('documents', (skipList) => this.knowledgeBases.deleteExpired(skipList)),
    ];
    if (backlogs.includes(true)) this.wakeUps.wakeNext('retention', BACKLOG_PAUSE_MS);
  }

  /** @returns whether there is more to delete */
  private async deleteKind<Id extends string | number>(kind: string, deleteChunk: DeleteChunk<Id>): Promise<boolean> {
    const skipList = new SkipList<Id>();
    let deleted = 0;
    let hasBacklog = false;
    try {
      let more = true;
      for (let chunk = 0; chunk < CHUNKS && more; chunk++) {
        if (!(await this.leases.take('retention', this.owner, LEASE_MS))) break;
        const before = deleted + skipList.ids.length;
        deleted += await deleteChunk(skipList);
        more = deleted + skipList.ids.length > before;
      }
      hasBacklog = more && deleted > 0;
    } catch (err) {
      this.log.error({ err, kind }, 'expired data could not be deleted and is retried');
    }
    this.report(kind, deleted, skipList);
    return hasBacklog;
  }

  private report(kind: string, deleted: number, { ids, first }: SkipList<string | number>): void {
    if (ids.length > 0) {
      const fields = { err: first, kind, files: ids.length };
      this.log.error(fields, 'expired files could not be deleted and are retried');
    }
    if (deleted === 0) return;
    metrics.expiredDeleted.inc({ kind }, deleted);
    this.log.info({ kind, deleted }, 'expired data was deleted');
  }
}
