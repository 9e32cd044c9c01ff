import {
  Check,
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  PrimaryColumn,
  PrimaryGeneratedColumn,
  Unique,
} from 'typeorm';

export const VERSION_STATES = ['draft', 'current', 'canary', 'superseded'] as const;
export type VersionState = (typeof VERSION_STATES)[number];

/** Columns of `agents` by name, as a version stores them. */
export type VersionSettings = Record<string, unknown>;

@Entity('agent_versions')
@Unique('agent_versions_agent_id_version_key', ['agentId', 'version'])
@Check('agent_versions_state_check', `state IN (${VERSION_STATES.map((state) => `'${state}'`).join(', ')})`)
@Check('agent_versions_settings_check', `(state = 'current') = (settings IS NULL)`)
export class AgentVersionEntity {
  @PrimaryGeneratedColumn('identity', { type: 'integer', generatedIdentity: 'ALWAYS' })
  id: number;

  @ForeignKey('accounts', { name: 'agent_versions_account_id_fkey', onDelete: 'CASCADE' })
  @Column('integer', { name: 'account_id' })
  accountId: number;

  @ForeignKey('agents', { name: 'agent_versions_agent_id_fkey', onDelete: 'CASCADE' })
  @Column('integer', { name: 'agent_id' })
  agentId: number;

  @Column('integer')
  version: number;

  @Column('text')
  state: VersionState;

  /** null: the current version, whose settings are the columns of the agent. */
  @Column('jsonb', { nullable: true })
  settings: VersionSettings | null;

  @Column('text', { default: '' })
  note: string;

  /** `kind` and `id` of the actor in the audit log; null: created with the agent by an earlier release. */
  @Column('text', { name: 'created_by_kind', nullable: true })
  createdByKind: string | null;

  @Column('text', { name: 'created_by_id', nullable: true })
  createdById: string | null;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;

  @Column('timestamptz', { name: 'published_at', nullable: true })
  publishedAt: Date | null;
}

/** A scenario of an agent, played before a version is published if the agent requires it. */
@Entity('agent_scenarios')
export class AgentScenarioEntity {
  @ForeignKey('agents', { name: 'agent_scenarios_agent_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn('integer', { name: 'agent_id', primaryKeyConstraintName: 'agent_scenarios_pkey' })
  agentId: number;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'agent_scenarios_pkey' })
  name: string;

  @ForeignKey('accounts', { name: 'agent_scenarios_account_id_fkey', onDelete: 'CASCADE' })
  @Column('integer', { name: 'account_id' })
  accountId: number;

  @Column('jsonb')
  scenario: Record<string, unknown>;
}
