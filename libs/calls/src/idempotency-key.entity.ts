import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** The first response to an `Idempotency-Key`; deleted after 24 hours (libs/database/src/idempotency.ts). */
@Index('idempotency_keys_age', { synchronize: false })
@Entity('idempotency_keys')
export class IdempotencyKeyEntity {
  @PrimaryColumn('integer')
  account_id: number;

  @PrimaryColumn('text')
  key: string;

  @Column('bytea')
  request_hash: Buffer;

  /** A JSON string that holds the response as text: jsonb would reorder the keys of an object. */
  @Column('jsonb')
  response: string;

  @Column('timestamptz', { default: () => 'now()' })
  created_at: Date;
}
