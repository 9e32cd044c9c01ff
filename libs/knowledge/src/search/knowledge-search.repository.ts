import type { AgentOfAccount } from '@app/common';
import { Database, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { IndexedChunk, IndexSource } from './segment.js';
import type { Matched } from './ranking.js';
import { type RankedPassage, textOfRows } from './table-rows.js';

export interface SearchedAgent extends AgentOfAccount {
  /** Restricts a search to these knowledge bases of the agent; null or absent: all. */
  knowledgeBaseIds?: readonly number[] | null;
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
  matched: Matched;
  headingPath: string[];
  page: number | null;
  /** The rows of its table that the text contains. */
  rows: { first: number; last: number } | null;
  /** The row that was found, without its neighbours and without the header; null if it is not a single row. */
  matchedRow: string | null;
  /** Position in the extracted text, UTF-16 units. */
  start: number;
  end: number;
}

/** A knowledge base that searches see. */
interface SearchedTitle {
  title: string;
  character_count: number;
  /** ISO 639; null: unknown. */
  language: string | null;
}

/** A complete generation of a knowledge base that could be served instead of the current one. */
export interface Candidate {
  knowledgeBaseId: number;
  generation: number;
}

/** A passage of a short knowledge base. */
export interface KnowledgePart {
  title: string;
  headingPath: string[];
  text: string;
}

const VERSION = {
  name: 'knowledge-version',
  text: 'SELECT knowledge_version AS version FROM agents WHERE account_id = $1 AND id = $2',
};

/**
 * The knowledge bases that the agent owns or that are shared with it. Excludes inactive ones and those without a complete generation; a
 * generation under construction is never the serving one.
 */
const SEARCHED = `FROM knowledge_base_agents l JOIN knowledge_bases b ON b.id = l.knowledge_base_id
    WHERE l.account_id = $1 AND l.agent_id = $2 AND b.account_id = $1 AND b.is_active AND b.serving IS NOT NULL`;

const SERVING = {
  name: 'serving-knowledge',
  text: `SELECT b.id AS "knowledgeBaseId", b.serving AS generation, b.title, b.chunk_count AS chunks ${SEARCHED} ORDER BY b.id`,
};

/** Chunks of the first batch of a source: about 150 KB of prose, which is parsed without a pause. */
const BATCH = 128;
/** Further batches are as large in characters: rows of a table are short, and eight times as many make a batch. */
const BATCH_CHARACTERS = 128_000;
const MAX_BATCH = 1_024;

/** Selects by the key of the table first, see PASSAGES. */
const CHUNKS = {
  name: 'knowledge-chunks-to-index',
  text: `WITH batch AS MATERIALIZED (
      SELECT c.* FROM unnest($2::integer[], $3::integer[]) AS source (id, generation) CROSS JOIN LATERAL (
        SELECT id, account_id, knowledge_base_id, ordinal, text, heading_path, tokens, table_number, header_length
        FROM knowledge_chunks
        WHERE knowledge_base_id = source.id AND generation = source.generation AND ordinal > $4
        ORDER BY ordinal LIMIT $5) c)
    SELECT id, knowledge_base_id, ordinal, text, heading_path, tokens, table_number, header_length FROM batch
    WHERE account_id = $1 ORDER BY knowledge_base_id, ordinal`,
};

/**
 * The passages with the agent's knowledge version in every row, or in a single row without a passage. Selects by key first: before
 * the statistics include new chunks, PostgreSQL would read all chunks of the agent (8 ms instead of 0.3 at 10,000).
 */
const passagesWhere = (
  visible: string,
): string => `WITH chosen AS MATERIALIZED (SELECT * FROM knowledge_chunks WHERE id = ANY($3::bigint[]))
    SELECT a.knowledge_version AS version, c.id, b.id AS knowledge_base_id, b.title, b.source_type,
      coalesce(p.url, b.source_reference, b.file_name) AS source, c.text, c.heading_path, c.page, c.first_row, c.last_row,
      c.table_number, c.header_length, c.start_offset, c.end_offset
    FROM agents a LEFT JOIN (
      chosen c JOIN knowledge_bases b ON b.id = c.knowledge_base_id AND ${visible} AND b.is_active
        AND b.account_id = $1
      JOIN knowledge_base_agents l ON l.knowledge_base_id = b.id AND l.agent_id = $2 AND l.account_id = $1)
      ON c.account_id = $1
    LEFT JOIN knowledge_pages p ON p.id = c.page_id
    WHERE a.account_id = $1 AND a.id = $2`;

const PASSAGES = { name: 'knowledge-passages', text: passagesWhere('b.serving = c.generation') };
const CANDIDATE_PASSAGES = {
  name: 'candidate-passages',
  text: passagesWhere('(b.serving = c.generation OR (b.id = $4 AND c.generation = $5))'),
};

export const MAX_TITLES = 1_000;
/** The knowledge bases of the agent, or those of them that a call may use. */
const SELECTED = `${SEARCHED} AND ($3::integer[] IS NULL OR b.id = ANY ($3))`;

const TITLES = {
  name: 'agent-knowledge',
  text: `SELECT b.title, b.character_count, b.language ${SELECTED} ORDER BY b.id LIMIT ${MAX_TITLES}`,
};
const PARTS = {
  name: 'agent-knowledge-text',
  text: `SELECT b.id AS knowledge_base_id, b.title, c.heading_path, c.text, c.tokens, c.table_number, c.header_length
    FROM (SELECT b.id, b.title, b.serving ${SELECTED}) b
      JOIN knowledge_chunks c ON c.knowledge_base_id = b.id AND c.generation = b.serving
    ORDER BY b.id, c.ordinal`,
};

/** The knowledge bases of an agent among these ids, active or not. */
const AMONG = {
  name: 'knowledge-bases-among',
  text: `SELECT b.id, b.is_active AS "isActive" FROM knowledge_base_agents l JOIN knowledge_bases b ON b.id = l.knowledge_base_id
    WHERE l.account_id = $1 AND l.agent_id = $2 AND l.knowledge_base_id = ANY ($3::integer[])`,
};
/** A knowledge base that searches see. */
export interface ServingSource extends IndexSource {
  chunks: number;
}

/** Consecutive chunks of a source. */
interface ChunkBatch {
  source: IndexSource;
  /** Chunks of the source before these. */
  before: number;
  chunks: IndexedChunk[];
}

interface ChunkRow extends Record<string, unknown> {
  id: string;
  ordinal: number;
  text: string;
  heading_path: string[];
  tokens: number;
  table_number: number | null;
  header_length: number | null;
}

interface PartRow extends ChunkRow {
  knowledge_base_id: number;
  title: string;
}

interface IndexedChunkRow extends ChunkRow {
  knowledge_base_id: number;
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
  table_number: number | null;
  header_length: number | null;
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
    return this.database.snapshot(work);
  }

  /** The agent's knowledge version; undefined if the agent does not exist in the account. */
  async version({ accountId, agentId }: SearchedAgent, tx?: Sql): Promise<string | undefined> {
    const [row] = await this.database.rows<{ version: string }>(VERSION, [accountId, agentId], tx);
    return row?.version;
  }

  /** By ascending id. `candidate` takes the place of the serving generation of its knowledge base. */
  async serving({ accountId, agentId }: SearchedAgent, tx?: Sql, candidate?: Candidate): Promise<ServingSource[]> {
    const values = [accountId, agentId];
    const serving = await this.database.rows<ServingSource & Record<string, unknown>>(SERVING, values, tx);
    return serving.map((one) => (one.knowledgeBaseId === candidate?.knowledgeBaseId ? { ...one, ...candidate } : one));
  }

  /** The chunks of the sources, each in reading order, in batches. */
  async *chunksOf({ accountId }: SearchedAgent, sources: ServingSource[], tx: Sql): AsyncGenerator<ChunkBatch> {
    for (const group of groupsOf(sources)) {
      const [ids, generations] = [group.map((one) => one.knowledgeBaseId), group.map((one) => one.generation)];
      const read = (after: number, most: number) =>
        this.database.rows<IndexedChunkRow>(CHUNKS, [accountId, ids, generations, after, most], tx);
      let before = 0;
      let most = BATCH;
      let rows = await read(-1, most);
      if (group.length > 1) {
        yield* group.map((source) => ({ source, before, chunks: chunksOfSource(source, rows) }));
        continue;
      }
      while (rows.length > 0) {
        yield { source: group[0]!, before, chunks: rows.map(toIndexedChunk) };
        if (rows.length < most) break;
        before += rows.length;
        most = nextBatch(rows);
        rows = await read(rows.at(-1)!.ordinal, most);
      }
    }
  }

  /**
   * The passages chosen from an index of this version, in their order; undefined if the version is outdated. Empty if the agent does
   * not exist in the account.
   */
  async passages(
    { accountId, agentId }: SearchedAgent,
    version: string,
    chosen: RankedPassage[],
    tx?: Sql,
    candidate?: Candidate,
  ): Promise<FoundChunk[] | undefined> {
    const ids = chosen.map(({ segment, first, last }) => Array.from(segment.ids.subarray(first, last + 1)));
    const values = [
      accountId,
      agentId,
      ids.flat(),
      ...(candidate ? [candidate.knowledgeBaseId, candidate.generation] : []),
    ];
    const found = await this.database.rows<PassageRow>(candidate ? CANDIDATE_PASSAGES : PASSAGES, values, tx);
    if (found.length === 0) return [];
    if (found[0]!.version !== version || found.length < ids.flat().length) return undefined;
    const byId = new Map(found.map((row) => [Number(row.id), row]));
    return chosen.map((passage, at) => {
      const rows = ids[at]!.map((id) => byId.get(id)!);
      return foundChunk(rows[passage.chunk - passage.first]!, rows, passage);
    });
  }

  /** The selected searchable knowledge bases, MAX_TITLES at most. */
  titles(agent: SearchedAgent): Promise<SearchedTitle[]> {
    return this.database.rows<SearchedTitle & Record<string, unknown>>(TITLES, selectedBy(agent));
  }

  /** All searchable passages of the selected knowledge bases in reading order. */
  async parts(agent: SearchedAgent): Promise<(KnowledgePart & { tokens: number })[]> {
    const chunks = await this.database.rows<PartRow>(PARTS, selectedBy(agent));
    return tablesOf(chunks).map((rows) => {
      const [{ title, heading_path: headingPath }] = rows;
      return { title, headingPath, text: textOfRows(rows), tokens: rows.reduce((sum, row) => sum + tokensOf(row), 0) };
    });
  }

  /** Whether the agent's knowledge bases among these ids are active, by id. */
  async activeAmong({ accountId, agentId }: SearchedAgent, ids: readonly number[]): Promise<Map<number, boolean>> {
    const values = [accountId, agentId, ids];
    const found = await this.database.rows<{ id: number; isActive: boolean }>(AMONG, values);
    return new Map(found.map(({ id, isActive }) => [id, isActive]));
  }
}

