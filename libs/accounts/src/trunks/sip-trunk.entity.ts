import {
  Check,
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  Index,
  PrimaryGeneratedColumn,
  Unique,
  UpdateDateColumn,
  PrimaryColumn,
} from 'typeorm';
import type { HealthState, TargetState } from './trunk-health.js';

export const TRUNK_TRANSPORTS = ['udp', 'tcp', 'tls'] as const;
export type TrunkTransport = (typeof TRUNK_TRANSPORTS)[number];

export const SRTP_POLICIES = ['off', 'optional', 'required'] as const;
export const TRANSFER_METHODS = ['bridge', 'refer'] as const;

/** A target of a carrier that has several. */
export interface StoredTarget {
  host: string;
  port?: number;
  transport?: TrunkTransport;
  /** Lower ones are tried first. */
  priority: number;
}

/** Formats that a trunk accepts beside E.164 numbers and names. */
export interface StoredDialFormats {
  /** User parts of digits only, by their length. */
  extensions: { min_digits: number; max_digits: number };
}

/** The registration of a trunk at its carrier; null and absent fields have their defaults. */
interface StoredRegistration {
  /** Requested lifetime in seconds. */
  expires: number;
  /** Takes the requests in place of the targets. */
  outbound_proxy?: { host: string; port?: number | null; transport?: TrunkTransport } | null;
  /** User part of the Contact. */
  contact_user?: string | null;
}

export const REGISTRATION_STATES = ['registering', 'registered', 'failed', 'unregistered'] as const;
export type RegistrationState = (typeof REGISTRATION_STATES)[number];

@Entity('sip_trunks')
@Check('sip_trunks_port_check', 'port BETWEEN 1 AND 65535')
@Check('sip_trunks_transport_check', `transport IN ('udp', 'tcp', 'tls')`)
@Check('sip_trunks_srtp_check', `srtp IN ('off', 'optional', 'required')`)
@Check('sip_trunks_transfer_check', `transfer IN ('bridge', 'refer')`)
@Check('sip_trunks_options_ping_seconds_check', 'options_ping_seconds >= 0')
@Check('sip_trunks_concurrent_calls_check', 'concurrent_calls > 0')
@Check('sip_trunks_calls_per_second_check', 'calls_per_second > 0')
@Check('sip_trunks_response_timeout_seconds_check', 'response_timeout_seconds BETWEEN 8 AND 32')
@Unique('sip_trunks_account_id_name_key', ['accountId', 'name'])
@Index('sip_trunks_inbound', ['id'], { where: 'active AND inbound_enabled' })
@Index('sip_trunks_registered', ['id'], { where: 'active AND register IS NOT NULL' })
export class SipTrunkEntity {
  @PrimaryGeneratedColumn('identity', { type: 'integer', generatedIdentity: 'ALWAYS' })
  id: number;

  @ForeignKey('accounts', { name: 'sip_trunks_account_id_fkey', onDelete: 'CASCADE' })
  @Column('integer', { name: 'account_id' })
  accountId: number;

  @Column('text')
  name: string;

  /** With `targets`: host, port and transport of the first one, for processes of an earlier release. */
  @Column('text')
  host: string;

  /** null: the default port of the transport (5060, TLS 5061). */
  @Column('integer', { nullable: true })
  port: number | null;

  @Column('text', { default: 'udp' })
  transport: TrunkTransport;

  @Column('text', { nullable: true })
  username: string | null;

  /** Encrypted with context `trunk-password`. */
  @Column('bytea', { name: 'password_sealed', nullable: true })
  passwordSealed: Buffer | null;

  @Column('text', { name: 'from_domain', nullable: true })
  fromDomain: string | null;

  /** In the order in which they are tried; null: host, port and transport are the only target. */
  @Column('jsonb', { nullable: true })
  targets: StoredTarget[] | null;

  /** PEM: trusted authorities instead of those of the system. */
  @Column('text', { name: 'tls_ca', nullable: true })
  tlsCa: string | null;

  /** PEM: the client certificate of this service. */
  @Column('text', { name: 'tls_cert', nullable: true })
  tlsCert: string | null;

  /** Its key, encrypted with context `trunk-tls-key`. */
  @Column('bytea', { name: 'tls_key_sealed', nullable: true })
  tlsKeySealed: Buffer | null;

  /** Expected name in the carrier's certificate; null: the host. */
  @Column('text', { name: 'tls_server_name', nullable: true })
  tlsServerName: string | null;

  @Column('boolean', { name: 'assert_identity', default: false })
  assertIdentity: boolean;

  @Column('boolean', { name: 'user_phone', default: true })
  userPhone: boolean;

  /** Header name -> key of the call's metadata that becomes its value. */
  @Column('jsonb', { default: {} })
  headers: Record<string, string>;

