import { type Acting, AuditService } from '@app/audit';
import { type AgentOfAccount, Conflict, InvalidFields, noRecord, NotFound } from '@app/common';
import {
  Database,
  type EntityTransaction,
  type IdempotencyKey,
  IdempotencyRepository,
  RecordExistenceRepository,
} from '@app/database';
import { Injectable } from '@nestjs/common';
import { type AgentChange, draftChange, type DraftChange } from '../schemas/agent-schema.js';
import type { AgentEntity } from '../agent.entity.js';
import { AgentChangesService, newVersion, type Publisher } from '../agent-changes.service.js';
import { AgentFieldsService } from '../agent-fields.service.js';
import { readRequest } from '../schemas/agent-request.js';
import type { AgentVersionEntity, VersionSettings } from './agent-version.entity.js';
import { AgentsRepository } from '../agents.repository.js';
import { AgentVersionsRepository } from './agent-versions.repository.js';
import { type ScenarioView, type VersionView, versionView, type VersionWithSettingsView } from '../agent.presenter.js';

/** A stored draft, and the names of the fields that the request had in addition. */
interface SavedDraft {
  view: VersionWithSettingsView;
  ignored: string[];
  /** The request was a repetition: this is the answer to the first request. */
  replayed: boolean;
}

export interface VersionOfAgent extends AgentOfAccount {
  version: number;
}

const MAX_DRAFTS = 20;

/** The versions of agents: drafts, the current version, a canary beside it, and superseded versions. */
@Injectable()
export class AgentVersionsService {
  constructor(
    private readonly database: Database,
    private readonly agents: AgentsRepository,
    private readonly records: AgentVersionsRepository,
    private readonly changes: AgentChangesService,
    private readonly fields: AgentFieldsService,
    private readonly existence: RecordExistenceRepository,
    private readonly idempotency: IdempotencyRepository,
    private readonly audit: AuditService,
  ) {}

  /** A page of versions, newest first. Throws NotFound. */
  async page(
    agent: AgentOfAccount,
    place: { page: number; perPage: number },
  ): Promise<{ versions: VersionView[]; total: number }> {
    const stored = await this.agent(agent);
    const [versions, total] = await this.records.page(agent, place);
    return { versions: versions.map((one) => versionView(one, stored)), total };
  }

  /** Throws NotFound. */
  async find(place: VersionOfAgent): Promise<VersionWithSettingsView> {
    return this.view(await this.agent(place), await this.version(place));
  }

  /** The settings that a version has now, by column, and the name of the agent. Throws NotFound. */
  async settings(place: VersionOfAgent): Promise<{ name: string; settings: VersionSettings }> {
    const agent = await this.agent(place);
    const { settings } = await this.version(place);
    return { name: agent.name, settings: settings ?? this.records.settingsOf(agent) };
  }

  /** The stored scenarios by name. Throws NotFound. */
  async scenarios(agent: AgentOfAccount): Promise<ScenarioView[]> {
    await this.agent(agent);
    return this.agents.scenariosOf(agent);
  }

  /** A draft with the current settings (or those of `from_version`) and the given fields. Throws NotFound, InvalidFields and Conflict. */
  async draft(agent: AgentOfAccount & Acting, body: unknown, key?: IdempotencyKey): Promise<SavedDraft> {
    const { fields, ignored } = await this.read(body);
    const insert = (tx: EntityTransaction) => this.insertDraft(agent, fields, tx);
    const { answer, replayed } = await this.idempotency.createOnce(agent.accountId, key, insert);
    return { view: answer, ignored, replayed };
  }

  /** Applies the given fields to a draft. Throws NotFound, InvalidFields, and Conflict for other versions. */
  async edit(place: VersionOfAgent & Acting, body: unknown): Promise<SavedDraft> {
    const { fields, ignored } = await this.read(body);
    const view = await this.database.entityTransaction(async (tx) => {
      const stored = await this.lock(place, tx);
      const draft = await this.draftOf(place, tx);
      const base = await this.base(stored, fields.from_version ?? place.version, tx);
      const settings = await this.merged(base, fields, tx);
      await this.records.updateVersion(stored.id, draft.version, { settings, note: fields.note ?? draft.note }, tx);
      await this.record(place, 'updated', draft.version, tx);
      return this.view(stored, await this.version(place, tx));
    });
    return { view, ignored, replayed: false };
  }

