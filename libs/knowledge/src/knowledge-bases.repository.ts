import type { AgentOfAccount } from '@app/common';
import { containing, Database, type EntityTransaction, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, Repository, type UpdateQueryBuilder, type UpdateResult } from 'typeorm';
import type { RetentionPeriod } from '@app/accounts';
import type { CrawlSettings } from './crawl/crawl-settings.js';
import {
  KnowledgeBaseAgentEntity,
  KnowledgeBaseEntity,
  type KnowledgeStatus,
  type SourceType,
} from './knowledge-base.entity.js';
import { LISTED_CONTENT_LENGTH } from './limits.js';

/** Filters of a list; `search` matches a part of the title, case-insensitively. */
export interface KnowledgeFilter {
  status?: KnowledgeStatus;
  sourceType?: SourceType;
  search?: string;
}

/** Absent fields keep their value. */
export interface KnowledgeChanges {
  title?: string;
  content?: string;
  isActive?: boolean;
  /** The agents that search it, besides its owner. */
  agentIds?: readonly number[];
  /** Null: the URL is a single page. */
  crawl?: CrawlSettings | null;
  /** Null: no refresh. */
  refresh?: string | null;
}

/** The source of a new knowledge base; its first generation is 1. */
export type NewKnowledgeBase = Pick<KnowledgeBaseEntity, 'title' | 'sourceType' | 'status'> &
  Partial<
    Pick<
      KnowledgeBaseEntity,
      | 'content'
      | 'sourceReference'
      | 'fileName'
      | 'fileSize'
      | 'fileType'
      | 'fileKey'
      | 'crawl'
      | 'refreshSchedule'
      | 'nextRefreshAt'
    >
  >;

/** A knowledge base beyond the retention time of its account. */
interface ExpiredDocument {
  id: number;
  account_id: number;
  agent_id: number;
  file_key: string | null;
}

/** A knowledge base of the agent that owns it. */
export interface OwnedDocument {
  id: number;
  title: string;
  fileKey: string | null;
  /** Other agents search it. */
  isShared: boolean;
}

// SQL, because it writes two tables in one statement.
/** Other settings begin a new crawl: a worker that builds the old one loses its lease. */
const RECRAWL = {
  name: 'recrawl-knowledge-base',
  text: `WITH begun AS (
      UPDATE knowledge_bases SET crawl = $4, status = 'pending', generation = generation + 1, building_generation = NULL,
          refreshing = false, attempt = 0, progress = 0, stage = NULL, processing_error = NULL, error_code = NULL,
          lease_owner = NULL, lease_until = NULL, next_attempt_at = now(), etag = NULL, last_modified = NULL, content_hash = NULL,
          updated_at = now()
       WHERE account_id = $1 AND agent_id = $2 AND id = $3 AND crawl IS DISTINCT FROM $4::jsonb
      RETURNING id, generation, serving),
    leftovers AS (
      DELETE FROM knowledge_chunks c USING begun b
       WHERE c.knowledge_base_id = b.id AND c.generation IS DISTINCT FROM b.serving)
    SELECT generation FROM begun`,
};
const EXPIRED_PER_ACCOUNT = 20;
const EXPIRED_AT_ONCE = 100;

/** A bounded number per account, so that no account delays the others. */
const EXPIRED = {
  name: 'expired-documents',
  text: `SELECT k.* FROM unnest($1::integer[], $2::integer[]) AS a (id, days) CROSS JOIN LATERAL (
      SELECT id, account_id, agent_id, file_key FROM knowledge_bases
       WHERE account_id = a.id AND updated_at < now() - a.days * interval '1 day' AND status IN ('completed', 'failed')
         AND id <> ALL ($3::integer[])
       ORDER BY updated_at LIMIT ${EXPIRED_PER_ACCOUNT}) k LIMIT ${EXPIRED_AT_ONCE}`,
};

/** Every column except `content`, which may be long. */
const LISTED_COLUMNS = [
  'id',
  'accountId',
  'agentId',
  'title',
  'sourceType',
  'status',
  'isActive',
  'sourceReference',
  'fileName',
  'fileSize',
  'fileType',
  'wordCount',
  'characterCount',
  'language',
  'quality',
  'qualityReason',
  'chunkCount',
  'vectorsDone',
  'vectorsOf',
  'processingError',
  'errorCode',
  'stage',
  'progress',
  'attempt',
  'serving',
  'heldGeneration',
  'heldReason',
  'crawl',
  'pageCounts',
  'refreshSchedule',
  'nextRefreshAt',
  'lastRefreshAt',
  'lastRefresh',
  'createdAt',
  'updatedAt',
] satisfies (keyof KnowledgeBaseEntity)[];

