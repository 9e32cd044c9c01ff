import { type Acting, type AuditAction, AuditService } from '@app/audit';
import { type AgentOfAccount, Conflict, type Env, InvalidFields, NotFound, withCode } from '@app/common';
import {
  Database,
  type EntityTransaction,
  type IdempotencyKey,
  IdempotencyRepository,
  RecordExistenceRepository,
  type Sql,
} from '@app/database';
import { egressUrlRules, urlFault } from '@app/egress';
import { WakeUpsService } from '@app/queue';
import { ENV } from '@app/common/settings';
import { Inject, Injectable } from '@nestjs/common';
import type { CrawlSettings } from './crawl/crawl-settings.js';
import type { KnowledgePageEntity, PageState } from './crawl/knowledge-page.entity.js';
import { KnowledgePagesRepository } from './crawl/knowledge-pages.repository.js';
import { DocumentFilesService, type ReceivedFile } from './document-files.service.js';
import {
  type KnowledgeChanges,
  type KnowledgeFilter,
  KnowledgeBasesRepository,
  type NewKnowledgeBase,
} from './knowledge-bases.repository.js';
import { AgentFull, type Generation, KnowledgeChunksRepository } from './knowledge-chunks.repository.js';
import { KnowledgePassagesRepository, type StoredPassage } from './knowledge-passages.repository.js';
import { KnowledgeSharingService, type SharedKnowledgeBase } from './knowledge-sharing.service.js';
import { knowledgeBaseView, type KnowledgeBaseView } from './presenters/knowledge-base.presenter.js';
import { nextRefresh } from './refresh/refresh-schedule.js';
import { contentProblem, type Passages, passagesOf } from './text-passages.js';
import { MissingVectorsService } from './vectors/missing-vectors.service.js';

/** Title, source and further agents of a new knowledge base. */
export type CreateKnowledgeBaseCommand = { title: string; agentIds?: readonly number[] } & (
  | { sourceType: 'text'; content: string }
  | { sourceType: 'url'; url: string; crawl?: CrawlSettings; refresh?: string }
  | { sourceType: 'file'; file: ReceivedFile }
);

interface CreatedKnowledgeBase {
  view: KnowledgeBaseView;
  /** The request was a repetition: this is the response to the first one. */
  replayed: boolean;
}

interface NewShared {
  row: NewKnowledgeBase;
  /** The agents that it is shared with. */
  agentIds: readonly number[];
  /** Makes a text searchable in the transaction that inserts it. */
  serve?: (tx: Sql, place: Generation) => Promise<void>;
}

/** An agent, and the actor that changes its knowledge. */
type ActingOnAgent = AgentOfAccount & Acting;

/** The knowledge bases of an account's agents. Documents are processed by workers, see DocumentIngestService. */
@Injectable()
export class KnowledgeBasesService {
  constructor(
    private readonly database: Database,
    private readonly knowledgeBases: KnowledgeBasesRepository,
    private readonly chunks: KnowledgeChunksRepository,
    private readonly sharing: KnowledgeSharingService,
    private readonly existence: RecordExistenceRepository,
    private readonly pages: KnowledgePagesRepository,
    private readonly passages: KnowledgePassagesRepository,
    private readonly files: DocumentFilesService,
    private readonly missingVectors: MissingVectorsService,
    private readonly wakeUps: WakeUpsService,
    private readonly audit: AuditService,
    private readonly idempotency: IdempotencyRepository,
    @Inject(ENV) private readonly env: Env,
  ) {}

  /**
   * A text is searchable when this resolves; pages and files are processed by a worker. Throws NotFound, Conflict (the agent has
   * too many, or the key was used with another body) and InvalidFields.
   */
  async create(
    agent: ActingOnAgent,
    command: CreateKnowledgeBaseCommand,
    key?: IdempotencyKey,
  ): Promise<CreatedKnowledgeBase> {
    if (command.sourceType === 'text') return this.createText(agent, command, key);
    if (command.sourceType === 'file') return this.createFile(agent, command, key);
    return this.createUrl(agent, command, key);
  }

