import type { AgentOfAccount } from '@app/common';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import { getsVector } from '../limits.js';
import type { EmbedderOutcome } from './sample-questions.js';
import { samplePlaces } from './sample-questions.js';

/** A claimed check of one agent. */
export interface EmbedderCheckClaim {
  account_id: number;
  agent_id: number;
  lease_owner: string;
}

/** The result of a check. */
export interface EmbedderCheckResult {
  /** `agents.knowledge_version` of the searches. */
  version: string;
  model: string;
  questions: number;
  /** Questions whose passage is among the first three. */
  found: number;
  foundByWords: number;
  outcome: EmbedderOutcome;
}

/** The last result of an agent. */
export interface EmbedderCheck extends Omit<EmbedderCheckResult, 'version'> {
  checkedAt: Date;
}

/** The accounts take turns: the next one after the given one with a due check. */
const CLAIM = {
  name: 'claim-embedder-check',
  text: `UPDATE knowledge_embedder_checks c SET lease_owner = $1, due_at = now() + $2 * interval '1 ms'
    FROM (SELECT agent_id FROM knowledge_embedder_checks WHERE due_at <= now()
           ORDER BY account_id <= $3, account_id, due_at LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) picked
    WHERE c.agent_id = picked.agent_id RETURNING c.account_id, c.agent_id, c.lease_owner`,
};

/** `$3`: milliseconds until the next attempt. */
const POSTPONE = {
  name: 'postpone-embedder-check',
  text: `UPDATE knowledge_embedder_checks SET lease_owner = NULL, due_at = now() + $3 * interval '1 ms'
    WHERE agent_id = $1 AND lease_owner = $2`,
};

/** A change during the check makes the next one due in an hour. */
const STORE = {
  name: 'store-embedder-check',
  text: `UPDATE knowledge_embedder_checks c SET lease_owner = NULL, checked_at = now(), knowledge_version = $3, model = $4,
      questions = $5, found = $6, found_by_words = $7, outcome = $8,
      due_at = CASE WHEN a.knowledge_version <> $3 THEN now() + interval '1 hour' END
    FROM agents a WHERE c.agent_id = $1 AND c.lease_owner = $2 AND a.id = c.agent_id`,
};

/** Retrieval tests are the better measure: the result is removed. A change of the knowledge makes the next check due. */
const SKIP = {
  name: 'skip-embedder-check',
  text: `UPDATE knowledge_embedder_checks SET lease_owner = NULL, due_at = NULL, checked_at = NULL, knowledge_version = NULL,
      model = NULL, questions = NULL, found = NULL, found_by_words = NULL, outcome = NULL
    WHERE agent_id = $1 AND lease_owner = $2`,
};

const SOURCES = `FROM knowledge_base_agents l JOIN knowledge_bases b ON b.id = l.knowledge_base_id
    WHERE l.account_id = $1 AND l.agent_id = $2 AND b.account_id = $1 AND b.is_active AND b.serving IS NOT NULL`;

const STATE = {
  name: 'embedder-check-state',
  text: `SELECT EXISTS (SELECT 1 FROM knowledge_tests t WHERE t.account_id = $1 AND t.agent_id = $2 AND t.is_active) AS "hasTests",
      EXISTS (SELECT 1 ${SOURCES} AND b.chunk_count > 0
        AND (b.serving IS DISTINCT FROM b.vectors_generation OR b.vectors_model IS DISTINCT FROM $3)) AS "lacksVectors"`,
};

const SAMPLED_SOURCES = {
  name: 'embedder-check-sources',
  text: `SELECT b.id, b.serving AS generation, b.chunk_count AS chunks ${SOURCES} ORDER BY b.id`,
};

