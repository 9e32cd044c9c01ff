import { mkdirSync, mkdtempSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { startDatabaseServer } from './api-database.js';
import { pacedTimes } from './api-load.js';
import { type Peer, startPeer } from './api-peer.js';
import { type Requests, requestsFor } from './api-requests.js';
import { cpuOfTrees } from './cpu.js';
import { fillExpired, retentionDays } from './retention-rows.js';
import { table } from './table.js';

const ROWS = Number(process.env.BENCH_ROWS ?? 100_000);
/** 0: only the rows are added. */
const SECONDS = Number(process.env.BENCH_SECONDS ?? 60);
const WARM_UP_MS = 5_000;
/** Requests per second of each kind: a small part of what the api can answer. */
const PER_SECOND = 20;
const RECORDING = Buffer.alloc(4_096);
/** More than a run deletes. */
const FILES = 50_000;
const SAMPLE_MS = 5;
/** The first round of a worker begins a minute after its start. */
const FIRST_ROUND_MS = 120_000;

/** What is left to delete. */
const LEFT = {
  recordings: 'SELECT count(*)::integer AS n FROM calls WHERE account_id = $1 AND recording_key IS NOT NULL',
  transcripts: `SELECT count(*)::integer AS n FROM calls
    WHERE account_id = $1 AND ended_at IS NOT NULL AND transcript_deleted_at IS NULL`,
  'SIP messages': 'SELECT count(*)::integer AS n FROM call_sip_messages WHERE $1::integer > 0',
};
type Kind = keyof typeof LEFT;
const KINDS = Object.keys(LEFT) as Kind[];

const SIZE = `SELECT pg_total_relation_size('calls')::float8 AS size, (pg_current_wal_lsn() - '0/0'::pg_lsn)::float8 AS wal`;

/** The statements of retention are distinguished by their text: all processes use the same name. */
const STATEMENTS = `SELECT left(query, 60) AS text, extract(epoch FROM clock_timestamp() - query_start)::float8 * 1000 AS ms
  FROM pg_stat_activity WHERE state = 'active' AND datname = current_database() AND pid <> pg_backend_pid()
    AND query ~ '^\\s*(DELETE FROM|UPDATE|WITH deleted|WITH expired|SELECT c\\.\\* FROM accounts)'`;

/**
 * Measures how a worker deletes the recordings, transcripts and SIP messages of the oldest quarter of a large account's calls, and the
 * latency of an api beside it.
 */
export async function run(): Promise<void> {
  const server = await startDatabaseServer();
  const home = mkdtempSync(join(tmpdir(), 'trunkline-bench-'));
  const peers: Peer[] = [];
  const start = async (databaseUrl: string, name: string, settings: Record<string, string> = {}): Promise<Peer> => {
    const module = `../apps/${name}/src/main.js`;
    const peer = await startPeer({ name, module, databaseUrl, settings: { TRUNKLINE_HOME: home, ...settings } });
    peers.push(peer);
    return peer;
  };
  try {
    const database = await server.database(ROWS);
    const client = new Client({ connectionString: database.url });
    await client.connect();
    try {
      const retention = new Retention(client, database.large.accountId);
      await retention.prepare(home);
      if (SECONDS > 0) {
        const requests = await requestsFor(database);
        const api = await start(database.url, 'api');
        await latency(api, requests, WARM_UP_MS);
        const idle = await latency(api, requests, SECONDS * 1_000);
        const worker = await start(database.url, 'worker', { HEALTH_PORT: '0' });
        await retention.begin();
        const usage = await retention.usageDuring(worker, () => latency(api, requests, SECONDS * 1_000));
        report(idle, usage);
      }
    } finally {
      await client.end();
    }
  } finally {
    await Promise.all(peers.map((peer) => peer.stop()));
    await server.stop();
    await rm(home, { recursive: true, force: true });
  }
}

/** Latencies in ms, sorted. */
interface Latency {
  list: number[];
  create: number[];
}

interface Usage {
  seconds: number;
  latency: Latency;
  deleted: Record<Kind, number>;
  workerMs: number;
  /** With that of the requests. */
  postgresMs: number;
  walBytes: number;
  /** Of the table and its indexes. */
  grownBytes: number;
  longest: { text: string; ms: number };
}

async function latency(api: Peer, requests: Requests, ms: number): Promise<Latency> {
  const [list, create] = await Promise.all(
    [requests.list, requests.create].map((next) => pacedTimes(api.port, next, { perSecond: PER_SECOND, ms })),
  );
  return { list: list as number[], create: create as number[] };
}

/** The data of the large account that a worker deletes. */
class Retention {
  private days = 0;

  constructor(
    private readonly client: Client,
    private readonly accountId: number,
  ) {}

  /** Adds what is to be deleted to the oldest calls, and files of the recordings that are deleted first. */
  async prepare(home: string): Promise<void> {
    await this.keepFor(null);
    // Calls that earlier runs created in a kept database: the worker would retry their webhooks.
    await this.client.query('UPDATE webhook_streams SET next_at = NULL WHERE next_at IS NOT NULL');
    this.days = await retentionDays(this.client, this.accountId);
    // An earlier run on a kept database has added them.
    if ((await this.left()).recordings === 0) await fillExpired(this.client, this.accountId, this.days);
    const { rows } = await this.client.query<{ key: string }>(
      `SELECT recording_key AS key FROM calls WHERE account_id = $1 AND recording_key IS NOT NULL ORDER BY ended_at LIMIT ${FILES}`,
      [this.accountId],
    );
    mkdirSync(join(home, 'storage', 'recordings', String(this.accountId)), { recursive: true });
    for (const { key } of rows) await writeFile(join(home, 'storage', key), RECORDING);
  }

  /** Limits the retention, and waits for the first deletion. */
  async begin(): Promise<void> {
    const before = await this.left();
    await this.keepFor(this.days);
    const until = Date.now() + FIRST_ROUND_MS;
    while ((await this.left()).recordings === before.recordings) {
      if (Date.now() > until) throw new Error('The worker deleted nothing.');
      await delay(1_000);
    }
  }

  async usageDuring(worker: Peer, load: () => Promise<Latency>): Promise<Usage> {
    const postgres = await this.serverPid();
    const before = { left: await this.left(), size: await this.size(), postgresMs: await cpuOfTrees([postgres]) };
    const sampling = new AbortController();
    const longest = this.longestStatement(sampling.signal);
    const started = performance.now();
    const workerMs = await worker.cpuMs();
    const measured = await load();
    const seconds = (performance.now() - started) / 1_000;
    const usage = {
      workerMs: (await worker.cpuMs()) - workerMs,
      postgresMs: (await cpuOfTrees([postgres])) - before.postgresMs,
    };
    sampling.abort();
    const [left, size] = [await this.left(), await this.size()];
    await this.keepFor(null);
    return {
      ...usage,
      seconds,
      latency: measured,
      deleted: Object.fromEntries(KINDS.map((kind) => [kind, before.left[kind] - left[kind]])) as Record<Kind, number>,
      walBytes: size.wal - before.size.wal,
      grownBytes: size.size - before.size.size,
      longest: await longest,
    };
  }

  private async keepFor(days: number | null): Promise<void> {
    await this.client.query('UPDATE accounts SET recordings_days = $2, transcripts_days = $2 WHERE id = $1', [
      this.accountId,
      days,
    ]);
  }

  private async left(): Promise<Record<Kind, number>> {
    const left = {} as Record<Kind, number>;
    for (const kind of KINDS) {
      const { rows } = await this.client.query<{ n: number }>(LEFT[kind], [this.accountId]);
      left[kind] = rows[0]?.n ?? 0;
    }
    return left;
  }

  private async size(): Promise<{ size: number; wal: number }> {
    const { rows } = await this.client.query<{ size: number; wal: number }>(SIZE);
    return rows[0] as { size: number; wal: number };
  }

  /** The parent of a backend; PostgreSQL runs on this machine. */
  private async serverPid(): Promise<number> {
    const { rows } = await this.client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const status = await readFile(`/proc/${rows[0]?.pid}/status`, 'latin1');
    return Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]);
  }

  private async longestStatement(signal: AbortSignal): Promise<{ text: string; ms: number }> {
    let longest = { text: '', ms: 0 };
    while (!signal.aborted) {
      const { rows } = await this.client.query<{ text: string; ms: number }>(STATEMENTS);
      for (const row of rows) if (row.ms > longest.ms) longest = row;
      await delay(SAMPLE_MS);
    }
    return longest;
  }
}

