import type { AgentOfAccount } from '@app/common';
import { Database, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import { PAGE_COUNTS } from '../crawl/crawl-pages.repository.js';
import { countChunks } from '../knowledge-chunks.repository.js';

const OF_AGENT = 'account_id = $1 AND agent_id = $2 AND id = $3';

/**
 * Not while a worker processes the document: it compares the source with the generation that was served when it began. The held
 * generation must be complete: a worker of the previous release may have deleted its chunks.
 */
const RELEASE = {
  name: 'release-held-refresh',
  text: `UPDATE knowledge_bases b
      SET serving = b.held_generation, word_count = (b.held_facts->>'words')::integer,
          character_count = (b.held_facts->>'characters')::integer, language = b.held_facts->>'language',
          quality = b.held_facts->'quality'->>'quality', quality_reason = b.held_facts->'quality'->>'reason',
          etag = CASE WHEN b.held_facts ? 'etag' THEN b.held_facts->>'etag' ELSE b.etag END,
          last_modified = CASE WHEN b.held_facts ? 'lastModified' THEN b.held_facts->>'lastModified' ELSE b.last_modified END,
          content_hash = coalesce(decode(b.held_facts->>'contentHash', 'hex'), b.content_hash),
          ${countChunks('b.held_generation')},
          pages_generation = CASE WHEN b.crawl IS NOT NULL THEN b.held_generation END,
          page_counts = CASE WHEN b.crawl IS NOT NULL THEN (${PAGE_COUNTS('b.id', 'b.held_generation')}) END,
          held_generation = NULL, held_reason = NULL, held_facts = NULL, updated_at = now()
    WHERE ${OF_AGENT} AND b.held_generation > b.serving AND b.status <> 'processing'
      AND EXISTS (SELECT FROM knowledge_chunks c WHERE c.knowledge_base_id = b.id AND c.generation = b.held_generation)
    RETURNING b.serving`,
};

const DISCARD = {
  name: 'discard-held-refresh',
  text: `WITH held AS (
      SELECT id, held_generation FROM knowledge_bases
       WHERE ${OF_AGENT} AND held_generation > serving FOR NO KEY UPDATE),
    cleared AS (
      UPDATE knowledge_bases b SET held_generation = NULL, held_reason = NULL, held_facts = NULL, updated_at = now()
        FROM held WHERE b.id = held.id),
    dropped AS (
      DELETE FROM knowledge_chunks c USING held
       WHERE c.knowledge_base_id = held.id AND c.generation = held.held_generation),
    dropped_pages AS (
      DELETE FROM knowledge_pages p USING held
       WHERE p.knowledge_base_id = held.id AND p.generation = held.held_generation)
    SELECT id FROM held`,
};

/** The decisions of users about held refreshes. A worker holds them by DocumentClaimsRepository. */
@Injectable()
export class HeldRefreshesRepository {
  constructor(private readonly database: Database) {}

  /** Serves the held generation. @returns it; undefined if there is none, or a worker is processing. */
  async release({ accountId, agentId }: AgentOfAccount, id: number, tx: Sql): Promise<number | undefined> {
    const [released] = await this.database.rows<{ serving: number }>(RELEASE, [accountId, agentId, id], tx);
    return released?.serving;
  }

  /** Deletes the held generation. Returns false if there is none. */
  async discard({ accountId, agentId }: AgentOfAccount, id: number, tx: Sql): Promise<boolean> {
    return (await this.database.rows(DISCARD, [accountId, agentId, id], tx)).length > 0;
  }
}
