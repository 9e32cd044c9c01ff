import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';

/** The answer to the first request with an `Idempotency-Key`, kept for a day. Here and not in libs/database, because it refers to accounts. */
@Entity('idempotency_keys')
@Index('idempotency_keys_age', ['createdAt'])
export class IdempotencyKeyEntity {
  /** Its foreign key is that of the migrations: accounts are above. */
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
