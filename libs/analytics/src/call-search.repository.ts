import { Database, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';

/** The transcript of a call, in the order in which the turns began. */
interface SpokenTurns {
  call_id: string;
  account_id: number;
  turns: string[];
}

const TURNS = {
  name: 'turns-to-search',
  text: `SELECT c.id AS call_id, c.account_id, array_agg(e.data ->> 'text' ORDER BY e.data -> 'started_ms', e.seq) AS turns
    FROM calls c JOIN call_events e ON e.call_id = c.id AND e.type = 'turn'
    WHERE c.id = ANY ($1::uuid[]) AND c.transcript_deleted_at IS NULL AND e.data ->> 'text' IS NOT NULL GROUP BY c.id`,
};

/** Never for a call that was deleted meanwhile, or whose transcript was. */
const STORE = {
  name: 'store-searched-words',
  text: `INSERT INTO call_search (call_id, account_id, words)
    SELECT c.id, c.account_id, n.words::tsvector FROM unnest($1::uuid[], $2::text[]) AS n (call_id, words)
      JOIN calls c ON c.id = n.call_id WHERE c.transcript_deleted_at IS NULL FOR KEY SHARE OF c
    ON CONFLICT (call_id) DO UPDATE SET words = excluded.words`,
};

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

/** The words of transcripts. */
@Injectable()
export class CallSearchRepository {
  constructor(private readonly database: Database) {}

  turns(callIds: readonly string[], tx: Sql): Promise<SpokenTurns[]> {
    return this.database.rows<SpokenTurns & Record<string, unknown>>(TURNS, [callIds], tx);
  }

  /** `vectors`: texts of tsvector by call. */
  async store(vectors: ReadonlyMap<string, string>, tx: Sql): Promise<void> {
    if (vectors.size > 0) await this.database.rows(STORE, [[...vectors.keys()], [...vectors.values()]], tx);
  }

  /** The turns of calls of the account, in the order in which they began. */
  turnsOf(accountId: number, callIds: readonly string[]): Promise<FoundTurn[]> {
    return this.database.rows<FoundTurn & Record<string, unknown>>(TURNS_OF_CALLS, [accountId, callIds]);
  }
}
