import { type Acting, writeAudit } from '@app/audit';
import { Conflict, NotFound } from '@app/common';
import { Database, type ListCursor, type ListPage, type ListSlice } from '@app/database';
import { WakeUps } from '@app/queue';
import { Injectable } from '@nestjs/common';
import { type CallFilter, CallListRepository } from './call-list.repository.js';
import { CallProgressService } from './call-progress.service.js';
import type { CallRow } from './call.entity.js';
import { CallsRepository } from './calls.repository.js';
import { isActive } from './domain/call-state.js';
import type { CallWithResults } from './presenters/call.presenter.js';
import { RecordingsService } from './recordings.service.js';

/** Reads, cancels and deletes the calls of an account. */
@Injectable()
export class CallsService {
  constructor(
    private readonly database: Database,
    private readonly calls: CallsRepository,
    private readonly lists: CallListRepository,
    private readonly progress: CallProgressService,
    private readonly recordings: RecordingsService,
    private readonly wakeUps: WakeUps,
  ) {}

  /** Throws NotFound when the account has no such call. */
  async find(accountId: number, callId: string): Promise<CallRow> {
    const row = await this.calls.find(accountId, callId);
    if (!row) throw new NotFound('Call');
    return row;
  }

  /** Throws NotFound when the account has no such call. */
  async findWithResults(accountId: number, callId: string): Promise<CallWithResults> {
    const row = await this.calls.findWithResults(accountId, callId);
    if (!row) throw new NotFound('Call');
    return row;
  }

  /** A numbered page, newest first, with the total. */
  page(accountId: number, filter: CallFilter, place: { page: number; perPage: number }): Promise<ListPage<CallRow>> {
    return this.lists.page(accountId, filter, place);
  }

  /** The calls beside a cursor (without one: the newest), newest first. */
  slice(
    accountId: number,
    filter: CallFilter,
    place: { cursor?: ListCursor; perPage: number },
  ): Promise<ListSlice<CallRow>> {
    return this.lists.slice(accountId, filter, place);
  }

  /**
   * Cancels a call: a queued call ends here; the dialer of any other call hangs it up within half a second (CANCEL before the
   * answer, BYE after it). Returns the call in its present state. Throws NotFound, and Conflict when the call has already ended.
   */
  async cancel({ accountId, actor }: Acting, callId: string): Promise<CallRow> {
    const cancelled = await this.database.transaction(async (tx) => {
      const call = await this.calls.lockToCancel(accountId, callId, tx);
      if (!call) return undefined;
      if (!isActive(call.status)) throw new Conflict('The call has already ended and cannot be cancelled.');
      await writeAudit(tx, { accountId, actor, action: 'call.cancelled', subject: { kind: 'call', id: callId } });
      if (call.owner === null) {
        const ending = { change: 'cancelled', at: new Date(), cause: 'cancelled', endedBy: 'api' } as const;
        return this.progress.end(call, ending, tx);
      }
      await this.calls.requestCancel(callId, tx);
      return call;
    });
    if (!cancelled) throw new NotFound('Call');
    this.wakeUps.wake('webhooks');
    return cancelled;
  }

  /**
   * Removes a call that has ended, with its recording, transcript and webhooks. Throws NotFound, or Conflict while the call is active.
   * The recording goes first, with the local file that a dead dialer left on this machine: after a crash in between, a second delete
   * finds the rest.
   */
  async delete({ accountId, actor }: Acting, callId: string): Promise<void> {
    const call = await this.calls.findToDelete(accountId, callId);
    if (!call) throw new NotFound('Call');
    // A call that has ended never becomes active again, so nothing needs a lock between the two statements.
    if (isActive(call.status)) {
      throw new Conflict('An active call cannot be deleted. Wait for it to complete or fail, or cancel it.');
    }
    await this.recordings.delete(callId, call.recording_key);
    await this.database.transaction(async (tx) => {
      if (!(await this.calls.delete(accountId, callId, tx))) throw new NotFound('Call');
      await writeAudit(tx, { accountId, actor, action: 'call.deleted', subject: { kind: 'call', id: callId } });
    });
  }
}
