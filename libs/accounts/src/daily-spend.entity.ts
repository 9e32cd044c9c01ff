import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Spend of an account on a UTC day. */
@Entity('daily_spend')
export class DailySpendEntity {
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId: number;

  @PrimaryColumn('date')
  day: string;

  /** Micro-USD. bigint, so text. */
  @Column('bigint', { default: 0 })
  micros: string;
}
