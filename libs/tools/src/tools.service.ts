import { type Acting, type AuditAction, AuditService } from '@app/audit';
import {
  type AgentOfAccount,
  Conflict,
  Encryption,
  type Env,
  InvalidFields,
  noRecord,
  NotFound,
  refuseEntries,
  withCode,
} from '@app/common';
import {
  Database,
  type EntityTransaction,
  hasCode,
  type IdempotencyKey,
  IdempotencyRepository,
  RecordExistenceRepository,
  UNIQUE_VIOLATION,
} from '@app/database';
import { egressUrlRules, type UrlRules } from '@app/egress';
import type { JsonSchema } from '@app/json-schema';
import { ENV } from '@app/common/settings';
import { Inject, Injectable } from '@nestjs/common';
import {
  type ActionHeader,
  decryptActionHeaders,
  encryptActionHeaders,
  shownHeaders,
  mergeMaskedHeaders,
  actionHeaders,
} from './domain/action-headers.js';
import { actionProblems } from './domain/action-problems.js';
import { TOOLS_PER_AGENT } from './domain/limits.js';
import { behaviourOf, behaviourProblems, DEFAULT_BEHAVIOUR, type ToolBehaviour } from './domain/tool-behaviour.js';
import type { NewAction, NewTool, ToolChanges, AgentTool } from './domain/tool.js';
import { toolView, type ToolView } from './presenters/tool.presenter.js';
import type { ToolEntity } from './tool.entity.js';
import { type ToolFilter, ToolsRepository } from './tools.repository.js';

interface CreatedTool {
  view: ToolView;
  /** The request was a repetition: this is the answer to the first request. */
  replayed: boolean;
}

/** The tools of an account's agents. A conversation keeps the tools of its beginning. */
@Injectable()
export class ToolsService {
  private readonly urlRules: UrlRules;

  constructor(
    private readonly tools: ToolsRepository,
    private readonly existence: RecordExistenceRepository,
    private readonly database: Database,
    private readonly idempotency: IdempotencyRepository,
    private readonly audit: AuditService,
    private readonly encryption: Encryption,
    @Inject(ENV) env: Env,
  ) {
    this.urlRules = egressUrlRules(env);
  }

  /**
   * Throws NotFound, Conflict (the agent has TOOLS_PER_AGENT tools, or the key was used with another body) and InvalidFields (an action is
   * invalid, the name is taken, or a masked header has no stored value).
   */
  async create(agent: AgentOfAccount & Acting, tool: NewTool, key?: IdempotencyKey): Promise<CreatedTool> {
    this.checkActions(tool.actions);
    checkBehaviour(tool.behaviour, tool.parameters);
    const headers = mergeMaskedHeaders(tool.actions, []);
    const { answer, replayed } = await this.idempotency.createOnce(agent.accountId, key, async (tx) =>
      withoutHeaders(await this.insert(agent, tool, headers, tx)),
    );
    return { view: withHeadersOf(tool, answer), replayed };
  }

  /** Throws NotFound when the account's agent has no such tool, or the account no such agent. */
  async find(agent: AgentOfAccount, id: number): Promise<ToolView> {
    return toolView(await this.row(agent, id), this.encryption);
  }

  /** A page of an agent's tools, newest first, with the exact total. Throws NotFound when the account has no such agent. */
  async page(
    agent: AgentOfAccount,
    filter: ToolFilter,
    place: { page: number; perPage: number },
  ): Promise<{ tools: ToolView[]; total: number }> {
    const { tools, total } = await this.tools.page(agent, filter, place);
    if (total === 0 && !(await this.existence.exists(agent.accountId, { table: 'agents', id: agent.agentId })))
      throw new NotFound('Agent');
    return { tools: tools.map((tool) => toolView(tool, this.encryption)), total };
  }

  /** The active tools of an agent at the beginning of a conversation, oldest first. */
  ofAgent(agent: AgentOfAccount): Promise<AgentTool[]> {
    return this.tools.ofAgent(agent);
  }

  /** The names of all tools of an agent, and of the variables that each assigns. */
  namesOf(agent: AgentOfAccount, tx?: EntityTransaction): Promise<{ name: string; assigned: string[] }[]> {
    return this.tools.namesOf(agent, tx);
  }

  /** A tool of an agent, active or not, with the name of the agent. Throws NotFound. */
  async invokable(agent: AgentOfAccount, id: number): Promise<{ tool: AgentTool; agentName: string }> {
    const found = await this.tools.invokable(agent, id);
    if (!found) throw new NotFound('Agent');
    const { tool, agentName } = found;
    if (!tool) throw new NotFound('Tool');
    return { tool, agentName };
  }

