import type { CrawlSettings } from './crawl/crawl-settings.js';
import type { PageCounts } from './crawl/knowledge-page.entity.js';
import type { RefreshResult } from './refresh/refresh-schedule.js';
import {
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  Index,
  JoinColumn,
  ManyToOne,
  OneToMany,
  PrimaryColumn,
  PrimaryGeneratedColumn,
  UpdateDateColumn,
} from 'typeorm';
import type { TextQualityGrade } from './chunk/text-quality.js';

export const SOURCE_TYPES = ['text', 'file', 'url'] as const;
export type SourceType = (typeof SOURCE_TYPES)[number];

export const KNOWLEDGE_STATUSES = ['pending', 'processing', 'completed', 'failed'] as const;
export type KnowledgeStatus = (typeof KNOWLEDGE_STATUSES)[number];

/** The step that a worker is executing; null: none. */
export const STAGES = ['fetch', 'sniff', 'parse', 'chunk', 'index', 'reindex'] as const;
export type Stage = (typeof STAGES)[number];

@Entity('knowledge_bases')
@Index('knowledge_bases_list', { synchronize: false })
@Index('knowledge_bases_title', { synchronize: false })
@Index('knowledge_bases_leased', { synchronize: false })
@Index('knowledge_bases_waiting', { synchronize: false })
@Index('knowledge_bases_refresh', { synchronize: false })
@Index('knowledge_bases_vectors_due', { synchronize: false })
@Index('knowledge_bases_vectors_unannounced', { synchronize: false })
@Index('knowledge_bases_vectors_model', { synchronize: false })
export class KnowledgeBaseEntity {
  @PrimaryGeneratedColumn('identity')
  id: number;

  @Column('integer', { name: 'account_id' })
  accountId: number;

  @Column('integer', { name: 'agent_id' })
  agentId: number;

  @Column('text')
  title: string;

  @Column('text', { name: 'source_type' })
  sourceType: SourceType;

  @Column('text', { default: 'pending' })
  status: KnowledgeStatus;

  @Column('boolean', { name: 'is_active', default: true })
  isActive: boolean;

  /** The text of source type `text`; null for other sources. */
  @Column('text', { nullable: true })
  content: string | null;

  /** The URL of source type `url`. */
  @Column('text', { name: 'source_reference', nullable: true })
  sourceReference: string | null;

  /** Name of the uploaded file, for display. */
  @Column('text', { name: 'file_name', nullable: true })
  fileName: string | null;

  @Column('bigint', { name: 'file_size', nullable: true })
  fileSize: string | null;

  /** Lower-case extension. */
  @Column('text', { name: 'file_type', nullable: true })
  fileType: string | null;

  /** Key of the file in the storage. */
  @Column('text', { name: 'file_key', nullable: true })
  fileKey: string | null;

  @Column('integer', { name: 'word_count', default: 0 })
  wordCount: number;

  @Column('integer', { name: 'character_count', default: 0 })
  characterCount: number;

  /** ISO 639 code of the serving generation's language; null: unknown. */
  @Column('text', { nullable: true })
  language: string | null;

  /** Chunks of the serving generation. */
  @Column('integer', { name: 'chunk_count', default: 0 })
  chunkCount: number;

  /** `CODE: sentence and remedy`. */
  @Column('text', { name: 'processing_error', nullable: true })
  processingError: string | null;

  @Column('text', { name: 'error_code', nullable: true })
  errorCode: string | null;

  /** Of the text of the serving generation; null: not processed yet. */
  @Column('text', { nullable: true })
  quality: TextQualityGrade | null;

  /** `CODE: sentence and remedy` of a suspect text. */
  @Column('text', { name: 'quality_reason', nullable: true })
  qualityReason: string | null;

  @Column('text', { nullable: true })
  stage: Stage | null;

  /** 0 to 100. */
  @Column('smallint', { default: 0 })
  progress: number;

  @Column('integer', { default: 0 })
  attempt: number;

  /** The newest generation; a worker writes only while the generation that it claimed is the newest. */
  @Column('integer', { default: 0 })
  generation: number;

  /** The generation that searches see; null: none yet. */
  @Column('integer', { nullable: true })
  serving: number | null;

  @Column('text', { name: 'lease_owner', nullable: true })
  leaseOwner: string | null;

  /** Set while `processing`. */
  @Column('timestamptz', { name: 'lease_until', nullable: true })
  leaseUntil: Date | null;

  /** Set while `pending`. */
  @Column('timestamptz', { name: 'next_attempt_at', nullable: true })
  nextAttemptAt: Date | null;

  @Column('text', { nullable: true })
  etag: string | null;

  @Column('text', { name: 'last_modified', nullable: true })
  lastModified: string | null;

  /** SHA-256 of the last fetched bytes. */
  @Column('bytea', { name: 'content_hash', nullable: true })
  contentHash: Buffer | null;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;

  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz' })
  updatedAt: Date;