  /** Header of an incoming INVITE -> name of its value in the call; null: none is kept. */
  @Column('jsonb', { name: 'inbound_headers', nullable: true })
  inboundHeaders: Record<string, string> | null;

  /** Header of our BYE and REFER -> variable of the call that becomes its value; null: none. */
  @Column('jsonb', { name: 'end_headers', nullable: true })
  endHeaders: Record<string, string> | null;

  /** In the order of preference; null: the codecs of the dialer. */
  @Column('text', { array: true, nullable: true })
  codecs: string[] | null;

  @Column('text', { default: 'off' })
  srtp: (typeof SRTP_POLICIES)[number];

  @Column('text', { default: 'bridge' })
  transfer: (typeof TRANSFER_METHODS)[number];

  /** Outbound trunk of a LiveKit server that ENGINE=livekit uses instead; null: each call contains host and credentials. */
  @Column('text', { name: 'livekit_trunk_id', nullable: true })
  livekitTrunkId: string | null;

  /** null: E.164 numbers and names only. */
  @Column('jsonb', { name: 'dial_formats', nullable: true })
  dialFormats: StoredDialFormats | null;

  /** How long a call waits for the first response of its last target; null: 32 s, Timer B of RFC 3261. */
  @Column('integer', { name: 'response_timeout_seconds', nullable: true })
  responseTimeoutSeconds: number | null;

  /** null: the trunk is not registered. */
  @Column('jsonb', { nullable: true })
  register: StoredRegistration | null;

  /** 0: its health is not checked. */
  @Column('integer', { name: 'options_ping_seconds', default: 60 })
  optionsPingSeconds: number;

  @Column('boolean', { default: true })
  active: boolean;

  @Column('integer', { name: 'concurrent_calls', nullable: true })
  concurrentCalls: number | null;

  @Column('double precision', { name: 'calls_per_second', nullable: true })
  callsPerSecond: number | null;

  /** Whether the trunk accepts inbound calls. */
  @Column('boolean', { name: 'inbound_enabled', default: false })
  inboundEnabled: boolean;

  /** Networks whose requests belong to the trunk. */
  @Column('text', { name: 'inbound_addresses', array: true, default: [] })
  inboundAddresses: string[];

  /** Digest user of its requests from other addresses than `inboundAddresses`. */
  @Column('text', { name: 'inbound_username', nullable: true })
  inboundUsername: string | null;

  /** Encrypted with context `trunk-inbound-password`. */
  @Column('bytea', { name: 'inbound_password_sealed', nullable: true })
  inboundPasswordSealed: Buffer | null;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;

  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz' })
  updatedAt: Date;
}

/**
 * The options of a trunk that have the same value in workspace files, in the database and for the dialer: field and column -> property.
 * A new option is a migration, its property and a line here, its check in `trunk-schema.ts`, and its use.
 */
export const TRUNK_OPTIONS = {
  username: 'username',
  from_domain: 'fromDomain',
  assert_identity: 'assertIdentity',
  user_phone: 'userPhone',
  inbound_headers: 'inboundHeaders',
  end_headers: 'endHeaders',
  codecs: 'codecs',
  srtp: 'srtp',
  transfer: 'transfer',
  livekit_trunk_id: 'livekitTrunkId',
  dial_formats: 'dialFormats',
  response_timeout_seconds: 'responseTimeoutSeconds',
  register: 'register',
} as const satisfies Record<string, keyof SipTrunkEntity>;

type TrunkOption = keyof typeof TRUNK_OPTIONS;
/** The options by the names of their columns. */
export type TrunkOptions = { [Option in TrunkOption]: SipTrunkEntity[(typeof TRUNK_OPTIONS)[Option]] };

/** Results of the OPTIONS requests that dialers send to a trunk. */
@Entity('trunk_health')
@Check('trunk_health_state_check', `state IN ('up', 'down', 'unknown')`)
export class TrunkHealthEntity {
  @ForeignKey('sip_trunks', { name: 'trunk_health_trunk_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn('integer', { name: 'trunk_id' })
  trunkId: number;

  /** When the next check is due; during a check, when its claim expires. */
  @Column('timestamptz', { name: 'due_at', default: () => `'1970-01-01 00:00:00+00'` })
  dueAt: Date;

  /** A test of the API waits for a check since this time; null: none does. */
  @Column('timestamptz', { name: 'test_requested_at', nullable: true })
  testRequestedAt: Date | null;

  @Column('text', { default: 'unknown' })
  state: HealthState;

  @Column('text', { nullable: true })
  reason: string | null;

  @Column('timestamptz', { name: 'changed_at', nullable: true })
  changedAt: Date | null;

  @Column('timestamptz', { name: 'checked_at', nullable: true })
  checkedAt: Date | null;

  @Column('jsonb', { default: [] })
  targets: TargetState[];
}