const quantile = (sorted: number[], share: number): string =>
  (sorted[Math.floor(sorted.length * share)] ?? NaN).toFixed(1);

function report(idle: Latency, { latency: busy, seconds, deleted, ...usage }: Usage): void {
  console.log(
    `Retention of an account with a fifth of ${ROWS} calls, ${seconds.toFixed(0)} s, ${PER_SECOND} lists and creates/s`,
  );
  const times = ({ list, create }: Latency) =>
    [list, create].flatMap((all) => [quantile(all, 0.5), quantile(all, 0.95)]);
  table(
    ['', 'list p50 ms', 'p95', 'create p50 ms', 'p95'],
    [
      ['idle', ...times(idle)],
      ['while deleting', ...times(busy)],
    ],
  );
  table(
    ['deleted', 'per second'],
    KINDS.map((kind) => [kind, (deleted[kind] / seconds).toFixed(1)]),
  );
  const percent = (ms: number) => `${(ms / seconds / 10).toFixed(0)} % of a core`;
  console.log(`  worker ${percent(usage.workerMs)}, PostgreSQL (with the requests) ${percent(usage.postgresMs)}`);
  console.log(`  calls grew by ${(usage.grownBytes / 1e6).toFixed(1)} MB, WAL ${(usage.walBytes / 1e6).toFixed(0)} MB`);
  console.log(
    `  longest statement seen: ${usage.longest.ms.toFixed(0)} ms, ${usage.longest.text.replace(/\s+/g, ' ')}`,
  );
}