/** Groups of sources that are read by one statement; a source with more than BATCH chunks is alone. */
function groupsOf(sources: ServingSource[]): ServingSource[][] {
  const groups: ServingSource[][] = [];
  let room = 0;
  for (const source of sources) {
    const chunks = Math.max(1, source.chunks);
    if (chunks > room) {
      groups.push([]);
      room = BATCH;
    }
    groups.at(-1)!.push(source);
    room -= chunks;
  }
  return groups;
}

function nextBatch(rows: readonly IndexedChunkRow[]): number {
  const characters = rows.reduce((sum, { text }) => sum + text.length, 0) / rows.length;
  return Math.min(MAX_BATCH, Math.max(BATCH, Math.floor(BATCH_CHARACTERS / Math.max(characters, 1))));
}

const chunksOfSource = ({ knowledgeBaseId }: IndexSource, rows: IndexedChunkRow[]): IndexedChunk[] =>
  rows.filter((row) => row.knowledge_base_id === knowledgeBaseId).map(toIndexedChunk);

/** Groups consecutive chunks of one table. */
function tablesOf(chunks: PartRow[]): [PartRow, ...PartRow[]][] {
  const groups: [PartRow, ...PartRow[]][] = [];
  for (const chunk of chunks) {
    const group = groups.at(-1);
    const isNext = chunk.table_number !== null && group?.[0].table_number === chunk.table_number;
    if (isNext && group[0].knowledge_base_id === chunk.knowledge_base_id) group.push(chunk);
    else groups.push([chunk]);
  }
  return groups;
}

