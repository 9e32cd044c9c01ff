import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { KnowledgeClient } from '../test/support/knowledge-client.js';
import { RestartablePostgres } from '../test/support/restartable-postgres.js';
import { Stack } from '../test/support/stack.js';
import { createAccount } from '../test/support/workspace.js';
import { bombs, type Bomb } from './bomb-files.js';
import { table } from './table.js';

const IDLE_MS = 8_000;
const PACE_MS = 20;
const GUEST_DOCUMENTS = 10;

interface Ended {
  name: string;
  account_id: number;
  status: string;
  error_code: string | null;
  /** Since the upload, including waiting. */
  seconds: number;
}

/**
 * One tenant uploads every bomb at once, a second one uploads documents, a third one sends requests. Measures the time until each
 * bomb has ended, the duration of the other documents, and the latency of requests (read and search, every 20 ms) compared with an
 * idle service.
 */
export async function run(): Promise<void> {
  const files = bombs();
  const pages = createServer((request, response) => {
    const bomb = files.find(({ name }) => `/${name}` === request.url);
    response.writeHead(bomb ? 200 : 404, { 'content-type': 'text/html' }).end(bomb?.content);
  }).listen(0, '127.0.0.1');
  await once(pages, 'listening');
  const database = await RestartablePostgres.start();
  const stack = await Stack.start({ dialers: 0, database, env: { LOG_LEVEL: 'fatal' } });
  try {
    await measure(stack, files, pages);
  } finally {
    await stack.stop();
    pages.closeAllConnections();
    pages.close();
  }
}

async function measure(stack: Stack, files: Bomb[], pages: Server): Promise<void> {
  const tenant = (name: string) => createAccount(stack, { name });
  const [hostile, guest, caller] = [await tenant('hostile'), await tenant('guest'), await tenant('caller')];
  const asking = new KnowledgeClient(stack, caller);
  await asking.file('asked.md', manual(0));
  await allEnded(stack);
  await latencies(asking, delay(2_000));
  const idle = await latencies(asking, delay(IDLE_MS));
  const before = apiMb(stack);
  await upload(new KnowledgeClient(stack, hostile), new KnowledgeClient(stack, guest), files, pages);
  const busy = await latencies(asking, allEnded(stack));
  report(await ended(stack), hostile.accountId, guest.accountId);
  table(
    ['API, ms', 'idle', 'with bombs', 'ratio', 'bar'],
    [0.5, 0.99].map((share) => {
      const [calm, hot] = [quantile(idle, share), quantile(busy, share)];
      const bar = share === 0.99 ? '<= 2.00' : '';
      return [`p${share * 100}`, calm.toFixed(1), hot.toFixed(1), (hot / calm).toFixed(2), bar];
    }),
  );
  console.log(`  memory of the api process: ${before} MB before, ${apiMb(stack)} MB after (bar: + 50 MB)`);
}

async function upload(attacker: KnowledgeClient, guest: KnowledgeClient, files: Bomb[], pages: Server): Promise<void> {
  const origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
  for (const { name, content } of files)
    await (name.endsWith('.html') ? attacker.url(`${origin}/${name}`) : attacker.file(name, content));
  for (let at = 1; at <= GUEST_DOCUMENTS; at++) await guest.file(`manual-${at}.md`, manual(at));
}

const manual = (at: number): string =>
  Array.from({ length: 40 }, (_, i) => `## Article ${at}.${i}\n\n${`All about article ${at}.${i}. `.repeat(60)}`).join(
    '\n\n',
  );

/** One request every 20 ms until `work` is done, alternately read and search. */
async function latencies(client: KnowledgeClient, work: Promise<unknown>): Promise<number[]> {
  const taken: number[] = [];
  const over = new AbortController();
  const finished = work.finally(() => over.abort());
  const open: Promise<void>[] = [];
  for (let at = 0; !over.signal.aborted; at++) {
    const startedAt = performance.now();
    const request = at % 2 ? client.search('all about article 0.7') : client.get(1);
    open.push(request.then(() => void taken.push(performance.now() - startedAt)));
    await delay(PACE_MS);
  }
  await Promise.all([finished, ...open]);
  return taken;
}

const quantile = (values: number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;

async function query<T extends object>(stack: Stack, text: string): Promise<T[]> {
  const client = new Client({ connectionString: stack.database.url });
  await client.connect();
  const { rows } = await client.query<T>(text);
  await client.end();
  return rows;
}

async function allEnded(stack: Stack): Promise<void> {
  const open = `SELECT 1 FROM knowledge_bases WHERE status IN ('pending', 'processing') LIMIT 1`;
  while ((await query(stack, open)).length > 0) await delay(100);
}

const ended = (stack: Stack): Promise<Ended[]> =>
  query<Ended>(
    stack,
    `SELECT coalesce(file_name, source_reference) AS name, account_id, status, error_code,
       extract(epoch FROM updated_at - created_at)::double precision AS seconds FROM knowledge_bases ORDER BY id`,
  );

function report(rows: Ended[], hostile: number, guest: number): void {
  const of = (id: number): Ended[] => rows.filter(({ account_id: account }) => account === id);
  const theirs = of(hostile);
  table(
    ['bomb', 'ended', 'code', 's after upload'],
    theirs.map(({ name, status, error_code: code, seconds }) => [
      name.replace(/^.*\//, ''),
      status,
      code ?? '',
      seconds.toFixed(1),
    ]),
  );
  const last = Math.max(...theirs.map(({ seconds }) => seconds));
  console.log(`  the last bomb ended ${last.toFixed(1)} s after its upload (bar: 35 s)`);
  const guests = of(guest);
  const completed = guests.filter(({ status }) => status === 'completed').length;
  const slowest = Math.max(...guests.map(({ seconds }) => seconds));
  console.log(`  the other tenant: ${completed} of ${guests.length} completed, the slowest in ${slowest.toFixed(1)} s`);
}

function apiMb(stack: Stack): number {
  const { child } = stack.processes.find(({ role }) => role === 'api')!;
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024);
}
