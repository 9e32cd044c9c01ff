import type { AgentOfAccount } from '@app/common';
import { Database, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import { type CallFilter, callListCondition } from '../call-list.repository.js';
import { analyticsInsert } from '../progress/analytics-row.repository.js';

/** What the events of a call contribute to analytics. */
export interface EventFacts {
  call_id: string;
  /** Of each response that was heard; null: there was none. */
  response_ms: number[] | null;
  interruptions: number;
  tool_calls: number;
  tool_failures: number;
  searches: number;
  search_hits: number;
}

/** The transcript of a call, in the order in which the turns began. */
export interface SpokenTurns {
  call_id: string;
  account_id: number;
  turns: string[];
}

/** A turn of a transcript. */
export interface FoundTurn {
  call_id: string;
  turn: number | null;
  role: string;
  text: string;
  started_ms: number;
  ended_ms: number;
}

/** Long monologues are cut: they are shown as examples. */
const MAX_TURN_LENGTH = 1_000;
const TURNS_OF_CALLS = {
  name: 'turns-of-found-calls',
  text: `SELECT c.id AS call_id, (e.data -> 'turn')::integer AS turn, e.data ->> 'role' AS role, left(e.data ->> 'text', ${MAX_TURN_LENGTH}) AS text,
      (e.data -> 'started_ms')::integer AS started_ms, (e.data -> 'ended_ms')::integer AS ended_ms
    FROM calls c JOIN call_events e ON e.call_id = c.id AND e.type = 'turn'
    WHERE c.account_id = $1 AND c.id = ANY ($2::uuid[]) AND e.data ->> 'text' IS NOT NULL
    ORDER BY e.call_id, e.data -> 'started_ms', e.seq`,
};

const SEARCH = `data ->> 'name' = 'search_knowledge_base'`;
const HAS_RESULTS = `CASE WHEN jsonb_typeof(data -> 'result' -> 'results') = 'array'
  THEN jsonb_array_length(data -> 'result' -> 'results') > 0 ELSE false END`;

/** Calls whose transcript was deleted, or that were deleted, are left out: what was counted stays. */
const EVENTS = {
  name: 'facts-of-call-events',
  text: `SELECT c.id AS call_id,
      array_agg(round((e.data -> 'latency' ->> 'heard_ms')::numeric)::integer ORDER BY e.seq)
        FILTER (WHERE e.type = 'turn' AND e.data -> 'latency' ->> 'heard_ms' IS NOT NULL) AS response_ms,
      (count(*) FILTER (WHERE e.type = 'interrupted' AND e.data ->> 'by' IN ('speech', 'dtmf', 'provider')))::integer AS interruptions,
      (count(*) FILTER (WHERE e.type = 'tool_call' AND NOT ${SEARCH}))::integer AS tool_calls,
      (count(*) FILTER (WHERE e.type = 'tool_call' AND NOT ${SEARCH} AND e.data -> 'ok' = 'false'))::integer AS tool_failures,
      (count(*) FILTER (WHERE e.type = 'tool_call' AND ${SEARCH}))::integer AS searches,
      (count(*) FILTER (WHERE e.type = 'tool_call' AND ${SEARCH} AND ${HAS_RESULTS}))::integer AS search_hits
    FROM calls c LEFT JOIN call_events e ON e.call_id = c.id AND e.type IN ('turn', 'interrupted', 'tool_call')
    WHERE c.id = ANY ($1::uuid[]) AND c.transcript_deleted_at IS NULL GROUP BY c.id`,
};

const TURNS = {
  name: 'turns-to-search',
  text: `SELECT c.id AS call_id, c.account_id, array_agg(e.data ->> 'text' ORDER BY e.data -> 'started_ms', e.seq) AS turns
    FROM calls c JOIN call_events e ON e.call_id = c.id AND e.type = 'turn'
    WHERE c.id = ANY ($1::uuid[]) AND e.data ->> 'text' IS NOT NULL GROUP BY c.id`,
};

/** Retention, which locks the calls, leaves out those that this statement has locked. */
const KEEP = {
  name: 'keep-transcripts',
  text: 'SELECT id FROM calls WHERE id = ANY ($1::uuid[]) AND transcript_deleted_at IS NULL ORDER BY id FOR KEY SHARE',
};

/** A call that may be analysed. */
interface AnalysableCall extends Record<string, unknown> {
  /** It was answered and has ended. */
  is_answered: boolean;
  is_forgotten: boolean;
  agent_id: number;
  agent_version: number | null;
}

/** Locked against another analysis at the same time. */
const LOCK_FOR_ANALYSIS = {
  name: 'lock-analysed-call',
  text: `SELECT answered_at IS NOT NULL AND ended_at IS NOT NULL AS is_answered, transcript_deleted_at IS NOT NULL AS is_forgotten,
      agent_id, agent_version
    FROM calls WHERE account_id = $1 AND id = $2 FOR NO KEY UPDATE`,
};

/** An answered call that has ended and has its transcript. */
export interface AnsweredCall extends Record<string, unknown> {
  id: string;
  agent_id: number;
  agent_version: number | null;
}

const NEXT = {
  name: 'next-created-call',
  text: 'SELECT min(created_at) AS at FROM calls WHERE account_id = $1 AND created_at >= $2',
};

const ADD_MISSING = {
  name: 'add-missing-call-facts',
  text: analyticsInsert(
    '(SELECT * FROM calls WHERE account_id = $1 AND created_at >= $2 AND created_at < $3 AND ended_at IS NOT NULL) AS ended',
  ),
};

/** A search of an agent that found no passage with a word of the question. */
export interface UnansweredSearch {
  call_id: string;
  at: Date;
  /** Wordings of one question. */
  queries: string[];
  /** The first passage, as the agent received it; null: the search found nothing. */
  nearest: Record<string, unknown> | null;
}

/** Calls that are looked at, and searches that are returned. */
const RECENT_CALLS = 200;
const MAX_UNANSWERED = 200;
const MAX_UNANSWERED_OF_CALL = 20;

/**
 * The index `call_events_without_words` has the events. A failed search has no results; one with a removed secret is left out, and
 * calls of earlier releases do not say what found their passages.
 */
const UNANSWERED = {
  name: 'unanswered-searches',
  text: `WITH recent AS MATERIALIZED (
      SELECT id, created_at FROM calls WHERE account_id = $1 AND agent_id = $2
       ORDER BY created_at DESC, id DESC LIMIT ${RECENT_CALLS})
    SELECT r.id AS call_id, e.at, e.queries, e.nearest FROM recent r CROSS JOIN LATERAL (
        SELECT seq, at, coalesce(data -> 'arguments' -> 'queries', jsonb_build_array(data -> 'arguments' -> 'query')) AS queries,
            data -> 'result' -> 'results' -> 0 AS nearest
          FROM call_events
         WHERE call_id = r.id AND type = 'tool_call' AND data ->> 'name' = 'search_knowledge_base'
           AND data -> 'result' ? 'results'
           AND NOT jsonb_path_exists(data, '$.result.results[*] ? (!exists(@.matched) || @.matched != "meaning")')
           AND NOT data ? 'redacted'
         ORDER BY seq DESC LIMIT ${MAX_UNANSWERED_OF_CALL}) e
     ORDER BY r.created_at DESC, r.id DESC, e.seq DESC LIMIT ${MAX_UNANSWERED}`,
};

/** What analytics reads of ended calls. Prepared: the worker runs these statements for every batch of calls. */
@Injectable()
export class CallFactsRepository {
  constructor(private readonly database: Database) {}

  /** By the id of the call. */
  async ofEvents(callIds: readonly string[], tx: Sql): Promise<Map<string, EventFacts>> {
    const found = await this.database.rows<EventFacts & Record<string, unknown>>(EVENTS, [callIds], tx);
    return new Map(found.map((facts) => [facts.call_id, facts]));
  }

  /** Those of the calls that exist with their transcript, until the end of the transaction. */
  async keepTranscripts(callIds: readonly string[], tx: Sql): Promise<string[]> {
    return (await this.database.rows<{ id: string }>(KEEP, [callIds], tx)).map(({ id }) => id);
  }

  transcripts(callIds: readonly string[], tx: Sql): Promise<SpokenTurns[]> {
    return this.database.rows<SpokenTurns & Record<string, unknown>>(TURNS, [callIds], tx);
  }

  /** The turns of calls of the account, in the order in which they began. */
  turns(accountId: number, callIds: readonly string[]): Promise<FoundTurn[]> {
    return this.database.rows<FoundTurn & Record<string, unknown>>(TURNS_OF_CALLS, [accountId, callIds]);
  }

  /** Searches that found no passage with a word of the question, in the last calls of the agent, newest first. */
  async unanswered({ accountId, agentId }: AgentOfAccount): Promise<UnansweredSearch[]> {
    type Found = Omit<UnansweredSearch, 'queries'> & { queries: unknown };
    const found = await this.database.rows<Found & Record<string, unknown>>(UNANSWERED, [accountId, agentId]);
    // Models choose the arguments.
    return found.map(({ queries, ...search }) => ({ ...search, queries: [queries].flat().filter(isText) }));
  }

  /** Undefined: the account has no such call. */
  async lockForAnalysis(accountId: number, callId: string, tx: Sql): Promise<AnalysableCall | undefined> {
    const [call] = await this.database.rows<AnalysableCall>(LOCK_FOR_ANALYSIS, [accountId, callId], tx);
    return call;
  }

  /** The newest of a filter, not deleted before the end of the transaction. */
  answered(accountId: number, filter: CallFilter, limit: number, tx: Sql): Promise<AnsweredCall[]> {
    const { sql, values, shape } = callListCondition(accountId, filter);
    const text = `SELECT id, agent_id, agent_version FROM calls
      WHERE ${sql} AND answered_at IS NOT NULL AND ended_at IS NOT NULL AND transcript_deleted_at IS NULL
      ORDER BY created_at DESC, id DESC LIMIT $${values.length + 1} FOR KEY SHARE`;
    return this.database.rows<AnsweredCall>({ name: `answered-calls-${shape}`, text }, [...values, limit], tx);
  }

  /** When the earliest call from a time on was created; null: there is none. */
  async nextCreated(accountId: number, from: Date): Promise<Date | null> {
    const [row] = await this.database.rows<{ at: Date | null }>(NEXT, [accountId, from]);
    return row?.at ?? null;
  }

  /** Adds the rows of analytics of ended calls that have none: those of earlier releases. */
  async addMissing(accountId: number, { from, to }: { from: Date; to: Date }, tx: Sql): Promise<void> {
    await this.database.rows(ADD_MISSING, [accountId, from, to], tx);
  }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';
