import type { Actor } from '@app/audit';
import { InvalidFields, withCode } from '@app/common';
import type { EntityTransaction } from '@app/database';
import { Injectable } from '@nestjs/common';
import { isDeepStrictEqual } from 'node:util';
import { CallsInProgressRepository, type ColumnChange, type SavedRecord } from '@app/accounts';
import type { AgentEntity } from './agent.entity.js';
import type { VersionSettings } from './versions/agent-version.entity.js';
import { AgentsRepository } from './agents.repository.js';
import { AgentVersionsRepository } from './versions/agent-versions.repository.js';
import type { ScenarioView } from './agent.presenter.js';
import { ScenariosRequired } from './domain/required-scenarios.js';

/** The wanted state of an agent. */
interface WantedAgent {
  /** Undefined ones stay unchanged. */
  columns: Partial<AgentEntity>;
  /** Replace the stored scenarios; undefined: they stay. */
  scenarios: ScenarioView[] | undefined;
}

/** The actor of a change, and the changes whose scenarios have passed. */
export interface Publisher {
  actor: Actor;
  passed: ReadonlySet<string>;
}

/** Writes agents for the API and for workspace files. A change of the settings makes a new version that is current at once. */
@Injectable()
export class AgentChangesService {
  constructor(
    private readonly agents: AgentsRepository,
    private readonly versions: AgentVersionsRepository,
    private readonly calls: CallsInProgressRepository,
  ) {}

  /** `stored`: locked by the transaction; null: the agent is new. Throws InvalidFields (`publish_requires`) and ScenariosRequired. */
  async save(
    stored: AgentEntity | null,
    identity: { accountId: number; name: string },
    wanted: WantedAgent,
    by: Publisher,
    tx: EntityTransaction,
  ): Promise<SavedRecord> {
    const given = Object.entries(wanted.columns).filter(([, value]) => value !== undefined);
    if (!stored) return this.insert({ ...Object.fromEntries(given), ...identity }, wanted.scenarios, by, tx);
    const changed = given.filter(
      ([property, value]) => !isDeepStrictEqual(stored[property as keyof AgentEntity], value),
    );
    const next: AgentEntity = Object.assign({}, stored, Object.fromEntries(changed));
    const changes = changed.map(([property, to]): ColumnChange => {
      return { column: this.versions.columnOf(property), from: stored[property as keyof AgentEntity], to };
    });
    changes.push(...(await this.saveScenarios(next, wanted.scenarios, tx)));
    if (changed.some(([property]) => this.versions.isVersioned(property))) {
      await this.requireScenarios(next, this.versions.settingsOf(next), by, tx);
      await this.publishNew(stored, Object.fromEntries(changed), { by, note: '' }, tx);
    } else if (changes.length > 0)
      await this.agents.update(stored.id, { ...Object.fromEntries(changed), updatedAt: new Date() }, tx);
    return { id: stored.id, result: changes.length > 0 ? 'updated' : 'unchanged', changes };
  }

  /** Throws ScenariosRequired unless the required scenarios have passed with the settings. */
  async requireScenarios(
    agent: AgentEntity,
    settings: VersionSettings,
    { passed }: Publisher,
    tx: EntityTransaction,
  ): Promise<void> {
    if (agent.publishRequires.length === 0) return;
    const place = { accountId: agent.accountId, agentId: agent.id };
    const all = await this.agents.scenariosOf(place, tx);
    const scenarios = all.filter(({ name }) => agent.publishRequires.includes(name));
    const required = new ScenariosRequired({ ...place, agentName: agent.name, settings, scenarios });
    if (!passed.has(required.fingerprint)) throw required;
  }

  /** Makes a new current version with changed columns; a canary ends. @returns its number */
  async publishNew(
    stored: AgentEntity,
    columns: Partial<AgentEntity>,
    { by, note }: { by: Publisher; note: string },
    tx: EntityTransaction,
  ): Promise<number> {
    const version = stored.lastVersion + 1;
    await this.supersede(stored, tx);
    await this.versions.insertVersion(
      { ...newVersion(stored, version, by.actor, note), state: 'current', settings: null, publishedAt: new Date() },
      tx,
    );
    await this.becomeCurrent(stored, { ...columns, lastVersion: version }, version, tx);
    return version;
  }

  /** The current version and the canary become superseded. */
  async supersede(stored: AgentEntity, tx: EntityTransaction): Promise<void> {
    const { id, version, canaryVersion } = stored;
    await this.versions.updateVersion(
      id,
      version,
      { state: 'superseded', settings: this.versions.settingsOf(stored) },
      tx,
    );
    if (canaryVersion !== null) await this.versions.updateVersion(id, canaryVersion, { state: 'superseded' }, tx);
  }

  async becomeCurrent(
    { id, accountId }: AgentEntity,
    columns: Partial<AgentEntity>,
    version: number,
    tx: EntityTransaction,
  ): Promise<void> {
    const traffic = { version, canaryVersion: null, canaryPercent: null, updatedAt: new Date() };
    await this.agents.update(id, { ...columns, ...traffic }, tx);
    await this.versions.deleteOld(id, await this.calls.agentVersions(accountId, id, tx), tx);
  }

  /** The first version of a new agent is not played: its tools and knowledge bases do not exist yet. */
  private async insert(
    row: Partial<AgentEntity> & { accountId: number },
    scenarios: ScenarioView[] | undefined,
    { actor }: Publisher,
    tx: EntityTransaction,
  ): Promise<SavedRecord> {
    checkRequired(row.publishRequires ?? [], scenarios ?? []);
    const id = await this.agents.insert(row, tx);
    // A trigger has added the first version.
    await this.versions.updateVersion(id, 1, creatorOf(actor), tx);
    if (scenarios) await this.agents.replaceScenarios({ accountId: row.accountId, agentId: id }, scenarios, tx);
    const { accountId: _accountId, name: _name, ...given } = row;
    const changes = Object.entries(given).map(([property, to]) => {
      return { column: this.versions.columnOf(property), from: undefined, to };
    });
    return { id, result: 'created', changes };
  }

  private async saveScenarios(
    { id, accountId, publishRequires }: AgentEntity,
    scenarios: ScenarioView[] | undefined,
    tx: EntityTransaction,
  ): Promise<ColumnChange[]> {
    const place = { accountId, agentId: id };
    const stored = await this.agents.scenariosOf(place, tx);
    checkRequired(publishRequires, scenarios ?? stored);
    const wanted = scenarios?.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    const before = stored.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    if (wanted === undefined || isDeepStrictEqual(wanted, before)) return [];
    await this.agents.replaceScenarios(place, wanted, tx);
    return [{ column: 'scenarios', from: before.map(({ name }) => name), to: wanted.map(({ name }) => name) }];
  }
}

function checkRequired(required: readonly string[], scenarios: readonly ScenarioView[]): void {
  const missing = required.filter((name) => !scenarios.some((one) => one.name === name));
  if (missing.length === 0) return;
  const errors = missing.map((name) => [
    `publish_requires.${required.indexOf(name)}`,
    [withCode('not_found', `The agent has no scenario named ${name}.`)],
  ]);
  throw new InvalidFields(Object.fromEntries(errors) as Record<string, string[]>);
}

const creatorOf = ({ kind, id }: Actor) => ({ createdByKind: kind, createdById: id ?? null });

/** The columns of a new version of an agent. */
export const newVersion = (agent: AgentEntity, version: number, actor: Actor, note: string) => ({
  accountId: agent.accountId,
  agentId: agent.id,
  version,
  note,
  ...creatorOf(actor),
});
