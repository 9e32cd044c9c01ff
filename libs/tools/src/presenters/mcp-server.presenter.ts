import { type Encryption, isoTime } from '@app/common';
import { shownHeaders } from '../domain/action-headers.js';
import { decryptMcpHeaders } from '../mcp/mcp-headers.js';
import type { McpServerEntity } from '../mcp/mcp-server.entity.js';
import type { PinnedTool } from '../mcp/mcp-servers.repository.js';

/** The MCP server object of the API. Throws when headers were encrypted with another SECRET_KEY. */
export const mcpServerView = (server: McpServerEntity, pinned: readonly PinnedTool[], encryption: Encryption) => ({
  id: server.id,
  agent_id: server.agentId,
  name: server.name,
  url: server.url,
  headers: shownHeaders(decryptMcpHeaders(encryption, server.headersEncrypted)),
  tools: server.allowedTools,
  timeout_seconds: server.timeoutMs / 1_000,
  state: server.state,
  error: server.error,
  pinned_tools: pinned.map(({ id, modelName, name, description, parameters }) => ({
    tool_id: id,
    name: modelName,
    mcp_name: name,
    description,
    parameters,
  })),
  changes: server.changes,
  skipped_tools: server.skipped,
  checked_at: isoTime(server.checkedAt),
  created_at: isoTime(server.createdAt),
  updated_at: isoTime(server.updatedAt),
});

export type McpServerView = ReturnType<typeof mcpServerView>;
