import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

/** Bytes of an account's files. Triggers count them in every transaction that adds or removes a file. */
@Entity('account_storage')
export class AccountStorageEntity {
  @ForeignKey('accounts', { name: 'account_storage_account_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId: number;

  /** bigint, so text. */
  @Column('bigint', { default: 0 })
  bytes: string;

  /** When a worker last added up the files themselves; null: not yet. */
  @Column('timestamptz', { name: 'counted_at', nullable: true })
  countedAt: Date | null;
}
