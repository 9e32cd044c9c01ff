import { Column, CreateDateColumn, Entity, Index, PrimaryGeneratedColumn, Unique } from 'typeorm';

export const PAGE_STATES = ['pending', 'completed', 'unchanged', 'failed', 'skipped'] as const;
export type PageState = (typeof PAGE_STATES)[number];

/** The pages of a crawl by state; `completed` includes unchanged ones. */
export interface PageCounts {
  total: number;
  completed: number;
  failed: number;
  pending: number;
  skipped: number;
}

/** A page, or a sitemap, in one generation of a crawl. */
@Entity('knowledge_pages')
@Unique('knowledge_pages_knowledge_base_id_generation_url_hash_key', ['knowledgeBaseId', 'generation', 'urlHash'])
@Index('knowledge_pages_state', ['knowledgeBaseId', 'generation', 'state', 'depth', 'id'])
export class KnowledgePageEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' })
  id: string;

  @Column('integer', { name: 'account_id' })
  accountId: number;

  @Column('integer', { name: 'knowledge_base_id' })
  knowledgeBaseId: number;

  @Column('integer')
  generation: number;

  @Column('text', { default: 'page' })
  kind: 'page' | 'sitemap';

  @Column('text')
  url: string;

  /** SHA-256 of the normalised URL, see pageKey. */
  @Column('bytea', { name: 'url_hash' })
  urlHash: Buffer;

  /** Links from the start; 0 for the start and for the pages of a sitemap. */
  @Column('smallint')
  depth: number;

  @Column('text', { default: 'pending' })
  state: PageState;

  /** Why the page failed or was skipped. */
  @Column('text', { name: 'error_code', nullable: true })
  errorCode: string | null;

  @Column('text', { nullable: true })
  error: string | null;

  @Column('text', { nullable: true })
  title: string | null;

  @Column('text', { nullable: true })
  etag: string | null;

  @Column('text', { name: 'last_modified', nullable: true })
  lastModified: string | null;

  /** SHA-256 of the fetched bytes. */
  @Column('bytea', { name: 'content_hash', nullable: true })
  contentHash: Buffer | null;

  @Column('integer', { default: 0 })
  bytes: number;

  @Column('integer', { name: 'word_count', default: 0 })
  wordCount: number;

  @Column('integer', { name: 'character_count', default: 0 })
  characterCount: number;

  /** A failed page that was readable before keeps its chunks. */
  @Column('integer', { name: 'chunk_count', default: 0 })
  chunkCount: number;

  @Column('smallint', { default: 0 })
  attempt: number;

  @Column('timestamptz', { name: 'retry_at', nullable: true })
  retryAt: Date | null;

  @Column('timestamptz', { name: 'fetched_at', nullable: true })
  fetchedAt: Date | null;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
}
