import { Check, Column, CreateDateColumn, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn, Unique } from 'typeorm';

/* Tables of libs/knowledge that only statements use, for the check of the migrated schema. */

@Entity('knowledge_chunks')
@Unique('knowledge_chunks_knowledge_base_id_generation_ordinal_key', ['knowledgeBaseId', 'generation', 'ordinal'])
@Index('knowledge_chunks_agent', ['accountId', 'agentId'])
@Index('knowledge_chunks_hash', { synchronize: false })
export class KnowledgeChunkEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' })
  id: string;

  @Column('integer', { name: 'account_id' })
  accountId: number;

  @Column('integer', { name: 'agent_id' })
  agentId: number;

  @Column('integer', { name: 'knowledge_base_id' })
  knowledgeBaseId: number;

  @Column('integer')
  generation: number;

  /** From 0, in reading order. */
  @Column('integer')
  ordinal: number;

  @Column('text')
  text: string;

  @Column('text', { name: 'heading_path', array: true, default: [] })
  headingPath: string[];

  @Column('integer', { nullable: true })
  page: number | null;

  @Column('integer', { name: 'first_row', nullable: true })
  firstRow: number | null;

  @Column('integer', { name: 'last_row', nullable: true })
  lastRow: number | null;

  /** Number of its table in the document, from 1; null: not part of a table. */
  @Column('integer', { name: 'table_number', nullable: true })
  tableNumber: number | null;

  /** Length of the header line at the start of the text; null: cells name their columns, or it is not a row. */
  @Column('integer', { name: 'header_length', nullable: true })
  headerLength: number | null;

  @Column('integer', { name: 'start_offset' })
  startOffset: number;

  @Column('integer', { name: 'end_offset' })
  endOffset: number;

  @Column('integer')
  tokens: number;

  /** SHA-256 of the embedded text. */
  @Column('bytea', { nullable: true })
  hash: Buffer | null;

  /** float32, little endian. */
  @Column('bytea', { nullable: true })
  embedding: Buffer | null;

  /** Name and dimensions. */
  @Column('text', { name: 'embedding_model', nullable: true })
  embeddingModel: string | null;

  /** The page of a crawl. */
  @Column('bigint', { name: 'page_id', nullable: true })
  pageId: string | null;
}

/** The last comparison of an agent's searches with and without the embedder, and the time of the next one. */
@Entity('knowledge_embedder_checks')
@Index('knowledge_embedder_checks_due', { synchronize: false })
@Index('knowledge_embedder_checks_worse', { synchronize: false })
@Check('knowledge_embedder_checks_outcome_check', `outcome IN ('better', 'similar', 'worse')`)
export class EmbedderCheckEntity {
  @PrimaryColumn('integer', { name: 'agent_id' })
  agentId: number;

  @Column('integer', { name: 'account_id' })
  accountId: number;

  /** The next check, or the end of the lease of the current one; null: nothing has changed since the last one. */
  @Column('timestamptz', { name: 'due_at', nullable: true })
  dueAt: Date | null;

  @Column('text', { name: 'lease_owner', nullable: true })
  leaseOwner: string | null;

  @Column('timestamptz', { name: 'checked_at', nullable: true })
  checkedAt: Date | null;

  /** `agents.knowledge_version` of the last check. */
  @Column('bigint', { name: 'knowledge_version', nullable: true })
  knowledgeVersion: string | null;

  /** The checked model; the result says nothing about another one. */
  @Column('text', { nullable: true })
  model: string | null;

  @Column('smallint', { nullable: true })
  questions: number | null;

  /** Questions whose passage is among the first three with the embedder. */
  @Column('smallint', { nullable: true })
  found: number | null;

  @Column('smallint', { name: 'found_by_words', nullable: true })
  foundByWords: number | null;

  @Column('text', { nullable: true })
  outcome: string | null;
}

@Entity('embedding_cache')
@Index('embedding_cache_used', ['usedAt'])
export class EmbeddingCacheEntity {
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId: number;

  @PrimaryColumn('text')
  model: string;

  /** SHA-256 of the text. */
  @PrimaryColumn('bytea')
  hash: Buffer;

  /** float32, little endian. */
  @Column('bytea')
  embedding: Buffer;

  @CreateDateColumn({ name: 'used_at', type: 'timestamptz' })
  usedAt: Date;
}

/** When the tests of an agent run next, see TestRunsRepository. */
@Entity('knowledge_test_runs')
@Index('knowledge_test_runs_due', { synchronize: false })
export class KnowledgeTestRunEntity {
  @PrimaryColumn('integer', { name: 'agent_id' })
  agentId: number;

  @Column('integer', { name: 'account_id' })
  accountId: number;

  /** Changes of knowledge and tests. */
  @Column('bigint', { default: 0 })
  changes: string;

  /** The next run, or the end of the lease of the current one; null: nothing has changed since the last run. */
  @Column('timestamptz', { name: 'due_at', nullable: true })
  dueAt: Date | null;

  @Column('text', { name: 'lease_owner', nullable: true })
  leaseOwner: string | null;
}