  /** An own or shared knowledge base of the agent. Throws NotFound if the agent or the knowledge base does not exist in the account. */
  async find(agent: AgentOfAccount, id: number, tx?: EntityTransaction): Promise<SharedKnowledgeBase> {
    const one = await this.knowledgeBases.find(agent, id, tx);
    return found((await this.sharing.withAgents(agent.accountId, one ? [one] : [], tx))[0]);
  }

  /** Own and shared knowledge bases. Throws NotFound if the agent does not exist in the account. */
  async list(
    agent: AgentOfAccount,
    filter: KnowledgeFilter,
    page: { page: number; perPage: number },
  ): Promise<{ knowledgeBases: SharedKnowledgeBase[]; total: number }> {
    const { knowledgeBases, total } = await this.knowledgeBases.list(agent, filter, page);
    if (total === 0 && !(await this.existence.exists(agent.accountId, { table: 'agents', id: agent.agentId })))
      throw new NotFound('Agent');
    return { knowledgeBases: await this.sharing.withAgents(agent.accountId, knowledgeBases), total };
  }

  /**
   * Applies all changes in one transaction: a search finds either the old text or the new one. Throws NotFound, Conflict (another
   * agent owns it), and InvalidFields for `content` (too long, or the source is a file or URL), for `agent_ids`, and for `crawl` and
   * `refresh` of other sources than URLs.
   */
  async update(agent: ActingOnAgent, id: number, changes: KnowledgeChanges): Promise<SharedKnowledgeBase> {
    const current = await this.findOwned(agent, id);
    const { content } = changes;
    if (content !== undefined && current.sourceType !== 'text') throw contentNotEditable(current.sourceType);
    requireUrl(current.sourceType, changes);
    const changed = Object.entries(changes).flatMap(([field, value]) => (value === undefined ? [] : [field]));
    if (changed.length === 0) return current;
    const passages = content === undefined ? undefined : await passagesOf(content);
    const { updated, generation } = await this.database.entityTransaction(async (tx) => {
      const updated = await this.change(agent, id, { changes, passages }, tx);
      if (!updated) throw new NotFound('Knowledge base');
      await this.record(agent, 'knowledge_base.updated', { id, changed }, tx);
      const generation = await this.changeSource(agent, id, changes, tx);
      const isChanged = changes.crawl !== undefined || changes.refresh !== undefined;
      return { updated: isChanged ? await this.find(agent, id, tx) : updated, generation };
    });
    if (generation !== undefined) this.wakeUps.wake('documents');
    if (passages) this.missingVectors.announce();
    return updated;
  }

  /** The pages of a crawl, the start first; none for other sources. Throws NotFound. */
  async listPages(
    agent: AgentOfAccount,
    id: number,
    state: PageState | undefined,
    page: { page: number; perPage: number },
  ): Promise<{ pages: KnowledgePageEntity[]; total: number }> {
    const { buildingGeneration, pagesGeneration } = await this.find(agent, id);
    const generation = buildingGeneration ?? pagesGeneration;
    if (generation === null) return { pages: [], total: 0 };
    const { accountId } = agent;
    return this.pages.list({ accountId, knowledgeBaseId: id, generation, ...(state && { state }) }, page);
  }

  /** The passages that searches find, in reading order; none before the first processing. Throws NotFound. */
  async listPassages(
    agent: AgentOfAccount,
    id: number,
    page: { page: number; perPage: number },
  ): Promise<{ passages: StoredPassage[]; total: number }> {
    const { serving, chunkCount } = await this.find(agent, id);
    if (serving === null) return { passages: [], total: 0 };
    const place = { accountId: agent.accountId, knowledgeBaseId: id, generation: serving };
    return { passages: await this.passages.page(place, page), total: chunkCount };
  }

