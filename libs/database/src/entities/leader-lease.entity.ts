import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Work that one process does at a time, and the process that has its lease. */
@Entity('duties')
export class LeaderLeaseEntity {
  @PrimaryColumn('text')
  name: string;

  @Column('text', { nullable: true })
  owner: string | null;

  @Column('timestamptz', { default: () => `'1970-01-01 00:00:00+00'` })
  until: Date;
}
