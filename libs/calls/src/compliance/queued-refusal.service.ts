import { Database } from '@app/database';
import { WakeUpsService } from '@app/queue';
import { Injectable } from '@nestjs/common';
import { CallsRepository } from '../calls.repository.js';
import { CallProgressService } from '../progress/call-progress.service.js';
import { covers, type DoNotCallEntry, listedNumber } from './domain/do-not-call.js';
import { DialChecksRepository } from './dial-checks.repository.js';
import { DoNotCallRepository, type QueuedCall } from './do-not-call.repository.js';

/** Queued calls that are read at a time, and that are ended in one transaction. */
const PAGE = 1_000;
/** Ended by one change of the list; a dialer refuses the rest when it takes them. */
const MAX_CALLS = 10_000;

/** Those of the queued calls that must not be dialled. */
type Refused = (calls: readonly QueuedCall[]) => Promise<QueuedCall[]>;

/**
 * Ends queued calls to numbers that have come onto the list, after the change of the list is committed: dialers refuse them from then on,
 * so that a crash in between only delays their end.
 */
@Injectable()
export class QueuedRefusalService {
  constructor(
    private readonly database: Database,
    private readonly list: DoNotCallRepository,
    private readonly calls: CallsRepository,
    private readonly checks: DialChecksRepository,
    private readonly progress: CallProgressService,
    private readonly wakeUps: WakeUpsService,
  ) {}

  /** Ends the queued calls that one entry covers. Returns their number. */
  endMatching(accountId: number, entry: Pick<DoNotCallEntry, 'number' | 'isPrefix'>): Promise<number> {
    const refused: Refused = async (calls) =>
      calls.filter((call) => {
        const number = listedNumber(call.to_number)?.number;
        return number !== undefined && covers(entry, number);
      });
    return this.endRefused(accountId, refused, entry.number);
  }

  /** Ends the queued calls that any entry covers. Returns their number. */
  endListed(accountId: number): Promise<number> {
    return this.endRefused(accountId, async (calls) => {
      const numbers = calls.map(({ to_number: destination }) => listedNumber(destination)?.number);
      const found = numbers.flatMap((number) => number ?? []);
      const listed = found.length > 0 ? await this.checks.listedAmong(accountId, found) : new Set();
      return calls.filter((_call, index) => listed.has(numbers[index] ?? ''));
    });
  }

  private async endRefused(accountId: number, refused: Refused, number?: string): Promise<number> {
    let ended = 0;
    for (const scheduled of [false, true]) {
      for (let after: QueuedCall | undefined; ended < MAX_CALLS;) {
        const page = await this.list.queued(accountId, { scheduled, after, number, limit: PAGE });
        ended += await this.end(await refused(page));
        if (page.length < PAGE) break;
        after = page.at(-1);
      }
    }
    if (ended > 0) this.wakeUps.wake('webhooks');
    return ended;
  }

  private async end(calls: readonly QueuedCall[]): Promise<number> {
    if (calls.length === 0) return 0;
    return this.database.transaction(async (tx) => {
      const ids = calls.map(({ id }) => id);
      // A call that is being claimed or dialled is left to its dialer.
      const rows = await this.calls.lockQueued(ids, tx);
      const ending = { change: 'failed', at: new Date(), cause: 'do_not_call', endedBy: 'system' } as const;
      for (const row of rows) await this.progress.end(row, ending, tx);
      return rows.length;
    });
  }
}