  /**
   * Deletes a knowledge base with its file and its chunks; a worker that is processing it loses its lease. The file is deleted
   * first: if the process dies in between, a second delete completes the work. Throws NotFound, and Conflict if another agent owns it.
   */
  async delete(agent: ActingOnAgent, id: number): Promise<void> {
    const { title, fileKey } = await this.findOwned(agent, id);
    if (fileKey !== null) await this.files.delete(fileKey);
    await this.database.entityTransaction((tx) => this.deleteWithin(agent, { id, title }, tx));
  }

  /** Deletes the row of a knowledge base, not its file. Throws NotFound. */
  async deleteWithin(
    agent: ActingOnAgent,
    { id, title }: { id: number; title: string },
    tx: EntityTransaction,
  ): Promise<void> {
    if (!(await this.knowledgeBases.lock(agent, id, tx))) throw new NotFound('Knowledge base');
    // Before the deletion, which removes the links to the agents.
    await this.chunks.raiseVersion({ accountId: agent.accountId, knowledgeBaseId: id }, tx);
    await this.knowledgeBases.delete(agent, id, tx);
    await this.record(agent, 'knowledge_base.deleted', { id, title }, tx);
  }

  /**
   * Reads a file again, fetches a URL again, or splits a text into passages again (complete when this resolves). Searches find the
   * old passages until the new ones are complete. A pending document is retried now. Throws NotFound, and Conflict while a worker
   * is processing it or if another agent owns it.
   */
  async reprocess(agent: ActingOnAgent, id: number): Promise<SharedKnowledgeBase> {
    const current = await this.findOwned(agent, id);
    if (current.sourceType === 'text') return this.rebuildText(agent, current);
    const generation = await this.database.entityTransaction(async (tx) => {
      const begun = await this.knowledgeBases.reprocess(agent, id, tx);
      if (begun !== undefined) await this.record(agent, 'knowledge_base.reprocessed', { id }, tx);
      return begun;
    });
    if (generation !== undefined) this.wakeUps.wake('documents');
    const now = await this.find(agent, id);
    if (generation === undefined) {
      throw new Conflict('The knowledge base is being processed. Wait until it is completed or failed.');
    }
    return now;
  }

  private async createText(
    agent: ActingOnAgent,
    { title, content, agentIds = [] }: { title: string; content: string; agentIds?: readonly number[] },
    key: IdempotencyKey | undefined,
  ): Promise<CreatedKnowledgeBase> {
    const prepare = async (): Promise<NewShared> => {
      await this.sharing.requireAgents({ owner: agent, agentIds });
      const passages = await passagesOf(content);
      const row = { title, sourceType: 'text', status: 'completed', content } as const;
      return { row, agentIds, serve: (tx, place) => this.serveText(tx, place, passages) };
    };
    const { view, replayed } = await this.createOnce(agent, key, prepare);
    return { view: { ...view, content }, replayed };
  }

  private async createUrl(
    agent: ActingOnAgent,
    {
      title,
      url,
      crawl,
      refresh,
      agentIds = [],
    }: { title: string; url: string; crawl?: CrawlSettings; refresh?: string; agentIds?: readonly number[] },
    key: IdempotencyKey | undefined,
  ): Promise<CreatedKnowledgeBase> {
    const problem = urlFault(url, egressUrlRules(this.env));
    if (problem !== undefined) throw new InvalidFields({ source_reference: [problem] });
    const schedule = refresh && { refreshSchedule: refresh, nextRefreshAt: firstRefresh(refresh) };
    const source = { title, sourceReference: url, ...(crawl && { crawl }), ...schedule };
    const row = { ...source, sourceType: 'url', status: 'pending' } as const;
    return this.createOnce(agent, key, () => Promise.resolve({ row, agentIds }));
  }

