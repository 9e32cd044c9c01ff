import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** `worse`: the embedder loses significantly more answers than it adds. */
export type EmbedderOutcome = 'better' | 'similar' | 'worse';

/** The last comparison of an agent's searches with and without the embedder, and the time of the next one. */
@Entity('knowledge_embedder_checks')
@Index('knowledge_embedder_checks_due', { synchronize: false })
@Index('knowledge_embedder_checks_worse', { synchronize: false })
@Check('knowledge_embedder_checks_outcome_check', `outcome IN ('better', 'similar', 'worse')`)
export class EmbedderCheckEntity {
  @PrimaryColumn('integer', { name: 'agent_id' })
  agentId: number;

  @Column('integer', { name: 'account_id' })
  accountId: number;

  /** The next check, or the end of the lease of the current one; null: nothing has changed since the last one. */
  @Column('timestamptz', { name: 'due_at', nullable: true })
  dueAt: Date | null;

  @Column('text', { name: 'lease_owner', nullable: true })
  leaseOwner: string | null;

  @Column('timestamptz', { name: 'checked_at', nullable: true })
  checkedAt: Date | null;

  /** `agents.knowledge_version` of the last check. */
  @Column('bigint', { name: 'knowledge_version', nullable: true })
  knowledgeVersion: string | null;

  /** The checked model; the result says nothing about another one. */
  @Column('text', { nullable: true })
  model: string | null;

  @Column('smallint', { nullable: true })
  questions: number | null;

  /** Questions whose passage is among the first three with the embedder. */
  @Column('smallint', { nullable: true })
  found: number | null;

  @Column('smallint', { name: 'found_by_words', nullable: true })
  foundByWords: number | null;

  @Column('text', { nullable: true })
  outcome: EmbedderOutcome | null;
}