  /** Throws NotFound, and Conflict for other versions than drafts. */
  async deleteDraft(place: VersionOfAgent & Acting): Promise<void> {
    await this.database.entityTransaction(async (tx) => {
      const stored = await this.lock(place, tx);
      const draft = await this.draftOf(place, tx);
      await this.records.deleteVersion(stored.id, draft.version, tx);
      await this.record(place, 'deleted', draft.version, tx);
    });
  }

  /**
   * Makes a draft or the canary the current version, or with less than 100 percent the canary beside it. Throws NotFound, Conflict for
   * other versions, and ScenariosRequired.
   */
  async publish(place: VersionOfAgent, percent: number, by: Publisher): Promise<VersionWithSettingsView> {
    return this.database.entityTransaction(async (tx) => {
      const stored = await this.lock(place, tx);
      const { state, settings } = await this.version(place, tx);
      if (settings === null || state === 'superseded') throw new Conflict(notPublishable(state, place.version));
      await this.changes.requireScenarios(stored, settings, by, tx);
      if (percent >= 100) await this.makeCurrent(stored, place.version, settings, tx);
      else await this.makeCanary(stored, place.version, percent, tx);
      await this.record({ ...place, actor: by.actor }, 'published', place.version, tx, { traffic_percent: percent });
      return this.view(await this.agent(place, tx), await this.version(place, tx));
    });
  }

  /** New calls get the current version only; live calls keep the canary. Throws NotFound, and Conflict for other versions. */
  async endCanary(place: VersionOfAgent & Acting): Promise<void> {
    await this.database.entityTransaction(async (tx) => {
      const stored = await this.lock(place, tx);
      const { state } = await this.version(place, tx);
      if (state !== 'canary') throw new Conflict(`Version ${place.version} is not the canary.`);
      await this.records.updateVersion(stored.id, place.version, { state: 'superseded' }, tx);
      await this.agents.update(stored.id, { canaryVersion: null, canaryPercent: null }, tx);
      await this.record(place, 'canary_ended', place.version, tx);
    });
  }

  /** Makes a new current version with the settings of an earlier one. Throws NotFound, Conflict for drafts, and ScenariosRequired. */
  async restore(place: VersionOfAgent, by: Publisher): Promise<VersionWithSettingsView> {
    return this.database.entityTransaction(async (tx) => {
      const stored = await this.lock(place, tx);
      const { state, settings } = await this.version(place, tx);
      if (settings === null || state === 'draft')
        throw new Conflict(`Version ${place.version} is ${state === 'draft' ? 'a draft: publish it' : 'current'}.`);
      await this.changes.requireScenarios(stored, settings, by, tx);
      const columns = await this.usable(stored.accountId, settings, tx);
      const note = `Settings of version ${place.version}`;
      const version = await this.changes.publishNew(stored, columns, { by, note }, tx);
      await this.record({ ...place, actor: by.actor }, 'restored', version, tx, { from_version: place.version });
      return this.view(await this.agent(place, tx), await this.version({ ...place, version }, tx));
    });
  }

  private async insertDraft(
    agent: AgentOfAccount & Acting,
    fields: DraftChange,
    tx: EntityTransaction,
  ): Promise<VersionWithSettingsView> {
    const stored = await this.lock(agent, tx);
    if ((await this.records.countDrafts(stored.id, tx)) >= MAX_DRAFTS)
      throw new Conflict(`The agent has ${MAX_DRAFTS} drafts, which is the most. Delete or publish one first.`);
    const base = await this.base(stored, fields.from_version, tx);
    const settings = await this.merged(base, fields, tx);
    const version = stored.lastVersion + 1;
    const row = { ...newVersion(stored, version, agent.actor, fields.note ?? ''), state: 'draft' as const, settings };
    await this.records.insertVersion(row, tx);
    await this.agents.update(stored.id, { lastVersion: version }, tx);
    await this.record(agent, 'created', version, tx);
    return this.view(stored, await this.version({ ...agent, version }, tx));
  }

  private async makeCurrent(
    stored: AgentEntity,
    version: number,
    settings: VersionSettings,
    tx: EntityTransaction,
  ): Promise<void> {
    await this.changes.supersede(stored, tx);
    const current = { state: 'current' as const, settings: null, publishedAt: new Date() };
    await this.records.updateVersion(stored.id, version, current, tx);
    await this.changes.becomeCurrent(stored, await this.usable(stored.accountId, settings, tx), version, tx);
  }

