import type { AgentHandoff, Flow } from '@app/flow';
import { containing, Database, entityPage, type EntityTransaction } from '@app/database';
import type { Redaction } from '@app/privacy';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type FindOptionsWhere, In, type QueryDeepPartialEntity, Repository } from 'typeorm';
import type { AgentOfAccount } from '@app/common';
import type { StoredDisclosure } from './domain/disclosure.js';
import type { VariableDeclaration } from './domain/variables.js';
import {
  type StoredGuardrail,
  AgentEntity,
  type StoredAnsweringMachine,
  type StoredConversation,
  type StoredDigitInput,
  type StoredProviderOptions,
} from './agent.entity.js';
import { AgentScenarioEntity } from './versions/agent-version.entity.js';

/** Columns of a list: instructions may be long, webhooks hold secrets. */
const LISTED = [
  'id',
  'name',
  'provider',
  'active',
  'greeting',
  'maxCallSeconds',
  'ringTimeoutSeconds',
  'transferEnabled',
  'version',
  'createdAt',
  'updatedAt',
] as const;

export type ListedAgent = Pick<AgentEntity, (typeof LISTED)[number]>;

/** The settings of an agent for a simulation or a preview. */
export interface StoredAgentSettings extends Record<string, unknown> {
  name: string;
  provider: string;
  provider_options: StoredProviderOptions;
  instructions: string;
  greeting: string;
  conversation: StoredConversation | null;
  answering_machine: StoredAnsweringMachine | null;
  variables: VariableDeclaration[];
  timezone: string | null;
  max_call_seconds: number;
  /** Transfer is enabled and has a destination. */
  transfer_enabled: boolean;
  do_not_call_tool: boolean;
  pause_recording_tool: boolean;
  digit_inputs: StoredDigitInput[];
  guardrails: StoredGuardrail[];
  disclosure: StoredDisclosure[];
  redaction: Redaction | null;
  flow: Flow | null;
  handoffs: AgentHandoff[];
  active: boolean;
}

// Prepared: read before every simulation and preview.
const SETTINGS = {
  name: 'agent-settings',
  text: `SELECT a.name, a.provider, a.provider_options, a.instructions, a.greeting, a.conversation, a.answering_machine,
      a.variables, a.timezone, a.max_call_seconds, a.do_not_call_tool, a.pause_recording_tool, a.digit_inputs, a.guardrails, a.disclosure,
      a.transfer_enabled AND (a.transfer_phone_number IS NOT NULL OR a.transfer_options ? 'destinations') AS transfer_enabled,
      a.redaction, a.flow, a.handoffs, a.active
    FROM agents a WHERE a.account_id = $1 AND a.id = $2`,
};

const HANDING_OVER = {
  name: 'agents-handing-over',
  text: `SELECT name FROM agents WHERE account_id = $1 AND id <> $2
      AND (handoffs @> jsonb_build_array(jsonb_build_object('agent', $2::integer))
        OR flow -> 'steps' @> jsonb_build_array(jsonb_build_object('handoff', jsonb_build_object('agent', $2::integer))))
    ORDER BY name LIMIT 5`,
};

export interface NamedAgent extends AgentOfAccount {
  name: string;
}

type AgentScenario = Pick<AgentScenarioEntity, 'name' | 'scenario'>;

/** The rows of agents, and their scenarios. */
@Injectable()
export class AgentsRepository {
  constructor(
    private readonly database: Database,
    @InjectRepository(AgentEntity) private readonly agents: Repository<AgentEntity>,
    @InjectRepository(AgentScenarioEntity) private readonly scenarios: Repository<AgentScenarioEntity>,
  ) {}

  /** By name; `search`: part of the name. */
  page(
    accountId: number,
    { page, perPage }: { page: number; perPage: number },
    search?: string,
  ): Promise<[ListedAgent[], number]> {
    const agents = this.agents.createQueryBuilder('agent').select(LISTED.map((column) => `agent.${column}`));
    const place = { limit: perPage, offset: (page - 1) * perPage };
    agents.where({ accountId });
    if (search !== undefined) agents.andWhere('agent.name ILIKE :name', { name: containing(search) });
    return entityPage(agents.orderBy('agent.name'), place);
  }

  async settings(accountId: number, agentId: number): Promise<StoredAgentSettings | undefined> {
    const [found] = await this.database.rows<StoredAgentSettings>(SETTINGS, [accountId, agentId]);
    return found;
  }

  /** The agents of an account by name, for a workspace file; 10,000 at most. */
  all(accountId: number, tx: EntityTransaction): Promise<AgentEntity[]> {
    return tx.manager.find(AgentEntity, { where: { accountId }, order: { name: 'ASC' }, take: 10_000 });
  }

