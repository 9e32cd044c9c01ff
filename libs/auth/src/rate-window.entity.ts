import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Requests counted by all processes together. Unlogged: the counters of a minute need not outlive a crash of the database. */
@Entity('rate_windows')
@Index('rate_windows_age', ['endsAt'])
export class RateWindowEntity {
  /** `token:12`, `account:7`, `address:192.0.2.1`, `failures:192.0.2.1`. */
  @PrimaryColumn('text')
  key: string;

  @Column('integer')
  used: number;

  /** To the process of the last query. */
  @Column('integer')
  granted: number;

  @Column('timestamptz', { name: 'ends_at' })
  endsAt: Date;
}
