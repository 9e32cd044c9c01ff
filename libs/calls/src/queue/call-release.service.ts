import { type Log, type PeriodicTask, runPeriodically } from '@app/common';
import { WakeUpsService } from '@app/queue';
import { LOG } from '@app/common/settings';
import { Inject, Injectable } from '@nestjs/common';
import { WebCallsService } from '../web-calls/web-calls.service.js';
import { CallScheduleRepository, RELEASE_BATCH } from './call-schedule.repository.js';

/** Also finds calls that were created with an earlier time than the next one known. */
const LOOK_MS = 1_000;
/** A due call that another process has locked is released by that process. */
const MIN_LOOK_MS = 20;

/**
 * Moves scheduled calls into the queue when their time comes, and ends web calls whose token ended unused. Workers and dialers do it; any
 * number of processes may.
 */
@Injectable()
export class CallReleaseService {
  constructor(
    private readonly schedule: CallScheduleRepository,
    private readonly webCalls: WebCallsService,
    private readonly wakeUps: WakeUpsService,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Releases calls on time until stopped. */
  start(): PeriodicTask {
    let pause = LOOK_MS;
    const look = async (): Promise<void> => {
      pause = LOOK_MS;
      pause = await this.release();
    };
    return runPeriodically(() => pause, look, this.log);
  }

  /** Releases the calls that are due, and returns the ms until the next look. */
  async release(): Promise<number> {
    await this.webCalls.endExpired();
    for (let released = RELEASE_BATCH; released === RELEASE_BATCH;) {
      released = await this.schedule.release();
      if (released > 0) this.wakeUps.wake('dial');
    }
    const next = (await this.schedule.nextDueMs()) ?? LOOK_MS;
    return Math.min(Math.max(Math.ceil(next), MIN_LOOK_MS), LOOK_MS);
  }
}