  private async makeCanary(
    stored: AgentEntity,
    version: number,
    percent: number,
    tx: EntityTransaction,
  ): Promise<void> {
    const { id, canaryVersion } = stored;
    if (canaryVersion !== null && canaryVersion !== version)
      await this.records.updateVersion(id, canaryVersion, { state: 'superseded' }, tx);
    await this.records.updateVersion(id, version, { state: 'canary', publishedAt: new Date() }, tx);
    await this.agents.update(id, { canaryVersion: version, canaryPercent: percent }, tx);
  }

  /** The columns of stored settings. As in the agent, a number that was deleted meanwhile becomes null. */
  private async usable(
    accountId: number,
    settings: VersionSettings,
    tx: EntityTransaction,
  ): Promise<Partial<AgentEntity>> {
    const columns = this.records.propertiesOf(settings);
    const number = columns.transferCallerIdNumberId ?? null;
    if (number === null || (await this.existence.exists(accountId, { table: 'phone_numbers', id: number }, tx)))
      return columns;
    return { ...columns, transferCallerIdNumberId: null };
  }

  private async read(body: unknown): Promise<{ fields: DraftChange; ignored: string[] }> {
    const read = readRequest(draftChange, body);
    await this.fields.check(read.fields);
    return read;
  }

  /** The agent as it is with the settings of a version; absent: the current ones. Throws InvalidFields. */
  private async base(stored: AgentEntity, version: number | undefined, tx: EntityTransaction): Promise<AgentEntity> {
    if (version === undefined || version === stored.version) return stored;
    const found = await this.records.version({ accountId: stored.accountId, agentId: stored.id }, version, tx);
    if (!found) throw new InvalidFields({ from_version: [noRecord('version', version)] });
    return Object.assign({}, stored, this.records.propertiesOf(found.settings ?? {}));
  }

  private async merged(base: AgentEntity, fields: AgentChange, tx: EntityTransaction): Promise<VersionSettings> {
    const columns = await this.fields.columns(base.accountId, fields, base, tx);
    const given = Object.entries(columns).filter(([, value]) => value !== undefined);
    return this.records.settingsOf(Object.assign({}, base, Object.fromEntries(given)));
  }

  private view(agent: AgentEntity, version: AgentVersionEntity): VersionWithSettingsView {
    const settings = Object.assign({}, agent, this.records.propertiesOf(version.settings ?? {}));
    return { ...versionView(version, agent), settings: this.fields.settingsView(settings) };
  }

  private async agent(place: AgentOfAccount, tx?: EntityTransaction): Promise<AgentEntity> {
    const agent = await this.agents.find(place, tx);
    if (!agent) throw new NotFound('Agent');
    return agent;
  }

  private async lock({ accountId, agentId }: AgentOfAccount, tx: EntityTransaction): Promise<AgentEntity> {
    const agent = await this.agents.lock({ accountId, id: agentId }, tx);
    if (!agent) throw new NotFound('Agent');
    return agent;
  }

  private async version(place: VersionOfAgent, tx?: EntityTransaction): Promise<AgentVersionEntity> {
    const version = await this.records.version(place, place.version, tx);
    if (!version) throw new NotFound('Version');
    return version;
  }

  private async draftOf(place: VersionOfAgent, tx: EntityTransaction): Promise<AgentVersionEntity> {
    const version = await this.version(place, tx);
    if (version.state !== 'draft')
      throw new Conflict(`Version ${place.version} is ${version.state}: only drafts can be changed and deleted.`);
    return version;
  }

  private record(
    agent: AgentOfAccount & Acting,
    what: 'created' | 'updated' | 'deleted' | 'published' | 'restored' | 'canary_ended',
    version: number,
    tx: EntityTransaction,
    details: Record<string, unknown> = {},
  ): Promise<void> {
    const change = { subject: { kind: 'agent_version', id: version }, details };
    return this.audit.recordOfAgent(agent, { action: `agent_version.${what}`, ...change }, tx);
  }
}

const notPublishable = (state: string, version: number): string =>
  state === 'superseded'
    ? `Version ${version} is superseded: restore it, or create a draft with from_version.`
    : `Version ${version} is current already.`;