  /** The generation whose vectors of `vectorsModel` are complete. */
  @Column('integer', { name: 'vectors_generation', nullable: true })
  vectorsGeneration: number | null;

  /** The model of `vectorsDone` and `vectorsOf`; null: no passage was given to a model yet. */
  @Column('text', { name: 'vectors_model', nullable: true })
  vectorsModel: string | null;

  /** Passages of the serving generation that have a vector. */
  @Column('integer', { name: 'vectors_done', default: 0 })
  vectorsDone: number;

  /**
   * Passages of the serving generation that should have a vector: all except rows after the first 10,000 passages and those that the
   * model was given and does not accept, such as passages in a language that it does not know.
   */
  @Column('integer', { name: 'vectors_of', default: 0 })
  vectorsOf: number;

  /** The passages up to this ordinal were given to the model. */
  @Column('integer', { name: 'vectors_ordinal', default: -1 })
  vectorsOrdinal: number;

  /** It waits for a new model like the rest of the installation: new documents come first. */
  @Column('boolean', { name: 'vectors_backlog', default: false })
  vectorsBacklog: boolean;

  /** The lease of the process that adds vectors. */
  @Column('text', { name: 'vectors_owner', nullable: true })
  vectorsOwner: string | null;

  @Column('timestamptz', { name: 'vectors_until', nullable: true })
  vectorsUntil: Date | null;

  /** Some vectors are not included in the agent's knowledge version yet. */
  @Column('boolean', { name: 'vectors_unannounced', default: false })
  vectorsUnannounced: boolean;

  /** Number of workers that died while processing the document. */
  @Column('smallint', { name: 'lost_leases', default: 0 })
  lostLeases: number;

  /**
   * A complete generation that is not served, because retrieval tests would fail. Valid while it is newer than `serving`: processes of
   * an earlier release do not clear it.
   */
  @Column('integer', { name: 'held_generation', nullable: true })
  heldGeneration: number | null;

  /** The tests that would fail. */
  @Column('text', { name: 'held_reason', nullable: true })
  heldReason: string | null;

  /** GenerationFacts of the held generation, the hash in hex. */
  @Column('jsonb', { name: 'held_facts', nullable: true })
  heldFacts: Record<string, unknown> | null;

  /** As sent; null: the URL is a single page. */
  @Column('jsonb', { nullable: true })
  crawl: CrawlSettings | null;

  /** The generation that a crawl is building; its pages and chunks outlive the lease of a worker. */
  @Column('integer', { name: 'building_generation', nullable: true })
  buildingGeneration: number | null;

  /** The generation whose pages are listed while no crawl is under way. */
  @Column('integer', { name: 'pages_generation', nullable: true })
  pagesGeneration: number | null;

  @Column('jsonb', { name: 'page_counts', nullable: true })
  pageCounts: PageCounts | null;

  /** `daily`, `weekly` or a cron expression. */
  @Column('text', { name: 'refresh_schedule', nullable: true })
  refreshSchedule: string | null;

  @Column('timestamptz', { name: 'next_refresh_at', nullable: true })
  nextRefreshAt: Date | null;

  @Column('timestamptz', { name: 'last_refresh_at', nullable: true })
  lastRefreshAt: Date | null;

  @Column('jsonb', { name: 'last_refresh', nullable: true })
  lastRefresh: RefreshResult | null;

  /** The current run was started by the schedule. */
  @Column('boolean', { default: false })
  refreshing: boolean;

  /** The agents that search it. */
  @OneToMany(() => KnowledgeBaseAgentEntity, ({ knowledgeBase }) => knowledgeBase)
  links?: KnowledgeBaseAgentEntity[];
}

/** An agent that searches a knowledge base: the owning agent, linked by a trigger, or one that it is shared with. */
@Entity('knowledge_base_agents')
@Index('knowledge_base_agents_agent', ['agentId', 'accountId', 'knowledgeBaseId'])
export class KnowledgeBaseAgentEntity {
  @ForeignKey('knowledge_bases', { name: 'knowledge_base_agents_knowledge_base_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn('integer', { name: 'knowledge_base_id' })
  knowledgeBaseId: number;

  @ManyToOne(() => KnowledgeBaseEntity, ({ links }) => links, { createForeignKeyConstraints: false })
  @JoinColumn({ name: 'knowledge_base_id' })
  knowledgeBase?: KnowledgeBaseEntity;

  /** The foreign key is that of the migrations: agents are above. */
  @PrimaryColumn('integer', { name: 'agent_id' })
  agentId: number;

  @ForeignKey('accounts', { name: 'knowledge_base_agents_account_id_fkey', onDelete: 'CASCADE' })
  @Column('integer', { name: 'account_id' })
  accountId: number;
}