  /**
   * The file is stored before the row: a process that dies in between leaves a file without a row, never a row
   * without its file.
   */
  private async createFile(
    agent: ActingOnAgent,
    { title, file, agentIds = [] }: { title: string; file: ReceivedFile; agentIds?: readonly number[] },
    key: IdempotencyKey | undefined,
  ): Promise<CreatedKnowledgeBase> {
    const stored: { key?: string } = {};
    const prepare = async (): Promise<NewShared> => {
      await this.sharing.requireAgents({ owner: agent, agentIds });
      stored.key = await this.files.store(agent.accountId, file);
      const columns = { fileName: file.name, fileSize: String(file.bytes), fileType: file.type, fileKey: stored.key };
      return { row: { title, sourceType: 'file', status: 'pending', ...columns }, agentIds };
    };
    const forget = async (): Promise<void> => {
      if (stored.key !== undefined) await this.files.delete(stored.key);
    };
    try {
      const created = await this.createOnce(agent, key, prepare);
      if (created.replayed) await forget();
      return created;
    } catch (error) {
      await forget();
      throw error;
    }
  }

  /** `content` is not in the stored answer, nor in the returned one: it may have megabytes. */
  private async createOnce(
    agent: ActingOnAgent,
    key: IdempotencyKey | undefined,
    prepare: () => Promise<NewShared>,
  ): Promise<CreatedKnowledgeBase> {
    const insert = (tx: EntityTransaction, shared: NewShared) => this.insert(agent, shared, tx);
    const { answer: view, replayed } = await this.idempotency.createOnce(agent.accountId, key, insert, prepare);
    if (!replayed && view.status === 'pending') this.wakeUps.wake('documents');
    if (!replayed && view.status === 'completed') this.missingVectors.announce();
    return { view, replayed };
  }

  /** The ids of the knowledge bases that an agent searches. */
  idsOf(agent: AgentOfAccount, tx?: EntityTransaction): Promise<number[]> {
    return this.knowledgeBases.idsOf(agent, tx);
  }

  /** Those of these ids that name a knowledge base of the account. */
  among(accountId: number, ids: readonly number[], tx?: EntityTransaction): Promise<number[]> {
    return this.knowledgeBases.among(accountId, ids, tx);
  }

  viewOf(knowledgeBase: SharedKnowledgeBase): KnowledgeBaseView {
    return knowledgeBaseView(knowledgeBase, this.missingVectors.areAdded);
  }

  private async insert(
    agent: ActingOnAgent,
    { row, agentIds, serve }: NewShared,
    tx: EntityTransaction,
  ): Promise<KnowledgeBaseView> {
    await this.requireCapacity(agent, agentIds, tx);
    const id = await this.knowledgeBases.insert(agent, row, tx);
    await this.sharing.share({ owner: agent, agentIds }, id, tx);
    await serve?.(tx, { ...agent, knowledgeBaseId: id, generation: 1 });
    await this.record(agent, 'knowledge_base.created', { id, title: row.title, source_type: row.sourceType }, tx);
    const view = this.viewOf(await this.find(agent, id, tx));
    if (row.fileSize) await this.files.requireRoom(agent.accountId, Number(row.fileSize), tx);
    return { ...view, content: null };
  }

  private record(
    agent: ActingOnAgent,
    action: AuditAction,
    { id, ...details }: { id: number } & Record<string, unknown>,
    tx: Sql,
  ): Promise<void> {
    return this.audit.recordOfAgent(agent, { action, subject: { kind: 'knowledge_base', id }, details }, tx);
  }

  /** Throws NotFound, and Conflict if another agent owns the knowledge base. */
  private async findOwned(agent: AgentOfAccount, id: number): Promise<SharedKnowledgeBase> {
    const one = await this.find(agent, id);
    if (one.agentId === agent.agentId) return one;
    throw new Conflict(
      `Agent ${one.agentId} owns the knowledge base. Change or delete it with the path of that agent.`,
    );
  }

  private async requireCapacity(
    agent: AgentOfAccount,
    agentIds: readonly number[],
    tx: EntityTransaction,
  ): Promise<void> {
    const most = this.env.KNOWLEDGE_BASES_PER_AGENT;
    if ((await this.sharing.lockForNew({ owner: agent, agentIds }, tx)) < most) return;
    const count = most.toLocaleString('en-US');
    throw new Conflict(`The agent has ${count} knowledge bases, which is the maximum. Delete one first.`);
  }

