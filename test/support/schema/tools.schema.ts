import { Column, Entity, PrimaryColumn } from 'typeorm';

/* Tables of libs/tools that only statements use, for the check of the migrated schema. */

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
  source: string;

  @Column('json')
  arguments: unknown;

  /** null while it runs. */
  @Column('boolean', { nullable: true })
  ok: boolean | null;

  @Column('json', { nullable: true })
  result: unknown;

  /** The variables that the answer set. */
  @Column('json', { nullable: true })
  assigned: unknown;

  /** The words with which the user agreed. */
  @Column('json', { nullable: true })
  confirmation: unknown;

  @Column('timestamptz', { name: 'started_at', default: () => 'now()' })
  startedAt: Date;

  @Column('timestamptz', { name: 'ended_at', nullable: true })
  endedAt: Date | null;
}

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
  outcome: string;

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

/** The result that the endpoint of a background tool reports. */
@Entity('tool_callbacks')
export class ToolCallbackEntity {
  @PrimaryColumn('uuid', { name: 'invocation_id' })
  invocationId: string;

  @Column('integer', { name: 'account_id' })
  accountId: number;

  @Column('bytea', { name: 'token_hash' })
  tokenHash: Buffer;

  /** As it was at the invocation. */
  @Column('json')
  behaviour: unknown;

  /** Notes of progress. */
  @Column('json', { default: [] })
  notes: unknown;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt: Date;

  @Column('timestamptz', { name: 'ended_at', nullable: true })
  endedAt: Date | null;
}
