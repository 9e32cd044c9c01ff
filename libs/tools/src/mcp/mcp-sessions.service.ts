import { Encryption, startDeadline } from '@app/common';
import { Egress, EgressTimeout } from '@app/egress';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { RequestSlots } from '../action-sender.service.js';
import type { McpTool } from '../domain/tool.js';
import { INVOCATION_KEY, McpConnection, McpFailure, type McpTarget, type McpToolResult } from './mcp-connection.js';
import { decryptMcpHeaders } from './mcp-headers.js';

/** Longer than the longest request; conversations that end properly close their sessions themselves. */
const IDLE_MS = 300_000;
const MAX_SESSIONS = 2_000;

interface McpToolCall {
  accountId: number;
  /** The conversation that the session belongs to; absent: a session for this request only. */
  conversationId?: string;
  mcp: McpTool;
  arguments: Record<string, unknown>;
  invocationId: string;
}

/** The MCP sessions of one process: a conversation opens one with each server at its first call, so that conversations share no state there. */
@Injectable()
export class McpSessionsService implements OnModuleDestroy {
  private readonly slots = new RequestSlots();
  private readonly closing = new AbortController();
  /** Conversation -> its servers' sessions. */
  private readonly sessions = new LRUCache<string, Map<string, Promise<McpConnection>>>({
    max: MAX_SESSIONS,
    ttl: IDLE_MS,
    ttlAutopurge: true,
    updateAgeOnGet: true,
    dispose: (sessions) => closeAll(sessions),
  });

  constructor(
    private readonly egress: Egress,
    private readonly encryption: Encryption,
  ) {}

  /**
   * Calls a tool once, within the time limit of its server, which includes opening the session. A session that the server has forgotten is
   * opened again.
   * @throws McpFailure
   */
  async call(call: McpToolCall, signal: AbortSignal): Promise<McpToolResult> {
    const { mcp, accountId } = call;
    return this.within(accountId, mcp.url, mcp.timeoutMs, signal, async (withinTime) => {
      const request = {
        name: mcp.name,
        arguments: call.arguments,
        meta: {
          [INVOCATION_KEY]: call.invocationId,
          ...(call.conversationId && { 'trunkline/conversation_id': call.conversationId }),
        },
      };
      const connection = await this.session(call, withinTime);
      try {
        return await connection.callTool(request, withinTime);
      } catch (error) {
        if (!isForgotten(error)) throw error;
        this.drop(call, connection);
        return await (await this.session(call, withinTime)).callTool(request, withinTime);
      } finally {
        if (call.conversationId === undefined) void connection.close();
      }
    });
  }

  /** The tools of a server as it describes them, at most `limit` + 1. @throws McpFailure */
  listTools(
    { accountId, timeoutMs, ...target }: McpTarget & { accountId: number; timeoutMs: number },
    limit: number,
  ): Promise<unknown[]> {
    return this.within(accountId, target.url, timeoutMs, this.closing.signal, async (withinTime) => {
      const connection = new McpConnection(this.egress, target);
      try {
        await connection.open(withinTime);
        return await connection.listTools(limit, withinTime);
      } finally {
        void connection.close();
      }
    });
  }

  /** The conversation is over: closes its sessions. */
  endConversation(conversationId: string): void {
    this.sessions.delete(conversationId);
  }

  onModuleDestroy(): void {
    this.closing.abort();
    this.sessions.clear();
  }

  private async within<T>(
    accountId: number,
    url: string,
    timeoutMs: number,
    outer: AbortSignal,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const stopped = AbortSignal.any([outer, this.closing.signal]);
    const deadline = startDeadline(timeoutMs, stopped, () => new EgressTimeout(timeoutMs));
    try {
      const release = await this.slots.acquire(accountId, new URL(url).host, deadline.signal).catch(() => undefined);
      if (!release) {
        const [code, message] = stopped.aborted ? (['aborted', ABORTED] as const) : (['busy', BUSY] as const);
        throw new McpFailure({ code, message });
      }
      return await work(deadline.signal).finally(release);
    } finally {
      deadline.clear();
    }
  }

  /** The session of the conversation with the server; it opens within the time limit of the first request. */
  private async session(call: McpToolCall, signal: AbortSignal): Promise<McpConnection> {
    if (call.conversationId === undefined) return this.open(call, signal);
    const ofConversation = this.sessions.get(call.conversationId) ?? new Map<string, Promise<McpConnection>>();
    this.sessions.set(call.conversationId, ofConversation);
    const key = keyOf(call.mcp);
    const opening = ofConversation.get(key) ?? this.open(call, signal);
    ofConversation.set(key, opening);
    try {
      return await opening;
    } catch (error) {
      if (ofConversation.get(key) === opening) ofConversation.delete(key);
      throw error;
    }
  }

  private async open({ mcp }: McpToolCall, signal: AbortSignal): Promise<McpConnection> {
    const headers = decryptMcpHeaders(this.encryption, mcp.headersEncrypted);
    const connection = new McpConnection(this.egress, { url: mcp.url, headers });
    try {
      await connection.open(signal);
      return connection;
    } catch (error) {
      void connection.close();
      throw error;
    }
  }

  private drop({ conversationId = '', mcp }: McpToolCall, connection: McpConnection): void {
    this.sessions.get(conversationId)?.delete(keyOf(mcp));
    void connection.close();
  }
}

const ABORTED = 'The call ended before there was an answer.';
const BUSY = 'Too many requests of the account are under way.';

/** A conversation keeps the server of its beginning; a changed server has another URL or other headers. */
const keyOf = ({ serverId, url, headersEncrypted }: McpTool): string =>
  `${serverId} ${url} ${headersEncrypted?.toString('base64') ?? ''}`;

/** A server answers 404 for a session that it no longer has (streamable HTTP, session management); some servers answer 400. */
const isForgotten = (error: unknown): boolean =>
  error instanceof McpFailure && (error.error.status === 404 || error.error.status === 400);

function closeAll(sessions: ReadonlyMap<string, Promise<McpConnection>>): void {
  for (const session of sessions.values())
    session.then(
      (connection) => connection.close(),
      () => undefined,
    );
}
