import {
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  Index,
  PrimaryColumn,
  PrimaryGeneratedColumn,
  Unique,
} from 'typeorm';

/* Tables of libs/auth that only statements use, for the check of the migrated schema. */

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

/** A session of the console. The browser holds its token in a cookie. */
@Entity('sessions')
@Unique('sessions_token_hash_key', ['tokenHash'])
@Index('sessions_account', ['accountId', 'id'])
@Index('sessions_person', ['personId'])
@Index('sessions_issuer_session', ['issuer', 'issuerSession'])
@Index('sessions_end', ['endsAt'])
export class ConsoleSessionEntity {
  @PrimaryGeneratedColumn('identity', { type: 'integer', generatedIdentity: 'ALWAYS' })
  id: number;

  @ForeignKey('accounts', { name: 'sessions_account_id_fkey', onDelete: 'CASCADE' })
  @Column('integer', { name: 'account_id' })
  accountId: number;

  @ForeignKey('people', { name: 'sessions_person_id_fkey', onDelete: 'CASCADE' })
  @Column('integer', { name: 'person_id' })
  personId: number;

  /** SHA-256 of the token. */
  @Column('bytea', { name: 'token_hash' })
  tokenHash: Buffer;

  @Column('text')
  role: string;

  /** What the role rests on; null: the session was started by a release without it. */
  @Column('jsonb', { nullable: true })
  grounds: object | null;

  @Column('text')
  issuer: string;

  /** `sid` of the issuer, which its back-channel logout names. */
  @Column('text', { name: 'issuer_session', nullable: true })
  issuerSession: string | null;

  @Column('bytea', { name: 'refresh_token_sealed', nullable: true })
  refreshTokenSealed: Buffer | null;

  /** For the logout at the issuer. */
  @Column('bytea', { name: 'id_token_sealed', nullable: true })
  idTokenSealed: Buffer | null;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;

  /** To the minute. */
  @Column('timestamptz', { name: 'used_at', default: () => 'now()' })
  usedAt: Date;

  /** When the role was last asked for at the issuer. */
  @Column('timestamptz', { name: 'checked_at', default: () => 'now()' })
  checkedAt: Date;

  @Column('timestamptz', { name: 'ends_at' })
  endsAt: Date;

  /** By sign-out, an owner or the issuer. */
  @Column('timestamptz', { name: 'ended_at', nullable: true })
  endedAt: Date | null;
}

/** A sign-in between its start and the return of the browser from the issuer. */
@Entity('sign_in_attempts')
@Index('sign_in_attempts_end', ['endsAt'])
@Index('sign_in_attempts_account', ['accountId', 'endsAt'])
@Index('sign_in_attempts_address', ['address', 'endsAt'])
export class SignInAttemptEntity {
  @PrimaryColumn('bytea', { name: 'state_hash' })
  stateHash: Buffer;

  /** SHA-256 of the cookie: another browser cannot continue the sign-in. */
  @Column('bytea', { name: 'browser_hash' })
  browserHash: Buffer;

  /** null: at the issuer of the installation, for any of its accounts. */
  @ForeignKey('accounts', { name: 'sign_in_attempts_account_id_fkey', onDelete: 'CASCADE' })
  @Column('integer', { name: 'account_id', nullable: true })
  accountId: number | null;

  /** Of the browser, as limits count it; null: started by a release without it. */
  @Column('text', { nullable: true })
  address: string | null;

  /** The code goes to this issuer only, also when the settings change meanwhile. */
  @Column('text')
  issuer: string;

  @Column('text')
  nonce: string;

  /** Of PKCE. */
  @Column('text')
  verifier: string;

  /** Page of the console to return to. */
  @Column('text')
  place: string;

  @Column('timestamptz', { name: 'ends_at' })
  endsAt: Date;
}
