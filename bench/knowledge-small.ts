import { KnowledgeClient } from '../test/support/knowledge-client.js';
import type { Stack } from '../test/support/stack.js';
import { type SitePage, TestSite } from '../test/support/test-site.js';
import { createAccount } from '../test/support/workspace.js';
import { queueOptions, WakeUpsService } from '@app/queue';
import { Queue } from 'bullmq';
import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'pg';
import { pino } from 'pino';
import { cpuOfTrees } from './cpu.js';
import { pidsOf, ScaleEnvironment } from './scale-environment.js';
import { percentile, ROUNDS } from './scale-rounds.js';
import { table } from './table.js';

const ACCOUNTS = 10;
/** Texts of the first account, and of each of the next seven; the last two have crawls. */
const TEXTS = { first: 100, next: 7 };
const PAGES = 40;
/** Parser processes of the work before have ended. */
const IDLE_MS = 5_500;
const LOOK_MS = 25;
const NOTE = `It repeats what the customer said on the phone. `.repeat(42);

interface Sample {
  rate: number;
  workerMs: number;
  postgresMs: number;
}

/** Work for one worker; `prepare` returns the ids of the knowledge bases that are pending. */
interface Work {
  name: string;
  units: number;
  begin: () => Promise<number[]>;
}

interface Contender {
  name: string;
  stack: Stack;
  pool: Pool;
  works: Work[];
  samples: Sample[][];
  close: () => Promise<void>;
}

/**
 * Texts of 2 KB and pages of a crawl, by one worker without an embedder: from the change to the last searchable passage, with the
 * processor time of the worker and its parser processes. `baseline`: the `dist` folder of another build, which takes turns.
 */
export async function run({ baseline }: { baseline?: string } = {}): Promise<void> {
  const environment = await ScaleEnvironment.open();
  const site = await TestSite.start(sitePages());
  const contenders: Contender[] = [];
  try {
    for (const build of [undefined, ...(baseline === undefined ? [] : [baseline])])
      contenders.push(await contender(build, environment, site));
    for (const one of contenders) await round(one, environment);
    for (const one of contenders) one.samples = one.works.map(() => []);
    for (let n = 0; n < ROUNDS; n++)
      for (const one of n % 2 === 0 ? contenders : contenders.toReversed()) await round(one, environment);
    report(contenders, environment.queue);
  } finally {
    for (const one of contenders) await one.close();
    site.close();
    await environment.close();
  }
}

async function contender(build: string | undefined, environment: ScaleEnvironment, site: TestSite): Promise<Contender> {
  const database = await environment.database();
  const queueUrl = environment.queueUrl;
  const env = { EGRESS_ALLOW_CIDRS: '127.0.0.1/32' };
  const stack = await environment.stack({ database, build, dialers: 0, env });
  const clients: KnowledgeClient[] = [];
  while (clients.length < ACCOUNTS)
    clients.push(new KnowledgeClient(stack, await createAccount(stack, { name: `bench ${clients.length}` })));
  const pool = new Pool({ connectionString: database.url, max: 2 });
  const queue = new Queue('documents', queueOptions({ DATABASE_URL: database.url, QUEUE_URL: queueUrl }));
  const again = reprocess(pool, new WakeUpsService([queue], pino({ level: 'fatal' })));
  const works = await worksOf(clients, site, again);
  const close = async (): Promise<void> => {
    await queue.close();
    await pool.end();
    await stack.stop();
  };
  return { name: build ?? 'this build', stack, pool, works, samples: works.map(() => []), close };
}

async function worksOf(
  clients: readonly KnowledgeClient[],
  site: TestSite,
  again: (ids: number[]) => Promise<number[]>,
): Promise<Work[]> {
  const ids: number[][] = [];
  for (const [at, client] of clients.slice(0, -2).entries())
    ids.push(await upload(client, at === 0 ? TEXTS.first : TEXTS.next));
  const [first = [], ...others] = ids;
  const inTurn = others.slice(0, 3).flat();
  const oneEach = others.flatMap(([id]) => id ?? []);
  const crawl = (account: number, path: string) => async (): Promise<number[]> => {
    const { id } = await clients.at(account)!.crawl(`${site.origin}${path}`, { max_pages: PAGES });
    return [id];
  };
  return [
    { name: 'a text of each of seven accounts', units: oneEach.length, begin: () => again(oneEach) },
    { name: 'texts of one account', units: first.length, begin: () => again(first) },
    { name: 'texts of three accounts in turn', units: inTurn.length, begin: () => again(inTurn) },
    { name: 'a crawl', units: PAGES, begin: crawl(-2, '/') },
    { name: 'a crawl, each fifth page missing', units: PAGES, begin: crawl(-1, '/some') },
  ];
}

