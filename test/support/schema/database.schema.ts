import { Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/* Tables of libs/database that only statements use, for the check of the migrated schema. */

/** Facts about the installation: a table of one row. */
@Entity('installation')
export class InstallationEntity {
  /** Always true, so that the table has at most one row. */
  @PrimaryColumn('boolean', { default: true })
  id: boolean;

  /** Of the SECRET_KEY that the secrets of this database are encrypted with. */
  @Column('text', { name: 'key_fingerprint' })
  keyFingerprint: string;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
}

/** Work that one process does at a time, and the process that holds its lease. */
@Entity('duties')
export class LeaderLeaseEntity {
  @PrimaryColumn('text')
  name: string;

  @Column('text', { nullable: true })
  owner: string | null;

  @Column('timestamptz', { default: () => `'1970-01-01 00:00:00+00'` })
  until: Date;
}

/** The answer to the first request with an `Idempotency-Key`, kept for a day. */
@Entity('idempotency_keys')
@Index('idempotency_keys_age', ['createdAt'])
export class IdempotencyKeyEntity {
  @ForeignKey('accounts', { name: 'idempotency_keys_account_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId: number;

  @PrimaryColumn('text')
  key: string;

  /** SHA-256 of the request's body. */
  @Column('bytea', { name: 'request_hash' })
  requestHash: Buffer;

  /** The answer as a JSON string: jsonb would reorder the keys of an object. */
  @Column('jsonb')
  response: string;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
}
