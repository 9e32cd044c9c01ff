import { loadEnv, newId } from '@app/common';
import { Egress } from '@app/egress';
import {
  type Chunk,
  DocumentClaimsRepository,
  DocumentEmbedding,
  DocumentIngestService,
  DocumentLeases,
  type DocumentParser,
  DocumentPipeline,
  DocumentSource,
  EmbeddingCacheRepository,
  EmbeddingsService,
  type IngestSettings,
  KnowledgeChunksRepository,
  PageFetcher,
  PgvectorRepository,
  ScratchFolder,
  VectorIndex,
} from '@app/knowledge';
import { DiskStorage } from '@app/storage';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'pg';
import { cutConnections } from './cut-connections.js';
import { databaseOver } from './database-over.js';
import { createTestDatabase } from './database.js';
import { DocumentChanges } from './document-changes.js';
import { aWorkspace, type Workspace } from './factories.js';
import { LogLines } from './log-lines.js';

type Read = DocumentParser['parse'];

const POOL_NAME = 'document-environment';

/** In the folder of the test instead of that for temporary files. */
class HomeScratchFolder extends ScratchFolder {
  constructor(private readonly home: string) {
    super();
  }

  override open(): void {
    super.open(this.home);
  }
}

/** What tests of processing live in: a database, accounts, storage, workers in this process with a reader of the test's own. */
export class DocumentEnvironment {
  readonly logs = new LogLines();
  private readonly closing: (() => Promise<unknown>)[] = [];
  private workers = 0;

  private constructor(
    readonly pool: Pool,
    readonly databaseUrl: string,
    readonly home: string,
    readonly storage: DiskStorage,
    readonly news: DocumentChanges,
  ) {}

  static async open(): Promise<DocumentEnvironment> {
    const database = await createTestDatabase();
    const pool = new Pool({ connectionString: database.url, max: 12, application_name: POOL_NAME });
    pool.on('error', () => undefined);
    const home = await mkdtemp(join(tmpdir(), 'trunkline-documents-'));
    const news = await DocumentChanges.subscribe(database.url);
    const environment = new DocumentEnvironment(pool, database.url, home, new DiskStorage(join(home, 'storage')), news);
    environment.closing.push(
      () => rm(home, { recursive: true, force: true }),
      () => database.drop(),
      () => news.close(),
      () => pool.end(),
    );
    return environment;
  }

  account(): Promise<Workspace> {
    return aWorkspace(this.pool);
  }

  /** A started worker without an embedder. */
  worker(parse: Read, given: Partial<IngestSettings> = {}): DocumentIngestService {
    const { log } = this.logs;
    const database = databaseOver(this.pool);
    const settings = { parsers: 4, atOnce: 4, sweepMs: 20, beatMs: 20, reapMs: 20, ...given };
    const egress = new Egress({ allowCidrs: ['127.0.0.0/8'], httpsOnly: false });
    const claims = new DocumentClaimsRepository(database);
    const embeddings = new EmbeddingsService(new EmbeddingCacheRepository(database), loadEnv({}), log);
    const index = new VectorIndex(new PgvectorRepository(database, log), embeddings);
    const leases = new DocumentLeases(database, claims, new KnowledgeChunksRepository(database));
    const source = new DocumentSource(this.storage, new PageFetcher(egress, loadEnv({})));
    const scratch = new HomeScratchFolder(this.home);
    const embedding = new DocumentEmbedding(embeddings, claims, index);
    const pipeline = new DocumentPipeline(source, { parse }, embedding, scratch, settings);
    const owner = `test-${++this.workers}`;
    const ingest = new DocumentIngestService(leases, pipeline, scratch, owner, log, settings);
    ingest.start();
    this.closing.push(
      () => egress.close(),
      () => ingest.onModuleDestroy(),
    );
    return ingest;
  }

  /** An uploaded file that waits. */
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

  /** As POST …/reprocess does. */
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

  /** Texts by generation, in order; with what no search sees. */
  async chunks(id: number): Promise<{ generation: number; text: string }[]> {
    const { rows } = await this.pool.query<{ generation: number; text: string }>(
      'SELECT generation, text FROM knowledge_chunks WHERE knowledge_base_id = $1 ORDER BY generation, ordinal',
      [id],
    );
    return rows;
  }

  /** Ends every connection of the workers, as a restart of the server does. */
  cutConnections(): Promise<void> {
    return cutConnections(this.databaseUrl, POOL_NAME);
  }

  async close(): Promise<void> {
    for (const close of this.closing.toReversed()) await close();
  }
}

/** The chunks of a text whose words are separated by spaces: one for each. */
export const wordChunks = (text: string): Chunk[] =>
  text
    .split(' ')
    .map((word, ordinal) => ({ ordinal, text: word, headingPath: [], start: 0, end: word.length, tokens: 1 }));

/** Reads a file word by word, a batch for each. */
export const readWords: Read = async ({ path, type }, on, signal) => {
  const text = await readFile(path, 'utf8');
  for (const chunk of wordChunks(text)) {
    signal?.throwIfAborted();
    await on.chunks([chunk]);
  }
  const words = wordChunks(text).length;
  return { type, words, characters: text.length, chunks: words };
};
