import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('trunk_gates')
export class TrunkGateEntity {
  @PrimaryColumn('integer')
  trunk_id: number;

  /** When the trunk's calls per second allow the next INVITE. */
  @Column('timestamptz', { default: () => `'1970-01-01 00:00:00+00'` })
  next_dial_at: Date;
}