  /**
   * Applies all changes in one transaction; updates of a tool run serially. Throws NotFound, and InvalidFields (an action is invalid, the
   * name is taken, a masked header has no stored value, or the tool belongs to an MCP server, which pins all but `isActive` and the behaviour).
   */
  async update(agent: AgentOfAccount & Acting, id: number, changes: ToolChanges): Promise<ToolView> {
    const { actions, behaviour, agentIds, ...fields } = changes;
    if (actions) this.checkActions(actions);
    const changed = namesOf(changes);
    if (changed.length === 0) return this.find(agent, id);
    const row = await this.database.entityTransaction(async (tx) => {
      const stored = await this.row(agent, id, tx);
      refusePinned(stored, changed);
      const merged = behaviour && { ...stored.behaviour, ...behaviour };
      checkBehaviour(merged ?? stored.behaviour, fields.parameters ?? stored.parameters);
      const updated = await withFreeName(fields.name, () =>
        this.tools.update(agent, id, { ...fields, behaviour: merged }, tx),
      );
      if (!updated) throw new NotFound('Tool');
      if (agentIds) await this.share(agent, agentIds, { id, name: fields.name ?? stored.name }, tx);
      if (actions) await this.replaceActions(await this.row(agent, id, tx), { ...agent, actions }, tx);
      await this.record(agent, 'tool.updated', { id, changed }, tx);
      return this.row(agent, id, tx);
    });
    return toolView(row, this.encryption);
  }

  /** Removes a tool with its actions. Throws NotFound, and Conflict for a tool of an MCP server. */
  async delete(agent: AgentOfAccount & Acting, id: number): Promise<void> {
    await this.database.entityTransaction(async (tx) => {
      if ((await this.row(agent, id, tx)).mcpServerId !== null)
        throw new Conflict(
          'The tool belongs to an MCP server. Deactivate it, leave it out of the tools of the server, or delete the server.',
        );
      const deleted = await this.tools.delete(agent, id, tx);
      if (!deleted) throw new NotFound('Tool');
      await this.record(agent, 'tool.deleted', { id, ...deleted }, tx);
    });
  }

  private async insert(
    agent: AgentOfAccount & Acting,
    tool: NewTool,
    headers: ActionHeader[][],
    tx: EntityTransaction,
  ): Promise<ToolView> {
    await this.holdRoom(agent, tx);
    const id = await withFreeName(tool.name, () => this.tools.insert(agent, tool, tx));
    if (tool.agentIds.length > 0) await this.share(agent, tool.agentIds, { id, name: tool.name }, tx);
    await this.insertActions({ accountId: agent.accountId, toolId: id }, tool.actions, headers, tx);
    await this.record(agent, 'tool.created', { id, name: tool.name }, tx);
    return toolView(await this.row(agent, id, tx), this.encryption);
  }

  /** Serialises creations, so that the second of two concurrent ones counts the first. */
  private async holdRoom(agent: AgentOfAccount, tx: EntityTransaction): Promise<void> {
    if (!(await this.existence.lock(agent.accountId, 'agents', agent.agentId, tx))) throw new NotFound('Agent');
    if ((await this.tools.count(agent, tx)) < TOOLS_PER_AGENT) return;
    throw new Conflict(`The agent has ${TOOLS_PER_AGENT} tools, which is the most. Delete one first.`);
  }

  /** Replaces the agents that use a tool beside its owner. Throws InvalidFields for agents that do not exist, or have no room or the name. */
  private async share(
    { accountId, agentId: owner }: AgentOfAccount,
    agentIds: readonly number[],
    tool: { id: number; name: string },
    tx: EntityTransaction,
  ): Promise<void> {
    const everyone = [...new Set([owner, ...agentIds])];
    const existing = await this.existence.lockAll(accountId, 'agents', everyone, tx);
    const named = await this.tools.agentsWithName(accountId, everyone, tool, tx);
    refuseEntries('agent_ids', agentIds, (id) => {
      if (!existing.has(id)) return noRecord('agent', id);
      return named.has(id) ? withCode('taken', `The agent has another tool named ${tool.name}.`) : undefined;
    });
    await this.tools.share(accountId, tool, everyone, tx);
    const counts = await this.tools.counts(accountId, everyone, tx);
    refuseEntries('agent_ids', agentIds, (id) =>
      (counts.get(id) ?? 0) > TOOLS_PER_AGENT
        ? withCode('limit_reached', `The agent has ${TOOLS_PER_AGENT} tools, which is the maximum.`)
        : undefined,
    );
  }

