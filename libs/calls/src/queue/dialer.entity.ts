import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A dialer process. Its id is new at every start, so that a process that lost its lease never resumes under the same name. */
@Entity('dialers')
export class DialerEntity {
  @PrimaryColumn('text')
  id: string;

  @Column('timestamptz', { default: () => 'now()' })
  started_at: Date;

  @Column('timestamptz')
  lease_until: Date;

  @Column('timestamptz', { nullable: true })
  dead_at: Date | null;
}
