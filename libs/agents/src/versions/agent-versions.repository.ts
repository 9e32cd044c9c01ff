import { Database, type EntityTransaction, entityPage } from '@app/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type FindOptionsWhere, type QueryDeepPartialEntity, Repository } from 'typeorm';
import { PhoneNumberEntity } from '@app/accounts';
import { AgentEntity } from '../agent.entity.js';
import { AgentScenarioEntity, AgentVersionEntity, type VersionSettings } from './agent-version.entity.js';

export interface AgentOfAccount {
  accountId: number;
  agentId: number;
}

/** Columns of `agents` that are not settings of a version. */
const UNVERSIONED: ReadonlySet<keyof AgentEntity> = new Set([
  ...(['id', 'accountId', 'name', 'active', 'knowledgeVersion', 'version', 'lastVersion'] as const),
  ...(['canaryVersion', 'canaryPercent', 'publishRequires', 'createdAt', 'updatedAt'] as const),
]);

/** Columns of a list: settings may be long. */
const LISTED = ['id', 'version', 'state', 'note', 'createdByKind', 'createdById', 'createdAt', 'publishedAt'] as const;

/** Superseded versions that an agent keeps. */
const KEPT = 100;

const DELETE_OLD = {
  name: 'delete-old-agent-versions',
  text: `DELETE FROM agent_versions v USING (
      SELECT version FROM agent_versions WHERE agent_id = $2 AND state = 'superseded' ORDER BY version DESC OFFSET ${KEPT}) old
    WHERE v.agent_id = $2 AND v.version = old.version
      AND NOT EXISTS (SELECT 1 FROM calls c WHERE c.account_id = $1 AND c.agent_id = $2 AND c.agent_version = v.version
        AND c.owner IS NOT NULL AND c.ended_at IS NULL)
      AND NOT EXISTS (SELECT 1 FROM calls c WHERE c.account_id = $1 AND c.agent_id = $2 AND c.agent_version = v.version
        AND c.status = 'pending' AND c.owner IS NULL)`,
};

/** The partial indexes of live and queued calls answer it. */
const HAS_ACTIVE_CALLS = {
  name: 'agent-has-active-calls',
  text: `SELECT 1 WHERE
      EXISTS (SELECT 1 FROM calls WHERE account_id = $1 AND agent_id = $2 AND owner IS NOT NULL AND ended_at IS NULL)
      OR EXISTS (SELECT 1 FROM calls WHERE account_id = $1 AND agent_id = $2 AND status = 'pending' AND owner IS NULL)`,
};

type AgentScenario = Pick<AgentScenarioEntity, 'name' | 'scenario'>;

/** The rows of agents that the API changes, their versions and their scenarios. */
@Injectable()
export class AgentVersionsRepository {
  constructor(
    private readonly database: Database,
    @InjectRepository(AgentEntity) private readonly agents: Repository<AgentEntity>,
    @InjectRepository(AgentVersionEntity) private readonly versions: Repository<AgentVersionEntity>,
    @InjectRepository(AgentScenarioEntity) private readonly scenarios: Repository<AgentScenarioEntity>,
  ) {}

  async agent({ accountId, agentId }: AgentOfAccount, tx?: EntityTransaction): Promise<AgentEntity | undefined> {
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

  async insertAgent(row: Partial<AgentEntity>, tx: EntityTransaction): Promise<number> {
    const { identifiers } = await tx.manager.insert(AgentEntity, row as QueryDeepPartialEntity<AgentEntity>);
    return (identifiers[0] as { id: number }).id;
  }

  async updateAgent(id: number, columns: Partial<AgentEntity>, tx: EntityTransaction): Promise<void> {
    await tx.manager.update(AgentEntity, id, columns as QueryDeepPartialEntity<AgentEntity>);
  }

  async deleteAgent(id: number, tx: EntityTransaction): Promise<void> {
    await tx.manager.delete(AgentEntity, id);
  }

  async hasActiveCalls({ accountId, agentId }: AgentOfAccount, tx: EntityTransaction): Promise<boolean> {
    return (await this.database.rows(HAS_ACTIVE_CALLS, [accountId, agentId], tx)).length > 0;
  }

  /** Whether the account has the phone number. */
  hasNumber(accountId: number, id: number, tx: EntityTransaction): Promise<boolean> {
    return tx.manager.existsBy(PhoneNumberEntity, { accountId, id });
  }

  columnOf(property: string): string {
    return this.agents.metadata.findColumnWithPropertyName(property)?.databaseName ?? property;
  }

  /** Whether a property is a setting of a version. */
  isVersioned(property: string): boolean {
    return !UNVERSIONED.has(property as keyof AgentEntity);
  }

  /** The settings of the agent by column. */
  settingsOf(agent: AgentEntity): VersionSettings {
    const columns = this.agents.metadata.columns.filter(({ propertyName }) => this.isVersioned(propertyName));
    return Object.fromEntries(
      columns.map(({ databaseName, propertyName }) => [databaseName, agent[propertyName as keyof AgentEntity]]),
    );
  }

  /** The stored settings as properties of the agent. */
  propertiesOf(settings: VersionSettings): Partial<AgentEntity> {
    const columns = this.agents.metadata.columns.filter(({ databaseName }) => Object.hasOwn(settings, databaseName));
    return Object.fromEntries(columns.map(({ databaseName, propertyName }) => [propertyName, settings[databaseName]]));
  }

  page(
    { accountId, agentId }: AgentOfAccount,
    { page, perPage }: { page: number; perPage: number },
  ): Promise<[AgentVersionEntity[], number]> {
    const versions = this.versions.createQueryBuilder('version').select(LISTED.map((column) => `version.${column}`));
    const place = { limit: perPage, offset: (page - 1) * perPage };
    return entityPage(versions.where({ accountId, agentId }).orderBy('version.version', 'DESC'), place);
  }

  async version(
    { accountId, agentId }: AgentOfAccount,
    version: number,
    tx?: EntityTransaction,
  ): Promise<AgentVersionEntity | undefined> {
    const versions = tx?.manager.getRepository(AgentVersionEntity) ?? this.versions;
    return (await versions.findOneBy({ accountId, agentId, version })) ?? undefined;
  }

  async insertVersion(row: Partial<AgentVersionEntity>, tx: EntityTransaction): Promise<void> {
    await tx.manager.insert(AgentVersionEntity, row as QueryDeepPartialEntity<AgentVersionEntity>);
  }

  async updateVersion(
    agentId: number,
    version: number,
    columns: Partial<AgentVersionEntity>,
    tx: EntityTransaction,
  ): Promise<void> {
    const changed = columns as QueryDeepPartialEntity<AgentVersionEntity>;
    await tx.manager.update(AgentVersionEntity, { agentId, version }, changed);
  }

  async deleteVersion(agentId: number, version: number, tx: EntityTransaction): Promise<void> {
    await tx.manager.delete(AgentVersionEntity, { agentId, version });
  }

  countDrafts(agentId: number, tx: EntityTransaction): Promise<number> {
    return tx.manager.countBy(AgentVersionEntity, { agentId, state: 'draft' });
  }

  /** Deletes superseded versions beyond the newest 100, except those of active calls. */
  async deleteOld({ accountId, agentId }: AgentOfAccount, tx: EntityTransaction): Promise<void> {
    await this.database.rows(DELETE_OLD, [accountId, agentId], tx);
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