/** By the key of the table, so that the size of the knowledge makes no difference. */
const PASSAGES = {
  name: 'embedder-check-passages',
  text: `SELECT DISTINCT ON (c.id) c.text, coalesce(c.header_length, 0) AS "headerLength"
    FROM unnest($2::integer[], $3::integer[], $4::float8[], $5::integer[]) AS place (id, generation, share, skipped)
    CROSS JOIN LATERAL (SELECT max(ordinal) AS last FROM knowledge_chunks
      WHERE knowledge_base_id = place.id AND generation = place.generation) m
    CROSS JOIN LATERAL (SELECT k.id, k.account_id, k.text, k.header_length, k.embedding FROM knowledge_chunks k
      WHERE k.knowledge_base_id = place.id AND k.generation = place.generation
        AND k.ordinal >= floor(place.share * (m.last + 1)) AND ${getsVector('k')}
      ORDER BY k.ordinal LIMIT 1 OFFSET place.skipped) c
    WHERE c.account_id = $1 AND c.embedding IS NOT NULL`,
};

const LAST = {
  name: 'last-embedder-check',
  text: `SELECT model, questions, found, found_by_words AS "foundByWords", outcome, checked_at AS "checkedAt"
    FROM knowledge_embedder_checks WHERE account_id = $1 AND agent_id = $2 AND outcome IS NOT NULL`,
};

/** When searches with and without the embedder are compared, and the results. Leases use the database's clock. */
@Injectable()
export class EmbedderChecksRepository {
  constructor(private readonly database: Database) {}

  /** Claims a due check of the account after `afterAccount`; undefined: none is due. */
  async claim(owner: string, leaseMs: number, afterAccount: number): Promise<EmbedderCheckClaim | undefined> {
    const values = [owner, leaseMs, afterAccount];
    const [claimed] = await this.database.rows<EmbedderCheckClaim & Record<string, unknown>>(CLAIM, values);
    return claimed;
  }

  async postpone({ agent_id, lease_owner }: EmbedderCheckClaim, ms: number): Promise<void> {
    await this.database.rows(POSTPONE, [agent_id, lease_owner, ms]);
  }

  async store({ agent_id, lease_owner }: EmbedderCheckClaim, result: EmbedderCheckResult): Promise<void> {
    const { version, model, questions, found, foundByWords, outcome } = result;
    const values = [agent_id, lease_owner, version, model, questions, found, foundByWords, outcome];
    await this.database.rows(STORE, values);
  }

  async skip({ agent_id, lease_owner }: EmbedderCheckClaim): Promise<void> {
    await this.database.rows(SKIP, [agent_id, lease_owner]);
  }

  /** Whether the agent has active retrieval tests, and whether passages that it searches lack vectors of the model. */
  async state(
    { accountId, agentId }: AgentOfAccount,
    model: string,
  ): Promise<{ hasTests: boolean; lacksVectors: boolean }> {
    const values = [accountId, agentId, model];
    const [state] = await this.database.rows<{ hasTests: boolean; lacksVectors: boolean }>(STATE, values);
    return state!;
  }

  /** The texts of passages with vectors, `count` at most, spread over all searched knowledge bases. Rows are without their header. */
  async sample({ accountId, agentId }: AgentOfAccount, count: number): Promise<string[]> {
    const values = [accountId, agentId];
    const sources = await this.database.rows<{ id: number; generation: number; chunks: number }>(
      SAMPLED_SOURCES,
      values,
    );
    const places = samplePlaces(
      sources.map(({ chunks }) => chunks),
      count,
    );
    const columns = [
      places.map(({ source }) => sources[source]!.id),
      places.map(({ source }) => sources[source]!.generation),
      places.map(({ share }) => share),
      places.map(({ skipped }) => skipped),
    ];
    const passages = await this.database.rows<{ text: string; headerLength: number }>(PASSAGES, [
      accountId,
      ...columns,
    ]);
    return passages.map(({ text, headerLength }) => text.slice(headerLength));
  }

  /** The last result of the agent; undefined before the first check. */
  async last({ accountId, agentId }: AgentOfAccount): Promise<EmbedderCheck | undefined> {
    const [last] = await this.database.rows<EmbedderCheck & Record<string, unknown>>(LAST, [accountId, agentId]);
    return last;
  }
}
