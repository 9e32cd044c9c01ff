import { Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryGeneratedColumn } from 'typeorm';
import type { Scope } from './domain/token.js';

@Entity('api_tokens')
@Index('api_tokens_account', ['accountId', 'id'])
export class ApiTokenEntity {
  @PrimaryGeneratedColumn('identity', { type: 'integer', generatedIdentity: 'ALWAYS' })
  id: number;

  @ForeignKey('accounts', { name: 'api_tokens_account_id_fkey', onDelete: 'CASCADE' })
  @Column('integer', { name: 'account_id' })
  accountId: number;

  @Column('text')
  name: string;

  /** SHA-256 of the token; the token itself is shown once and never stored. */
  @Column('bytea', { name: 'token_hash', unique: true })
  tokenHash: Buffer;

  /** The first characters, which distinguish tokens in lists. */
  @Column('text')
  hint: string;

  @Column('text', { array: true })
  scopes: Scope[];

  /** null: never. */
  @Column('timestamptz', { name: 'expires_at', nullable: true })
  expiresAt: Date | null;

  @Column('timestamptz', { name: 'revoked_at', nullable: true })
  revokedAt: Date | null;

  /** To the minute. */
  @Column('timestamptz', { name: 'last_used_at', nullable: true })
  lastUsedAt: Date | null;

  /** The token that was issued when this one was rotated; a token is rotated once. */
  @Column('integer', { name: 'replaced_by', nullable: true })
  replacedBy: number | null;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
}
