import { isoTime } from '@app/common';
import { Database, pgJson, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { OwnedCall } from '../domain/call.js';
import { flowOfEvents } from '../domain/call-flow.js';
import type { CallEventRow } from '../presenters/call-event.presenter.js';

/** A new event of a call; `type` decides the fields of `data` (turn, dtmf, tool_call, …). */
export interface NewCallEvent {
  at: Date;
  type: string;
  data: Record<string, unknown>;
}

/** The progress of the events of a call. */
export interface EventsState {
  /** Number of the last event. */
  last: number;
  ended: boolean;
}

/** A reader of the events of a call; `after`: the number of its last event. */
export interface ReadPosition {
  accountId: number;
  callId: string;
  after: number;
}

/** The new events of one reader. */
export interface NewEvents {
  events: CallEventRow[];
  /** The call was deleted. */
  isDeleted: boolean;
  /** The call has ended, and this is the number of its last event; null: it is live. */
  lastSeq: number | null;
}

export interface NewEventsOfReaders {
  /** By the index of the reader; readers without changes are left out. */
  byReader: Map<number, NewEvents>;
  /** More events are available than one statement returns. */
  hasMore: boolean;
}

/** A call with a transcript. */
export interface TranscribedCall {
  id: string;
  account_id: number;
  /** false: the transcript contains the turns that have ended so far. */
  ended: boolean;
}

/** The answering party of an event, the consent to the recording, and steps, values and agents are also stored in the row of the call. No row: the call belongs to another dialer. */
const APPEND = {
  name: 'append-call-events',
  text: `WITH owned AS (
      UPDATE calls SET event_seq = event_seq + jsonb_array_length($3::jsonb), answered_by = coalesce($4, answered_by),
        answering_machine = coalesce($5::jsonb, answering_machine), recording_consent = coalesce($6::jsonb, recording_consent),
        disclosure = coalesce($7::jsonb, disclosure),
        guardrail_hits = CASE WHEN $8::jsonb IS NULL THEN guardrail_hits ELSE coalesce(guardrail_hits, '[]') || $8::jsonb END,
        flow = CASE WHEN $9::jsonb IS NULL THEN flow ELSE jsonb_build_object(
          'values', coalesce(flow->'values', '{}') || ($9::jsonb->'values'),
          'path', coalesce(flow->'path', '[]') || ($9::jsonb->'path'),
          'agents', coalesce(flow->'agents', '[]') || ($9::jsonb->'agents')) END
       WHERE id = $1 AND owner = $2 AND ended_at IS NULL RETURNING event_seq)
    INSERT INTO call_events (call_id, seq, at, type, data)
    SELECT $1, owned.event_seq - jsonb_array_length($3::jsonb) + e.n, (e.value->>'at')::timestamptz, e.value->>'type', e.value->'data'
      FROM owned, jsonb_array_elements($3::jsonb) WITH ORDINALITY AS e (value, n)
    RETURNING seq`,
};

const CONVERSATION = {
  name: 'call-conversation',
  text: `SELECT type, data FROM call_events WHERE call_id = $1 AND type IN ('turn', 'tool_call') ORDER BY seq`,
};

/** A conversation of an hour has some thousand events of these types. */
const MAX_ANALYSED = 10_000;

const ANALYSED = {
  name: 'analysed-call-events',
  text: `SELECT type, data FROM call_events WHERE call_id = $1 AND type IN ('turn', 'tool_call', 'dtmf_input')
    ORDER BY seq LIMIT ${MAX_ANALYSED}`,
};

const STATE = {
  name: 'call-events-of',
  text: 'SELECT event_seq AS last, ended_at IS NOT NULL AS ended FROM calls WHERE account_id = $1 AND id = $2',
};

const PAGE = {
  name: 'page-of-call-events',
  text: 'SELECT seq, at, type, data FROM call_events WHERE call_id = $1 AND seq > $2 ORDER BY seq LIMIT $3',
};

/** Limits per reader and for all readers: an event has a few hundred bytes, the result of a tool at most some ten thousand. */
const MAX_OF_ONE = 50;
const MAX_EVENTS = 1_000;

/**
 * A call without changes costs two look-ups by primary key and returns no row. The events of a reader are consecutive and ordered, so
 * that the limit causes no gap.
 */
const NEW_EVENTS = {
  name: 'news-of-calls',
  text: `SELECT w.n::integer AS place, c.id IS NULL AS gone, CASE WHEN c.ended_at IS NOT NULL THEN c.event_seq END AS over_at,
      e.seq, e.at, e.type, e.data
    FROM unnest($1::integer[], $2::uuid[], $3::integer[]) WITH ORDINALITY AS w (account_id, call_id, after, n)
      LEFT JOIN calls c ON c.id = w.call_id AND c.account_id = w.account_id
      LEFT JOIN LATERAL (SELECT seq, at, type, data FROM call_events
        WHERE call_id = c.id AND seq > w.after ORDER BY seq LIMIT ${MAX_OF_ONE}) e ON true
    WHERE e.seq IS NOT NULL OR c.id IS NULL OR c.ended_at IS NOT NULL
    ORDER BY w.n, e.seq LIMIT ${MAX_EVENTS}`,
};

interface NewEventRow extends Omit<CallEventRow, 'seq'> {
  seq: number | null;
  place: number;
  gone: boolean;
  over_at: number | null;
}

const TRANSCRIBED = 'id, account_id, ended_at IS NOT NULL AS ended';
/** By the id alone: the signature of the link grants the access, and it covers the account. */
const FIND_TRANSCRIBED = {
  name: 'find-transcript',
  text: `SELECT ${TRANSCRIBED} FROM calls WHERE id = $1 AND transcript_deleted_at IS NULL`,
};

const FIND_TRANSCRIBED_OF_ACCOUNT = {
  name: 'find-transcript-of-account',
  text: `SELECT ${TRANSCRIBED}, transcript_deleted_at FROM calls WHERE account_id = $1 AND id = $2`,
};

/** The order of `conversation` as event numbers: the turns of each chunk are then found by the primary key. */
const TURN_ORDER = {
  name: 'order-of-turns',
  text: `SELECT seq FROM call_events WHERE call_id = $1 AND type = 'turn' ORDER BY data -> 'started_ms', seq`,
};

const TURNS = {
  name: 'chunk-of-turns',
  text: `SELECT data FROM call_events WHERE call_id = $1 AND seq = ANY ($2::integer[])
    ORDER BY array_position($2::integer[], seq)`,
};

const disclosureOf = ({ data, at }: NewCallEvent): Record<string, unknown> => ({
  language: data.language,
  heard_ms: data.heard_ms,
  of_ms: data.of_ms,
  at: isoTime(at),
});

/** The words are in the event only. */
const hitOf = ({ data }: NewCallEvent): Record<string, unknown> => ({
  name: data.name,
  on: data.on,
  action: data.action,
  at_ms: data.at_ms,
  turn: data.turn,
});

/** Events and transcripts. Prepared: each live call appends events, and each stream polls them. */
@Injectable()
export class CallEventsRepository {
  constructor(private readonly database: Database) {}

  /** Returns false when the call belongs to another dialer; nothing was written. */
  async append({ id, owner }: OwnedCall, events: readonly NewCallEvent[], tx?: Sql): Promise<boolean> {
    const answeredBy = events.findLast((event) => event.type === 'answered_by')?.data.answered_by ?? null;
    const detection = events.findLast((event) => event.data.answering_machine !== undefined)?.data.answering_machine;
    const consent = events.findLast((event) => event.type === 'recording_consent');
    const flow = flowOfEvents(events);
    const disclosure = events.findLast((event) => event.type === 'disclosure_played');
    const hits = events.filter((event) => event.type === 'guardrail_hit');
    const values = [
      ...[id, owner, pgJson(events), answeredBy, detection === undefined ? null : pgJson(detection)],
      consent ? pgJson({ mode: consent.data.mode, result: consent.data.result, at: isoTime(consent.at) }) : null,
      disclosure ? pgJson(disclosureOf(disclosure)) : null,
      hits.length > 0 ? pgJson(hits.map(hitOf)) : null,
      flow === undefined ? null : pgJson(flow),
    ];
    return (await this.database.rows(APPEND, values, tx)).length > 0;
  }

  /** Turns and tool calls in the order in which they were written. */
  conversation(callId: string, tx: Sql): Promise<{ type: string; data: Record<string, unknown> }[]> {
    return this.database.rows<{ type: string; data: Record<string, unknown> }>(CONVERSATION, [callId], tx);
  }

  /** Turns, tool calls and pressed keys in their order. */
  analysed(callId: string): Promise<{ type: string; data: Record<string, unknown> }[]> {
    return this.database.rows<{ type: string; data: Record<string, unknown> }>(ANALYSED, [callId]);
  }

  async state(accountId: number, callId: string): Promise<EventsState | undefined> {
    const [state] = await this.database.rows<EventsState & Record<string, unknown>>(STATE, [accountId, callId]);
    return state;
  }

  /** Up to `limit` events after number `after`. */
  page(callId: string, after: number, limit: number): Promise<CallEventRow[]> {
    return this.database.rows<CallEventRow & Record<string, unknown>>(PAGE, [callId, after, limit]);
  }

  /** The new events of all readers, in one statement. */
  async newEvents(readers: readonly ReadPosition[]): Promise<NewEventsOfReaders> {
    const found = await this.database.rows<NewEventRow & Record<string, unknown>>(NEW_EVENTS, [
      readers.map(({ accountId }) => accountId),
      readers.map(({ callId }) => callId),
      readers.map(({ after }) => after),
    ]);
    const byReader = new Map<number, NewEvents>();
    for (const { place, gone: isDeleted, over_at: lastSeq, seq, at, type, data } of found) {
      const changes = byReader.get(place - 1) ?? { events: [], isDeleted, lastSeq };
      if (seq !== null) changes.events.push({ seq, at, type, data });
      byReader.set(place - 1, changes);
    }
    const isCut = [...byReader.values()].some(({ events }) => events.length === MAX_OF_ONE);
    return { byReader, hasMore: isCut || found.length === MAX_EVENTS };
  }

  /** Undefined: there is no such call, or its transcript was deleted. */
  async findTranscribed(callId: string): Promise<TranscribedCall | undefined> {
    const [call] = await this.database.rows<TranscribedCall & Record<string, unknown>>(FIND_TRANSCRIBED, [callId]);
    return call;
  }

  async findTranscribedOfAccount(
    accountId: number,
    callId: string,
  ): Promise<(TranscribedCall & { transcript_deleted_at: Date | null }) | undefined> {
    type Found = TranscribedCall & { transcript_deleted_at: Date | null } & Record<string, unknown>;
    const [call] = await this.database.rows<Found>(FIND_TRANSCRIBED_OF_ACCOUNT, [accountId, callId]);
    return call;
  }

  /** The numbers of the turns, in the order in which the turns began. */
  async turnOrder(callId: string): Promise<number[]> {
    const turns = await this.database.rows<{ seq: number }>(TURN_ORDER, [callId]);
    return turns.map(({ seq }) => seq);
  }

  /** The turns with these numbers, in this order; deleted ones are left out. */
  async turns(callId: string, seqs: readonly number[]): Promise<Record<string, unknown>[]> {
    const found = await this.database.rows<{ data: Record<string, unknown> }>(TURNS, [callId, seqs]);
    return found.map(({ data }) => data);
  }
}
