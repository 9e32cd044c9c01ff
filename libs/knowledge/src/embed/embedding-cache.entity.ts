import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';

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
