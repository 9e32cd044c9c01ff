import { CampaignRunsRepository } from '@app/campaigns';
import { inTransaction } from '@app/database';
import { createWriteStream, mkdtempSync, openAsBlob } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'pg';
import { databaseOver } from '../test/support/database-over.js';
import { type BenchAccount, startDatabaseServer } from './api-database.js';
import { type Peer, startPeer } from './api-peer.js';
import { table } from './table.js';

const CONTACTS = Number(process.env.BENCH_CONTACTS ?? 1_000_000);
const FEW = Math.min(10_000, CONTACTS);
const ATTEMPTS = Number(process.env.BENCH_ATTEMPTS ?? 2_000);
const ROUNDS = 30;
const BARS = { importSeconds: 300, workerMb: 350, pageMs: 50, claim: 1.5 };

interface Environment {
  api: Peer;
  worker: Peer;
  pool: Pool;
  account: BenchAccount;
  home: string;
}

/**
 * Imports a file of contacts as a user does, then reads lists, progress and export, and measures the claim of due contacts in a small and
 * in the large campaign, and the CPU time of the worker per attempted call. Calls end by a statement: no dialer runs.
 */
export async function run(): Promise<void> {
  const server = await startDatabaseServer();
  const home = mkdtempSync(join(tmpdir(), 'trunkline-bench-'));
  const { url, busy: account } = await server.database(2_000);
  const settings = { TRUNKLINE_HOME: home, SIP_ALLOW_CIDRS: '127.0.0.0/8' };
  const api = await startPeer({ name: 'api', module: '../apps/api/src/main.js', databaseUrl: url, settings });
  const worker = await startPeer({ name: 'worker', module: '../apps/worker/src/main.js', databaseUrl: url, settings });
  const pool = new Pool({ connectionString: url, max: 4 });
  try {
    const environment = { api, worker, pool, account, home };
    const small = await importOf(environment, FEW);
    const large = await importOf(environment, CONTACTS);
    await pages(environment, large);
    await claims(environment, small, large);
    await attempts(environment, large);
  } finally {
    await pool.end();
    await Promise.all([api.stop(), worker.stop()]);
    await server.stop();
    await rm(home, { recursive: true, force: true });
  }
}

async function ask<T>({ api, account }: Environment, path: string, init: Asked = {}): Promise<T> {
  const headers: Record<string, string> = { Authorization: `Bearer ${account.token}` };
  Object.assign(headers, init.headers);
  const response = await fetch(`http://127.0.0.1:${api.port}/api/v1${path}`, { ...init, headers });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return (text.startsWith('{') ? JSON.parse(text) : text) as T;
}

/** Fields of `fetch`. */
interface Asked {
  method?: string;
  headers?: Record<string, string>;
  body?: string | FormData;
}

/** UploadsService a file with this many contacts and waits for the end of its import. @returns the id of the campaign */
async function importOf(environment: Environment, contacts: number): Promise<number> {
  const { account, home, worker } = environment;
  const file = join(home, 'contacts.csv');
  await pipeline(Readable.from(rows(contacts)), createWriteStream(file));
  const body = JSON.stringify({
    name: `${contacts} contacts`,
    agent_id: account.agentId,
    number_ids: [account.numberId],
    retry: { max_attempts: 1 },
    pacing: { breaker: null, reserve_percent: 0 },
  });
  const json = { 'Content-Type': 'application/json' };
  const { data } = await ask<{ data: { id: number } }>(environment, '/campaigns', {
    method: 'POST',
    headers: json,
    body,
  });
  const form = new FormData();
  form.set('file', await openAsBlob(file), 'contacts.csv');
  const began = performance.now();
  const path = `/campaigns/${data.id}`;
  const begun = await ask<{ data: { id: string } }>(environment, `${path}/contacts/import`, {
    method: 'POST',
    body: form,
  });
  interface Import {
    data: { status: string; added: number; processing_error: string | null };
  }
  for (;;) {
    const { data: one } = await ask<Import>(environment, `${path}/imports/${begun.data.id}`);
    if (one.status === 'completed' && one.added === contacts) break;
    if (one.status === 'completed' || one.status === 'failed')
      throw new Error(`The import ended: ${JSON.stringify(one)}`);
    await delay(100);
  }
  const seconds = (performance.now() - began) / 1_000;
  const [mb, cpuMs] = [await worker.peakMb(), await worker.cpuMs()];
  console.log(
    `${contacts} contacts imported in ${seconds.toFixed(1)} s (bar: <= ${BARS.importSeconds}), ${(contacts / seconds).toFixed(0)} per second; ` +
      `worker: at most ${mb.toFixed(0)} MB (bar: <= ${BARS.workerMb}), ${(cpuMs / 1_000).toFixed(1)} s CPU so far`,
  );
  return data.id;
}

