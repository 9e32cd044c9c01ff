import { Database, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { RankedChunk } from './ranking.js';
import type { IndexedChunk, SegmentSource } from './agent-index.js';

export interface SearchedAgent {
  accountId: number;
  agentId: number;
}

/** A passage found by a search, with all data for a citation. */
export interface FoundChunk {
  chunkId: string;
  knowledgeBaseId: number;
  /** Title of the knowledge base. */
  title: string;
  sourceType: string;
  /** URL (of a crawl: of the page) or file name; null for text. */
  source: string | null;
  text: string;
  /** 0..1, best first; comparable within one result only. */
  score: number;
  headingPath: string[];
  page: number | null;
  rows: { first: number; last: number } | null;
  /** Position in the extracted text, UTF-16 units. */
  start: number;
  end: number;
}

/** A passage of a short knowledge base. */
export interface KnowledgePart {
  title: string;
  headingPath: string[];
  text: string;
}

const FIND_AGENT = { name: 'searched-agent-exists', text: 'SELECT 1 FROM agents WHERE account_id = $1 AND id = $2' };

const VERSION = {
  name: 'knowledge-version',
  text: 'SELECT knowledge_version AS version FROM agents WHERE account_id = $1 AND id = $2',
};

/**
 * Excludes inactive knowledge bases and those without a complete generation; a generation under construction is never
 * the serving one.
 */
const SERVING = {
  name: 'serving-knowledge',
  text: `SELECT id AS "knowledgeBaseId", serving AS generation, title FROM knowledge_bases
    WHERE account_id = $1 AND agent_id = $2 AND is_active AND serving IS NOT NULL ORDER BY id`,
};

/** About 150 KB of text, which is parsed without a pause. */
const BATCH = 128;

/** Selects by the key of the table first, see PASSAGES. */
const CHUNKS = {
  name: 'knowledge-chunks-to-index',
  text: `WITH batch AS MATERIALIZED (
      SELECT id, account_id, agent_id, ordinal, text, heading_path FROM knowledge_chunks
      WHERE knowledge_base_id = $3 AND generation = $4 AND ordinal > $5 ORDER BY ordinal LIMIT ${BATCH})
    SELECT id, ordinal, text, heading_path FROM batch WHERE account_id = $1 AND agent_id = $2 ORDER BY ordinal`,
};

/**
 * The passages with the agent's knowledge version in every row, or in a single row without a passage. Selects by key first: before
 * the statistics include new chunks, PostgreSQL would read all chunks of the agent (8 ms instead of 0.3 at 10,000).
 */
const PASSAGES = {
  name: 'knowledge-passages',
  text: `WITH chosen AS MATERIALIZED (SELECT * FROM knowledge_chunks WHERE id = ANY($3::bigint[]))
    SELECT a.knowledge_version AS version, c.id, b.id AS knowledge_base_id, b.title, b.source_type,
      coalesce(p.url, b.source_reference, b.file_name) AS source, c.text, c.heading_path, c.page, c.first_row, c.last_row,
      c.start_offset, c.end_offset
    FROM agents a LEFT JOIN (
      chosen c JOIN knowledge_bases b ON b.id = c.knowledge_base_id AND b.serving = c.generation AND b.is_active
        AND b.account_id = $1 AND b.agent_id = $2)
      ON c.account_id = $1 AND c.agent_id = $2
    LEFT JOIN knowledge_pages p ON p.id = c.page_id
    WHERE a.account_id = $1 AND a.id = $2`,
};

const SEARCHED = `account_id = $1 AND agent_id = $2 AND is_active AND serving IS NOT NULL`;
export const MOST_TITLES = 1_000;

const TITLES = {
  name: 'agent-knowledge',
  text: `SELECT title, character_count FROM knowledge_bases WHERE ${SEARCHED} ORDER BY id LIMIT ${MOST_TITLES}`,
};
const PARTS = {
  name: 'agent-knowledge-text',
  text: `SELECT b.title, c.heading_path, c.text, c.tokens
    FROM (SELECT id, title, serving FROM knowledge_bases WHERE ${SEARCHED}) b
      JOIN knowledge_chunks c ON c.knowledge_base_id = b.id AND c.generation = b.serving
    ORDER BY b.id, c.ordinal`,
};

interface ChunkRow extends Record<string, unknown> {
  id: string;
  ordinal: number;
  text: string;
  heading_path: string[];
}

interface PassageRow extends Record<string, unknown> {
  version: string;
  id: string;
  knowledge_base_id: number;
  title: string;
  source_type: string;
  source: string | null;
  text: string;
  heading_path: string[];
  page: number | null;
  first_row: number | null;
  last_row: number | null;
  start_offset: number;
  end_offset: number;
}

/**
 * The reads of searches. Every statement is prepared, because a caller waits for the result; the target is 10 ms
 * through the API.
 */
@Injectable()
export class KnowledgeSearchRepository {
  constructor(private readonly database: Database) {}

  /** Runs reads in one snapshot, regardless of concurrent changes. */
  snapshot<T>(work: (tx: Sql) => Promise<T>): Promise<T> {
    return this.database.transaction(async (tx) => {
      await tx.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
      return work(tx);
    });
  }

  async agentExists({ accountId, agentId }: SearchedAgent): Promise<boolean> {
    return (await this.database.rows(FIND_AGENT, [accountId, agentId])).length > 0;
  }

  /** The agent's knowledge version; undefined if the agent does not exist in the account. */
  async version({ accountId, agentId }: SearchedAgent, tx?: Sql): Promise<string | undefined> {
    const [row] = await this.database.rows<{ version: string }>(VERSION, [accountId, agentId], tx);
    return row?.version;
  }

  serving({ accountId, agentId }: SearchedAgent, tx?: Sql): Promise<SegmentSource[]> {
    return this.database.rows<SegmentSource & Record<string, unknown>>(SERVING, [accountId, agentId], tx);
  }

  /** The chunks of one generation in reading order, in batches. */
  async *chunksOf(
    { accountId, agentId }: SearchedAgent,
    { knowledgeBaseId, generation }: SegmentSource,
    tx: Sql,
  ): AsyncGenerator<IndexedChunk[]> {
    const generationOf = [accountId, agentId, knowledgeBaseId, generation];
    let last = -1;
    for (;;) {
      const batch = await this.database.rows<ChunkRow>(CHUNKS, [...generationOf, last], tx);
      if (batch.length > 0) yield batch.map(indexedChunk);
      if (batch.length < BATCH) return;
      last = batch.at(-1)!.ordinal;
    }
  }

  /**
   * The passages of chunks chosen from an index of this version, in their order; undefined if the version is outdated. Empty if the
   * agent does not exist in the account.
   */
  async passages(
    { accountId, agentId }: SearchedAgent,
    version: string,
    chosen: RankedChunk[],
    tx?: Sql,
  ): Promise<FoundChunk[] | undefined> {
    const ids = chosen.map(({ segment, chunk }) => segment.ids[chunk]!);
    const found = await this.database.rows<PassageRow>(PASSAGES, [accountId, agentId, ids], tx);
    if (found.length === 0) return [];
    if (found[0]!.version !== version || found.length < chosen.length) return undefined;
    const byId = new Map(found.map((row) => [Number(row.id), row]));
    return chosen.map(({ score }, at) => foundChunk(byId.get(ids[at]!)!, score));
  }

  /** Titles and lengths of the searchable knowledge bases, MOST_TITLES at most. */
  titles({ accountId, agentId }: SearchedAgent): Promise<{ title: string; character_count: number }[]> {
    return this.database.rows<{ title: string; character_count: number }>(TITLES, [accountId, agentId]);
  }

  /** All searchable passages in reading order. */
  async parts({ accountId, agentId }: SearchedAgent): Promise<(KnowledgePart & { tokens: number })[]> {
    const parts = await this.database.rows<ChunkRow & { title: string; tokens: number }>(PARTS, [accountId, agentId]);
    return parts.map(({ heading_path: headingPath, title, text, tokens }) => ({ title, headingPath, text, tokens }));
  }
}

const indexedChunk = (row: ChunkRow): IndexedChunk => ({
  id: Number(row.id),
  text: row.text,
  headingPath: row.heading_path,
});

const foundChunk = (row: PassageRow, score: number): FoundChunk => ({
  chunkId: row.id,
  knowledgeBaseId: row.knowledge_base_id,
  title: row.title,
  sourceType: row.source_type,
  source: row.source,
  text: row.text,
  score,
  headingPath: row.heading_path,
  page: row.page,
  rows: row.first_row === null || row.last_row === null ? null : { first: row.first_row, last: row.last_row },
  start: row.start_offset,
  end: row.end_offset,
});
