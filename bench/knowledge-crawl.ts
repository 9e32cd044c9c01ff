import { readFileSync } from 'node:fs';
import { DocumentEvents } from '../test/support/document-events.js';
import { KnowledgeClient } from '../test/support/knowledge-client.js';
import { RestartablePostgres } from '../test/support/restartable-postgres.js';
import { Stack } from '../test/support/stack.js';
import { type SitePage, TestSite } from '../test/support/test-site.js';
import { createAccount } from '../test/support/workspace.js';
import { cpuOfTrees } from './cpu.js';
import { table } from './table.js';

const PAGES = 500;
/** About 6 KB of text, as on a page of a help center. */
const PARAGRAPHS = 20;

/** A crawl of the largest allowed size over loopback, and its refresh without a change, by one worker. */
export async function run(): Promise<void> {
  const database = await RestartablePostgres.start();
  const env = { LOG_LEVEL: 'fatal', EGRESS_ALLOW_CIDRS: '127.0.0.1/32' };
  const stack = await Stack.start({ dialers: 0, database, env });
  const site = await TestSite.start(pages());
  try {
    const client = new KnowledgeClient(stack, await createAccount(stack, { name: 'bench' }));
    const events = await DocumentEvents.subscribe(database.url);
    const worker = stack.processes.find(({ role }) => role === 'worker')!.child.pid!;
    const idleMb = megabytes(worker, 'VmRSS');
    const crawled = async (begin: () => Promise<{ id: number }>): Promise<string[]> => {
      const [startedAt, cpu, requests] = [performance.now(), await cpuOfTrees([worker]), site.requests.length];
      const { id } = await begin();
      await events.ended([id]);
      const seconds = (performance.now() - startedAt) / 1_000;
      const cpuMs = (await cpuOfTrees([worker])) - cpu;
      const { chunk_count: chunks, pages: counts } = await client.get(id);
      const read = counts?.completed ?? 0;
      const sent = [site.requests.length - requests, site.unchanged.length].map(String);
      const peak = megabytes(worker, 'VmHWM').toFixed(0);
      return [...[read, chunks].map(String), ...sent, seconds.toFixed(1), (cpuMs / read).toFixed(1), peak];
    };
    let id = 0;
    const first = await crawled(async () => {
      const created = await client.crawl(`${site.origin}/`, { max_pages: PAGES });
      id = created.id;
      return created;
    });
    const again = await crawled(() => client.reprocess(id));
    const head = [
      '',
      'pages',
      'passages',
      'requests',
      'of them 304',
      's',
      'CPU ms/page, with parsers',
      'worker peak MB',
    ];
    table(head, [
      ['crawl', ...first],
      ['again, unchanged', ...again],
    ]);
    console.log(`  the idle worker has ${idleMb.toFixed(0)} MB`);
    await events.close();
  } finally {
    site.close();
    await stack.stop();
  }
}

/** Ten lists link to fifty pages each. */
function pages(): Record<string, SitePage> {
  const paths = Array.from({ length: PAGES - 11 }, (_, i) => `/articles/${i}`);
  const lists = Array.from({ length: 10 }, (_, i) => `/lists/${i}`);
  const articles = paths.map((path, i) => [
    path,
    { title: `Article ${i}`, text: textOf(i), links: ['/', lists[i % 10]!] },
  ]);
  const listed = lists.map((path, at) => {
    const links = paths.filter((_, i) => i % 10 === at);
    return [path, { title: `List ${at}`, text: textOf(PAGES + at), links }];
  });
  return Object.fromEntries([
    ['/', { title: 'Start', text: textOf(2 * PAGES), links: lists }],
    ...listed,
    ...articles,
  ]) as Record<string, SitePage>;
}

const textOf = (page: number): string =>
  Array.from(
    { length: PARAGRAPHS },
    (_, i) =>
      `<p>Part ${i} of subject ${page} describes how the device is opened, cleaned and closed again, which spare part ${page * 31 + i} belongs
      to it, and how long the delivery takes. The warranty of this part covers ${(page + i) % 24} months after the purchase.</p>`,
  ).join('');

function megabytes(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) / 1_024;
}
