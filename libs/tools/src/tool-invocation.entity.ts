import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { InvocationSource } from './domain/invocation.js';

/** One run of a tool. It outlives the tool, so it keeps the tool's name. */
@Entity('tool_invocations')
export class ToolInvocationEntity {
  /** uuidv7, given by the service. */
  @PrimaryColumn('uuid')
  id: string;

  @Column('integer', { name: 'account_id' })
  accountId: number;

  @Column('integer', { name: 'agent_id' })
  agentId: number;

  @Column('integer', { name: 'tool_id' })
  toolId: number;

  @Column('text', { name: 'tool_name' })
  toolName: string;

  @Column('uuid', { name: 'call_id', nullable: true })
  callId: string | null;

  /** The provider's name of the tool call; null outside of a conversation. */
  @Column('text', { name: 'tool_call_id', nullable: true })
  toolCallId: string | null;

  @Column('text')
  source: InvocationSource;

  @Column('json')
  arguments: unknown;

  /** null while it runs. */
  @Column('boolean', { nullable: true })
  ok: boolean | null;

  @Column('json', { nullable: true })
  result: unknown;

  @Column('timestamptz', { name: 'started_at', default: () => 'now()' })
  startedAt: Date;

  @Column('timestamptz', { name: 'ended_at', nullable: true })
  endedAt: Date | null;
}
