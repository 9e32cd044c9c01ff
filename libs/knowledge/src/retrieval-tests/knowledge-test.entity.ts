import { Column, CreateDateColumn, Entity, Index, PrimaryGeneratedColumn, UpdateDateColumn } from 'typeorm';

/** Questions of an agent's users, and what a search must find for them. */
@Entity('knowledge_tests')
@Index('knowledge_tests_list', { synchronize: false })
@Index('knowledge_tests_held', { synchronize: false })
export class KnowledgeTestEntity {
  @PrimaryGeneratedColumn('identity', { type: 'integer', generatedIdentity: 'ALWAYS' })
  id: number;

  @Column('integer', { name: 'account_id' })
  accountId: number;

  @Column('integer', { name: 'agent_id' })
  agentId: number;

  /** 1 to 3 wordings of one question; each is searched by itself. */
  @Column('text', { array: true })
  questions: string[];

  @Column('text', { name: 'expected_text', nullable: true })
  expectedText: string | null;

  /** Title, file name or URL. */
  @Column('text', { name: 'expected_source', nullable: true })
  expectedSource: string | null;

  /** Without a foreign key: the test of a deleted knowledge base fails. */
  @Column('integer', { name: 'expected_knowledge_base_id', nullable: true })
  expectedKnowledgeBaseId: number | null;

  /** The expected passage must be among so many first ones. */
  @Column('smallint', { default: 3 })
  within: number;

  @Column('boolean', { name: 'is_active', default: true })
  isActive: boolean;

  /** Incremented when the question or the expectation changes: the result of an earlier revision is not stored. */
  @Column('integer', { default: 1 })
  revision: number;

  /** The last result; null: this revision has not run yet. */
  @Column('boolean', { nullable: true })
  passed: boolean | null;

  @Column('smallint', { nullable: true })
  rank: number | null;

  /** Why the test failed. */
  @Column('text', { nullable: true })
  reason: string | null;

  @Column('timestamptz', { name: 'failing_since', nullable: true })
  failingSince: Date | null;

  @Column('timestamptz', { name: 'checked_at', nullable: true })
  checkedAt: Date | null;

  /** `agents.knowledge_version` of the last result. */
  @Column('bigint', { name: 'knowledge_version', nullable: true })
  knowledgeVersion: string | null;

  /** The reason of the failure by the id of the knowledge base whose refresh is held back. */
  @Column('jsonb', { name: 'held_refreshes', default: {} })
  heldRefreshes: Record<string, string>;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', default: () => 'now()' })
  createdAt: Date;

  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz', default: () => 'now()' })
  updatedAt: Date;
}
