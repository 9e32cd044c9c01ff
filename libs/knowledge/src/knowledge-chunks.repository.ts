import type { AgentOfAccount } from '@app/common';
import { Database, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { TextQuality } from './chunk/text-quality.js';
import type { Chunk } from './blocks.js';
import { CHUNKS_PER_AGENT, getsVector } from './limits.js';
import type { RefreshResult } from './refresh/refresh-schedule.js';
import { embeddedText, hashOf } from './vectors/embedded-text.js';

/** One build of a knowledge base's chunks. */
export interface Generation extends AgentOfAccount {
  knowledgeBaseId: number;
  generation: number;
}

type KnowledgeBaseOfAccount = Pick<Generation, 'accountId' | 'knowledgeBaseId'>;

export interface NewChunk extends Chunk {
  /** The page of a crawl. */
  pageId?: string;
}

/** Measures and HTTP validators of a generation; absent validators keep their value. */
export interface GenerationFacts {
  words: number;
  characters: number;
  /** ISO 639; null or absent: unknown. */
  language?: string | null;
  etag?: string | null;
  lastModified?: string | null;
  contentHash?: Buffer;
  /** Undefined: stays as it is. */
  quality?: TextQuality;
  /** The difference to the replaced generation. */
  refresh?: RefreshResult;
}

/** An agent that searches the knowledge base would have more than CHUNKS_PER_AGENT passages. */
export class AgentFull extends Error {
  constructor() {
    super(
      `The knowledge bases of one agent must not have more than ${CHUNKS_PER_AGENT.toLocaleString('en-US')} passages in total.`,
    );
  }
}

/** The ordinals of a page of a crawl begin at a multiple of this number. */
export const CHUNKS_OF_PAGE = 1_000_000;
/** Tables of neighbouring pages have different numbers: their rows are not neighbours. */
const TABLE_OF_PAGE = 512;

/** A chunk of a page whose first ordinal is `first`. */
export const chunkOfPage = (chunk: NewChunk, first: number): NewChunk => ({
  ...chunk,
  ordinal: first + chunk.ordinal,
  ...(chunk.table !== undefined && {
    table: chunk.table * TABLE_OF_PAGE + ((first / CHUNKS_OF_PAGE) % TABLE_OF_PAGE),
  }),
});

/** Rows per statement, a few hundred KB of text. */
const INSERTED_AT_ONCE = 500;

/**
 * Locks the knowledge base's row against deletion until the transaction ends; writes nothing if the row does not exist. A chunk takes over
 * the vector of a chunk of the account with the same text, such as the one that it replaces.
 */
const INSERT = {
  name: 'insert-knowledge-chunks',
  text: `WITH target AS (
      SELECT id FROM knowledge_bases WHERE account_id = $1 AND agent_id = $2 AND id = $3
         AND (generation = $4 OR building_generation = $4) FOR SHARE),
    written AS (
      INSERT INTO knowledge_chunks (account_id, agent_id, knowledge_base_id, generation, ordinal, text, heading_path, page,
        first_row, last_row, start_offset, end_offset, tokens, hash, embedding, embedding_model, table_number, header_length,
        page_id)
      SELECT $1, $2, target.id, $4, c.ordinal, c.text, ARRAY(SELECT jsonb_array_elements_text(c.heading_path)), c.page,
        c.first_row, c.last_row, c.start_offset, c.end_offset, c.tokens, c.hash, known.embedding, known.embedding_model,
        c.table_number, c.header_length, c.page_id
        FROM target CROSS JOIN unnest($5::integer[], $6::text[], $7::jsonb[], $8::integer[], $9::integer[], $10::integer[],
          $11::integer[], $12::integer[], $13::integer[], $14::bytea[], $15::integer[], $16::integer[], $17::bigint[])
          AS c (ordinal, text, heading_path, page, first_row, last_row, start_offset, end_offset, tokens, hash,
            table_number, header_length, page_id)
        LEFT JOIN LATERAL (
          SELECT k.embedding, k.embedding_model FROM knowledge_chunks k
           WHERE k.account_id = $1 AND k.hash = c.hash AND k.embedding IS NOT NULL LIMIT 1) known ON ${getsVector('c')})
    SELECT id FROM target`,
};

/** With their vectors; the place of a page in the generation is the place of its first chunk. */
const COPY_PAGE = {
  name: 'copy-knowledge-chunks-of-page',
  text: `INSERT INTO knowledge_chunks (account_id, agent_id, knowledge_base_id, generation, ordinal, text, heading_path, page,
        first_row, last_row, start_offset, end_offset, tokens, hash, embedding, embedding_model, table_number, header_length,
        page_id)
      SELECT account_id, agent_id, knowledge_base_id, $4, $6 + ordinal % ${CHUNKS_OF_PAGE}, text, heading_path, page,
        first_row, last_row, start_offset, end_offset, tokens, hash, embedding, embedding_model,
        table_number / ${TABLE_OF_PAGE} * ${TABLE_OF_PAGE} + $6 / ${CHUNKS_OF_PAGE} % ${TABLE_OF_PAGE}, header_length, $5
        FROM knowledge_chunks WHERE knowledge_base_id = $1 AND generation = $2 AND page_id = $3`,
};
const DROP_CHUNKS = {
  name: 'drop-knowledge-chunks-between',
  text: 'DELETE FROM knowledge_chunks WHERE knowledge_base_id = $1 AND generation = $2 AND ordinal >= $3 AND ordinal < $4',
};

/**
 * Sets the counts of a knowledge base `b` whose serving generation becomes this one, and takes it from a worker that adds vectors to the old
 * one. The vectors that it took over may be those of an
 * earlier model, until the first unit of the current one counts again.
 */
export const countChunks = (generation: string): string => `
  (chunk_count, vectors_done, vectors_of) = (
    SELECT count(*), count(c.embedding) FILTER (WHERE ${getsVector('c')}),
        count(*) FILTER (WHERE ${getsVector('c')} AND (c.embedding IS NOT NULL OR c.embedding_model IS NULL))
      FROM knowledge_chunks c WHERE c.knowledge_base_id = b.id AND c.generation = ${generation}),
  vectors_ordinal = -1, vectors_backlog = false, vectors_owner = NULL, vectors_until = NULL`;

const SERVE = {
  name: 'serve-knowledge-generation',
  text: `UPDATE knowledge_bases b SET serving = $4, status = 'completed', building_generation = NULL, refreshing = false,
      pages_generation = CASE WHEN b.building_generation = $4 THEN $4 END,
      page_counts = CASE WHEN b.building_generation = $4 THEN b.page_counts END,
      last_refresh = coalesce($13, b.last_refresh),
      last_refresh_at = CASE WHEN $13 IS NULL THEN b.last_refresh_at ELSE now() END, stage = NULL, progress = 100,
      processing_error = NULL, error_code = NULL, lease_owner = NULL, lease_until = NULL, next_attempt_at = NULL,
      word_count = $5, character_count = $6, etag = CASE WHEN $7 THEN $8 ELSE b.etag END,
      last_modified = CASE WHEN $9 THEN $10 ELSE b.last_modified END, content_hash = coalesce($11, b.content_hash),
      language = $12, quality = coalesce($14, b.quality), quality_reason = CASE WHEN $14 IS NULL THEN b.quality_reason ELSE $15 END,
      held_generation = NULL, held_reason = NULL, held_facts = NULL, ${countChunks('$4')}, updated_at = now()
    WHERE b.account_id = $1 AND b.agent_id = $2 AND b.id = $3 AND (b.generation = $4 OR b.building_generation = $4)
    RETURNING b.id`,
};
/** The chunks of a generation under construction are newer. */
const DROP_OLDER = {
  name: 'drop-older-generations',
  text: 'DELETE FROM knowledge_chunks WHERE knowledge_base_id = $1 AND generation < $2',
};
const DROP_OLDER_PAGES = {
  name: 'drop-older-pages',
  text: 'DELETE FROM knowledge_pages WHERE knowledge_base_id = $1 AND generation < $2',
};
/** Of the agent with the most chunks among those that search the knowledge base. */
const CHUNKS_OF_FULLEST_AGENT = {
  name: 'chunks-of-fullest-agent',
  text: `SELECT coalesce(max(chunks), 0)::integer AS chunks FROM (
      SELECT sum(b.chunk_count) AS chunks FROM knowledge_base_agents a
        JOIN knowledge_base_agents l ON l.agent_id = a.agent_id AND l.account_id = a.account_id
        JOIN knowledge_bases b ON b.id = l.knowledge_base_id
       WHERE a.account_id = $1 AND a.knowledge_base_id = $2 GROUP BY a.agent_id) totals`,
};
/** Locks the agents in the order of their ids, so that transactions with several common agents do not deadlock. */
const LOCK_LINKED = {
  name: 'lock-agents-of-knowledge',
  text: `SELECT id FROM agents WHERE account_id = $1
       AND id IN (SELECT agent_id FROM knowledge_base_agents WHERE account_id = $1 AND knowledge_base_id = ANY ($2::integer[]))
     ORDER BY id FOR NO KEY UPDATE`,
};
/**
 * A statement of its own, which sees the locked versions of the rows. An UPDATE in the statement that locks them begins at the versions that
 * were current before the wait and locks those again; PostgreSQL reports a deadlock when another waiting transaction holds them.
 */
const RAISE_VERSION = {
  name: 'raise-knowledge-version',
  text: 'UPDATE agents SET knowledge_version = knowledge_version + 1 WHERE account_id = $1 AND id = ANY ($2::integer[])',
};

/**
 * Generations of chunks: written in batches, then swapped in atomically. The document pipeline executes all
 * statements often.
 */
@Injectable()
export class KnowledgeChunksRepository {
  constructor(private readonly database: Database) {}

  /**
   * Adds chunks to a generation under construction; searches do not see them before the swap. Returns false, and writes nothing,
   * if the generation is no longer the newest or the knowledge base was deleted.
   */
  async insert(place: Generation, chunks: readonly NewChunk[], tx?: Sql): Promise<boolean> {
    const { accountId, agentId, knowledgeBaseId, generation } = place;
    for (let from = 0; from < chunks.length; from += INSERTED_AT_ONCE) {
      const columns = columnsOf(chunks.slice(from, from + INSERTED_AT_ONCE));
      const values = [accountId, agentId, knowledgeBaseId, generation, ...columns];
      if ((await this.database.rows(INSERT, values, tx)).length === 0) return false;
    }
    return true;
  }

  /**
   * Replaces the serving generation, whose chunks are deleted, by a complete one; the knowledge base becomes `completed`. Returns
   * false if the generation was superseded or deleted. Throws AgentFull.
   */
  async swap(place: Generation, facts: GenerationFacts, tx: Sql): Promise<boolean> {
    const { accountId, agentId, knowledgeBaseId, generation } = place;
    const known = [facts.words, facts.characters, ...given(facts.etag), ...given(facts.lastModified)];
    const refresh = facts.refresh ? JSON.stringify(facts.refresh) : null;
    const values = [accountId, agentId, knowledgeBaseId, generation, ...known, facts.contentHash ?? null];
    const measures = [facts.language ?? null, refresh, facts.quality?.quality ?? null, facts.quality?.reason ?? null];
    const served = await this.database.rows(SERVE, [...values, ...measures], tx);
    if (served.length === 0) return false;
    await this.announce(place, tx);
    return true;
  }

  /** Deletes what a newly served generation replaces, and makes it visible to searches. Throws AgentFull. */
  async announce(place: Omit<Generation, 'agentId'>, tx: Sql): Promise<void> {
    await this.database.rows(DROP_OLDER, [place.knowledgeBaseId, place.generation], tx);
    await this.database.rows(DROP_OLDER_PAGES, [place.knowledgeBaseId, place.generation], tx);
    // The rows of the agents are locked from here on: the second of two swaps counts the chunks of the first.
    await this.raiseVersion(place, tx);
    if ((await this.chunksOfFullestAgent(place, tx)) > CHUNKS_PER_AGENT) throw new AgentFull();
  }

  /** Copies the chunks of an unchanged page from the serving generation; the first one gets the ordinal `first`. */
  async copyPage(
    { knowledgeBaseId, generation }: Generation,
    from: { serving: number; pageId: string },
    to: { pageId: string; first: number },
    tx: Sql,
  ): Promise<void> {
    const values = [knowledgeBaseId, from.serving, from.pageId, generation, to.pageId, to.first];
    await this.database.rows(COPY_PAGE, values, tx);
  }

  /** Deletes the chunks of a page, whose first ordinal is `first`. */
  async dropPage({ knowledgeBaseId, generation }: Generation, first: number, tx: Sql): Promise<void> {
    await this.database.rows(DROP_CHUNKS, [knowledgeBaseId, generation, first, first + CHUNKS_OF_PAGE], tx);
  }

  /**
   * Raises the version of all agents that search the knowledge bases. Required in the transaction of every change to search results: the
   * indexes in memory belong to one version. The rows of agents are always locked after the knowledge base's row and in the order of
   * their ids, so that no two transactions deadlock.
   */
  async raiseVersion(
    { accountId, knowledgeBaseId }: { accountId: number; knowledgeBaseId: number | readonly number[] },
    tx: Sql,
  ): Promise<void> {
    const linked = await this.database.rows<{ id: number }>(LOCK_LINKED, [accountId, [knowledgeBaseId].flat()], tx);
    await this.database.rows(RAISE_VERSION, [accountId, linked.map(({ id }) => id)], tx);
  }

  private async chunksOfFullestAgent({ accountId, knowledgeBaseId }: KnowledgeBaseOfAccount, tx: Sql): Promise<number> {
    const values = [accountId, knowledgeBaseId];
    const [fullest] = await this.database.rows<{ chunks: number }>(CHUNKS_OF_FULLEST_AGENT, values, tx);
    return fullest?.chunks ?? 0;
  }
}

const columnsOf = (chunks: readonly NewChunk[]): unknown[][] => [
  chunks.map((chunk) => chunk.ordinal),
  chunks.map((chunk) => chunk.text),
  chunks.map((chunk) => JSON.stringify(chunk.headingPath)),
  chunks.map((chunk) => chunk.page ?? null),
  chunks.map((chunk) => chunk.rows?.first ?? null),
  chunks.map((chunk) => chunk.rows?.last ?? null),
  chunks.map((chunk) => chunk.start),
  chunks.map((chunk) => chunk.end),
  chunks.map((chunk) => chunk.tokens),
  chunks.map((chunk) => hashOf(embeddedText(chunk))),
  chunks.map((chunk) => chunk.table ?? null),
  chunks.map((chunk) => chunk.headerLength ?? null),
  chunks.map((chunk) => chunk.pageId ?? null),
];

const given = (value: string | null | undefined): [boolean, string | null] => [value !== undefined, value ?? null];
