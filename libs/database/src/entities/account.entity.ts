import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn, UpdateDateColumn } from 'typeorm';

@Entity('accounts')
export class AccountEntity {
  @PrimaryGeneratedColumn('identity', { type: 'integer', generatedIdentity: 'ALWAYS' })
  id: number;

  @Column('text', { unique: true })
  name: string;

  /** Calls on the line at once; more wait in order. */
  @Column('integer', { name: 'concurrent_calls', default: 10 })
  concurrentCalls: number;

  /** Calls started per second; more wait in order. */
  @Column('double precision', { name: 'calls_per_second', default: 5 })
  callsPerSecond: number;

  /** Spend per UTC day in micro-USD after which no call is placed; null: unlimited. */
  @Column('bigint', { name: 'daily_spend_micros', nullable: true })
  dailySpendMicros: string | null;

  /** E.164 prefixes that may be called; empty: all that are not denied. */
  @Column('text', { name: 'destinations_allow', array: true, default: [] })
  destinationsAllow: string[];

  @Column('text', { name: 'destinations_deny', array: true, default: [] })
  destinationsDeny: string[];

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;

  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz' })
  updatedAt: Date;
}
