import type { AgentOfAccount } from '@app/common';
import { Database, type EntityTransaction, entityPage } from '@app/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type QueryDeepPartialEntity, Repository } from 'typeorm';
import { AgentEntity } from '../agent.entity.js';
import { AgentVersionEntity, type VersionSettings } from './agent-version.entity.js';

/** Columns of `agents` that are not settings of a version. */
const UNVERSIONED: ReadonlySet<keyof AgentEntity> = new Set([
  ...(['id', 'accountId', 'name', 'active', 'knowledgeVersion', 'version', 'lastVersion'] as const),
  ...(['canaryVersion', 'canaryPercent', 'publishRequires', 'createdAt', 'updatedAt'] as const),
]);

/** Columns of a list: settings may be long. */
const LISTED = ['id', 'version', 'state', 'note', 'createdByKind', 'createdById', 'createdAt', 'publishedAt'] as const;

/** Superseded versions that an agent keeps. */
const KEPT = 100;

// SQL, because TypeORM has no DELETE of a query's rows.
const DELETE_OLD = {
  name: 'delete-old-agent-versions',
  text: `DELETE FROM agent_versions v USING (
      SELECT version FROM agent_versions WHERE agent_id = $1 AND state = 'superseded' ORDER BY version DESC OFFSET ${KEPT}) old
    WHERE v.agent_id = $1 AND v.version = old.version AND v.version <> ALL ($2::integer[])`,
};

/** The versions of agents: drafts, published and superseded settings. */
@Injectable()
export class AgentVersionsRepository {
  constructor(
    private readonly database: Database,
    @InjectRepository(AgentEntity) private readonly agents: Repository<AgentEntity>,
    @InjectRepository(AgentVersionEntity) private readonly versions: Repository<AgentVersionEntity>,
  ) {}

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
    // Versions of earlier releases have no flow: they must not take over that of the current one.
    const absent = columns.length === 0 ? {} : { flow: null, handoffs: [] };
    return {
      ...absent,
      ...Object.fromEntries(columns.map(({ databaseName, propertyName }) => [propertyName, settings[databaseName]])),
    };
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

  /** Deletes superseded versions beyond the newest 100, except some. */
  async deleteOld(agentId: number, except: readonly number[], tx: EntityTransaction): Promise<void> {
    await this.database.rows(DELETE_OLD, [agentId, except], tx);
  }
}
