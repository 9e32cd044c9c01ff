import {
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  JoinColumn,
  ManyToOne,
  OneToMany,
  PrimaryColumn,
  PrimaryGeneratedColumn,
  Unique,
  UpdateDateColumn,
} from 'typeorm';
import type { JsonSchema } from '@app/json-schema';
import type { ToolBehaviour } from './domain/tool-behaviour.js';
import type { ActionMethod, QueryValue } from './domain/tool.js';
import { McpServerEntity } from './mcp/mcp-server.entity.js';

/** A tool of an agent. */
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

  /** Null: the defaults. */
  @Column('json', { nullable: true })
  behaviour: Partial<ToolBehaviour> | null;

  /** The MCP server that offers the tool; null: the tool has actions. */
  @Column('integer', { name: 'mcp_server_id', nullable: true })
  mcpServerId: number | null;

  /** The name on the server. */
  @Column('text', { name: 'mcp_name', nullable: true })
  mcpName: string | null;

  @ManyToOne(() => McpServerEntity, { createForeignKeyConstraints: false })
  @JoinColumn({ name: 'mcp_server_id' })
  mcpServer?: McpServerEntity | null;

  /** A tool of an MCP server has none. */
  @OneToMany(() => ToolActionEntity, ({ tool }) => tool)
  actions: ToolActionEntity[];

  /** The agents that use it, the owner included, in the order of their ids; selected by the repository. */
  agentIds: number[];

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', default: () => 'now()' })
  createdAt: Date;

  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz', default: () => 'now()' })
  updatedAt: Date;
}

/** An agent that uses a tool: the owning agent, linked by a trigger, or one that it is shared with. */
@Entity('tool_agents')
@Unique('tool_agents_name', ['agentId', 'name'])
export class ToolAgentEntity {
  @ForeignKey('tools', { name: 'tool_agents_tool_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn('integer', { name: 'tool_id' })
  toolId: number;

  /** Its foreign key and that of the account are those of the migrations. */
  @PrimaryColumn('integer', { name: 'agent_id' })
  agentId: number;

  @Column('integer', { name: 'account_id' })
  accountId: number;

  /** That of the tool, kept by a trigger: an agent has one tool of a name. */
  @Column('text')
  name: string;
}

/** A request that a tool makes when it is invoked. */
@Entity('tool_actions')
export class ToolActionEntity {
  @PrimaryGeneratedColumn('identity', { type: 'integer', generatedIdentity: 'ALWAYS' })
  id: number;

  @Column('integer', { name: 'account_id' })
  accountId: number;

  @Column('integer', { name: 'tool_id' })
  toolId: number;

  @ManyToOne(() => ToolEntity, ({ actions }) => actions, { createForeignKeyConstraints: false })
  @JoinColumn({ name: 'tool_id' })
  tool?: ToolEntity;

  /** From 0, in the order in which the actions run. */
  @Column('smallint')
  position: number;

  @Column('text')
  name: string;

  @Column('text')
  url: string;

  @Column('text')
  method: ActionMethod;

  @Column('json', { nullable: true })
  payload: Record<string, unknown> | null;

  /** All headers as one encrypted list (see domain/action-headers.ts). */
  @Column('bytea', { name: 'headers_sealed', nullable: true })
  headersEncrypted: Buffer | null;

  @Column('json', { name: 'query_params', nullable: true })
  queryParams: Record<string, QueryValue> | null;

  @Column('boolean', { name: 'wait_response' })
  waitResponse: boolean;

  /** 1,000 to 120,000. */
  @Column('integer', { name: 'timeout_ms' })
  timeoutMs: number;
}
