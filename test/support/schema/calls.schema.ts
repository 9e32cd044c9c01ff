import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { RunningTurn } from '@app/calls';

/* Tables of libs/calls that only statements use, for the check of the migrated schema. */

/** One line of the bill of a completed call. */
@Entity('call_usage')
export class CallUsageEntity {
  @ForeignKey('calls', { name: 'call_usage_call_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn('uuid')
  call_id: string;

  @PrimaryColumn('integer')
  line: number;

  @Column('text')
  kind: string;

  @Column('text')
  description: string;

  @Column('numeric', { precision: 14, scale: 3 })
  quantity: string;

  @Column('text')
  unit: string;

  @Column('bigint')
  unit_price_micros: string;

  @Column('bigint')
  amount_micros: string;

  @Column('text')
  price_book: string;
}

/** The running turns of a watched call. The row exists while a stream watches the call, and is deleted with its end. */
@Entity('call_words')
export class CallWordsEntity {
  @ForeignKey('calls', { name: 'call_words_call_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn('uuid')
  call_id: string;

  /** Streams renew it; without a renewal the dialer writes no more words. */
  @Column('timestamptz')
  watched_until: Date;

  /** Increases with each change of `turns`; 0: no words yet. */
  @Column('integer', { default: 0 })
  version: number;

  @Column('jsonb', { default: [] })
  turns: RunningTurn[];
}

/** Counts up with every change of the entries of an account; without a row the account never had one. */
@Entity('do_not_call_lists')
export class DoNotCallListEntity {
  @ForeignKey('accounts', { name: 'do_not_call_lists_account_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId: number;

  /** bigint, so text. */
  @Column('bigint', { default: 0 })
  version: string;

  @Column('timestamptz', { name: 'changed_at', default: () => 'now()' })
  changedAt: Date;
}

/** A dialled call to a number, kept for eight days. */
@Entity('contact_attempts')
@Index('contact_attempts_by_time', ['at'])
export class ContactAttemptEntity {
  @ForeignKey('accounts', { name: 'contact_attempts_account_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId: number;

  /** E.164. */
  @PrimaryColumn('text')
  number: string;

  /** No foreign key: the attempt counts when the call is deleted. */
  @PrimaryColumn('uuid', { name: 'call_id' })
  callId: string;

  @Column('timestamptz')
  at: Date;
}

/** Spend of an account on a UTC day. */
@Entity('daily_spend')
export class DailySpendEntity {
  @ForeignKey('accounts', { name: 'daily_spend_account_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn('integer', { name: 'account_id' })
  accountId: number;

  @PrimaryColumn('date')
  day: string;

  /** Micro-USD. bigint, so text. */
  @Column('bigint', { default: 0 })
  micros: string;
}

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

  /** What it can use, by the names of its variables; null: a dialer of an earlier release. */
  @Column('text', { array: true, nullable: true })
  provider_names: string[] | null;

  /** `host:port` of its internal server; null: it takes no web calls and no listeners. */
  @Column('text', { nullable: true })
  internal_address: string | null;
}

/** The connection of a web call: its token, which opens it once, and the limits of its key. */
@Entity('web_calls')
@Index('web_calls_of_key', { synchronize: false })
export class WebCallEntity {
  @ForeignKey('calls', { name: 'web_calls_call_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn('uuid')
  call_id: string;

  @ForeignKey('accounts', { name: 'web_calls_account_id_fkey', onDelete: 'CASCADE' })
  @Column('integer')
  account_id: number;

  /** SHA-256 of the token, which is shown once. */
  @Column('bytea', { unique: true })
  token_hash: Buffer;

  @Column('timestamptz', { default: () => 'now()' })
  created_at: Date;

  @Column('timestamptz')
  expires_at: Date;

  /** null: not used yet. */
  @Column('timestamptz', { nullable: true })
  connected_at: Date | null;

  /** null: created with a token of the account. */
  @ForeignKey('web_keys', { name: 'web_calls_web_key_id_fkey', onDelete: 'SET NULL' })
  @Column('integer', { nullable: true })
  web_key_id: number | null;

  /** Of the page that created the call. */
  @Column('text', { nullable: true })
  origin: string | null;

  /** null: the limit of the agent. */
  @Column('integer', { nullable: true })
  max_seconds: number | null;
}
