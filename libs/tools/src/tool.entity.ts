import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn, UpdateDateColumn } from 'typeorm';
import type { JsonSchema } from './domain/tool.js';

/** A tool of an agent; its actions are rows of ToolActionEntity. */
@Entity('tools')
export class ToolEntity {
  @PrimaryGeneratedColumn('identity', { type: 'integer', generatedIdentity: 'ALWAYS' })
  id: number;

  @Column('integer', { name: 'account_id' })
  accountId: number;

  @Column('integer', { name: 'agent_id' })
  agentId: number;

  /** snake_case, unique among the tools of the agent. */
  @Column('text')
  name: string;

  @Column('text')
  description: string;

  @Column('boolean', { name: 'is_active', default: true })
  isActive: boolean;

  @Column('json')
  parameters: JsonSchema;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', default: () => 'now()' })
  createdAt: Date;

  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz', default: () => 'now()' })
  updatedAt: Date;
}