  private async row(agent: AgentOfAccount, id: number, tx?: EntityTransaction): Promise<ToolEntity> {
    const row = await this.tools.find(agent, id, tx);
    if (!row) throw new NotFound('Tool');
    return row;
  }

  /** The row of the tool is locked, so the stored actions do not change meanwhile. */
  private async replaceActions(
    tool: ToolEntity,
    { accountId, actions }: { accountId: number; actions: readonly NewAction[] },
    tx: EntityTransaction,
  ): Promise<void> {
    const stored = tool.actions.map((action) => ({
      name: action.name,
      url: action.url,
      headers: decryptActionHeaders(this.encryption, action),
    }));
    const headers = mergeMaskedHeaders(actions, stored);
    await this.tools.deleteActions(accountId, tool.id, tx);
    await this.insertActions({ accountId, toolId: tool.id }, actions, headers, tx);
  }

  private insertActions(
    tool: { accountId: number; toolId: number },
    actions: readonly NewAction[],
    headers: readonly ActionHeader[][],
    tx: EntityTransaction,
  ): Promise<void> {
    const encrypted = actions.map((action, index) => ({
      ...action,
      headersEncrypted: encryptActionHeaders(this.encryption, headers[index] ?? []),
    }));
    return this.tools.insertActions(tool, encrypted, tx);
  }

  private record(
    agent: AgentOfAccount & Acting,
    action: AuditAction,
    { id, ...details }: { id: number } & Record<string, unknown>,
    tx: EntityTransaction,
  ): Promise<void> {
    return this.audit.recordOfAgent(agent, { action, subject: { kind: 'tool', id }, details }, tx);
  }

  private checkActions(actions: readonly NewAction[]): void {
    const problems = actionProblems(actions, this.urlRules);
    if (Object.keys(problems).length > 0) throw new InvalidFields(problems);
  }
}

/** The answer is stored without the values of headers, which a repetition contains. */
const withoutHeaders = (view: ToolView): ToolView => ({
  ...view,
  webhook_actions: view.webhook_actions.map((action) => ({ ...action, headers: null })),
});

function withHeadersOf(tool: NewTool, view: ToolView): ToolView {
  const shown = tool.actions.map((action) => shownHeaders(actionHeaders(action)));
  const actions = view.webhook_actions.map((action, index) => ({ ...action, headers: shown[index] ?? null }));
  return { ...view, webhook_actions: actions };
}

/** The given fields; those of the behaviour by their own names. */
function namesOf({ behaviour, ...fields }: ToolChanges): string[] {
  const given = Object.entries({ ...fields, ...behaviour });
  return given.flatMap(([field, value]) => (value === undefined ? [] : [field]));
}

function checkBehaviour(behaviour: Partial<ToolBehaviour> | null, parameters: JsonSchema): void {
  const problems = behaviourProblems(behaviourOf(behaviour), parameters);
  if (Object.keys(problems).length > 0) throw new InvalidFields(problems);
}

/** The fields of a request by the names of the API. */
const API_NAMES: Record<string, string> = { actions: 'webhook_actions', agentIds: 'agent_ids' };

/** Throws InvalidFields for changes of a tool that an MCP server defines: its behaviour in the conversation is the agent's. */
function refusePinned({ mcpServerId }: ToolEntity, changed: readonly string[]): void {
  const fixed =
    mcpServerId === null ? [] : changed.filter((field) => field !== 'isActive' && !(field in DEFAULT_BEHAVIOUR));
  if (fixed.length === 0) return;
  const errors = fixed.map((field) => [
    API_NAMES[field] ?? field,
    ['The tool belongs to an MCP server, which defines it.'],
  ]);
  throw new InvalidFields(Object.fromEntries(errors) as Record<string, string[]>);
}

/** An agent has one tool of a name, also a shared one. */
const NAMES = ['tools_name', 'tool_agents_name'];

/** Runs a statement that writes a name. The unique index detects another tool of this name, even a concurrent creation. */
async function withFreeName<T>(name: string | undefined, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!NAMES.some((constraint) => hasCode(error, UNIQUE_VIOLATION, constraint))) throw error;
    throw new InvalidFields({ name: [withCode('taken', `The agent has another tool named ${name}.`)] });
  }
}
