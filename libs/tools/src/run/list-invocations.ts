import { isoTime, timeOrNull } from '@app/common';
import {
  type Condition,
  ConditionWriter,
  type ListCursor,
  type ListedTable,
  type ListPage,
  type ListSlice,
  type ListTotals,
  ofCall,
  pageOf,
  sliceOf,
} from '@app/database';
import type { Pool } from 'pg';
import type { InvocationSource } from './invocation.js';

/** `running`: not ended. `failed`: one of the actions that were waited for did, or its process died (see abandoned-invocations.ts). */
export const INVOCATION_STATES = ['running', 'succeeded', 'failed'] as const;
export type InvocationState = (typeof INVOCATION_STATES)[number];

/** What a list of invocations is narrowed to. */
export interface InvocationFilter {
  callId?: string;
  toolId?: number;
  state?: InvocationState;
  /** Both included, on the time of the invocation. */
  from?: Date;
  to?: Date;
}

export const INVOCATION_LIST: ListedTable = {
  name: 'tool_invocations',
  columns: 'id, tool_id, tool_name, agent_id, call_id, tool_call_id, source, ok, started_at, ended_at',
  time: 'started_at',
};

export interface ListedInvocationRow {
  id: string;
  tool_id: number;
  tool_name: string;
  agent_id: number;
  call_id: string | null;
  tool_call_id: string | null;
  source: InvocationSource;
  ok: boolean | null;
  started_at: Date;
  ended_at: Date | null;
}

const OK: Record<InvocationState, string> = { running: 'ok IS NULL', succeeded: 'ok = true', failed: 'ok = false' };

/** The WHERE of the account's invocations that the filter lets through. Each filter is served by an index. */
export function invocationCondition(
  accountId: number,
  { callId, toolId, state, from, to }: InvocationFilter,
): Condition {
  const where = new ConditionWriter(accountId);
  where.addGiven('call', ofCall(INVOCATION_LIST), callId);
  where.addGiven('tool', (value) => `tool_id = ${value}::integer`, toolId);
  if (state) where.addFixed(state, OK[state]);
  where.addGiven('from', (value) => `started_at >= ${value}`, from);
  where.addGiven('to', (value) => `started_at <= ${value}`, to);
  return where.done();
}

/** A numbered page of the account's invocations, newest first, with the total. */
export const pageOfInvocations = (
  parts: { pool: Pool; totals: ListTotals },
  accountId: number,
  filter: InvocationFilter,
  place: { page: number; perPage: number },
): Promise<ListPage<ListedInvocationRow>> =>
  pageOf<ListedInvocationRow>(parts, INVOCATION_LIST, invocationCondition(accountId, filter), place);

/** The invocations beside a cursor (without one: the newest), newest first. */
export const sliceOfInvocations = (
  pool: Pool,
  accountId: number,
  filter: InvocationFilter,
  place: { cursor?: ListCursor; perPage: number },
): Promise<ListSlice<ListedInvocationRow>> =>
  sliceOf<ListedInvocationRow>(pool, INVOCATION_LIST, invocationCondition(accountId, filter), place);

/** An invocation in a list: what went in and came out is read with the one. */
export const listedInvocationView = (row: ListedInvocationRow) => ({
  invocation_id: row.id,
  tool_id: row.tool_id,
  tool: row.tool_name,
  agent_id: row.agent_id,
  call_id: row.call_id,
  tool_call_id: row.tool_call_id,
  source: row.source,
  state: stateOf(row.ok),
  started_at: isoTime(row.started_at),
  ended_at: timeOrNull(row.ended_at),
});

export type ListedInvocationView = ReturnType<typeof listedInvocationView>;

const stateOf = (ok: boolean | null): InvocationState => (ok === null ? 'running' : ok ? 'succeeded' : 'failed');
