import { InvalidFields, newId, type Encryption } from '@app/common';
import {
  type CallSettings,
  type IdempotencyKey,
  inTransaction,
  keyedCte,
  type Query,
  replayedAnswer,
  rows,
  type Sql,
} from '@app/database';
import { deliveryRecord, outboxCte } from '@app/webhooks';
import type { Pool } from 'pg';
import type { CallOrder } from './call-order.js';
import { type CallRules, orderProblems } from './call-order-problems.js';
import { type CallReferences, keptAnswer, readReferences } from './call-references.js';
import type { CallRow } from './call-row.js';
import { settingsFor } from './call-settings.js';
import { reducedCallView } from './call-view.js';
import { statusEvent } from './transition.js';
import { countLine, countUnderLock, type WaitingLines } from './waiting-line.js';

export type ReducedCallView = ReturnType<typeof reducedCallView>;

export interface CreateCallsParts {
  pool: Pool;
  encryption: Encryption;
  rules: CallRules;
  lines: WaitingLines;
  /** Called after the commit; correctness does not depend on it. */
  wake: (queue: 'dial' | 'webhooks') => void;
}

export interface CreatedCalls {
  calls: ReducedCallView[];
  /** The request was a repetition: these are the calls of the first one. */
  replayed: boolean;
}

/**
 * Calls, their first events, their deliveries and the idempotency key in one statement: one round trip, all or nothing.
 * The count is 0 when another request holds the key.
 */
const CREATE = {
  name: 'create-calls',
  text: `WITH ${keyedCte({ account: '$1', key: '$2', hash: '$3', response: '$4' })},
    created AS (
      INSERT INTO calls (id, account_id, agent_id, number_id, trunk_id, to_number, from_number, agent_name, record, metadata,
        settings, created_at, trace_parent, event_seq, webhook_seq)
      SELECT c.id, $1, $7, $8, $9, c.to_number, $10, $11, $12, $13, $14, $15, $17::text, 1, 1
        FROM unnest($5::uuid[], $6::text[]) AS c (id, to_number) WHERE EXISTS (SELECT FROM keyed)
      RETURNING id),
    logged AS (
      INSERT INTO call_events (call_id, seq, at, type, data)
      SELECT id, 1, $15, 'status', '{"status": "pending"}' FROM created),
    records AS (SELECT CASE WHEN EXISTS (SELECT FROM keyed) THEN $16::jsonb ELSE '[]'::jsonb END AS list),
    ${outboxCte('(SELECT list FROM records)')}
    SELECT count(*)::integer AS created FROM created`,
};

/**
 * Creates the calls of one order, all or none, and wakes who dials and who delivers.
 * Throws InvalidFields, and Conflict when the key was used with another body. A repetition gets the first calls again.
 */
export async function createCalls(
  parts: CreateCallsParts,
  accountId: number,
  order: CallOrder,
  key?: IdempotencyKey,
): Promise<CreatedCalls> {
  const [found] = await Promise.all([
    readReferences(parts.pool, accountId, order, key?.key),
    parts.lines.look(accountId, () => countLine(parts.pool, accountId)),
  ]);
  const earlier = key && replay(found, key);
  if (earlier) return earlier;
  const problems = orderProblems(order, found, parts.rules);
  if (Object.keys(problems).length > 0) throw new InvalidFields(problems);
  const newRows = newCallRows(accountId, order, found, settingsFor(found, order.overrides, parts.encryption));
  const calls = newRows.map(reducedCallView);
  const created = await insertInLine(parts, found.queued_calls, newRows, calls, key);
  if (!created) return afterLosing(parts.pool, accountId, order, key);
  parts.wake('dial');
  if (newRows[0]?.settings.call_status_webhook) parts.wake('webhooks');
  return { calls, replayed: false };
}

function replay(found: CallReferences, key: IdempotencyKey): CreatedCalls | undefined {
  const kept = keptAnswer(found);
  return kept && { calls: JSON.parse(replayedAnswer(kept, key)) as ReducedCallView[], replayed: true };
}