  /** Up to two agents by a name or an id: of an account, or of any; undefined matches all. */
  async named(accountId: number | undefined, agent: string | undefined): Promise<NamedAgent[]> {
    const query = this.agents.createQueryBuilder('agent').select(['agent.id', 'agent.accountId', 'agent.name']);
    if (accountId !== undefined) query.andWhere({ accountId });
    if (agent !== undefined) query.andWhere('(agent.name = :agent OR agent.id::text = :agent)', { agent });
    const found = await query.orderBy('agent.id').limit(2).getMany();
    return found.map(({ id, accountId: account, name }) => ({ accountId: account, agentId: id, name }));
  }

  /** The first active agent of an account. */
  async firstActive(accountId: number): Promise<number | undefined> {
    const where = { accountId, active: true };
    return (await this.agents.findOne({ where, select: { id: true }, order: { id: 'ASC' } }))?.id;
  }

  async find({ accountId, agentId }: AgentOfAccount, tx?: EntityTransaction): Promise<AgentEntity | undefined> {
    const agents = tx?.manager.getRepository(AgentEntity) ?? this.agents;
    return (await agents.findOneBy({ accountId, id: agentId })) ?? undefined;
  }

  /** Locks the agent against other changes; calls may still be created. */
  async lock(
    where: FindOptionsWhere<AgentEntity>,
    tx: EntityTransaction,
    mode: 'for_no_key_update' | 'pessimistic_write' = 'for_no_key_update',
  ): Promise<AgentEntity | undefined> {
    return (await tx.manager.findOne(AgentEntity, { where, lock: { mode } })) ?? undefined;
  }

  /**
   * Locks agents in the order of their ids, as changes of shared knowledge bases do: locked in the order of the names, both could
   * deadlock.
   */
  async lockNamed(accountId: number, names: readonly string[], tx: EntityTransaction): Promise<void> {
    await tx.manager.find(AgentEntity, {
      where: { accountId, name: In([...names]) },
      select: { id: true },
      order: { id: 'ASC' },
      lock: { mode: 'pessimistic_write' },
    });
  }

  /** The names of the agents that the account has of these. */
  async namesById(accountId: number, ids: readonly number[], tx?: EntityTransaction): Promise<Map<number, string>> {
    if (ids.length === 0) return new Map();
    const agents = tx?.manager.getRepository(AgentEntity) ?? this.agents;
    const found = await agents.find({ where: { accountId, id: In([...ids]) }, select: { id: true, name: true } });
    return new Map(found.map(({ id, name }) => [id, name]));
  }

  /** Names of other agents whose current version hands calls over to the agent; a handful. */
  async handingOverTo({ accountId, agentId }: AgentOfAccount, tx: EntityTransaction): Promise<string[]> {
    const found = await this.database.rows<{ name: string }>(HANDING_OVER, [accountId, agentId], tx);
    return found.map(({ name }) => name);
  }

  /** undefined: the account has no agent of this name. */
  async idByName(accountId: number, name: string, tx?: EntityTransaction): Promise<number | undefined> {
    const agents = tx?.manager.getRepository(AgentEntity) ?? this.agents;
    return (await agents.findOne({ where: { accountId, name }, select: { id: true } }))?.id;
  }

  async insert(row: Partial<AgentEntity>, tx: EntityTransaction): Promise<number> {
    const { identifiers } = await tx.manager.insert(AgentEntity, row as QueryDeepPartialEntity<AgentEntity>);
    return (identifiers[0] as { id: number }).id;
  }

  async update(id: number, columns: Partial<AgentEntity>, tx: EntityTransaction): Promise<void> {
    await tx.manager.update(AgentEntity, id, columns as QueryDeepPartialEntity<AgentEntity>);
  }

  async delete(id: number, tx: EntityTransaction): Promise<void> {
    await tx.manager.delete(AgentEntity, id);
  }

  async scenariosOf({ accountId, agentId }: AgentOfAccount, tx?: EntityTransaction): Promise<AgentScenario[]> {
    const scenarios = tx?.manager.getRepository(AgentScenarioEntity) ?? this.scenarios;
    const select = { name: true, scenario: true } as const;
    const found = await scenarios.find({ select, where: { accountId, agentId }, order: { name: 'ASC' } });
    return found.map(({ name, scenario }) => ({ name, scenario }));
  }

  async replaceScenarios(
    { accountId, agentId }: AgentOfAccount,
    scenarios: readonly AgentScenario[],
    tx: EntityTransaction,
  ): Promise<void> {
    await tx.manager.delete(AgentScenarioEntity, { accountId, agentId });
    if (scenarios.length === 0) return;
    const rows = scenarios.map(({ name, scenario }) => ({ accountId, agentId, name, scenario }));
    await tx.manager.insert(AgentScenarioEntity, rows as QueryDeepPartialEntity<AgentScenarioEntity>[]);
  }
}
