import { Entity, ForeignKey, Index, PrimaryColumn, Column } from 'typeorm';

/** An agent that searches a knowledge base: the owning agent, linked by a trigger, or one that it is shared with. */
@Entity('knowledge_base_agents')
@Index('knowledge_base_agents_agent', ['agentId', 'accountId', 'knowledgeBaseId'])
export class KnowledgeBaseAgentEntity {
  @ForeignKey('knowledge_bases', { name: 'knowledge_base_agents_knowledge_base_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn('integer', { name: 'knowledge_base_id' })
  knowledgeBaseId: number;

  /** The foreign key is that of the migrations: agents are above. */
  @PrimaryColumn('integer', { name: 'agent_id' })
  agentId: number;

  @ForeignKey('accounts', { name: 'knowledge_base_agents_account_id_fkey', onDelete: 'CASCADE' })
  @Column('integer', { name: 'account_id' })
  accountId: number;
}
