import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/* Tables of libs/accounts that only statements use, for the check of the migrated schema. */

/** Bytes of an account's files. Triggers count them in every transaction that adds or removes a file. */
@Entity('account_storage')
export class AccountStorageEntity {
  @ForeignKey('accounts', { name: 'account_storage_account_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId: number;

  /** bigint, so text. */
  @Column('bigint', { default: 0 })
  bytes: string;

  /** When a worker last added up the files; null: not yet. */
  @Column('timestamptz', { name: 'counted_at', nullable: true })
  countedAt: Date | null;
}

/** Where a trunk has answered a call or OPTIONS: its targets, and their addresses that responded. */
@Entity('trunk_places')
@Index('trunk_places_place', ['place'])
export class TrunkPlaceEntity {
  @ForeignKey('sip_trunks', { name: 'trunk_places_trunk_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn('integer', { name: 'trunk_id' })
  trunkId: number;

  /** `sipPlace` of the target or of one of its addresses. */
  @PrimaryColumn('text')
  place: string;

  /** `sipPlace` of the target. */
  @Column('text')
  target: string;

  @Column('timestamptz', { name: 'answered_at' })
  answeredAt: Date;
}

/** Registrations of trunks: the dialer that keeps each, and its last result. */
@Entity('trunk_registrations')
@Check('trunk_registrations_state_check', `state IN ('registering', 'registered', 'failed', 'unregistered')`)
export class TrunkRegistrationEntity {
  @ForeignKey('sip_trunks', { name: 'trunk_registrations_trunk_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn('integer', { name: 'trunk_id' })
  trunkId: number;

  /** null: none keeps it. */
  @Column('uuid', { nullable: true })
  dialer: string | null;

  @Column('timestamptz', { name: 'lease_until', default: () => `'1970-01-01 00:00:00+00'` })
  leaseUntil: Date;

  /** User part of the Contact, unless the settings name one. */
  @Column('uuid', { name: 'contact_token' })
  contactToken: string;

  /** A test of the API waits for a new REGISTER since this time; null: none does. */
  @Column('timestamptz', { name: 'refresh_requested_at', nullable: true })
  refreshRequestedAt: Date | null;

  @Column('text', { default: 'unregistered' })
  state: string;

  @Column('integer', { name: 'sip_status', nullable: true })
  sipStatus: number | null;

  @Column('text', { nullable: true })
  reason: string | null;

  /** Transport, address and port of the registrar. */
  @Column('text', { nullable: true })
  target: string | null;

  /** The registered URI. */
  @Column('text', { nullable: true })
  contact: string | null;

  @Column('timestamptz', { name: 'expires_at', nullable: true })
  expiresAt: Date | null;

  @Column('timestamptz', { name: 'retry_at', nullable: true })
  retryAt: Date | null;

  @Column('timestamptz', { name: 'changed_at', nullable: true })
  changedAt: Date | null;

  /** Time of the last result. */
  @Column('timestamptz', { name: 'updated_at', nullable: true })
  updatedAt: Date | null;
}
