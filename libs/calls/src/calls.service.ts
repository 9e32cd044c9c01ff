import { type Acting, AuditService } from '@app/audit';
import { Conflict, NotFound } from '@app/common';
import type { ListCursor, ListPage, ListSlice, Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import { type CallFilter, CallListRepository } from './call-list.repository.js';
import type { CallRow } from './call.entity.js';
import { CallsRepository } from './calls.repository.js';
import { isActive } from './domain/call-state.js';
import type { CallWithResults } from './presenters/call.presenter.js';
import { RecordingsService } from './recordings/recordings.service.js';

/** Reads and deletes the calls of an account. */
@Injectable()
export class CallsService {
  constructor(
    private readonly calls: CallsRepository,
    private readonly lists: CallListRepository,
    private readonly recordings: RecordingsService,
    private readonly audit: AuditService,
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

  /** Adds fields to the metadata of a call; existing ones with these names are replaced. */
  addMetadata(accountId: number, callId: string, metadata: Record<string, unknown>): Promise<void> {
    return this.calls.addMetadata(accountId, callId, metadata);
  }

  /**
   * Deletes the recording of a call that has ended, with the local file of a dead dialer on this machine. Throws NotFound, or Conflict
   * while the call is active.
   */
  async deleteRecording(accountId: number, callId: string): Promise<void> {
    const call = await this.calls.findToDelete(accountId, callId);
    if (!call) throw new NotFound('Call');
    // A call that has ended never becomes active again, so nothing needs a lock between the two statements.
    if (isActive(call.status)) {
      throw new Conflict('An active call cannot be deleted. Wait for it to complete or fail, or cancel it.');
    }
    await this.recordings.delete(callId, call.recording_key);
  }

  /**
   * Deletes the row of a call with its transcript and webhooks, after its recording. Throws NotFound. @returns the contact of a campaign
   * that was called; null: it was none.
   */
  async deleteWithin({ accountId, actor }: Acting, callId: string, tx: Sql): Promise<string | null> {
    const deleted = await this.calls.delete(accountId, callId, tx);
    if (!deleted) throw new NotFound('Call');
    const subject = { kind: 'call', id: callId };
    await this.audit.record({ accountId, actor, action: 'call.deleted', subject }, tx);
    return deleted.contactId;
  }
}
