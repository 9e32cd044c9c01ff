import type { Acting } from '@app/audit';
import {
  type AgentOfAccount,
  Conflict,
  Encryption,
  type FieldErrors,
  InvalidFields,
  NotFound,
  withCode,
} from '@app/common';
import { type EntityTransaction, RecordExistenceRepository } from '@app/database';
import { Injectable } from '@nestjs/common';
import { isDeepStrictEqual } from 'node:util';
import { shownHeaders } from '../domain/action-headers.js';
import { DEFAULT_TIMEOUT_SECONDS } from '../domain/limits.js';
import { MCP_SERVER_NAME } from '../domain/mcp-tools.js';
import type { GivenHeader } from '../domain/tool.js';
import { decryptMcpHeaders, mcpHeaders } from './mcp-headers.js';
import { type CheckedServer, McpServerCheckService, type McpServerChanges } from './mcp-server-check.service.js';
import type { McpServerEntity } from './mcp-server.entity.js';
import { McpServersRepository } from './mcp-servers.repository.js';
import { McpServersService } from './mcp-servers.service.js';

/** An element of the list `tools` of an agent. Absent fields keep their stored values. */
interface ListedServer {
  mcp: {
    name?: string;
    url: string;
    headers?: Record<string, GivenHeader> | null;
    tools?: string[] | null;
    timeout_seconds?: number | null;
  };
}

/** An agent that may not be stored yet. */
type AgentToBe = Partial<AgentOfAccount>;

/** The servers of an agent before and after a change, without their headers. */
interface ListChange {
  from: object[];
  to: object[];
}

type Step =
  | { kind: 'keep' }
  | { kind: 'add'; checked: CheckedServer }
  | { kind: 'change'; before: McpServerEntity; changed: string[]; checked: CheckedServer };

/** A list whose new and changed servers have answered, ready to be saved. */
export interface CheckedServerList {
  /** The servers when they were checked. */
  stored: McpServerEntity[];
  steps: Step[];
  removed: McpServerEntity[];
}

/** The list of an agent for a workspace file. */
export interface ExportedServerList {
  tools: object[];
  /** Names of the servers whose headers are left out, because they are secret. */
  omitted: string[];
}

/** Accounts share the slots for requests fairly; an account that is not stored yet has no id. */
const NEW_ACCOUNT = 0;

/** The MCP servers of an agent as one list, which replaces the stored servers. They are identified by their names. */
@Injectable()
export class McpServerListsService {
  constructor(
    private readonly servers: McpServersService,
    private readonly repository: McpServersRepository,
    private readonly existence: RecordExistenceRepository,
    private readonly serverCheck: McpServerCheckService,
    private readonly encryption: Encryption,
  ) {}

  /**
   * Asks servers that are new or change for their tools, outside of a transaction. @returns what `save` stores
   * @throws InvalidFields (`tools.0.mcp.url`), NotFound
   */
  async check(
    { accountId = NEW_ACCOUNT, agentId }: AgentToBe,
    list: readonly ListedServer[],
  ): Promise<CheckedServerList> {
    const stored = agentId === undefined ? [] : await this.storedOf({ accountId, agentId });
    const names = namesOf(list);
    const errors: FieldErrors = {};
    const steps = await Promise.all(
      list.map(({ mcp }, index) =>
        this.step({ accountId, agentId }, { ...mcp, name: names[index] ?? '' }, stored).catch((error: unknown) => {
          if (!(error instanceof InvalidFields)) throw error;
          for (const [field, problems] of Object.entries(error.fields))
            errors[`tools.${index}.mcp.${field}`] = problems;
          return { kind: 'keep' as const };
        }),
      ),
    );
    if (Object.keys(errors).length > 0) throw new InvalidFields(errors);
    const removed = stored.filter(({ name }) => !names.includes(name));
    return { stored, steps, removed };
  }

  /** Saves a checked list. @returns the change; undefined: there is none. Throws Conflict when another request changed the servers meanwhile. */
  async save(
    agent: AgentOfAccount & Acting,
    { stored, steps, removed }: CheckedServerList,
    tx: EntityTransaction,
  ): Promise<ListChange | undefined> {
    await this.servers.lock(agent, tx);
    const before = await this.repository.all(agent, tx);
    if (!isDeepStrictEqual(before.map(stateOf), stored.map(stateOf)))
      throw new Conflict('Another request changed the MCP servers of the agent meanwhile. Try again.');
    const work = steps.filter(({ kind }) => kind !== 'keep');
    if (work.length === 0 && removed.length === 0) return undefined;
    // Servers that go make room for those that come.
    for (const { id } of removed) await this.servers.deleteWithin(agent, id, tx);
    for (const step of work) if (step.kind === 'change') await this.servers.updateWithin(agent, step, tx);
    for (const step of work) if (step.kind === 'add') await this.servers.insertWithin(agent, step.checked, tx);
    return { from: before.map(nodeOf), to: (await this.repository.all(agent, tx)).map(nodeOf) };
  }