/** The administrative statements on `knowledge_bases`; those of workers are in DocumentClaimsRepository. */
@Injectable()
export class KnowledgeBasesRepository {
  constructor(
    private readonly database: Database,
    @InjectRepository(KnowledgeBaseEntity) private readonly knowledgeBases: Repository<KnowledgeBaseEntity>,
  ) {}

  /** The knowledge bases that the agent owns, and whether other agents search them. */
  async owned({ accountId, agentId }: AgentOfAccount, tx?: EntityTransaction): Promise<OwnedDocument[]> {
    const found = await this.entities(tx).find({
      where: { accountId, agentId },
      relations: { links: true },
      select: { id: true, title: true, fileKey: true, links: { knowledgeBaseId: true, agentId: true } },
      order: { id: 'ASC' },
    });
    return found.map(({ id, title, fileKey, links = [] }) => {
      return { id, title, fileKey, isShared: links.some((link) => link.agentId !== agentId) };
    });
  }

  /** The ids of the knowledge bases that the agent searches. */
  async idsOf({ accountId, agentId }: AgentOfAccount, tx?: EntityTransaction): Promise<number[]> {
    const links = (tx?.manager ?? this.knowledgeBases.manager).getRepository(KnowledgeBaseAgentEntity);
    const found = await links.find({ where: { accountId, agentId }, select: { knowledgeBaseId: true, agentId: true } });
    return found.map(({ knowledgeBaseId }) => knowledgeBaseId);
  }

  /** Those of these ids that name a knowledge base of the account. */
  async among(accountId: number, ids: readonly number[], tx?: EntityTransaction): Promise<number[]> {
    const all = (tx?.manager ?? this.knowledgeBases.manager).getRepository(KnowledgeBaseEntity);
    const found = await all.find({ where: { accountId, id: In([...ids]) }, select: { id: true } });
    return found.map(({ id }) => id);
  }

  /** A knowledge base that the agent searches: its own, or one that is shared with it. */
  find(agent: AgentOfAccount, id: number, tx?: EntityTransaction): Promise<KnowledgeBaseEntity | null> {
    return this.searchedBy(agent, tx).andWhere('k.id = :id', { id }).getOne();
  }

  /** Locks a knowledge base of the agent against all changes. Returns false if it does not exist. */
  async lock(agent: AgentOfAccount, id: number, tx: EntityTransaction): Promise<boolean> {
    const where = { ...ofAgent(agent), id };
    const lock = { mode: 'pessimistic_write' } as const;
    return (await this.entities(tx).findOne({ where, select: { id: true }, lock })) !== null;
  }

  /** One page, own and shared, newest first, with the exact total. Content over LISTED_CONTENT_LENGTH characters is null and not read. */
  async list(
    agent: AgentOfAccount,
    { search, ...filter }: KnowledgeFilter,
    { page, perPage }: { page: number; perPage: number },
  ): Promise<{ knowledgeBases: KnowledgeBaseEntity[]; total: number }> {
    const matching = () => {
      const query = this.searchedBy(agent);
      if (filter.status !== undefined) query.andWhere({ status: filter.status });
      if (filter.sourceType !== undefined) query.andWhere({ sourceType: filter.sourceType });
      if (search !== undefined) query.andWhere('k.title ILIKE :title', { title: containing(search) });
      return query;
    };
    const listed = matching()
      .select(LISTED_COLUMNS.map((column) => `k.${column}`))
      .addSelect(`CASE WHEN k.character_count <= ${LISTED_CONTENT_LENGTH} THEN k.content END`, 'k_content')
      .orderBy('k.id', 'DESC')
      .limit(perPage)
      .offset((page - 1) * perPage);
    const [knowledgeBases, total] = await Promise.all([listed.getMany(), matching().getCount()]);
    // TypeORM omits a selected expression that is null.
    for (const one of knowledgeBases) one.content ??= null;
    return { knowledgeBases, total };
  }

  /** @returns the id. */
  async insert({ accountId, agentId }: AgentOfAccount, row: NewKnowledgeBase, tx: EntityTransaction): Promise<number> {
    const nextAttemptAt = row.status === 'pending' ? () => 'now()' : null;
    const inserted = await this.entities(tx).insert({ ...row, accountId, agentId, generation: 1, nextAttemptAt });
    return (inserted.identifiers[0] as { id: number }).id;
  }

