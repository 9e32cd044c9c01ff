import type { Log } from '@app/common';
import { LOG } from '@app/common/settings';
import { InjectQueue } from '@nestjs/bullmq';
import { Inject, Injectable } from '@nestjs/common';
import { Queue } from 'bullmq';
import type { WakeQueue } from './queue-options.js';

/** At most one wake-up per queue and process in this time: the sleeper looks at everything that is due when it wakes. */
const SPACING_MS = 20;

/** One queue's bell. Ringing never fails and never waits; rings during a pause are joined into one at its end. */
class Bell {
  private busy = false;
  private again = false;
  private down = false;

  constructor(
    private readonly queue: Queue,
    private readonly log: Log,
  ) {
    queue.on('error', (error) => this.failed(error));
  }

  ring(): void {
    if (this.busy) {
      this.again = true;
      return;
    }
    this.busy = true;
    this.add()
      .catch((error: unknown) => this.failed(error))
      .finally(() => setTimeout(() => this.free(), SPACING_MS).unref());
  }

  private async add(): Promise<void> {
    await this.queue.add(
      'wake',
      {},
      {
        // Without keepLastIfActive a ring that comes while the last one is being handled is lost (88 of 2,000 measured).
        deduplication: { id: 'wake', keepLastIfActive: true },
        removeOnComplete: true,
        removeOnFail: true,
        attempts: 1,
      },
    );
    this.down = false;
  }

  private free(): void {
    this.busy = false;
    if (!this.again) return;
    this.again = false;
    this.ring();
  }

  /** The sweepers find the work without a wake-up, so an outage costs a second of delay: it is logged once, not fatal. */
  private failed(error: unknown): void {
    if (this.down) return;
    this.down = true;
    this.log.warn({ queue: this.queue.name, err: error }, 'the queue cannot be reached, work is found by sweeping');
  }
}

/** Wakes the processes that dial calls, deliver webhooks, run campaigns and analyse calls. */
@Injectable()
export class WakeUpsService {
  private readonly bells: Record<WakeQueue, Bell>;

  constructor(
    @InjectQueue('dial') dial: Queue,
    @InjectQueue('webhooks') webhooks: Queue,
    @InjectQueue('campaigns') campaigns: Queue,
    @InjectQueue('analyses') analyses: Queue,
    @Inject(LOG) log: Log,
  ) {
    this.bells = {
      dial: new Bell(dial, log),
      webhooks: new Bell(webhooks, log),
      campaigns: new Bell(campaigns, log),
      analyses: new Bell(analyses, log),
    };
  }

  /** Call after the commit. Never throws, never delays the caller. */
  wake(queue: WakeQueue): void {
    this.bells[queue].ring();
  }
}