async function upload(client: KnowledgeClient, count: number): Promise<number[]> {
  const ids: number[] = [];
  while (ids.length < count) ids.push((await client.file(`note-${ids.length}.txt`, `Note ${ids.length}. ${NOTE}`)).id);
  return ids;
}

/** As POST …/reprocess, for all of them at once. */
const reprocess = (pool: Pool, wakeUps: WakeUpsService) => async (ids: number[]) => {
  await pool.query(
    `UPDATE knowledge_bases SET status = 'pending', generation = generation + 1, attempt = 0, next_attempt_at = now()
      WHERE id = ANY ($1)`,
    [ids],
  );
  wakeUps.wake('documents');
  return ids;
};

async function round(one: Contender, { postgresPid }: ScaleEnvironment): Promise<void> {
  await delay(IDLE_MS);
  for (const [at, work] of one.works.entries()) {
    const worker = pidsOf(one.stack, 'worker');
    const look = async () => [performance.now(), await cpuOfTrees(worker), await cpuOfTrees([postgresPid])] as const;
    const before = await look();
    await ended(one, await work.begin());
    const after = await look();
    const per = (index: 1 | 2): number => (after[index] - before[index]) / work.units;
    const rate = (work.units * 1_000) / (after[0] - before[0]);
    one.samples[at]?.push({ rate, workerMs: per(1), postgresMs: per(2) });
  }
}

/** By polling: a trigger that notifies about each change would be a part of the measured time. */
async function ended({ pool }: Contender, ids: number[]): Promise<void> {
  const open = `SELECT 1 FROM knowledge_bases WHERE id = ANY ($1) AND status IN ('pending', 'processing') LIMIT 1`;
  while ((await pool.query(open, [ids])).rowCount !== 0) await delay(LOOK_MS);
}

function report(contenders: readonly Contender[], queue: string): void {
  console.log(`Small documents, one worker, ${ROUNDS} interleaved rounds, the queue in ${queue}; medians and ranges`);
  const works = contenders[0]?.works ?? [];
  const lines = works.flatMap(({ name }, at) =>
    contenders.map((one) => {
      const of = (pick: (sample: Sample) => number, digits: number): string => {
        const values = (one.samples[at] ?? []).map(pick);
        const [least, most] = [Math.min(...values), Math.max(...values)];
        return `${percentile(values, 0.5).toFixed(digits)} (${least.toFixed(digits)}-${most.toFixed(digits)})`;
      };
      return [
        name,
        one.name,
        of((sample) => sample.rate, 1),
        of((sample) => sample.workerMs, 1),
        of((sample) => sample.postgresMs, 1),
        of((sample) => 1_000 / (sample.workerMs + sample.postgresMs), 1),
      ];
    }),
  );
  table(['', 'build', 'per second', 'CPU ms, worker', 'PostgreSQL', 'per second of CPU'], lines);
}

/** `/` leads to pages with text; `/some` to as many, of which each fifth says that it is missing. */
function sitePages(): Record<string, SitePage> {
  const all = Array.from({ length: PAGES }, (_, at) => at);
  const linksTo = (folder: string) => all.slice(1).map((at) => `/${folder}/${at}`);
  const article = (folder: string, at: number): SitePage => ({
    title: `Article ${folder} ${at}`,
    text: textOf(folder, at),
  });
  const missing: SitePage = { title: 'Page not found', text: 'Sorry, the page was not found.' };
  return Object.fromEntries([
    ['/', { ...article('all', 0), links: linksTo('all') }],
    ['/some', { ...article('some', 0), links: linksTo('some') }],
    ...all.map((at) => [`/all/${at}`, article('all', at)]),
    ...all.map((at) => [`/some/${at}`, at % 5 === 0 ? missing : article('some', at)]),
  ]) as Record<string, SitePage>;
}

const textOf = (folder: string, page: number): string =>
  Array.from(
    { length: 12 },
    (_, i) =>
      `<p>Part ${i} of subject ${page} of ${folder} describes how the device is opened, cleaned and closed again, which spare part
      ${page * 31 + i} belongs to it, and how long the delivery takes. The warranty covers ${(page + i) % 24} months.</p>`,
  ).join('');
