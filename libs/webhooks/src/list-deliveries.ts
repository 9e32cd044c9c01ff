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
import { type DeliveryFilter, deliveryCondition } from './delivery-filter.js';
import { DELIVERY_COLUMNS, type DeliveryRow } from './delivery-view.js';

export const DELIVERY_LIST: ListedTable = { name: 'webhook_deliveries', columns: DELIVERY_COLUMNS, time: 'created_at' };

/** A numbered page, newest first, with the total. */
export const pageOfDeliveries = (
  parts: { pool: Pool; totals: ListTotals },
  accountId: number,
  filter: DeliveryFilter,
  place: { page: number; perPage: number },
): Promise<ListPage<DeliveryRow>> =>
  pageOf<DeliveryRow>(parts, DELIVERY_LIST, deliveryCondition(accountId, filter), place);

/** The deliveries beside a cursor (without one: the newest), newest first. */
export const sliceOfDeliveries = (
  pool: Pool,
  accountId: number,
  filter: DeliveryFilter,
  place: { cursor?: ListCursor; perPage: number },
): Promise<ListSlice<DeliveryRow>> =>
  sliceOf<DeliveryRow>(pool, DELIVERY_LIST, deliveryCondition(accountId, filter), place);
