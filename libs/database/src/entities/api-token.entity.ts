import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';

@Entity('api_tokens')
export class ApiTokenEntity {
  @PrimaryGeneratedColumn('identity', { type: 'integer', generatedIdentity: 'ALWAYS' })
  id: number;

  @Column('integer', { name: 'account_id' })
  accountId: number;

  @Column('text')
  name: string;

  /** SHA-256 of the token; the token itself is shown once and never stored. */
  @Column('bytea', { name: 'token_hash', unique: true })
  tokenHash: Buffer;

  /** The first characters, so that a person can tell tokens apart. */
  @Column('text')
  hint: string;

  @Column('text', { array: true })
  scopes: string[];

  @Column('timestamptz', { name: 'expires_at', nullable: true })
  expiresAt: Date | null;

  @Column('timestamptz', { name: 'revoked_at', nullable: true })
  revokedAt: Date | null;

  @Column('timestamptz', { name: 'last_used_at', nullable: true })
  lastUsedAt: Date | null;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
}
