import { AccountsService } from '@app/accounts';
import { type Acting, type AuditAction, AuditService } from '@app/audit';
import { type AgentOfAccount, InvalidFields, isoTime, NotFound, withCode } from '@app/common';
import {
  Database,
  type EntityTransaction,
  hasCode,
  type IdempotencyKey,
  IdempotencyRepository,
  UNIQUE_VIOLATION,
} from '@app/database';
import { mergeRedaction, type Redaction } from '@app/privacy';
import { McpServerListsService } from '@app/tools';
import { Injectable } from '@nestjs/common';
import { AgentChangesService, type Publisher } from './agent-changes.service.js';
import { AgentFieldsService } from './agent-fields.service.js';
import type { AgentEntity } from './agent.entity.js';
import type { AgentView } from './agent.presenter.js';
import { AgentsRepository, type ListedAgent, type NamedAgent, type StoredAgentSettings } from './agents.repository.js';
import { readRequest } from './schemas/agent-request.js';
import { agentChange, agentRequest } from './schemas/agent-schema.js';

/** A stored agent, and the names of the fields that the request had in addition. */
export interface SavedAgent {
  view: AgentView;
  ignored: string[];
  /** The request was a repetition: this is the answer to the first request. */
  replayed: boolean;
}

/** The settings of an agent for a simulation or a preview, and the redaction of its account. */
export interface AgentSettings extends StoredAgentSettings {
  account_redaction: Redaction | null;
}

/** Lists, finds, creates and changes agents, with the MCP servers of their list `tools`. */
@Injectable()
export class AgentsService {
  constructor(
    private readonly database: Database,
    private readonly agents: AgentsRepository,
    private readonly accounts: AccountsService,
    private readonly changes: AgentChangesService,
    private readonly fields: AgentFieldsService,
    private readonly idempotency: IdempotencyRepository,
    private readonly audit: AuditService,
    private readonly mcpServers: McpServerListsService,
  ) {}

  /** A page of the account's agents by name; `search`: part of the name. */
  async list(
    accountId: number,
    place: { page: number; perPage: number },
    search?: string,
  ): Promise<{ agents: AgentSummaryView[]; total: number }> {
    const [agents, total] = await this.agents.page(accountId, place, search);
    return { agents: agents.map(agentSummary), total };
  }

  /** Throws NotFound. */
  async find(agent: AgentOfAccount): Promise<AgentView> {
    return this.view(found(await this.agents.find(agent)));
  }

  /** Throws InvalidFields, and Conflict when the key was used with another body. */
  async create({ accountId, actor }: Acting, body: unknown, key?: IdempotencyKey): Promise<SavedAgent> {
    const { fields, ignored } = readRequest(agentRequest, body);
    await this.fields.check(fields);
    type CheckedTools = Awaited<ReturnType<McpServerListsService['check']>> | undefined;
    const check = async () => fields.tools && (await this.mcpServers.check({ accountId }, fields.tools));
    const create = async (tx: EntityTransaction, tools: CheckedTools) => {
      const columns = await this.fields.columns(accountId, fields, null, tx);
      const identity = { accountId, name: fields.name };
      const by = { actor, passed: new Set<string>() };
      const wanted = { columns, scenarios: fields.scenarios };
      const { id } = await this.changes.save(null, identity, wanted, by, tx);
      await this.record({ accountId, actor }, 'agent.created', { id, name: fields.name }, tx);
      if (tools) await this.mcpServers.save({ accountId, actor, agentId: id }, tools, tx);
      return this.view(found(await this.agents.find({ accountId, agentId: id }, tx)), tx);
    };
    try {
      const { answer, replayed } = await this.idempotency.createOnce(accountId, key, create, check);
      return { view: answer, ignored, replayed };
    } catch (error) {
      throw nameTaken(error, fields.name);
    }
  }