/** An estimate without the header, which a passage of several rows contains once. */
const tokensOf = ({ text, tokens, header_length: header }: ChunkRow): number =>
  header === null ? tokens : Math.ceil((tokens * (text.length - header)) / Math.max(text.length, 1));
const selectedBy = ({ accountId, agentId, knowledgeBaseIds }: SearchedAgent): unknown[] => [
  accountId,
  agentId,
  knowledgeBaseIds ?? null,
];

const toIndexedChunk = (row: ChunkRow): IndexedChunk => ({
  id: Number(row.id),
  text: row.text,
  headingPath: row.heading_path,
  ...(row.table_number !== null && { table: row.table_number, tokens: tokensOf(row) }),
});

/** @param rows the found row with its neighbours, or only itself. */
const foundChunk = (row: PassageRow, rows: PassageRow[], { score, matched }: RankedPassage): FoundChunk => ({
  chunkId: row.id,
  knowledgeBaseId: row.knowledge_base_id,
  title: row.title,
  sourceType: row.source_type,
  source: row.source,
  text: textOfRows(rows),
  score,
  matched,
  headingPath: row.heading_path,
  page: row.page,
  rows: rangeOf(rows),
  matchedRow: row.table_number === null || row.first_row === null ? null : row.text.slice(row.header_length ?? 0),
  start: Math.min(...rows.map((one) => one.start_offset)),
  end: Math.max(...rows.map((one) => one.end_offset)),
});

function rangeOf(rows: PassageRow[]): FoundChunk['rows'] {
  const first = rows.find((row) => row.first_row !== null)?.first_row;
  const last = rows.findLast((row) => row.last_row !== null)?.last_row;
  return first == null || last == null ? null : { first, last };
}
