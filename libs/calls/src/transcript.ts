import { NotFound } from '@app/common';
import { rows, type Sql } from '@app/database';
import { type TranscriptTurn, turnOf } from './call-events.js';
import type { LinkedCall } from './call-links.js';

/** Turns that are in memory at once: tens of KB when people talk, a few MB when each of them is half an hour of monologue. */
const CHUNK = 100;

/** A call whose transcript can be read. */
export interface TranscribedCall extends LinkedCall {
  /** The call is over; before, a transcript has the turns that have ended. */
  ended: boolean;
}

const COLUMNS = 'id, account_id, ended_at IS NOT NULL AS ended';
/** By the id alone: the signature of the link is what gives the right to it, and it covers the account. */
const FIND = {
  name: 'find-transcript',
  text: `SELECT ${COLUMNS} FROM calls WHERE id = $1 AND transcript_deleted_at IS NULL`,
};

/** Undefined: there is no such call, or its transcript was deleted because its time was over. */
export async function findTranscript(sql: Sql, callId: string): Promise<TranscribedCall | undefined> {
  const [call] = await rows<TranscribedCall & Record<string, unknown>>(sql, FIND, [callId]);
  return call;
}

const FIND_OF_ACCOUNT = {
  name: 'find-transcript-of-account',
  text: `SELECT ${COLUMNS}, transcript_deleted_at FROM calls WHERE account_id = $1 AND id = $2`,
};

/** Throws NotFound when the account has no such call, and when the transcript was deleted because its time was over. */
export async function findTranscriptOfAccount(sql: Sql, accountId: number, callId: string): Promise<TranscribedCall> {
  type Found = TranscribedCall & { transcript_deleted_at: Date | null };
  const [call] = await rows<Found & Record<string, unknown>>(sql, FIND_OF_ACCOUNT, [accountId, callId]);
  if (!call) throw new NotFound('Call');
  if (call.transcript_deleted_at) throw new NotFound('Transcript');
  return call;
}

// The order of conversationOf. It is found once, as numbers: every chunk is then looked up by the primary key.
const ORDER = {
  name: 'order-of-turns',
  text: `SELECT seq FROM call_events WHERE call_id = $1 AND type = 'turn' ORDER BY data -> 'started_ms', seq`,
};

/** The numbers of its turns, in the order in which they began. */
export async function orderOfTurns(sql: Sql, callId: string): Promise<number[]> {
  const turns = await rows<{ seq: number }>(sql, ORDER, [callId]);
  return turns.map(({ seq }) => seq);
}

const TURNS = {
  name: 'chunk-of-turns',
  text: `SELECT data FROM call_events WHERE call_id = $1 AND seq = ANY ($2::integer[])
    ORDER BY array_position($2::integer[], seq)`,
};

/**
 * The turns of these numbers, some at a time; no connection of the database is held in between, however slowly they are taken.
 * Throws when they are deleted meanwhile: half a transcript must not look like a whole one.
 */
export async function* turnsInChunks(
  sql: Sql,
  callId: string,
  order: readonly number[],
): AsyncGenerator<TranscriptTurn[]> {
  for (let from = 0; from < order.length; from += CHUNK) {
    const wanted = order.slice(from, from + CHUNK);
    const found = await rows<{ data: Record<string, unknown> }>(sql, TURNS, [callId, wanted]);
    if (found.length < wanted.length) throw new Error('The transcript was deleted while it was read.');
    yield found.map(({ data }) => turnOf(data));
  }
}
