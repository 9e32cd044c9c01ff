import { Column, Entity, Index, PrimaryGeneratedColumn, Unique } from 'typeorm';

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

  /** The page of a crawl, see KnowledgePageEntity. */
  @Column('bigint', { name: 'page_id', nullable: true })
  pageId: string | null;
}
