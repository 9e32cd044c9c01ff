import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ActionOutcome } from './domain/invocation.js';

/** One action of an invocation. A queued one has the id of its webhook delivery. */
@Entity('tool_attempts')
export class ToolAttemptEntity {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid', { name: 'invocation_id' })
  invocationId: string;

  /** From 1, in the order of the tool's actions. */
  @Column('smallint')
  position: number;

  @Column('integer', { name: 'action_id' })
  actionId: number;

  @Column('text')
  name: string;

  @Column('text')
  method: string;

  /** Without its query, which may hold keys. */
  @Column('text')
  url: string;

  @Column('text')
  outcome: ActionOutcome['outcome'];

  @Column('timestamptz', { default: () => 'now()' })
  at: Date;

  @Column('integer', { nullable: true })
  status: number | null;

  @Column('integer', { name: 'latency_ms', nullable: true })
  latencyMs: number | null;

  @Column('json', { nullable: true })
  error: unknown;

  /** The first 16 KiB of the answer. */
  @Column('text', { name: 'answer_head', nullable: true })
  answerHead: string | null;

  @Column('json', { name: 'request_headers', default: {} })
  requestHeaders: Record<string, string>;
}
