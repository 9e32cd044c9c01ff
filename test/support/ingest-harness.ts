import { loadEnv, newId, type PeriodicTask, runPeriodically } from '@app/common';
import { Egress } from '@app/egress';
import {
  type Chunk,
  CrawlPageReaderService,
  CrawlPagesRepository,
  CrawlPipelineService,
  DocumentClaimsRepository,
  DocumentIngestService,
  DocumentLeasesService,
  type parseInChildProcess,
  DocumentPipelineService,
  DocumentSourceService,
  EmbeddingCacheRepository,
  EmbeddingsService,
  type IngestSettings,
  KnowledgeChunksRepository,
  MissingVectorsService,
  PageFetcherService,
  PgvectorRepository,
  type RefreshGuardService,
  ScratchFolderService,
  VectorIndexService,
} from '@app/knowledge';
import type { WakeUpsService } from '@app/queue';
import { DiskStorage } from '@app/storage';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'pg';
import { cutConnections } from './cut-connections.js';
import { databaseOver } from './database-over.js';
import { createTestDatabase } from './database.js';
import { DocumentEvents } from './document-events.js';
import { aWorkspace, type Workspace } from './factories.js';
import { LogLines } from './log-lines.js';
import { UnitLanes } from './unit-lanes.js';

type Read = typeof parseInChildProcess;
type Served = Parameters<RefreshGuardService['serve']>;

const POOL_NAME = 'ingest-harness';

/** Uses the folder of the test instead of the system's temporary folder. */
class HomeScratchFolder extends ScratchFolderService {
  constructor(private readonly home: string) {
    super();
  }

  override open(): void {
    super.open(this.home);
  }
}

interface Lanes {
  atOnce: number;
  sweepMs: number;
  reapMs: number;
}

/** A worker whose queue is replaced by lanes. */
class IngestWorker {
  constructor(
    private readonly service: DocumentIngestService,
    private readonly documents: UnitLanes,
    private readonly reaps: PeriodicTask,
  ) {}

  async stop(): Promise<void> {
    await this.service.stop();
    await Promise.all([this.documents.stop(), this.reaps.stop()]);
  }
}

const NOBODY = { wake: () => undefined, wakeNext: () => undefined } as unknown as WakeUpsService;

/** The environment of ingestion tests: a database, accounts, storage, and in-process workers with a parser of the test. */
export class IngestHarness {
  readonly logs = new LogLines();
  private readonly closing: (() => Promise<unknown>)[] = [];
  private workers = 0;

  private constructor(
    readonly pool: Pool,
    readonly databaseUrl: string,
    readonly home: string,
    readonly storage: DiskStorage,
    readonly events: DocumentEvents,
  ) {}

  static async open(): Promise<IngestHarness> {
    const database = await createTestDatabase();
    const pool = new Pool({ connectionString: database.url, max: 12, application_name: POOL_NAME });
    pool.on('error', () => undefined);
    const home = await mkdtemp(join(tmpdir(), 'trunkline-documents-'));
    const events = await DocumentEvents.subscribe(database.url);
    const harness = new IngestHarness(pool, database.url, home, new DiskStorage(join(home, 'storage')), events);
    harness.closing.push(
      () => rm(home, { recursive: true, force: true }),
      () => database.drop(),
      () => events.close(),
      () => pool.end(),
    );
    return harness;
  }

  account(): Promise<Workspace> {
    return aWorkspace(this.pool);
  }

  /** A started worker without an embedder. */
  worker(parse: Read, given: Partial<IngestSettings & Lanes> = {}, preferredAccounts: number[] = []): IngestWorker {
    const { log } = this.logs;
    const settings = { atOnce: 4, sweepMs: 20, reapMs: 20, ...given };
    const service = this.service(parse, settings, preferredAccounts);
    const documents = new UnitLanes(() => service.processNext(), settings.atOnce, log, settings.sweepMs).start();
    const worker = new IngestWorker(
      service,
      documents,
      runPeriodically(settings.reapMs, () => service.reap(), log),
    );
    this.closing.push(() => worker.stop());
    return worker;
  }

