import {
  ConditionWriter,
  Database,
  type ListCursor,
  type ListedTable,
  type ListPage,
  type ListSlice,
  ListTotals,
  ofCall,
  pageOf,
  sliceOf,
  type Sql,
} from '@app/database';
import { Injectable } from '@nestjs/common';
import { escapeLiteral } from 'pg';
import { type DeliveryState, isRareState, type WebhookType } from '../domain/delivery-record.js';
import { endpointOf } from '../domain/endpoint-health.js';
import type { AttemptRow, DeliveryRow, DeliveryWithAttempts } from '../presenters/delivery.presenter.js';
import { endpointSql } from '../endpoints/webhook-endpoints.repository.js';

/** The conditions of a list of deliveries. */
export interface DeliveryFilter {
  callId?: string;
  type?: WebhookType;
  /** `ringing`, `ended`, `invoked`. */
  event?: string;
  state?: DeliveryState;
  /** With or without a query; compared without it. */
  url?: string;
  /** Time of creation, both included. */
  from?: Date;
  to?: Date;
}

/** The delivery of a queued action of a tool. */
export interface ActionDelivery extends Record<string, unknown> {
  id: string;
  state: DeliveryState;
  attempts: AttemptRow[];
}

/** The WHERE of the account's deliveries that match the filter (see the indexes of 1760001600000 and 1760008000000). */
export function deliveriesWhere(accountId: number, filter: DeliveryFilter): ConditionWriter {
  const where = new ConditionWriter(accountId);
  where.addGiven('call', ofCall({ name: 'webhook_deliveries' }), filter.callId);
  if (filter.type) addType(where, filter.type);
  if (filter.event) addLiteral(where, 'event', filter.event);
  if (filter.state) addState(where, filter.state);
  const endpoint = filter.url === undefined ? undefined : endpointOf(filter.url);
  where.addGiven('url', (value) => `${endpointSql('url')} = ${value}`, endpoint);
  where.addGiven('from', (value) => `created_at >= ${value}`, filter.from);
  where.addGiven('to', (value) => `created_at <= ${value}`, filter.to);
  return where;
}

/**
 * The index of rare states finds those; most rows are `delivered`, which a scan of the list finds. Only streams that are due some time
 * have pending deliveries: an array of them, as in `ofCall`.
 */
function addState(where: ConditionWriter, state: DeliveryState): void {
  addLiteral(where, 'state', state);
  if (isRareState(state)) addLiteral(where, 'rare_state', state);
  if (state === 'pending') where.addFixed('due', DUE_STREAMS);
}

const DUE_STREAMS = `stream_id = ANY (ARRAY(SELECT s.id FROM webhook_streams s WHERE s.account_id = $1 AND s.next_at IS NOT NULL))`;

/** Types other than call-status have one event each, which an index contains. */
const EVENT_OF: Partial<Record<WebhookType, string>> = {
  'post-call': 'ended',
  'tool-action': 'invoked',
  test: 'test',
  'pre-call': 'requested',
};

function addType(where: ConditionWriter, type: WebhookType): void {
  const event = EVENT_OF[type];
  if (event) addLiteral(where, 'event', event);
  addLiteral(where, 'type', type);
}

/** A literal instead of a parameter: only a constant lets the planner use a partial index. */
const addLiteral = (where: ConditionWriter, column: string, value: string): void =>
  where.addFixed(`${column}-${value}`, `${column} = ${escapeLiteral(value)}`);

/** The columns of DeliveryRow. */
const DELIVERY_COLUMNS = `id, type, event, call_id,
  (SELECT s.invocation_id FROM webhook_streams s WHERE s.id = stream_id) AS invocation_id,
  sequence, method, url, state, attempts, next_at, last_status, last_error, created_at, delivered_at, replayed_at`;

const LISTED: ListedTable = { name: 'webhook_deliveries', columns: DELIVERY_COLUMNS, time: 'created_at' };

/** A delivery has up to 13 attempts, more after replays: the last ones are returned. Each has up to 16 KiB of an answer. */
const MAX_ATTEMPTS = 30;

const ONE = {
  name: 'one-webhook-delivery',
  text: `SELECT ${DELIVERY_COLUMNS}, body,
      (SELECT coalesce(json_agg(json_build_object('attempt', w.attempt, 'at', w.at, 'status', w.status, 'latency_ms', w.latency_ms,
          'error', w.error, 'answer', w.response_head, 'request_headers', w.request_headers) ORDER BY w.attempt), '[]')
        FROM (SELECT * FROM webhook_attempts WHERE delivery_id = webhook_deliveries.id
               ORDER BY attempt DESC LIMIT ${MAX_ATTEMPTS}) w) AS tries
    FROM webhook_deliveries WHERE account_id = $1 AND id = $2`,
};

const OF_ACTIONS = {
  name: 'deliveries-of-actions',
  text: `SELECT d.id, d.state, (SELECT coalesce(json_agg(json_build_object('attempt', w.attempt, 'at', w.at, 'status', w.status,
          'latency_ms', w.latency_ms, 'error', w.error, 'answer', left(w.response_head, $3::integer),
          'request_headers', w.request_headers) ORDER BY w.attempt), '[]')
        FROM webhook_attempts w WHERE w.delivery_id = d.id) AS attempts
    FROM webhook_deliveries d WHERE d.account_id = $1 AND d.id = ANY ($2::uuid[])`,
};

const ROW = {
  name: 'webhook-delivery-row',
  text: `SELECT ${DELIVERY_COLUMNS} FROM webhook_deliveries WHERE account_id = $1 AND id = $2`,
};

