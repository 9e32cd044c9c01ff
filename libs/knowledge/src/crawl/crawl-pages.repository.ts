import { Database, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import { CHUNKS_OF_PAGE, type Generation } from '../knowledge-chunks.repository.js';
import type { RefreshResult } from '../refresh/refresh-schedule.js';
import type { PageState } from './knowledge-page.entity.js';

/** A page that is to be fetched, with what the serving generation knows of it. */
export interface PendingPage {
  id: string;
  kind: 'page' | 'sitemap';
  url: string;
  depth: number;
  /** Tries before this one. */
  attempt: number;
  known: KnownPage | null;
}

/** A readable page of the serving generation. */
interface KnownPage {
  id: string;
  etag: string | null;
  last_modified: string | null;
  /** Base64. */
  content_hash: string | null;
}

/** The result of a page. */
interface SettledPage {
  id: string;
  state: PageState;
  kind?: 'sitemap';
  error?: { code: string; sentence: string };
  title?: string | null;
  page?: { etag: string | null; lastModified: string | null; sha256: Buffer; bytes: number };
  text?: { words: number; characters: number; chunks: number };
}

export interface NewPage {
  url: string;
  hash: Buffer;
}

/** The state of a crawl at the beginning of a slice. */
export interface CrawlFacts {
  start_id: string;
  start_url: string;
  start_kind: 'page' | 'sitemap';
  start_state: PageState;
  start_error_code: string | null;
  start_error: string | null;
  /** Pages that were read or failed. */
  visited: number;
  /** Pages with text. */
  readable: number;
  pending: number;
  /** Milliseconds until the next page is due; null: no page is pending. */
  due_in: number | null;
  bytes: string;
  words: number;
  characters: number;
  chunks: number;
  /** The first ordinal after all chunks. */
  next_ordinal: number;
}

/** The counts of a generation's pages, as an expression. Sitemaps only count if they failed. */
export const PAGE_COUNTS = (knowledgeBase: string, generation: string): string => `
  SELECT jsonb_build_object('total', count(*), 'completed', count(*) FILTER (WHERE p.state IN ('completed', 'unchanged')),
    'failed', count(*) FILTER (WHERE p.state = 'failed'), 'pending', count(*) FILTER (WHERE p.state = 'pending'),
    'skipped', count(*) FILTER (WHERE p.state = 'skipped'))
  FROM knowledge_pages p WHERE p.knowledge_base_id = ${knowledgeBase} AND p.generation = ${generation} AND ${IS_LISTED}`;
const IS_LISTED = `(p.kind = 'page' OR p.state = 'failed')`;

const OF_GENERATION = 'knowledge_base_id = $1 AND generation = $2';
const isOfGeneration = (table: string): string => `${table}.knowledge_base_id = $1 AND ${table}.generation = $2`;

const HAS_BEGUN = {
  name: 'crawl-has-begun',
  text: `SELECT 1 FROM knowledge_pages WHERE ${OF_GENERATION} LIMIT 1`,
};
const START = {
  name: 'start-crawl',
  text: `INSERT INTO knowledge_pages (account_id, knowledge_base_id, generation, url, url_hash, depth)
    VALUES ($3, $1, $2, $4, $5, $6) ON CONFLICT (knowledge_base_id, generation, url_hash) DO NOTHING RETURNING id`,
};
/** Pages that are gone are forgotten; a link finds them again. */
const SEED = {
  name: 'seed-crawl',
  text: `INSERT INTO knowledge_pages (account_id, knowledge_base_id, generation, url, url_hash, depth)
    SELECT account_id, $1, $2, url, url_hash, depth FROM knowledge_pages
     WHERE knowledge_base_id = $1 AND generation = $3 AND kind = 'page'
       AND (error_code IS NULL OR error_code NOT IN ('HTTP_404', 'HTTP_410')) ORDER BY depth, id
    ON CONFLICT (knowledge_base_id, generation, url_hash) DO NOTHING`,
};
const DROP_OTHERS = {
  name: 'drop-pages-of-ended-crawls',
  text: `DELETE FROM knowledge_pages WHERE knowledge_base_id = $1 AND generation <> $2 AND generation IS DISTINCT FROM $3
      AND generation IS DISTINCT FROM (SELECT held_generation FROM knowledge_bases WHERE id = $1)`,
};
/** Chunks of pages whose worker died, and pages whose chunks a process of an earlier release deleted. */
const DROP_TORN = {
  name: 'drop-chunks-of-pending-pages',
  text: `DELETE FROM knowledge_chunks c USING knowledge_pages p
    WHERE ${isOfGeneration('c')} AND p.id = c.page_id AND p.state = 'pending'`,
};
const REPEAT_EMPTY = {
  name: 'repeat-pages-without-chunks',
  text: `UPDATE knowledge_pages p SET state = 'pending', attempt = 0, chunk_count = 0 WHERE ${isOfGeneration('p')} AND p.chunk_count > 0
    AND NOT EXISTS (SELECT 1 FROM knowledge_chunks c WHERE ${isOfGeneration('c')} AND c.page_id = p.id)`,
};

const FACTS = {
  name: 'crawl-facts',
  text: `SELECT s.id AS start_id, s.url AS start_url, s.kind AS start_kind, s.state AS start_state, s.error_code AS start_error_code,
      s.error AS start_error, t.*,
      coalesce((SELECT max(ordinal) / ${CHUNKS_OF_PAGE} + 1 FROM knowledge_chunks WHERE ${OF_GENERATION}), 0) * ${CHUNKS_OF_PAGE}
        AS next_ordinal
    FROM (SELECT count(*) FILTER (WHERE kind = 'page' AND state IN ('completed', 'unchanged', 'failed'))::integer AS visited,
        count(*) FILTER (WHERE chunk_count > 0)::integer AS readable,
        count(*) FILTER (WHERE state = 'pending')::integer AS pending,
        ceil(extract(epoch FROM min(greatest(retry_at, now())) FILTER (WHERE state = 'pending') - now()) * 1000)::integer AS due_in,
        coalesce(sum(bytes), 0) AS bytes, coalesce(sum(word_count), 0)::integer AS words,
        coalesce(sum(character_count), 0)::integer AS characters, coalesce(sum(chunk_count), 0)::integer AS chunks
      FROM knowledge_pages WHERE ${OF_GENERATION}) t
    CROSS JOIN LATERAL (SELECT * FROM knowledge_pages WHERE ${OF_GENERATION} ORDER BY id LIMIT 1) s`,
};

const NEXT = {
  name: 'next-pages-of-crawl',
  text: `SELECT p.id, p.kind, p.url, p.depth, p.attempt, CASE WHEN k.id IS NOT NULL THEN json_build_object('id', k.id::text, 'etag', k.etag,
      'last_modified', k.last_modified, 'content_hash', encode(k.content_hash, 'base64')) END AS known
    FROM (SELECT * FROM knowledge_pages WHERE ${OF_GENERATION} AND state = 'pending' AND (retry_at IS NULL OR retry_at <= now())
           ORDER BY depth, id LIMIT $4) p
    LEFT JOIN knowledge_pages k ON k.knowledge_base_id = $1 AND k.generation = $3 AND k.url_hash = p.url_hash AND k.chunk_count > 0
    ORDER BY p.depth, p.id`,
};

/** Absent values keep what is stored. */
const SETTLE = {
  name: 'settle-page',
  text: `UPDATE knowledge_pages SET state = $2, kind = coalesce($3, kind), error_code = $4, error = $5, title = coalesce($6, title),
      etag = CASE WHEN $7 THEN $8 ELSE etag END, last_modified = CASE WHEN $7 THEN $9 ELSE last_modified END,
      content_hash = coalesce($10, content_hash), bytes = coalesce($11, bytes), word_count = coalesce($12, word_count),
      character_count = coalesce($13, character_count), chunk_count = coalesce($14, chunk_count), attempt = attempt + 1,
      retry_at = NULL, fetched_at = now() WHERE id = $1`,
};
const POSTPONE = {
  name: 'postpone-page',
  text: `UPDATE knowledge_pages SET attempt = attempt + 1, retry_at = now() + $2 * interval '1 ms', error_code = $3, error = $4
    WHERE id = $1`,
};
/** `$6`: the server sent new validators with the same content. */
const KEEP = {
  name: 'keep-page',
  text: `UPDATE knowledge_pages p SET state = $3, error_code = $4, error = $5, title = k.title,
      etag = coalesce($6, k.etag), last_modified = coalesce($7, k.last_modified), content_hash = k.content_hash,
      word_count = k.word_count, character_count = k.character_count, chunk_count = k.chunk_count,
      attempt = p.attempt + 1, retry_at = NULL, fetched_at = now()
    FROM knowledge_pages k WHERE p.id = $1 AND k.id = $2`,
};
const COUNT = {
  name: 'count-pages',
  text: `UPDATE knowledge_bases k SET page_counts = (${PAGE_COUNTS('k.id', 'k.building_generation')}) WHERE k.id = $1`,
};
const ADD = {
  name: 'add-pages',
  text: `INSERT INTO knowledge_pages (account_id, knowledge_base_id, generation, kind, depth, url, url_hash)
    SELECT $3, $1, $2, $4, $5, n.url, n.hash FROM unnest($6::text[], $7::bytea[]) AS n (url, hash)
     LIMIT greatest(0, $8 - (SELECT count(*) FROM knowledge_pages WHERE ${OF_GENERATION}))
    ON CONFLICT (knowledge_base_id, generation, url_hash) DO NOTHING`,
};
const MOVE = {
  name: 'move-page',
  text: `UPDATE knowledge_pages SET url = $4, url_hash = $5 WHERE id = $3
    AND NOT EXISTS (SELECT 1 FROM knowledge_pages p WHERE ${isOfGeneration('p')} AND p.url_hash = $5 AND p.id <> $3) RETURNING id`,
};
const SAME_CONTENT = {
  name: 'page-with-same-content',
  text: `SELECT url FROM knowledge_pages
    WHERE ${OF_GENERATION} AND content_hash = $3 AND chunk_count > 0 AND state IN ('completed', 'unchanged') LIMIT 1`,
};
const SKIP_PENDING = {
  name: 'skip-pending-pages',
  text: `UPDATE knowledge_pages SET state = 'skipped', error_code = $3, error = $4 WHERE ${OF_GENERATION} AND state = 'pending'`,
};

const DIFFERENCE = {
  name: 'difference-of-crawls',
  text: `SELECT count(*) FILTER (WHERE n.chunk_count > 0 AND o.id IS NULL)::integer AS added,
      count(*) FILTER (WHERE n.state = 'completed' AND n.chunk_count > 0 AND o.id IS NOT NULL)::integer AS changed,
      count(*) FILTER (WHERE n.state = 'unchanged')::integer AS unchanged,
      count(*) FILTER (WHERE o.id IS NOT NULL AND coalesce(n.chunk_count, 0) = 0)::integer AS removed,
      count(*) FILTER (WHERE n.state = 'failed')::integer AS failed
    FROM (SELECT * FROM knowledge_pages WHERE ${OF_GENERATION}) n
    FULL JOIN (SELECT * FROM knowledge_pages WHERE knowledge_base_id = $1 AND generation = $3 AND chunk_count > 0) o
      ON o.url_hash = n.url_hash`,
};
const READABLE = {
  name: 'readable-pages',
  text: `SELECT count(*)::integer AS pages FROM knowledge_pages WHERE ${OF_GENERATION} AND chunk_count > 0`,
};

const SAMPLE = {
  name: 'sample-of-crawl',
  text: `SELECT text FROM knowledge_chunks WHERE ${OF_GENERATION} ORDER BY ordinal LIMIT 50`,
};

/** The pages of a crawl under construction, for its worker. Writes require the transaction of DocumentLease.write. */
@Injectable()
export class CrawlPagesRepository {
  constructor(private readonly database: Database) {}

  /** Begins the crawl of a generation, with the pages of the serving one, or resumes it. */
  async begin(
    { knowledgeBaseId, generation, accountId }: Generation,
    serving: number | null,
    start: NewPage,
    tx: Sql,
  ): Promise<void> {
    const place = [knowledgeBaseId, generation];
    const begun = await this.database.rows(HAS_BEGUN, place, tx);
    if (begun.length === 0) {
      await this.database.rows(DROP_OTHERS, [...place, serving], tx);
      await this.database.rows(START, [...place, accountId, start.url, start.hash, 0], tx);
      await this.database.rows(SEED, [...place, serving], tx);
    } else {
      await this.database.rows(DROP_TORN, place, tx);
      await this.database.rows(REPEAT_EMPTY, place, tx);
    }
    await this.count(knowledgeBaseId, tx);
  }

  async facts({ knowledgeBaseId, generation }: Generation): Promise<CrawlFacts> {
    const rows = await this.database.rows<CrawlFacts & Record<string, unknown>>(FACTS, [knowledgeBaseId, generation]);
    return rows[0]!;
  }

  /** The next pages that are due, pages near the start first. */
  next({ knowledgeBaseId, generation }: Generation, serving: number | null, limit: number): Promise<PendingPage[]> {
    const values = [knowledgeBaseId, generation, serving, limit];
    return this.database.rows<PendingPage & Record<string, unknown>>(NEXT, values);
  }

  async settle({ id, state, kind, error, title, page, text }: SettledPage, tx: Sql): Promise<void> {
    const validators = [page !== undefined, page?.etag ?? null, page?.lastModified ?? null, page?.sha256 ?? null];
    const sizes = [page?.bytes ?? null, text?.words ?? null, text?.characters ?? null, text?.chunks ?? null];
    const values = [id, state, kind ?? null, error?.code ?? null, error?.sentence ?? null, title ?? null];
    await this.database.rows(SETTLE, [...values, ...validators, ...sizes], tx);
  }

  /** The page is fetched again after the delay. */
  async postpone(id: string, delayMs: number, error: { code: string; sentence: string }, tx: Sql): Promise<void> {
    await this.database.rows(POSTPONE, [id, delayMs, error.code, error.sentence], tx);
  }

  /** Takes over title, validators and sizes of the page in the serving generation. */
  async keep({ id, state, error, page }: SettledPage, known: KnownPage, tx: Sql): Promise<void> {
    const values = [id, known.id, state, error?.code ?? null, error?.sentence ?? null];
    await this.database.rows(KEEP, [...values, page?.etag ?? null, page?.lastModified ?? null], tx);
  }

  /** Stores the counts of the pages in the knowledge base. */
  async count(knowledgeBaseId: number, tx: Sql): Promise<void> {
    await this.database.rows(COUNT, [knowledgeBaseId], tx);
  }

  /** Adds pages that are not known yet, while the crawl knows less than `most`. */
  async add(
    { knowledgeBaseId, generation, accountId }: Generation,
    { kind, depth, most }: { kind: 'page' | 'sitemap'; depth: number; most: number },
    pages: readonly NewPage[],
    tx: Sql,
  ): Promise<void> {
    if (pages.length === 0) return;
    const columns = [pages.map(({ url }) => url), pages.map(({ hash }) => hash)];
    await this.database.rows(ADD, [knowledgeBaseId, generation, accountId, kind, depth, ...columns, most], tx);
  }

  /** Adds one page. @returns its id; undefined if it is already known. */
  async addOne(place: Generation, page: NewPage & { depth: number }, tx: Sql): Promise<string | undefined> {
    const { knowledgeBaseId, generation, accountId } = place;
    const values = [knowledgeBaseId, generation, accountId, page.url, page.hash, page.depth];
    const [added] = await this.database.rows<{ id: string }>(START, values, tx);
    return added?.id;
  }

  /** Changes the address of a page. Returns false if another page has it. */
  async move({ knowledgeBaseId, generation }: Generation, id: string, to: NewPage, tx: Sql): Promise<boolean> {
    return (await this.database.rows(MOVE, [knowledgeBaseId, generation, id, to.url, to.hash], tx)).length > 0;
  }

  /** The address of a page of this crawl with the same bytes. */
  async withContent(
    { knowledgeBaseId, generation }: Generation,
    sha256: Buffer,
    tx?: Sql,
  ): Promise<string | undefined> {
    const rows = await this.database.rows<{ url: string }>(SAME_CONTENT, [knowledgeBaseId, generation, sha256], tx);
    return rows[0]?.url;
  }

  async skipPending(
    { knowledgeBaseId, generation }: Generation,
    error: { code: string; sentence: string },
    tx: Sql,
  ): Promise<void> {
    await this.database.rows(SKIP_PENDING, [knowledgeBaseId, generation, error.code, error.sentence], tx);
    await this.count(knowledgeBaseId, tx);
  }

  /** Compares the pages with those of the serving generation. */
  async difference({ knowledgeBaseId, generation }: Generation, serving: number): Promise<RefreshResult> {
    const values = [knowledgeBaseId, generation, serving];
    const rows = await this.database.rows<RefreshResult & Record<string, unknown>>(DIFFERENCE, values);
    return rows[0]!;
  }

  /** The first passages of a generation. */
  async sample({ knowledgeBaseId, generation }: Generation): Promise<string[]> {
    const rows = await this.database.rows<{ text: string }>(SAMPLE, [knowledgeBaseId, generation]);
    return rows.map(({ text }) => text);
  }

  async readable(knowledgeBaseId: number, generation: number): Promise<number> {
    const rows = await this.database.rows<{ pages: number }>(READABLE, [knowledgeBaseId, generation]);
    return rows[0]?.pages ?? 0;
  }
}
