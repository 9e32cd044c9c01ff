import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn, UpdateDateColumn } from 'typeorm';
import type { McpServerState, McpChange, OfferedTool, SkippedTool } from '../domain/mcp-tools.js';

/** An MCP server whose tools an agent uses; its pinned tools are rows of ToolEntity. */
@Entity('mcp_servers')
export class McpServerEntity {
  @PrimaryGeneratedColumn('identity', { type: 'integer', generatedIdentity: 'ALWAYS' })
  id: number;

  @Column('integer', { name: 'account_id' })
  accountId: number;

  @Column('integer', { name: 'agent_id' })
  agentId: number;

  /** snake_case, unique among the servers of the agent. */
  @Column('text')
  name: string;

  @Column('text')
  url: string;

  /** All headers as one encrypted list (see mcp-headers.ts). */
  @Column('bytea', { name: 'headers_sealed', nullable: true })
  headersEncrypted: Buffer | null;

  /** Names on the server; null: all tools. */
  @Column('json', { name: 'allowed_tools', nullable: true })
  allowedTools: string[] | null;

  /** 1,000 to 120,000. */
  @Column('integer', { name: 'timeout_ms' })
  timeoutMs: number;

  @Column('text')
  state: McpServerState;

  /** Why the last check failed. */
  @Column('text', { nullable: true })
  error: string | null;

  /** The difference between the pinned tools and those of the last check. */
  @Column('json', { default: [] })
  changes: McpChange[];

  /** Tools of the server that cannot be used. */
  @Column('json', { default: [] })
  skipped: SkippedTool[];

  /** The tools of the last check that `accept` pins; null: no difference. */
  @Column('json', { nullable: true })
  offered: OfferedTool[] | null;

  @Column('timestamptz', { name: 'checked_at', default: () => 'now()' })
  checkedAt: Date;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', default: () => 'now()' })
  createdAt: Date;

  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz', default: () => 'now()' })
  updatedAt: Date;
}
