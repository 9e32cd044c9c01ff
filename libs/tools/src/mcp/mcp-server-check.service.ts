import { type AgentOfAccount, Encryption, type Env, type FieldErrors, InvalidFields } from '@app/common';
import { egressUrlRules, type UrlRules, urlFault } from '@app/egress';
import { ENV } from '@app/common/settings';
import { Inject, Injectable } from '@nestjs/common';
import type { ActionHeader } from '../domain/action-headers.js';
import { MCP_SERVER_NAME, MCP_TOOLS_PER_SERVER, type OfferedTool, offeredTools } from '../domain/mcp-tools.js';
import type { GivenHeader } from '../domain/tool.js';
import { McpFailure } from './mcp-connection.js';
import { decryptMcpHeaders, encryptMcpHeaders, mcpHeaders } from './mcp-headers.js';
import type { McpServerEntity } from './mcp-server.entity.js';
import type { ServerFields } from './mcp-servers.repository.js';
import { McpSessionsService } from './mcp-sessions.service.js';

/** A well-formed server of a request. */
export interface NewMcpServer {
  name: string;
  url: string;
  headers: Record<string, GivenHeader> | null;
  /** Names on the server that the agent may use; null: all. */
  tools: string[] | null;
  timeoutMs: number;
}

/** Absent fields stay unchanged. */
export type McpServerChanges = Partial<NewMcpServer>;

/** The fields to store, and the tools if the server was asked for them. */
export interface CheckedServer {
  fields: ServerFields;
  tools?: OfferedTool[];
}

interface Asked extends Pick<NewMcpServer, 'url' | 'tools' | 'timeoutMs'> {
  accountId: number;
  headers: ActionHeader[];
}

/** Validates MCP servers and asks them for their tools. */
@Injectable()
export class McpServerCheckService {
  private readonly urlRules: UrlRules;

  constructor(
    private readonly sessions: McpSessionsService,
    private readonly encryption: Encryption,
    @Inject(ENV) env: Env,
  ) {
    this.urlRules = egressUrlRules(env);
  }

  /** @throws InvalidFields, also when the server cannot be used. */
  async ofNew({ accountId }: AgentOfAccount, { headers: given, ...server }: NewMcpServer): Promise<CheckedServer> {
    this.validate(server);
    const headers = mcpHeaders(server.url, given, undefined);
    const { name, url, tools, timeoutMs } = server;
    const found = await asFields(this.ask({ accountId, url, tools, timeoutMs, headers }));
    requireTools(tools, found);
    const headersEncrypted = encryptMcpHeaders(this.encryption, headers);
    return {
      fields: { name, url, allowedTools: tools, timeoutMs, headersEncrypted, ...found.fields },
      tools: found.tools,
    };
  }

  /** The server is asked only if its URL, headers or list of tools change. @throws InvalidFields, also when the server cannot be used. */
  async ofChanged(stored: McpServerEntity, changes: McpServerChanges): Promise<CheckedServer> {
    this.validate(changes);
    const { name = stored.name, timeoutMs = stored.timeoutMs, url = stored.url } = changes;
    const tools = changes.tools === undefined ? stored.allowedTools : changes.tools;
    const before = { url: stored.url, headers: decryptMcpHeaders(this.encryption, stored.headersEncrypted) };
    const headers = mcpHeaders(url, changes.headers, before);
    const own = { name, timeoutMs };
    if (changes.url === undefined && changes.headers === undefined && changes.tools === undefined)
      return { fields: own };
    const found = await asFields(this.ask({ accountId: stored.accountId, url, tools, timeoutMs, headers }));
    requireTools(tools, found);
    const headersEncrypted = encryptMcpHeaders(this.encryption, headers);
    const fresh = { state: 'connected' as const, changes: [], offered: null, ...found.fields };
    return { fields: { ...own, url, allowedTools: tools, headersEncrypted, ...fresh }, tools: found.tools };
  }

  /** @throws McpFailure */
  ofStored(stored: McpServerEntity): Promise<CheckedServer> {
    const { accountId, url, allowedTools: tools, timeoutMs } = stored;
    const headers = decryptMcpHeaders(this.encryption, stored.headersEncrypted);
    return this.ask({ accountId, url, tools, timeoutMs, headers });
  }

  private async ask({ tools: allowed, ...server }: Asked): Promise<CheckedServer & { tools: OfferedTool[] }> {
    const listed = await this.sessions.listTools(server, allowed ? MAX_LISTED : MCP_TOOLS_PER_SERVER);
    const { tools, skipped } = offeredTools(listed, allowed);
    if (tools.length <= MCP_TOOLS_PER_SERVER) return { fields: { skipped, error: null }, tools };
    const message = `The MCP server has more than ${MCP_TOOLS_PER_SERVER} tools. Name those that the agent needs in tools.`;
    throw new McpFailure({ code: 'tool_error', message });
  }

  private validate({ name, url }: McpServerChanges): void {
    const errors: FieldErrors = {};
    if (name !== undefined && !MCP_SERVER_NAME.test(name)) errors['name'] = [SNAKE_CASE];
    const problem = url === undefined ? undefined : urlFault(url, this.urlRules);
    if (problem) errors['url'] = [problem];
    if (Object.keys(errors).length > 0) throw new InvalidFields(errors);
  }
}

/** Tools of a server from which `tools` chooses. */
const MAX_LISTED = 512;

const SNAKE_CASE =
  'The name field must be in snake_case: a lower-case letter, then at most 31 letters, digits and underscores.';

/** Reports a server that cannot be used as an error of its URL. */
async function asFields<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (!(error instanceof McpFailure)) throw error;
    throw new InvalidFields({ url: [`The tools of the MCP server could not be read. ${error.message}`] });
  }
}

/** Every tool that a request names must be usable. */
function requireTools(named: readonly string[] | null, { fields, tools = [] }: CheckedServer): void {
  const errors: FieldErrors = {};
  (named ?? []).forEach((name, index) => {
    if (tools.some((tool) => tool.name === name)) return;
    const skipped = fields.skipped?.find((tool) => tool.name === name);
    errors[`tools.${index}`] = [
      skipped ? `The tool cannot be used. ${skipped.reason}` : 'The MCP server has no tool of this name.',
    ];
  });
  if (Object.keys(errors).length > 0) throw new InvalidFields(errors);
}
