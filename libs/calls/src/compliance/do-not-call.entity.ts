import { Check, Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { ENTRY_SOURCES, type EntrySource } from './domain/do-not-call.js';

/** A number, or all numbers with a prefix, that the account does not call. */
@Entity('do_not_call')
@Unique('do_not_call_number_key', ['accountId', 'number', 'isPrefix'])
@Index('do_not_call_list', ['accountId', 'createdAt', 'id'])
@Index('do_not_call_by_source', ['accountId', 'source', 'createdAt', 'id'])
@Check('do_not_call_source_check', `source IN (${ENTRY_SOURCES.map((source) => `'${source}'`).join(', ')})`)
export class DoNotCallEntity {
  @PrimaryColumn('uuid')
  id: string;

  @ForeignKey('accounts', { name: 'do_not_call_account_id_fkey', onDelete: 'CASCADE' })
  @Column('integer', { name: 'account_id' })
  accountId: number;

  /** E.164, or its beginning. */
  @Column({ type: 'text', collation: 'C' })
  number: string;

  @Column('boolean', { name: 'is_prefix', default: false })
  isPrefix: boolean;

  @Column('text', { nullable: true })
  reason: string | null;

  @Column('text')
  source: EntrySource;

  /** The call in which the agent added it. No foreign key: the entry outlives the call. */
  @Column('uuid', { name: 'call_id', nullable: true })
  callId: string | null;

  /** null: never. */
  @Column('timestamptz', { name: 'expires_at', nullable: true })
  expiresAt: Date | null;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
}
