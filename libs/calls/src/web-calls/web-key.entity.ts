import { Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryGeneratedColumn } from 'typeorm';

/** A publishable key: it stands in web pages, so it is not a secret. Pages of its origins may create web calls of its agent with it. */
@Entity('web_keys')
@Index('web_keys_of_account', ['accountId', 'id'])
@Index('web_keys_of_agent', ['agentId'])
@Index('web_keys_origins', { synchronize: false })
export class WebKeyEntity {
  @PrimaryGeneratedColumn('identity', { type: 'integer', generatedIdentity: 'ALWAYS' })
  id: number;

  @ForeignKey('accounts', { name: 'web_keys_account_id_fkey', onDelete: 'CASCADE' })
  @Column('integer', { name: 'account_id' })
  accountId: number;

  @ForeignKey('agents', { name: 'web_keys_agent_id_fkey', onDelete: 'CASCADE' })
  @Column('integer', { name: 'agent_id' })
  agentId: number;

  @Column('text')
  name: string;

  /** `pk_` and 24 random bytes as base64url. */
  @Column('text', { unique: true })
  key: string;

  /** Exact origins, as browsers send them: scheme, host, and port unless it is the default. */
  @Column('text', { array: true })
  origins: string[];

  /** Per address of a client. */
  @Column('integer', { name: 'calls_per_minute' })
  callsPerMinute: number;

  @Column('integer', { name: 'concurrent_calls' })
  concurrentCalls: number;

  /** Of the calls of the key per UTC day; null: the limits of the account alone. */
  @Column('bigint', { name: 'daily_spend_micros', nullable: true })
  dailySpendMicros: string | null;

  @Column('integer', { name: 'max_seconds' })
  maxSeconds: number;

  /** The variables of the agent that a page may set. */
  @Column('text', { name: 'variables_allowed', array: true, default: [] })
  variablesAllowed: string[];

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;

  @Column('timestamptz', { name: 'revoked_at', nullable: true })
  revokedAt: Date | null;

  /** To the minute. */
  @Column('timestamptz', { name: 'last_used_at', nullable: true })
  lastUsedAt: Date | null;
}
