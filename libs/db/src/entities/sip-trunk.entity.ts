import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn, UpdateDateColumn } from 'typeorm';

export const TRUNK_TRANSPORTS = ['udp', 'tcp'] as const;
export type TrunkTransport = (typeof TRUNK_TRANSPORTS)[number];

@Entity('sip_trunks')
export class SipTrunkEntity {
  @PrimaryGeneratedColumn('identity')
  id: number;

  @Column('integer', { name: 'account_id' })
  accountId: number;

  @Column('text')
  name: string;

  @Column('text')
  host: string;

  /** null: the default port of the transport (5060). */
  @Column('integer', { nullable: true })
  port: number | null;

  @Column('text', { default: 'udp' })
  transport: TrunkTransport;

  @Column('text', { nullable: true })
  username: string | null;

  /** Sealed with context `trunk-password`. */
  @Column('bytea', { name: 'password_sealed', nullable: true })
  passwordSealed: Buffer | null;

  @Column('text', { name: 'from_domain', nullable: true })
  fromDomain: string | null;

  @Column('boolean', { default: true })
  active: boolean;

  @Column('integer', { name: 'concurrent_calls', nullable: true })
  concurrentCalls: number | null;

  @Column('double precision', { name: 'calls_per_second', nullable: true })
  callsPerSecond: number | null;

  /** Whether calls may come in over this trunk. */
  @Column('boolean', { name: 'inbound_enabled', default: false })
  inboundEnabled: boolean;

  /** Networks whose requests count as the trunk's. */
  @Column('text', { name: 'inbound_addresses', array: true, default: [] })
  inboundAddresses: string[];

  /** What the trunk signs its requests with (digest), when it does not call from `inboundAddresses`. */
  @Column('text', { name: 'inbound_username', nullable: true })
  inboundUsername: string | null;

  /** Sealed with context `trunk-inbound-password`. */
  @Column('bytea', { name: 'inbound_password_sealed', nullable: true })
  inboundPasswordSealed: Buffer | null;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;

  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz' })
  updatedAt: Date;
}
