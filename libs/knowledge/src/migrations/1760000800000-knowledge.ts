import type { MigrationInterface, QueryRunner } from 'typeorm';

const STATEMENTS = [
  // Incremented by every transaction that changes the search results of the agent. Caches of searches belong to one version.
  `ALTER TABLE agents ADD COLUMN knowledge_version bigint NOT NULL DEFAULT 0`,

  // A pending row is its own outbox. Its agent and account cannot be deleted, because its file would remain in the storage.
  `CREATE TABLE knowledge_bases (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id integer NOT NULL REFERENCES accounts,
    agent_id integer NOT NULL REFERENCES agents,
    title text NOT NULL,
    source_type text NOT NULL CHECK (source_type IN ('text', 'file', 'url')),
    status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'processing', 'completed', 'failed')),
    is_active boolean NOT NULL DEFAULT true,
    content text,
    source_reference text,
    file_name text,
    file_size bigint,
    file_type text,
    file_key text,
    word_count integer NOT NULL DEFAULT 0,
    character_count integer NOT NULL DEFAULT 0,
    chunk_count integer NOT NULL DEFAULT 0,
    processing_error text,
    error_code text,
    stage text,
    progress smallint NOT NULL DEFAULT 0 CHECK (progress BETWEEN 0 AND 100),
    attempt integer NOT NULL DEFAULT 0,
    generation integer NOT NULL DEFAULT 0,
    serving integer,
    lease_owner text,
    lease_until timestamptz,
    next_attempt_at timestamptz,
    etag text,
    last_modified text,
    content_hash bytea,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CHECK (status <> 'pending' OR next_attempt_at IS NOT NULL),
    CHECK (status <> 'processing' OR lease_until IS NOT NULL)
  )`,
  // An agent has few knowledge bases (KNOWLEDGE_BASES_PER_AGENT), so that filters by status and source need no index.
  `CREATE INDEX knowledge_bases_list ON knowledge_bases (account_id, agent_id, id DESC)`,
  `CREATE INDEX knowledge_bases_title ON knowledge_bases USING gin (account_id, agent_id, title gin_trgm_ops)`,
  // Due documents, and claimed ones with an expired lease.
  `CREATE INDEX knowledge_bases_due ON knowledge_bases (next_attempt_at, id) WHERE status = 'pending'`,
  `CREATE INDEX knowledge_bases_leased ON knowledge_bases (lease_until) WHERE status = 'processing'`,

  // The primary key serves the reads too: by knowledge base and generation, in reading order.
  `CREATE TABLE knowledge_chunks (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id integer NOT NULL,
    agent_id integer NOT NULL,
    knowledge_base_id integer NOT NULL REFERENCES knowledge_bases ON DELETE CASCADE,
    generation integer NOT NULL,
    ordinal integer NOT NULL,
    text text NOT NULL,
    heading_path text[] NOT NULL DEFAULT '{}',
    page integer,
    first_row integer,
    last_row integer,
    start_offset integer NOT NULL,
    end_offset integer NOT NULL,
    tokens integer NOT NULL,
    hash bytea,
    embedding bytea,
    embedding_model text,
    UNIQUE (knowledge_base_id, generation, ordinal)
  )`,
  `CREATE INDEX knowledge_chunks_agent ON knowledge_chunks (account_id, agent_id)`,
  // Compression does not reduce floats, and would take time at each write.
  `ALTER TABLE knowledge_chunks ALTER COLUMN embedding SET STORAGE EXTERNAL`,
];

/** Knowledge bases, their passages, and the version of the search results of an agent. */
export class Knowledge1760000800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE knowledge_chunks');
    await runner.query('DROP TABLE knowledge_bases');
    await runner.query('ALTER TABLE agents DROP COLUMN knowledge_version');
  }
}