  async exported(agent: AgentOfAccount, tx: EntityTransaction): Promise<ExportedServerList> {
    const servers = await this.repository.all(agent, tx);
    const tools = servers.map((server) => {
      const headers = decryptMcpHeaders(this.encryption, server.headersEncrypted);
      const isShown = headers.length > 0 && !headers.some(({ secret }) => secret);
      return { mcp: { ...nodeOf(server), ...(isShown ? { headers: exportHeaders(headers) } : {}) } };
    });
    const omitted = servers.filter((server, index) => server.headersEncrypted && !('headers' in tools[index]!.mcp));
    return { tools, omitted: omitted.map(({ name }) => name) };
  }

  private async storedOf(agent: AgentOfAccount): Promise<McpServerEntity[]> {
    if (!(await this.existence.exists(agent.accountId, { table: 'agents', id: agent.agentId })))
      throw new NotFound('Agent');
    return this.repository.all(agent);
  }

  /** Asks the server if it is new or changes. */
  private async step(
    { accountId, agentId = 0 }: AgentToBe & { accountId: number },
    given: ListedServer['mcp'] & { name: string },
    stored: readonly McpServerEntity[],
  ): Promise<Step> {
    const before = stored.find(({ name }) => name === given.name);
    const { name, url, headers, tools, timeout_seconds: seconds } = given;
    if (!before) {
      const timeoutMs = (seconds ?? DEFAULT_TIMEOUT_SECONDS) * 1_000;
      const server = { name, url, headers: headers ?? null, tools: tools ?? null, timeoutMs };
      return { kind: 'add', checked: await this.serverCheck.ofNew({ accountId, agentId }, server) };
    }
    const changes = this.differences(before, given);
    const changed = Object.entries(changes).flatMap(([field, value]) => (value === undefined ? [] : [field]));
    if (changed.length === 0) return { kind: 'keep' };
    return { kind: 'change', before, changed, checked: await this.serverCheck.ofChanged(before, changes) };
  }

  private differences(before: McpServerEntity, given: ListedServer['mcp']): McpServerChanges {
    const { url, headers, tools, timeout_seconds: seconds } = given;
    const kept = { url: before.url, headers: decryptMcpHeaders(this.encryption, before.headersEncrypted) };
    const timeoutMs = seconds === null ? DEFAULT_TIMEOUT_SECONDS * 1_000 : seconds && seconds * 1_000;
    const isSameUrl = url === before.url;
    const isSameHeaders = isSameUrl && isDeepStrictEqual(mcpHeaders(url, headers, kept), kept.headers);
    return {
      url: isSameUrl ? undefined : url,
      headers: isSameHeaders ? undefined : headers,
      tools: isDeepStrictEqual(tools, before.allowedTools) ? undefined : tools,
      timeoutMs: timeoutMs === before.timeoutMs ? undefined : timeoutMs,
    };
  }
}

const stateOf = ({ id, updatedAt }: McpServerEntity): [number, number] => [id, updatedAt.getTime()];

const nodeOf = ({ name, url, allowedTools, timeoutMs }: McpServerEntity) => ({
  name,
  url,
  ...(allowedTools ? { tools: allowedTools } : {}),
  timeout_seconds: timeoutMs / 1_000,
});

/** Names that are secret by their form would become secret again without the flag. */
const exportHeaders = (headers: Parameters<typeof shownHeaders>[0]): Record<string, GivenHeader> =>
  Object.fromEntries(headers.map(({ key, value, secret }) => [key, { value, secret }]));

/** The names of the servers, by default those of their hosts. @throws InvalidFields when two servers have the same name */
function namesOf(list: readonly ListedServer[]): string[] {
  const names = list.map(({ mcp }) => mcp.name ?? nameOfHost(mcp.url));
  const errors: FieldErrors = {};
  for (const [index, name] of names.entries())
    if (names.indexOf(name) < index)
      errors[`tools.${index}.mcp.name`] = [
        withCode('duplicate', `Another server of the list is named ${name}. Give the servers names.`),
      ];
  if (Object.keys(errors).length > 0) throw new InvalidFields(errors);
  return names;
}

/** `https://mcp.example.com/v1` becomes `mcp_example_com`. */
function nameOfHost(url: string): string {
  const host = URL.canParse(url) ? new URL(url).hostname.toLowerCase() : '';
  const plain = host.replaceAll(/[^a-z0-9]+/g, '_').replaceAll(/^_+|_+$/g, '');
  const name = (/^[a-z]/.test(plain) ? plain : `mcp_${plain}`).slice(0, 32).replace(/_+$/, '');
  return MCP_SERVER_NAME.test(name) ? name : 'mcp';
}