  /**
   * @param generation: changes nothing unless it is the newest.
   * @returns the generation, a new one if `newGeneration`; undefined if the row does not exist.
   */
  async update(
    { accountId, agentId }: AgentOfAccount,
    id: number,
    { title, isActive, content }: KnowledgeChanges,
    { newGeneration, generation }: { newGeneration: boolean; generation?: number },
    tx: EntityTransaction,
  ): Promise<number | undefined> {
    const where = { accountId, agentId, id, ...(generation !== undefined && { generation }) };
    const changes = { title, isActive, content, ...(newGeneration && { generation: NEXT_GENERATION }), updatedAt: NOW };
    return generationOf(await this.changing(tx).set(changes).where(where).returning('generation').execute());
  }

  /** @returns the new generation; undefined if a worker is processing the document or it no longer exists. */
  async reprocess(
    { accountId, agentId }: AgentOfAccount,
    id: number,
    tx: EntityTransaction,
  ): Promise<number | undefined> {
    const again = this.changing(tx).set({
      ...{ status: 'pending', generation: NEXT_GENERATION, attempt: 0, progress: 0, stage: null, refreshing: false },
      ...{
        processingError: null,
        errorCode: null,
        leaseOwner: null,
        leaseUntil: null,
        nextAttemptAt: NOW,
        updatedAt: NOW,
      },
    });
    // An expired lease does not protect a document: its worker is gone.
    const isFree = `(status <> 'processing' OR lease_until < now())`;
    const found = again.where({ accountId, agentId, id }).andWhere(isFree).returning('generation');
    return generationOf(await found.execute());
  }

  /** @returns the new generation; undefined if the settings are the same. */
  async recrawl(agent: AgentOfAccount, id: number, crawl: CrawlSettings | null, tx: Sql): Promise<number | undefined> {
    const settings = crawl && JSON.stringify(crawl);
    const values = [agent.accountId, agent.agentId, id, settings];
    const [begun] = await this.database.rows<{ generation: number }>(RECRAWL, values, tx);
    return begun?.generation;
  }

  async schedule(
    agent: AgentOfAccount,
    id: number,
    schedule: string | null,
    next: Date | null,
    tx: EntityTransaction,
  ): Promise<void> {
    const changes = { refreshSchedule: schedule, nextRefreshAt: next, updatedAt: NOW };
    await this.changing(tx)
      .set(changes)
      .where({ ...ofAgent(agent), id })
      .execute();
  }

  /** Deletes the knowledge base with its chunks. Returns false if it does not exist. */
  async delete(agent: AgentOfAccount, id: number, tx: EntityTransaction): Promise<boolean> {
    return (await this.entities(tx).delete({ ...ofAgent(agent), id })).affected === 1;
  }

  /** Knowledge bases that have not changed for so many days, by account. */
  expired(retentions: readonly RetentionPeriod[], except: readonly number[]): Promise<ExpiredDocument[]> {
    const values = [retentions.map(({ accountId }) => accountId), retentions.map(({ days }) => days), except];
    return this.database.rows<ExpiredDocument & Record<string, unknown>>(EXPIRED, values);
  }

  /** The index of the links returns the page in order; knowledge bases are joined by key. */
  private searchedBy({ accountId, agentId }: AgentOfAccount, tx?: EntityTransaction) {
    return this.entities(tx)
      .createQueryBuilder('k')
      .innerJoin('k.links', 'l')
      .where('l.accountId = :accountId AND l.agentId = :agentId AND k.accountId = :accountId', { accountId, agentId });
  }

  private changing(tx: EntityTransaction): UpdateQueryBuilder<KnowledgeBaseEntity> {
    return this.entities(tx).createQueryBuilder().update();
  }

  private entities(tx: EntityTransaction | undefined): Repository<KnowledgeBaseEntity> {
    return tx?.manager.getRepository(KnowledgeBaseEntity) ?? this.knowledgeBases;
  }
}

const NOW = () => 'now()';
const NEXT_GENERATION = () => 'generation + 1';

const generationOf = ({ raw }: UpdateResult): number | undefined => (raw as { generation: number }[])[0]?.generation;

const ofAgent = ({ accountId, agentId }: AgentOfAccount): AgentOfAccount => ({ accountId, agentId });
