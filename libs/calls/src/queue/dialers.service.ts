import type { Log } from '@app/common';
import { Database, type Sql } from '@app/database';
import { metrics } from '@app/metrics';
import { LOG } from '@app/common/settings';
import { Inject, Injectable } from '@nestjs/common';
import { CallCommandsRepository } from '../commands/call-commands.repository.js';
import { CallProgressService } from '../progress/call-progress.service.js';
import type { CallRow } from '../call.entity.js';
import { DialersRepository, SWEEP_BATCH } from './dialers.repository.js';
import { type LiveCall, OverdueCallsRepository } from './overdue-calls.repository.js';

/** A call that is not dialled within a day in the queue fails. A scheduled call joins the queue at its time. */
const MAX_WAIT_MS = 86_400_000;

interface SweptCalls {
  ended: string[];
  requeued: string[];
}

/** The leases of dialer processes, and the calls of dialers that lost their lease. Several processes may sweep at once. */
@Injectable()
export class DialersService {
  constructor(
    private readonly database: Database,
    private readonly dialers: DialersRepository,
    private readonly overdue: OverdueCallsRepository,
    private readonly progress: CallProgressService,
    private readonly commands: CallCommandsRepository,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Announces a dialer process, what it can use, and where other processes reach it (`host:port`). `id` is new at every start. */
  register(id: string, providerNames: readonly string[], internalAddress: string): Promise<void> {
    return this.dialers.register(id, providerNames, internalAddress);
  }

  /** False: the dialer was declared dead (it was suspended or disconnected for too long) and has lost its calls. */
  renew(id: string): Promise<boolean> {
    return this.dialers.renew(id);
  }

  /** Ends the lease of a dialer that has ended its calls. Claimed calls that were not dialled return to the queue. */
  retire(id: string): Promise<void> {
    return this.dialers.retire(id);
  }

  /** Live calls of the dialer whose cancellation was requested. */
  cancelledCalls(id: string): Promise<string[]> {
    return this.dialers.cancelledCalls(id);
  }

  /** All live calls that the dialer owns in the database. */
  liveCalls(id: string): Promise<LiveCall[]> {
    return this.overdue.liveCalls(id);
  }

  /**
   * Ends the calls of dead dialers, as failed/worker_lost; claimed calls that were not dialled return to the queue.
   * A call whose INVITE may have left is never dialled again.
   */
  async endLostCalls(): Promise<void> {
    await this.dialers.expire();
    await this.commands.settleLeftOver();
    const { ended, requeued } = await this.sweep((tx) => this.dialers.lockOrphans(tx));
    if (ended.length > 0) this.log.warn({ calls: ended }, 'calls of a lost dialer were ended');
    if (requeued.length > 0) this.log.warn({ calls: requeued }, 'calls of a lost dialer returned to the queue');
  }

  /** endLostCalls for calls that a live dialer owns in the database but does not run, for example because their end could not be stored. */
  async endForgottenCalls(owner: string, callIds: readonly string[]): Promise<void> {
    const { ended, requeued } = await this.sweep((tx) => this.dialers.lockOwned(owner, callIds, tx));
    if (ended.length > 0) this.log.warn({ calls: ended }, 'calls that their dialer did not run were ended');
    if (requeued.length > 0)
      this.log.warn({ calls: requeued }, 'calls that their dialer did not run returned to the queue');
  }

  /** Ends calls that were not dialled within a day of joining the queue, as failed/queue_expired: 50 at most. */
  async endExpiredCalls(now = Date.now()): Promise<void> {
    const expired = await this.database.transaction(async (tx) => {
      const calls = await this.dialers.lockQueuedBefore(now - MAX_WAIT_MS, tx);
      const ending = { change: 'failed', at: new Date(), cause: 'queue_expired', endedBy: 'system' } as const;
      for (const call of calls) await this.progress.end(call, ending, tx);
      return calls.map((call) => call.id);
    });
    if (expired.length > 0) this.log.warn({ calls: expired }, 'calls that waited for a day were ended');
  }

  private async sweep(lockBatch: (tx: Sql) => Promise<CallRow[]>): Promise<SweptCalls> {
    const swept: SweptCalls = { ended: [], requeued: [] };
    for (;;) {
      const batch = await this.database.transaction(async (tx) => {
        const calls = await lockBatch(tx);
        await this.endBatch(calls, swept, tx);
        return calls.length;
      });
      if (batch < SWEEP_BATCH) break;
    }
    metrics.callsSwept.inc(swept.ended.length);
    return swept;
  }

  private async endBatch(calls: readonly CallRow[], swept: SweptCalls, tx: Sql): Promise<void> {
    const waiting = calls.filter((call) => call.started_at === null).map((call) => call.id);
    await this.dialers.requeue(waiting, tx);
    const begun = calls.filter((call) => call.started_at !== null);
    for (const call of begun) {
      const ending = { change: 'failed', at: new Date(), cause: 'worker_lost', endedBy: 'system' } as const;
      await this.progress.end(call, ending, tx);
    }
    swept.requeued.push(...waiting);
    swept.ended.push(...begun.map((call) => call.id));
  }
}
