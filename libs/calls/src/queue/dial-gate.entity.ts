import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Locked while calls of the account are claimed: the limits of an account and of its trunks are decided one claim at a time. */
@Entity('dial_gates')
export class DialGateEntity {
  @PrimaryColumn('integer')
  account_id: number;

  /** When the account's calls per second allow the next INVITE. */
  @Column('timestamptz', { default: () => `'1970-01-01 00:00:00+00'` })
  next_dial_at: Date;
}

@Entity('trunk_gates')
export class TrunkGateEntity {
  @PrimaryColumn('integer')
  trunk_id: number;

  /** When the trunk's calls per second allow the next INVITE. */
  @Column('timestamptz', { default: () => `'1970-01-01 00:00:00+00'` })
  next_dial_at: Date;
}
