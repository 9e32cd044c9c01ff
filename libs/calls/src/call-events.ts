import { rows, type Sql, pgJson } from '@app/database';

/** One thing that happened on a call; `data` is what the type says (turn, dtmf, tool_call, …). */
export interface NewCallEvent {
  at: Date;
  type: string;
  data: Record<string, unknown>;
}

const APPEND = {
  name: 'append-call-events',
  text: `WITH owned AS (
      UPDATE calls SET event_seq = event_seq + jsonb_array_length($3::jsonb), answered_by = coalesce($4, answered_by)
       WHERE id = $1 AND owner = $2 AND ended_at IS NULL RETURNING event_seq)
    INSERT INTO call_events (call_id, seq, at, type, data)
    SELECT $1, owned.event_seq - jsonb_array_length($3::jsonb) + e.n, (e.value->>'at')::timestamptz, e.value->>'type', e.value->'data'
      FROM owned, jsonb_array_elements($3::jsonb) WITH ORDINALITY AS e (value, n)
    RETURNING seq`,
};

/** Appends in order; an event `answered_by` is also kept in the call's row. False: the call is no longer this dialer's, nothing was written. */
export async function appendCallEvents(
  sql: Sql,
  callId: string,
  owner: string,
  events: NewCallEvent[],
): Promise<boolean> {
  if (events.length === 0) return true;
  const answeredBy = events.findLast((event) => event.type === 'answered_by')?.data.answered_by ?? null;
  return (await rows(sql, APPEND, [callId, owner, pgJson(events), answeredBy])).length > 0;
}

/** A turn of the conversation as the transcript shows it; times in ms since the answer. */
export interface TranscriptTurn {
  role: string;
  text: string;
  started_ms: number;
  ended_ms: number;
  /** The agent had more to say and was interrupted. */
  truncated: boolean;
}

/** What the call's events say of the conversation, for the post-call webhook. */
export interface ConversationRecord {
  transcript: TranscriptTurn[];
  tool_calls: Record<string, unknown>[];
}

const CONVERSATION = {
  name: 'call-conversation',
  text: `SELECT type, data FROM call_events WHERE call_id = $1 AND type IN ('turn', 'tool_call') ORDER BY seq`,
};

export async function conversationOf(sql: Sql, callId: string): Promise<ConversationRecord> {
  const events = await rows<{ type: string; data: Record<string, unknown> }>(sql, CONVERSATION, [callId]);
  const of = (type: string) => events.filter((event) => event.type === type).map((event) => event.data);
  // A turn is written when it ends; turns that overlap are read in the order in which they began.
  const turns = of('turn').map(turnOf);
  return { transcript: turns.sort((a, b) => a.started_ms - b.started_ms), tool_calls: of('tool_call') };
}

export const turnOf = (data: Record<string, unknown>): TranscriptTurn => ({
  role: String(data.role),
  text: String(data.text),
  started_ms: Number(data.started_ms),
  ended_ms: Number(data.ended_ms),
  truncated: data.truncated === true,
});
