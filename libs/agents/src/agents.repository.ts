import { Database, entityPage, type EntityTransaction } from '@app/database';
import type { Redaction } from '@app/privacy';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type FindOptionsWhere, type QueryDeepPartialEntity, Repository } from 'typeorm';
import { PhoneNumberEntity } from '@app/accounts';
import type { AgentOfAccount } from '@app/common';
import type { VariableDeclaration } from './domain/variables.js';
import {
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
export interface AgentSettings extends Record<string, unknown> {
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
  redaction: Redaction | null;
  account_redaction: Redaction | null;
}

// Prepared: read before every simulation and preview.
const SETTINGS = {
  name: 'agent-settings',
  text: `SELECT a.name, a.provider, a.provider_options, a.instructions, a.greeting, a.conversation, a.answering_machine,
      a.variables, a.timezone, a.max_call_seconds, a.do_not_call_tool, a.pause_recording_tool, a.digit_inputs,
      a.transfer_enabled AND (a.transfer_phone_number IS NOT NULL OR a.transfer_options ? 'destinations') AS transfer_enabled,
      a.redaction, o.redaction AS account_redaction
    FROM agents a JOIN accounts o ON o.id = a.account_id WHERE a.account_id = $1 AND a.id = $2`,
};

export interface NamedAgent extends AgentOfAccount, Record<string, unknown> {
  name: string;
}

const BY_NAME = {
  text: `SELECT o.id AS "accountId", a.id AS "agentId", a.name FROM accounts o JOIN agents a ON a.account_id = o.id
    WHERE ($1::text IS NULL OR o.name = $1) AND ($2::text IS NULL OR a.name = $2 OR a.id::text = $2) ORDER BY a.id LIMIT 2`,
};

/** The partial indexes of live and queued calls answer it. */
const HAS_ACTIVE_CALLS = {
  name: 'agent-has-active-calls',
  text: `SELECT 1 WHERE
      EXISTS (SELECT 1 FROM calls WHERE account_id = $1 AND agent_id = $2 AND owner IS NOT NULL AND ended_at IS NULL)
      OR EXISTS (SELECT 1 FROM calls WHERE account_id = $1 AND agent_id = $2 AND status = 'pending' AND owner IS NULL)`,
};

type AgentScenario = Pick<AgentScenarioEntity, 'name' | 'scenario'>;

/** The rows of agents, and their scenarios. */
@Injectable()
export class AgentsRepository {
  constructor(
    private readonly database: Database,
    @InjectRepository(AgentEntity) private readonly agents: Repository<AgentEntity>,
    @InjectRepository(AgentScenarioEntity) private readonly scenarios: Repository<AgentScenarioEntity>,
  ) {}

  /** By name. */
  page(accountId: number, { page, perPage }: { page: number; perPage: number }): Promise<[ListedAgent[], number]> {
    const agents = this.agents.createQueryBuilder('agent').select(LISTED.map((column) => `agent.${column}`));
    const place = { limit: perPage, offset: (page - 1) * perPage };
    return entityPage(agents.where({ accountId }).orderBy('agent.name'), place);
  }

  async settings(accountId: number, agentId: number): Promise<AgentSettings | undefined> {
    const [found] = await this.database.rows<AgentSettings>(SETTINGS, [accountId, agentId]);
    return found;
  }

  /** The agents of an account by name, for a workspace file; 10,000 at most. */
  all(accountId: number, tx: EntityTransaction): Promise<AgentEntity[]> {
    return tx.manager.find(AgentEntity, { where: { accountId }, order: { name: 'ASC' }, take: 10_000 });
  }

  /** Up to two agents of any account: `account` is a name, `agent` a name or an id; undefined matches all. */
  named(account: string | undefined, agent: string | undefined): Promise<NamedAgent[]> {
    return this.database.rows<NamedAgent>(BY_NAME, [account ?? null, agent ?? null]);
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

  async hasActiveCalls({ accountId, agentId }: AgentOfAccount, tx: EntityTransaction): Promise<boolean> {
    return (await this.database.rows(HAS_ACTIVE_CALLS, [accountId, agentId], tx)).length > 0;
  }

  /** Whether the account has the phone number. */
  hasNumber(accountId: number, id: number, tx: EntityTransaction): Promise<boolean> {
    return tx.manager.existsBy(PhoneNumberEntity, { accountId, id });
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
