import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

/** Spend of an account on a UTC day. */
@Entity('daily_spend')
export class DailySpendEntity {
  @ForeignKey('accounts', { name: 'daily_spend_account_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId: number;

  @PrimaryColumn('date')
  day: string;

  /** Micro-USD. bigint, so text. */
  @Column('bigint', { default: 0 })
  micros: string;
}
