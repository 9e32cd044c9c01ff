import { Database, pgJson } from '@app/database';
import { Injectable } from '@nestjs/common';

/** The words of a running turn so far. */
export interface RunningTurn {
  turn: number;
  role: 'agent' | 'callee' | 'caller' | 'supervisor';
  text: string;
  started_ms: number;
}

/** The running turns of a call, as its dialer writes them. */
interface CallWords {
  call_id: string;
  turns: RunningTurn[];
}

/** A reader of the words of a call; `version`: the last one it received. */
interface WordsPosition {
  accountId: number;
  callId: string;
  version: number;
}

/** Streams renew every 10 s. */
const WATCHED = `interval '30 seconds'`;

/** Also deletes the rows of ended calls: the table is as small as the number of watched calls. */
const WATCH = {
  name: 'watch-call-words',
  text: `WITH ended AS (DELETE FROM call_words w USING calls c WHERE c.id = w.call_id AND c.ended_at IS NOT NULL)
    INSERT INTO call_words (call_id, watched_until)
    SELECT id, now() + ${WATCHED} FROM calls WHERE id = ANY ($1::uuid[]) AND ended_at IS NULL ORDER BY id
    ON CONFLICT (call_id) DO UPDATE SET watched_until = excluded.watched_until`,
};

const WATCHED_CALLS = {
  name: 'watched-calls',
  text: 'SELECT call_id FROM call_words WHERE call_id = ANY ($1::uuid[]) AND watched_until > now()',
};

const WRITE = {
  name: 'write-call-words',
  text: `UPDATE call_words w SET turns = e.value->'turns', version = version + 1
    FROM jsonb_array_elements($1::jsonb) AS e (value) WHERE w.call_id = (e.value->>'call_id')::uuid`,
};

const REMOVE = { name: 'remove-call-words', text: 'DELETE FROM call_words WHERE call_id = ANY ($1::uuid[])' };

const NEW_WORDS = {
  name: 'new-call-words',
  text: `SELECT p.n::integer AS place, w.version, w.turns
    FROM unnest($1::integer[], $2::uuid[], $3::integer[]) WITH ORDINALITY AS p (account_id, call_id, version, n)
      JOIN call_words w ON w.call_id = p.call_id AND w.version > p.version
      JOIN calls c ON c.id = w.call_id AND c.account_id = p.account_id`,
};

/** The words of running turns. Prepared: dialers with watched calls write them several times a second, and their streams poll them. */
@Injectable()
export class CallWordsRepository {
  constructor(private readonly database: Database) {}

  /** Keeps live calls watched for the next 30 s. */
  async watch(callIds: readonly string[]): Promise<void> {
    await this.database.rows(WATCH, [callIds]);
  }

  /** Those of the calls that are watched. */
  async watchedOf(callIds: readonly string[]): Promise<string[]> {
    const found = await this.database.rows<{ call_id: string }>(WATCHED_CALLS, [callIds]);
    return found.map(({ call_id: id }) => id);
  }

  /** Replaces the words of watched calls; other calls are skipped. */
  async write(words: readonly CallWords[]): Promise<void> {
    await this.database.rows(WRITE, [pgJson(words)]);
  }

  async remove(callIds: readonly string[]): Promise<void> {
    await this.database.rows(REMOVE, [callIds]);
  }

  /** The changed words, by the index of the reader. */
  async newWords(readers: readonly WordsPosition[]): Promise<Map<number, { version: number; turns: RunningTurn[] }>> {
    type Found = { place: number; version: number; turns: RunningTurn[] };
    const found = await this.database.rows<Found>(NEW_WORDS, [
      readers.map(({ accountId }) => accountId),
      readers.map(({ callId }) => callId),
      readers.map(({ version }) => version),
    ]);
    return new Map(found.map(({ place, version, turns }) => [place - 1, { version, turns }]));
  }
}