/** Another request with the key committed between our two statements. */
async function afterLosing(
  pool: Pool,
  accountId: number,
  order: CallOrder,
  key?: IdempotencyKey,
): Promise<CreatedCalls> {
  const earlier = key && replay(await readReferences(pool, accountId, order, key.key), key);
  if (!earlier) throw new Error('No calls were created although no other request holds the key.');
  return earlier;
}

export interface NewCallRow extends CallRow {
  trace_parent: string | null;
}

/** The rows that an order becomes, as they are inserted. */
export function newCallRows(
  accountId: number,
  order: CallOrder,
  found: CallReferences,
  settings: CallSettings,
): NewCallRow[] {
  const createdAt = new Date();
  return order.destinations.map(({ address }) => ({
    id: newId(),
    account_id: accountId,
    agent_id: order.agentId,
    number_id: order.numberId,
    trunk_id: order.trunkId ?? null,
    direction: 'outbound',
    status: 'pending',
    to_number: address,
    from_number: found.from_number ?? '',
    agent_name: found.agent_name ?? '',
    record: order.record,
    metadata: order.metadata,
    settings,
    created_at: createdAt,
    started_at: null,
    answered_at: null,
    answered_by: null,
    ended_at: null,
    hangup_cause: null,
    sip_code: null,
    ended_by: null,
    cost_micros: null,
    realtime_cost_micros: null,
    recording_key: null,
    recording_bytes: null,
    recording_ms: null,
    recording_error: null,
    webhook_seq: 1,
    transfers: [],
    recording_deleted_at: null,
    transcript_deleted_at: null,
    trace_parent: order.traceParent ?? null,
  }));
}

/** Of orders at once the later ones count what the earlier ones have added, where the line may end. Throws InvalidFields. */
async function insertInLine(
  { pool, lines }: CreateCallsParts,
  limit: number,
  calls: NewCallRow[],
  views: ReducedCallView[],
  key?: IdempotencyKey,
): Promise<boolean> {
  const accountId = calls[0]?.account_id ?? 0;
  if (lines.takePlenty(accountId, calls.length, limit)) return insert(pool, calls, views, key);
  return inTransaction(pool, async (tx) => {
    const line = await countUnderLock(tx, accountId);
    lines.saw(accountId, line);
    if (line.waiting + calls.length > limit) throw new InvalidFields({ to_number: [lineIsFull(limit)] });
    return insert(tx, calls, views, key);
  });
}

const lineIsFull = (limit: number): string =>
  `The account has no room for so many more waiting calls: ${limit.toLocaleString('en-US')} may wait. Try again when some were dialled.`;

async function insert(sql: Sql, calls: NewCallRow[], views: ReducedCallView[], key?: IdempotencyKey): Promise<boolean> {
  const query = createQuery(calls, views, key);
  const [result] = await rows<{ created: number }>(sql, query, query.values);
  return result?.created === calls.length;
}

/** The one statement of a creation; `calls` differ in `id` and `to_number` only. */
export function createQuery(calls: NewCallRow[], views: ReducedCallView[], key?: IdempotencyKey): Query {
  const [first] = calls;
  if (!first) throw new Error('An order has at least one destination.');
  const target = first.settings.call_status_webhook;
  const deliveries = target ? calls.map((call) => deliveryRecord(statusEvent(call, target, call.created_at))) : [];
  const values = [
    first.account_id,
    key?.key ?? null,
    key?.hash ?? null,
    key ? JSON.stringify(views) : null,
    calls.map((call) => call.id),
    calls.map((call) => call.to_number),
    first.agent_id,
    first.number_id,
    first.trunk_id,
    first.from_number,
    first.agent_name,
    first.record,
    first.metadata && JSON.stringify(first.metadata),
    JSON.stringify(first.settings),
    first.created_at,
    JSON.stringify(deliveries),
    first.trace_parent,
  ];
  return { ...CREATE, values };
}