  /** Applies the given fields; a change of the settings is a new version. Throws NotFound, InvalidFields and ScenariosRequired. */
  async update(agent: AgentOfAccount, body: unknown, by: Publisher): Promise<SavedAgent> {
    const { fields, ignored } = readRequest(agentChange, body);
    await this.fields.check(fields);
    const { accountId, agentId } = agent;
    const tools = fields.tools && (await this.mcpServers.check(agent, fields.tools));
    try {
      const view = await this.database.entityTransaction(async (tx) => {
        const stored = found(await this.agents.lock({ accountId, id: agentId }, tx));
        const columns = await this.fields.columns(accountId, fields, stored, tx);
        const identity = { accountId, name: stored.name };
        const wanted = { columns: { ...columns, name: fields.name }, scenarios: fields.scenarios };
        const { changes } = await this.changes.save(stored, identity, wanted, by, tx);
        const details = { id: agentId, name: fields.name ?? stored.name, changed: changes.map(({ column }) => column) };
        if (changes.length > 0) await this.record({ accountId, actor: by.actor }, 'agent.updated', details, tx);
        if (tools) await this.mcpServers.save({ accountId, agentId, actor: by.actor }, tools, tx);
        return this.view(found(await this.agents.find(agent, tx)), tx);
      });
      return { view, ignored, replayed: false };
    } catch (error) {
      throw nameTaken(error, fields.name);
    }
  }

  /** The settings of an agent for a simulation. undefined: the account has no such agent. */
  async settings(accountId: number, agentId: number): Promise<AgentSettings | undefined> {
    const found = await this.agents.settings(accountId, agentId);
    return found && { ...found, account_redaction: await this.accounts.redaction(accountId) };
  }

  /** The same of an active agent. */
  async liveSettings(accountId: number, agentId: number): Promise<AgentSettings | undefined> {
    const settings = await this.settings(accountId, agentId);
    return settings?.active ? settings : undefined;
  }

  /** What is removed from everything that is stored about conversations with the agent; `version`: columns that replace the current ones. */
  async redaction(
    { accountId, agentId }: AgentOfAccount,
    version?: Record<string, unknown>,
  ): Promise<Redaction | null> {
    const found = await this.settings(accountId, agentId);
    if (!found) throw new NotFound('Agent');
    const { account_redaction: account, redaction: agent }: AgentSettings = { ...found, ...version };
    return mergeRedaction(account, agent);
  }

  /** Up to two agents of any account, for the command line: `account` is a name, `agent` a name or an id; undefined matches all. */
  async named(account: string | undefined, agent: string | undefined): Promise<NamedAgent[]> {
    if (account === undefined) return this.agents.named(undefined, agent);
    const accountId = await this.accounts.idByName(account);
    return accountId === undefined ? [] : this.agents.named(accountId, agent);
  }

  /** The first active agent of an account; undefined: it has none. */
  firstActive(accountId: number): Promise<number | undefined> {
    return this.agents.firstActive(accountId);
  }

  private async view(agent: AgentEntity, tx?: EntityTransaction): Promise<AgentView> {
    const scenarios = await this.agents.scenariosOf({ accountId: agent.accountId, agentId: agent.id }, tx);
    return this.fields.view(agent, scenarios);
  }

  private record(
    { accountId, actor }: Acting,
    action: AuditAction,
    { id, ...details }: { id: number } & Record<string, unknown>,
    tx: EntityTransaction,
  ): Promise<void> {
    return this.audit.record({ accountId, actor, action, subject: { kind: 'agent', id }, details }, tx);
  }
}

/** Throws NotFound. */
function found(agent: AgentEntity | undefined): AgentEntity {
  if (!agent) throw new NotFound('Agent');
  return agent;
}

/** The unique index detects another agent of this name, even a concurrent creation. */
function nameTaken(error: unknown, name: string | undefined): unknown {
  if (!hasCode(error, UNIQUE_VIOLATION, 'agents_account_id_name_key')) return error;
  return new InvalidFields({ name: [withCode('taken', `The account has another agent named ${name}.`)] });
}

/** An agent as the API shows it, without instructions and webhooks. */
const agentSummary = (agent: ListedAgent) => ({
  id: agent.id,
  name: agent.name,
  provider: agent.provider,
  active: agent.active,
  greeting: agent.greeting,
  max_call_seconds: agent.maxCallSeconds,
  ring_timeout_seconds: agent.ringTimeoutSeconds,
  transfer_enabled: agent.transferEnabled,
  version: agent.version,
  created_at: isoTime(agent.createdAt),
  updated_at: isoTime(agent.updatedAt),
});

export type AgentSummaryView = ReturnType<typeof agentSummary>;
