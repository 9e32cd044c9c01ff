import type { Acting } from '@app/audit';
import {
  type CallFilter,
  type CallOrder,
  type CallRow,
  type CallWithResults,
  createCalls,
  type CreateCallsParts,
  type CreatedCalls,
  deleteCall,
  type Diagnostics,
  findCallWithResults,
  findDiagnostics,
  type Links,
  pageOfCalls,
  type RecordingFiles,
  requestCancel,
  sliceOfCalls,
} from '@app/calls';
import { NotFound } from '@app/common';
import { type IdempotencyKey, type ListCursor, type ListPage, type ListSlice, ListTotals } from '@app/database';
import type { Storage } from '@app/storage';

export interface CallsParts extends CreateCallsParts {
  storage: Storage;
  recordings: RecordingFiles;
  links: Links;
}

/** The calls of an account, with what this process has to do it with. */
export class CallsService {
  private readonly totals: ListTotals;

  constructor(private readonly parts: CallsParts) {
    this.totals = new ListTotals(parts.pool);
  }

  create(accountId: number, order: CallOrder, key?: IdempotencyKey): Promise<CreatedCalls> {
    return createCalls(this.parts, accountId, order, key);
  }

  find(accountId: number, callId: string): Promise<CallWithResults> {
    return findCallWithResults(this.parts.pool, accountId, callId);
  }

  diagnostics(accountId: number, callId: string): Promise<Diagnostics> {
    return findDiagnostics(this.parts.pool, accountId, callId);
  }

  page(accountId: number, filter: CallFilter, place: { page: number; perPage: number }): Promise<ListPage<CallRow>> {
    return pageOfCalls({ pool: this.parts.pool, totals: this.totals }, accountId, filter, place);
  }

  slice(
    accountId: number,
    filter: CallFilter,
    place: { cursor?: ListCursor; perPage: number },
  ): Promise<ListSlice<CallRow>> {
    return sliceOfCalls(this.parts.pool, accountId, filter, place);
  }

  delete(who: Acting, callId: string): Promise<void> {
    return deleteCall(this.parts, who, callId);
  }

  async cancel(who: Acting, callId: string): Promise<CallRow> {
    const call = await requestCancel(this.parts.pool, who, callId, this.parts.links);
    if (!call) throw new NotFound('Call');
    this.parts.wake('webhooks');
    return call;
  }
}