  /** @returns the generation of a new crawl, if the settings of the crawl changed. */
  private async changeSource(
    agent: AgentOfAccount,
    id: number,
    { crawl, refresh }: KnowledgeChanges,
    tx: EntityTransaction,
  ): Promise<number | undefined> {
    if (refresh !== undefined) await this.knowledgeBases.schedule(agent, id, refresh, firstRefresh(refresh), tx);
    return crawl === undefined ? undefined : this.knowledgeBases.recrawl(agent, id, crawl, tx);
  }

  /** Throws Conflict if another request changed the text concurrently. */
  private async rebuildText(agent: ActingOnAgent, current: SharedKnowledgeBase): Promise<SharedKnowledgeBase> {
    const { id, generation } = current;
    const passages = await passagesOf(current.content ?? '');
    const rebuilt = await this.database.entityTransaction(async (tx) => {
      const changed = await this.change(agent, id, { passages, generation }, tx);
      if (!changed) throw new Conflict('The knowledge base was changed meanwhile. Try again.');
      await this.record(agent, 'knowledge_base.reprocessed', { id }, tx);
      return changed;
    });
    this.missingVectors.announce();
    return rebuilt;
  }

  /** `generation`: changes nothing unless it is the newest. Returns undefined if the row does not exist. */
  private async change(
    agent: AgentOfAccount,
    id: number,
    { changes = {}, passages, generation }: { changes?: KnowledgeChanges; passages?: Passages; generation?: number },
    tx: EntityTransaction,
  ): Promise<SharedKnowledgeBase | undefined> {
    const expected = { newGeneration: passages !== undefined, ...(generation !== undefined && { generation }) };
    const updated = await this.knowledgeBases.update(agent, id, changes, expected, tx);
    if (updated === undefined) return undefined;
    const { agentIds } = changes;
    if (agentIds) await this.sharing.replace({ owner: agent, agentIds }, id, tx);
    if (passages) await this.serveText(tx, { ...agent, knowledgeBaseId: id, generation: updated }, passages);
    else if (!agentIds) await this.chunks.raiseVersion({ accountId: agent.accountId, knowledgeBaseId: id }, tx);
    return this.find(agent, id, tx);
  }

  /** Stores and serves the passages of a text. Throws InvalidFields for `content`. */
  private async serveText(tx: Sql, place: Generation, passages: Passages): Promise<void> {
    try {
      await this.chunks.insert(place, passages.chunks, tx);
      await this.chunks.swap(place, passages, tx);
    } catch (error) {
      throw error instanceof AgentFull ? contentProblem(error.message) : error;
    }
  }
}

function found(knowledgeBase: SharedKnowledgeBase | undefined): SharedKnowledgeBase {
  if (!knowledgeBase) throw new NotFound('Knowledge base');
  return knowledgeBase;
}

const firstRefresh = (schedule: string | null): Date | null =>
  schedule === null ? null : nextRefresh(schedule, new Date());

/** Throws InvalidFields. */
function requireUrl(sourceType: string, { crawl, refresh }: KnowledgeChanges): void {
  if (sourceType === 'url') return;
  const given = Object.entries({ crawl, refresh }).filter(([, value]) => value !== undefined && value !== null);
  const sentence = (name: string) => [
    withCode('not_allowed', `The ${name} field is prohibited unless source type is url.`),
  ];
  if (given.length > 0) throw new InvalidFields(Object.fromEntries(given.map(([name]) => [name, sentence(name)])));
}

const contentNotEditable = (sourceType: string): InvalidFields =>
  new InvalidFields({
    content: [
      withCode(
        'not_allowed',
        `The content of a knowledge base created from a ${sourceType} cannot be changed. Reprocess it, or create a new one.`,
      ),
    ],
  });
