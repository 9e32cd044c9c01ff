import {
  type ListCursor,
  type ListedTable,
  type ListPage,
  type ListSlice,
  type ListTotals,
  pageOf,
  sliceOf,
} from '@app/database';
import type { Pool } from 'pg';
import { type CallFilter, conditionOf } from './call-filter.js';
import { CALL_COLUMNS, type CallRow } from './call-row.js';
import { ownNumbersOf } from './own-numbers.js';

export const CALL_LIST: ListedTable = { name: 'calls', columns: CALL_COLUMNS, time: 'created_at' };

/** A numbered page, newest first, with the total: at most two statements, a search one more. */
export async function pageOfCalls(
  parts: { pool: Pool; totals: ListTotals },
  accountId: number,
  filter: CallFilter,
  place: { page: number; perPage: number },
): Promise<ListPage<CallRow>> {
  const condition = conditionOf(accountId, filter, await ownNumbersOf(parts.pool, accountId, filter.search));
  return pageOf<CallRow>(parts, CALL_LIST, condition, place);
}

/** The calls beside a cursor (without one: the newest), newest first. */
export async function sliceOfCalls(
  pool: Pool,
  accountId: number,
  filter: CallFilter,
  place: { cursor?: ListCursor; perPage: number },
): Promise<ListSlice<CallRow>> {
  const condition = conditionOf(accountId, filter, await ownNumbersOf(pool, accountId, filter.search));
  return sliceOf<CallRow>(pool, CALL_LIST, condition, place);
}