  /** The service of a worker without an embedder, which processes a document when it is asked to. */
  service(
    parse: Read,
    given: Partial<IngestSettings> = {},
    preferredAccounts: number[] = [],
    wakeUps = NOBODY,
  ): DocumentIngestService {
    const { log } = this.logs;
    const database = databaseOver(this.pool);
    const settings = { parsers: 4, atOnce: 4, beatMs: 20, ...given };
    const egress = new Egress({ allowCidrs: ['127.0.0.0/8'], httpsOnly: false });
    const claims = new DocumentClaimsRepository(database);
    const embeddings = new EmbeddingsService(new EmbeddingCacheRepository(database), loadEnv({}), log);
    const index = new VectorIndexService(new PgvectorRepository(database, log), embeddings);
    const leases = new DocumentLeasesService(database, claims, new KnowledgeChunksRepository(database));
    const fetcher = new PageFetcherService(egress, loadEnv({}));
    const source = new DocumentSourceService(this.storage, fetcher);
    const scratch = new HomeScratchFolder(this.home);
    const withoutTests = { serve: (...[lease, facts]: Served) => lease.serve(facts).then(() => 0) };
    const parser = { parse: (_accountId: number, ...rest: Parameters<Read>) => parse(...rest), preferredAccounts };
    const pipeline = new DocumentPipelineService(source, parser, index, scratch, withoutTests, settings);
    const pages = new CrawlPagesRepository(database);
    const chunks = new KnowledgeChunksRepository(database);
    const reader = new CrawlPageReaderService(pages, chunks, fetcher, pipeline, scratch);
    const crawls = new CrawlPipelineService(pages, reader, fetcher, index, withoutTests, settings);
    const owner = `test-${++this.workers}`;
    const missing = new MissingVectorsService(loadEnv({}), wakeUps);
    const ingest = new DocumentIngestService(leases, pipeline, crawls, scratch, wakeUps, missing, owner, log, settings);
    ingest.onModuleInit();
    this.closing.push(
      () => egress.close(),
      () => ingest.onModuleDestroy(),
    );
    return ingest;
  }

  /** A pending uploaded file. */
  async document({ accountId, agentId }: Workspace, text = 'x'): Promise<number> {
    const name = newId();
    const key = `knowledge/${accountId}/${name}.txt`;
    const local = join(this.home, name);
    await writeFile(local, text);
    await this.storage.put(key, local);
    const { rows } = await this.pool.query<{ id: number }>(
      `INSERT INTO knowledge_bases (account_id, agent_id, title, source_type, file_key, file_type, file_size, generation, next_attempt_at)
       VALUES ($1, $2, 'Document', 'file', $3, 'txt', $4, 1, now()) RETURNING id`,
      [accountId, agentId, key, text.length],
    );
    return rows[0]!.id;
  }

  async page({ accountId, agentId }: Workspace, url: string): Promise<number> {
    const { rows } = await this.pool.query<{ id: number }>(
      `INSERT INTO knowledge_bases (account_id, agent_id, title, source_type, source_reference, generation, next_attempt_at)
       VALUES ($1, $2, 'Page', 'url', $3, 1, now()) RETURNING id`,
      [accountId, agentId, url],
    );
    return rows[0]!.id;
  }

  /** Like POST …/reprocess. */
  async again(id: number): Promise<void> {
    await this.pool.query(
      `UPDATE knowledge_bases SET status = 'pending', generation = generation + 1, attempt = 0, next_attempt_at = now() WHERE id = $1`,
      [id],
    );
  }

  async row(id: number): Promise<Record<string, unknown>> {
    const { rows } = await this.pool.query<Record<string, unknown>>('SELECT * FROM knowledge_bases WHERE id = $1', [
      id,
    ]);
    return rows[0] ?? {};
  }

  /** Texts by generation, in order, including generations invisible to searches. */
  async chunks(id: number): Promise<{ generation: number; text: string }[]> {
    const { rows } = await this.pool.query<{ generation: number; text: string }>(
      'SELECT generation, text FROM knowledge_chunks WHERE knowledge_base_id = $1 ORDER BY generation, ordinal',
      [id],
    );
    return rows;
  }

  /** Closes every connection of the workers, like a restart of the server. */
  cutConnections(): Promise<void> {
    return cutConnections(this.databaseUrl, POOL_NAME);
  }

  async close(): Promise<void> {
    for (const close of this.closing.toReversed()) await close();
  }
}

/** One chunk per word of a text. */
export const wordChunks = (text: string): Chunk[] =>
  text
    .split(' ')
    .map((word, ordinal) => ({ ordinal, text: word, headingPath: [], start: 0, end: word.length, tokens: 1 }));

/** A parser that delivers one batch per word. */
export const readWords: Read = async ({ path, type }, on, signal) => {
  const text = await readFile(path, 'utf8');
  for (const chunk of wordChunks(text)) {
    signal?.throwIfAborted();
    await on.chunks([chunk]);
  }
  const words = wordChunks(text).length;
  return {
    type: typeof type === 'string' ? type : (type.type ?? 'txt'),
    words,
    characters: text.length,
    chunks: words,
    language: null,
    quality: { quality: 'good', reason: null },
  };
};