function* rows(contacts: number): Generator<string> {
  yield 'to_number,metadata.customer,metadata.city,variables.first_name,time_zone\n';
  for (let n = 0; n < contacts; n += 1)
    yield `sip:c${n}@127.0.0.1,c-${n},"Bonn, Germany",Anna ${n % 1_000},${n % 2 === 0 ? 'Europe/Berlin' : ''}\n`;
}

async function pages(environment: Environment, campaignId: number): Promise<void> {
  const path = `/campaigns/${campaignId}`;
  const middle = await cursorInTheMiddle(environment, campaignId);
  const asked: [string, string][] = [
    ['contacts, page 1', `${path}/contacts?per_page=100`],
    ['contacts, by cursor in the middle', `${path}/contacts?per_page=100&cursor=${middle}`],
    ['contacts, by status', `${path}/contacts?per_page=100&status=waiting`],
    ['contact by number', `${path}/contacts?to_number=${encodeURIComponent('sip:c77@127.0.0.1')}`],
    ['progress', `${path}/progress`],
    ['campaigns', '/campaigns'],
  ];
  const measured: string[][] = [];
  for (const [name, asks] of asked) measured.push([name, ...(await times(() => ask(environment, asks)))]);
  measured.push(['export, first 500 rows', ...(await times(() => firstRows(environment, `${path}/contacts/export`)))]);
  table(
    ['', 'median ms', 'worst ms', 'bar'],
    measured.map((cells) => [...cells, `<= ${BARS.pageMs}`]),
  );
}

async function cursorInTheMiddle({ pool }: Environment, campaignId: number): Promise<string> {
  const { rows: found } = await pool.query<{ id: string }>(
    'SELECT id FROM campaign_contacts WHERE campaign_id = $1 ORDER BY id LIMIT 1 OFFSET $2',
    [campaignId, Math.floor(CONTACTS / 2)],
  );
  return Buffer.from(`o0_${found[0]?.id}`).toString('base64url');
}

async function firstRows({ api, account }: Environment, path: string): Promise<void> {
  const headers = { Authorization: `Bearer ${account.token}` };
  const response = await fetch(`http://127.0.0.1:${api.port}/api/v1${path}`, { headers });
  const reader = response.body!.getReader();
  await reader.read();
  await reader.cancel();
}

/** Median and worst of several rounds in ms, after a warm-up. */
async function times(work: () => Promise<unknown>): Promise<[string, string]> {
  for (let round = 0; round < 3; round += 1) await work();
  const taken: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const began = performance.now();
    await work();
    taken.push(performance.now() - began);
  }
  const sorted = taken.toSorted((a, b) => a - b);
  return [sorted[Math.floor(ROUNDS / 2)]!.toFixed(1), sorted.at(-1)!.toFixed(1)];
}

/** The claim of the next 20 due contacts, rolled back. */
async function claims({ pool }: Environment, small: number, large: number): Promise<void> {
  const runs = new CampaignRunsRepository(databaseOver(pool));
  class RolledBack extends Error {}
  const claim = (campaignId: number) => async (): Promise<void> => {
    const work = inTransaction(pool, async (tx) => {
      await runs.lockDue(campaignId, new Date(), 20, tx);
      throw new RolledBack();
    });
    await work.catch((error: unknown) => {
      if (!(error instanceof RolledBack)) throw error;
    });
  };
  const [few] = await times(claim(small));
  const [many] = await times(claim(large));
  const ratio = (Number(many) / Number(few)).toFixed(2);
  table(
    ['claim of 20 due contacts', 'median ms', 'ratio', 'bar'],
    [
      [`among ${FEW}`, few, '', ''],
      [`among ${CONTACTS}`, many, ratio, `<= ${BARS.claim} x`],
    ],
  );
}

const END_CALLS = `UPDATE calls SET status = 'busy', started_at = now(), ended_at = now(), hangup_cause = 'user_busy'
  WHERE campaign_id = $1 AND ended_at IS NULL`;

/** CPU time of the worker to create calls and to settle their outcomes. */
async function attempts(environment: Environment, campaignId: number): Promise<void> {
  const { pool, worker, account } = environment;
  await pool.query('UPDATE accounts SET concurrent_calls = 100, calls_per_second = 1000 WHERE id = $1', [
    account.accountId,
  ]);
  const before = await worker.cpuMs();
  const began = performance.now();
  await ask(environment, `/campaigns/${campaignId}/start`, { method: 'POST' });
  let made = 0;
  while (made < Math.min(ATTEMPTS, CONTACTS)) {
    await pool.query(END_CALLS, [campaignId]);
    await delay(20);
    const { data } = await ask<{ data: { attempts: number } }>(environment, `/campaigns/${campaignId}/progress`);
    made = data.attempts;
  }
  const seconds = (performance.now() - began) / 1_000;
  const cpuMs = (await worker.cpuMs()) - before;
  console.log(
    `${made} attempted calls in ${seconds.toFixed(1)} s: ${(cpuMs / made).toFixed(2)} ms CPU of the worker for each`,
  );
}
