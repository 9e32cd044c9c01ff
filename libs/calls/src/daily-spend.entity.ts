import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What an account has spent on a day (UTC), in micro-USD. */
@Entity('daily_spend')
export class DailySpendEntity {
  @PrimaryColumn('integer')
  account_id: number;

  /** YYYY-MM-DD. */
  @PrimaryColumn('date')
  day: string;

  @Column('bigint', { default: 0 })
  micros: string;
}
