import { FairSemaphore, KeyedSemaphore, newId } from '@app/common';
import { Egress } from '@app/egress';
import { Ingest, Robots, ScratchFolder, type Chunk, type IngestOptions } from '@app/knowledge';
import { DiskStorage } from '@app/storage';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'pg';
import { cutConnections } from './cut-connections.js';
import { createTestDatabase } from './database.js';
import { DocumentNewsreader } from './document-news.js';
import { aWorkspace, type Workspace } from './factories.js';
import { LogLines } from './log-lines.js';

type Read = IngestOptions['read'];

const POOL_NAME = 'document-house';

/** What tests of processing live in: a database, accounts, storage, workers in this process with a reader of the test's own. */
export class DocumentHouse {
  readonly logs = new LogLines();
  private readonly closing: (() => Promise<unknown>)[] = [];
  private workers = 0;

  private constructor(
    readonly pool: Pool,
    readonly databaseUrl: string,
    readonly home: string,
    readonly storage: DiskStorage,
    readonly news: DocumentNewsreader,
  ) {}

  static async open(): Promise<DocumentHouse> {
    const database = await createTestDatabase();
    const pool = new Pool({ connectionString: database.url, max: 12, application_name: POOL_NAME });
    pool.on('error', () => undefined);
    const home = await mkdtemp(join(tmpdir(), 'trunkline-documents-'));
    const news = await DocumentNewsreader.subscribe(database.url);
    const house = new DocumentHouse(pool, database.url, home, new DiskStorage(join(home, 'storage')), news);
    house.closing.push(
      () => rm(home, { recursive: true, force: true }),
      () => database.drop(),
      () => news.close(),
      () => pool.end(),
    );
    return house;
  }

  account(): Promise<Workspace> {
    return aWorkspace(this.pool);
  }

  /** A started worker. */
  worker(read: Read, options: Partial<IngestOptions> = {}): Ingest {
    const egress = new Egress({ allowCidrs: ['127.0.0.0/8'], httpsOnly: false });
    const agent = 'Trunkline/test';
    const fetcher = { egress, hosts: new KeyedSemaphore<string>(2), robots: new Robots({ egress, agent }), agent };
    const scratch = new ScratchFolder(this.home);
    const ingest = new Ingest({
      pool: this.pool,
      log: this.logs.log,
      storage: this.storage,
      fetcher,
      read,
      readers: new FairSemaphore(4),
      scratch,
      owner: `test-${++this.workers}`,
      atOnce: 4,
      sweepMs: 20,
      beatMs: 20,
      reapMs: 20,
      ...options,
    });
    ingest.start();
    this.closing.push(
      () => scratch.close(),
      () => egress.close(),
      () => ingest.stop(),
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
