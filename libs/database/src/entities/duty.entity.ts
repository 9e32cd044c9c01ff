import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Work that one process at a time does (see leader-lease.repository.ts). */
@Entity('duties')
export class DutyEntity {
  @PrimaryColumn('text')
  name: string;

  /** The process that holds the lease. */
  @Column('text', { nullable: true })
  owner: string | null;

  /** When the lease ends. */
  @Column('timestamptz', { default: () => "'epoch'" })
  until: Date;
}
