import { type Acting, type AuditAction, AuditService } from '@app/audit';
import { Conflict, InvalidFields, NotFound } from '@app/common';
import { Database, type EntityTransaction, type IdempotencyKey, IdempotencyRepository } from '@app/database';
import { Injectable } from '@nestjs/common';
import { type AgentChange, agentChange, type AgentRequest, agentRequest } from './schemas/agent-schema.js';
import type { AgentEntity } from './agent.entity.js';
import { AgentChangesService, type Publisher } from './agent-changes.service.js';
import { AgentFieldsService, type ScriptChecks } from './agent-fields.service.js';
import { readRequest } from './schemas/agent-request.js';
import { type AgentOfAccount, AgentVersionsRepository } from './versions/agent-versions.repository.js';
import type { CheckTools } from './agent-tools.js';
import type { AgentView } from './agent.presenter.js';

/** A stored agent, and the names of the fields that the request had in addition. */
export interface SavedAgent {
  view: AgentView;
  ignored: string[];
  /** The request was a repetition: this is the answer to the first request. */
  replayed: boolean;
}

/** The checks of other libraries. */
interface Checks {
  checks: ScriptChecks;
  checkTools: CheckTools;
}

const UNIQUE_VIOLATION = '23505';
const FOREIGN_KEY_VIOLATION = '23503';

/** Creates, reads, changes and deletes agents. */
@Injectable()
export class AgentRecordsService {
  constructor(
    private readonly database: Database,
    private readonly records: AgentVersionsRepository,
    private readonly changes: AgentChangesService,
    private readonly fields: AgentFieldsService,
    private readonly idempotency: IdempotencyRepository,
    private readonly audit: AuditService,
  ) {}

  /** Throws NotFound. */
  async find(agent: AgentOfAccount): Promise<AgentView> {
    return this.view(found(await this.records.agent(agent)));
  }

  /** Throws InvalidFields, and Conflict when the key was used with another body. */
  async create(
    { accountId, actor }: Acting,
    body: unknown,
    { checks, checkTools, key }: Checks & { key?: IdempotencyKey },
  ): Promise<SavedAgent> {
    const { fields, ignored } = readRequest<AgentRequest>(agentRequest, body);
    this.fields.check(fields, checks);
    // A repetition returns the stored answer, even when a server cannot be reached any more.
    const isRepeated = key !== undefined && (await this.idempotency.find(accountId, key)) !== undefined;
    const saveTools = fields.tools && !isRepeated ? await checkTools({ accountId }, fields.tools) : undefined;
    try {
      const { answer, replayed } = await this.idempotency.createOnce(accountId, key, async (tx) => {
        const columns = await this.fields.columns(accountId, fields, null, tx);
        const identity = { accountId, name: fields.name };
        const by = { actor, passed: new Set<string>() };
        const wanted = { columns, scenarios: fields.scenarios };
        const { id } = await this.changes.save(null, identity, wanted, by, tx);
        await this.record({ accountId, actor }, 'agent.created', { id, name: fields.name }, tx);
        await saveTools?.({ accountId, actor, agentId: id }, tx);
        return this.view(found(await this.records.agent({ accountId, agentId: id }, tx)), tx);
      });
      return { view: answer, ignored, replayed };
    } catch (error) {
      throw nameTaken(error, fields.name);
    }
  }

  /** Applies the given fields; a change of the settings is a new version. Throws NotFound, InvalidFields and ScenariosRequired. */
  async update(
    agent: AgentOfAccount,
    body: unknown,
    { checks, checkTools }: Checks,
    by: Publisher,
  ): Promise<SavedAgent> {
    const { fields, ignored } = readRequest<AgentChange>(agentChange, body);
    this.fields.check(fields, checks);
    const { accountId, agentId } = agent;
    const saveTools = fields.tools && (await checkTools(agent, fields.tools));
    try {
      const view = await this.database.entityTransaction(async (tx) => {
        const stored = found(await this.records.lock({ accountId, id: agentId }, tx));
        const columns = await this.fields.columns(accountId, fields, stored, tx);
        const identity = { accountId, name: stored.name };
        const wanted = { columns: { ...columns, name: fields.name }, scenarios: fields.scenarios };
        const { changes } = await this.changes.save(stored, identity, wanted, by, tx);
        const details = { id: agentId, name: fields.name ?? stored.name, changed: changes.map(({ column }) => column) };
        if (changes.length > 0) await this.record({ accountId, actor: by.actor }, 'agent.updated', details, tx);
        await saveTools?.({ accountId, agentId, actor: by.actor }, tx);
        return this.view(found(await this.records.agent(agent, tx)), tx);
      });
      return { view, ignored, replayed: false };
    } catch (error) {
      throw nameTaken(error, fields.name);
    }
  }

  /** Deactivates an agent without active calls, so that it gets no new ones. Throws NotFound, and Conflict. */
  async deactivate(agent: AgentOfAccount): Promise<void> {
    await this.database.entityTransaction(async (tx) => {
      await this.lockIdle(agent, tx);
      await this.records.updateAgent(agent.agentId, { active: false }, tx);
    });
  }

  /**
   * Deletes an agent with its tools, versions and scenarios; its calls remain. Its own knowledge bases must have been deleted. Throws
   * NotFound, and Conflict while it has active calls.
   */
  async delete(agent: AgentOfAccount & Acting): Promise<void> {
    try {
      await this.database.entityTransaction((tx) => this.deleteWithin(agent, tx));
    } catch (error) {
      if ((error as { code?: unknown }).code !== FOREIGN_KEY_VIOLATION) throw error;
      throw new Conflict('A knowledge base was added to the agent at the same time. Delete the agent again.');
    }
  }

  /** `delete` in the transaction of a workspace file. */
  async deleteWithin({ accountId, actor, agentId }: AgentOfAccount & Acting, tx: EntityTransaction): Promise<void> {
    const { name } = await this.lockIdle({ accountId, agentId }, tx);
    await this.records.deleteAgent(agentId, tx);
    await this.record({ accountId, actor }, 'agent.deleted', { id: agentId, name }, tx);
  }

  private async lockIdle(agent: AgentOfAccount, tx: EntityTransaction): Promise<AgentEntity> {
    const { accountId, agentId } = agent;
    const stored = found(await this.records.lock({ accountId, id: agentId }, tx, 'pessimistic_write'));
    if (await this.records.hasActiveCalls(agent, tx))
      throw new Conflict(
        'An agent with active or queued calls cannot be deleted. Wait for them to end, or cancel them.',
      );
    return stored;
  }

  private async view(agent: AgentEntity, tx?: EntityTransaction): Promise<AgentView> {
    const scenarios = await this.records.scenariosOf({ accountId: agent.accountId, agentId: agent.id }, tx);
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
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  if (code !== UNIQUE_VIOLATION || constraint !== 'agents_account_id_name_key') return error;
  return new InvalidFields({ name: [`The account has another agent named ${name}.`] });
}
