import type { Log } from '@app/common';
import { Database } from '@app/database';
import { WakeUpsService } from '@app/queue';
import { LOG } from '@app/common/settings';
import { Inject, Injectable } from '@nestjs/common';
import { nextRefresh } from './refresh-schedule.js';
import { RefreshesRepository } from './refreshes.repository.js';

const AT_ONCE = 50;

/** Begins the scheduled refreshes of URL sources that are due, a bounded number at a time. Any number of workers may do so. */
@Injectable()
export class RefreshesService {
  constructor(
    private readonly database: Database,
    private readonly refreshes: RefreshesRepository,
    private readonly wakeUps: WakeUpsService,
    @Inject(LOG) private readonly log: Log,
  ) {}

  async beginDue(): Promise<void> {
    const begun = await this.database.transaction(async (tx) => {
      const due = await this.refreshes.lockDue(AT_ONCE, tx);
      const now = new Date();
      const planned = due.map(({ id, refresh_schedule: schedule }) => ({ id, next: nextRefresh(schedule, now) }));
      return planned.length === 0 ? [] : this.refreshes.begin(planned, tx);
    });
    for (const refresh of begun) this.log.debug(refresh, 'a scheduled refresh begins');
    if (begun.length > 0) this.wakeUps.wake('documents');
  }
}
