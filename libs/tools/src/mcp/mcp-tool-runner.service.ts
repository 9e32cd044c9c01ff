import { Encryption, newId } from '@app/common';
import { metrics } from '@app/metrics';
import { Injectable } from '@nestjs/common';
import { assignmentsOf } from '../domain/assignment.js';
import { capResult } from '../domain/endpoint-answer.js';
import { mcpResult } from '../domain/mcp-result.js';
import type { ActionError, AgentTool, McpTool, ToolRun } from '../domain/tool.js';
import { type Invocation, InvocationRecorderService } from '../invocation-recorder.service.js';
import type { AttemptRecord } from '../tool-invocations.repository.js';
import { loadMcpClient, McpFailure } from './mcp-connection.js';
import { decryptMcpHeaders } from './mcp-headers.js';
import { McpSessionsService } from './mcp-sessions.service.js';

/** The first bytes of a result in the evidence. */
const KEPT_RESULT_LENGTH = 16 * 1024;
const REDACTED = '[redacted]';
/** Codes of requests that were not sent. */
const UNSENT: ReadonlySet<ActionError['code']> = new Set(['busy', 'blocked_address']);

interface Answer {
  /** The result for the model. */
  result: Record<string, unknown>;
  error: ActionError | null;
  /** HTTP status; null: no answer. */
  status: number | null;
  head: string | null;
}

/** Invokes tools of MCP servers. */
@Injectable()
export class McpToolRunnerService {
  constructor(
    private readonly recorder: InvocationRecorderService,
    private readonly sessions: McpSessionsService,
    private readonly encryption: Encryption,
  ) {}

  /** Sends one `tools/call`. Failures of the server are results. @throws when the database or the encrypted headers cannot be read. */
  async run(invocation: Invocation, tool: AgentTool, mcp: McpTool, signal: AbortSignal): Promise<ToolRun> {
    const headers = decryptMcpHeaders(this.encryption, mcp.headersEncrypted);
    await this.recorder.begin({ ...invocation, queued: [], attempts: [] });
    const startedAt = performance.now();
    const at = new Date();
    const answer = await this.ask(invocation, mcp, signal);
    const { error, status } = answer;
    const latencyMs = error && UNSENT.has(error.code) ? null : Math.round(performance.now() - startedAt);
    const outcome = error ? 'failed' : 'succeeded';
    metrics.mcpToolCalls.inc({ outcome: error?.code ?? 'succeeded' });
    const assigned = error ? undefined : assignmentsOf(tool, answer.result);
    if (assigned) invocation.context.variables?.assign(assigned);
    const action = { id: newId(), name: mcp.name, method: 'POST' as const };
    const run = {
      invocationId: invocation.id,
      ok: error === null,
      result: capResult(answer.result),
      actions: [{ ...action, outcome, status, latencyMs, error } as const],
      ...(assigned && { assigned }),
    };
    const record: AttemptRecord = {
      ...action,
      position: 1,
      action_id: mcp.serverId,
      url: mcp.url.replace(/[?#].*$/s, ''),
      outcome,
      at: at.toISOString(),
      status,
      latency_ms: latencyMs,
      error,
      answer_head: answer.head,
      request_headers: Object.fromEntries(headers.map(({ key }) => [key.toLowerCase(), REDACTED])),
    };
    await this.recorder.end(run, [record], invocation.context.redact);
    return run;
  }

  /** A conversation may use MCP tools soon. */
  async prepare(): Promise<void> {
    await loadMcpClient();
  }

  endConversation(conversationId: string): void {
    this.sessions.endConversation(conversationId);
  }

  private async ask({ id, args, context }: Invocation, mcp: McpTool, signal: AbortSignal): Promise<Answer> {
    const { accountId, conversationId } = context;
    const request = { accountId, conversationId, mcp, arguments: args as Record<string, unknown>, invocationId: id };
    try {
      const result = await this.sessions.call(request, signal);
      const read = mcpResult(result);
      const text = 'error' in read ? read.error.message : JSON.stringify(read.value);
      const head = text.slice(0, KEPT_RESULT_LENGTH).replaceAll('\0', '');
      if ('error' in read) return { ...failed(read.error), status: 200, head };
      return { result: read.value, error: null, status: 200, head };
    } catch (error) {
      if (error instanceof McpFailure) return failed(error.error);
      throw error;
    }
  }
}

const failed = (error: ActionError): Answer => ({
  result: { error },
  error,
  // A JSON-RPC error is the body of a response with status 200.
  status: error.status ?? (error.code === 'tool_error' ? 200 : null),
  head: null,
});