/** How long an account keeps its deliveries. */
export interface RetentionPeriod {
  accountId: number;
  days: number;
}

const PER_ACCOUNT = 500;
const PER_STATEMENT = 1_000;

/**
 * Finished deliveries, oldest first; open ones are at most three days old and are skipped. A trigger deletes their attempts. The
 * state is checked twice, because a replay may reopen a delivery at this moment. A stream without deliveries is deleted as well: with
 * nothing due it has no lease, and a new delivery creates it again. The expression hides the statistics of the state: when nearly all
 * deliveries are open, the planner expects no finished ones, and would read the whole table for each account.
 */
const DELETE = {
  name: 'delete-expired-deliveries',
  text: `WITH expired AS (
      SELECT d.id FROM unnest($1::integer[], $2::integer[]) AS a (id, days) CROSS JOIN LATERAL (
          SELECT id FROM webhook_deliveries
           WHERE account_id = a.id AND created_at < now() - a.days * interval '1 day'
             AND state || '' NOT IN ('pending', 'slow')
           ORDER BY created_at, id LIMIT ${PER_ACCOUNT}) d
       LIMIT ${PER_STATEMENT})
    DELETE FROM webhook_deliveries d WHERE d.id = ANY (ARRAY(SELECT id FROM expired)) AND d.state NOT IN ('pending', 'slow')
    RETURNING d.stream_id`,
};
const DELETE_EMPTY_STREAMS = {
  name: 'delete-empty-streams',
  text: `DELETE FROM webhook_streams s WHERE s.id = ANY ($1::bigint[]) AND s.next_at IS NULL AND s.lease_owner IS NULL
    AND NOT EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.stream_id = s.id)`,
};

const DELETE_TRANSCRIPTS = {
  name: 'delete-transcript-deliveries',
  text: `DELETE FROM webhook_deliveries
    WHERE call_id = ANY ($1::uuid[]) AND type IN ('post-call', 'tool-action', 'call-analysis', 'tool-result')`,
};

/** Ids grow with time, so that no index of the time is needed. */
const PURGE_ATTEMPTS = {
  name: 'purge-webhook-attempts',
  text: `DELETE FROM webhook_attempts WHERE id = ANY (ARRAY(
       SELECT id FROM (SELECT id, at FROM webhook_attempts ORDER BY id LIMIT 2000) oldest WHERE at < now() - interval '30 days')) RETURNING 1`,
};

/** The log of deliveries and attempts. In SQL because of keyset lists, attempts as JSON in the same statement, and deletion in chunks. */
@Injectable()
export class WebhookDeliveriesRepository {
  private readonly totals: ListTotals;

  constructor(private readonly database: Database) {
    this.totals = new ListTotals(database.pool);
  }

  /** A numbered page, newest first, with the total. */
  page(
    accountId: number,
    filter: DeliveryFilter,
    place: { page: number; perPage: number },
  ): Promise<ListPage<DeliveryRow>> {
    const parts = { pool: this.database.pool, totals: this.totals };
    return pageOf<DeliveryRow>(parts, LISTED, deliveriesWhere(accountId, filter).done(), place);
  }

  /** The deliveries beside a cursor (without one: the newest), newest first. */
  slice(
    accountId: number,
    filter: DeliveryFilter,
    place: { cursor?: ListCursor; perPage: number },
  ): Promise<ListSlice<DeliveryRow>> {
    return sliceOf<DeliveryRow>(this.database.pool, LISTED, deliveriesWhere(accountId, filter).done(), place);
  }

  /** With its body and its last 30 attempts, the oldest first. Undefined: the account has no such delivery. */
  async findWithAttempts(accountId: number, id: string): Promise<DeliveryWithAttempts | undefined> {
    const [found] = await this.database.rows<DeliveryWithAttempts & Record<string, unknown>>(ONE, [accountId, id]);
    return found;
  }

  /** The deliveries of queued actions with their attempts, the oldest first, and so many characters of the answers. */
  ofActions(accountId: number, ids: readonly string[], answerLength: number): Promise<ActionDelivery[]> {
    return this.database.rows<ActionDelivery>(OF_ACTIONS, [accountId, ids, answerLength]);
  }

  /** Undefined: the account has no such delivery. */
  async find(accountId: number, id: string, tx?: Sql): Promise<DeliveryRow | undefined> {
    const [found] = await this.database.rows<DeliveryRow & Record<string, unknown>>(ROW, [accountId, id], tx);
    return found;
  }

  /** Deletes deliveries beyond the retention of their account, 1,000 at most. @returns their number. */
  async deleteExpired(periods: readonly RetentionPeriod[]): Promise<number> {
    const values = [periods.map(({ accountId }) => accountId), periods.map(({ days }) => days)];
    const deleted = await this.database.rows<{ stream_id: string }>(DELETE, values);
    const streams = [...new Set(deleted.map((row) => row.stream_id))];
    if (streams.length > 0) await this.database.rows(DELETE_EMPTY_STREAMS, [streams]);
    return deleted.length;
  }

  /** Deletes the deliveries whose bodies contain what was said in the calls. */
  async deleteTranscripts(callIds: readonly string[], tx: Sql): Promise<void> {
    await this.database.rows(DELETE_TRANSCRIPTS, [callIds], tx);
  }

  /** Deletes attempts older than 30 days, the oldest first, 2,000 at most. @returns their number. */
  async purgeAttempts(): Promise<number> {
    return (await this.database.rows(PURGE_ATTEMPTS)).length;
  }
}
