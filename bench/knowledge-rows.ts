import { existsSync, readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { DocumentEvents } from '../test/support/document-events.js';
import { KnowledgeClient, type Passage } from '../test/support/knowledge-client.js';
import { RestartablePostgres } from '../test/support/restartable-postgres.js';
import { Stack } from '../test/support/stack.js';
import { createAccount } from '../test/support/workspace.js';
import { csvOf, PRODUCT_QUESTIONS, type Product, productList, productOf } from './knowledge-tables.js';
import { table } from './table.js';

const PRODUCTS = 1_920;
const ASKED = 200;
/** As many as a CSV file may have; the file has almost 10 MB. */
const MAX_ROWS = 200_000;
const BAR_MS = 10;

/** Rows of a product list found through the API: how well by number and by attributes, and how fast among 200,000. */
export async function run(): Promise<void> {
  const database = await RestartablePostgres.start();
  const stack = await Stack.start({ dialers: 0, database, env: { LOG_LEVEL: 'fatal' } });
  const events = await DocumentEvents.subscribe(database.url);
  const uploaded = async (name: string, content: string): Promise<KnowledgeClient> => {
    const client = new KnowledgeClient(stack, await createAccount(stack, { name }));
    await events.ended([(await client.file(name, content)).id]);
    return client;
  };
  try {
    await compareQuality(uploaded);
    await measureLargest(stack, uploaded);
  } finally {
    await events.close();
    await stack.stop();
  }
}

type Upload = (name: string, content: string) => Promise<KnowledgeClient>;

async function compareQuality(uploaded: Upload): Promise<void> {
  const list = productList(PRODUCTS);
  const rows = await uploaded('products.csv', csvOf(list));
  // The same lines as text: several rows share a passage, as in a table that is split by size.
  const records = list.rows.map((cells) => cells.map((cell, at) => `${list.header[at]}: ${cell}`).join('\n'));
  const groups = await uploaded('products.txt', records.join('\n\n'));
  const body: string[][] = [];
  for (const [kind, question] of Object.entries(PRODUCT_QUESTIONS)) {
    const shares = [
      await hits(groups, question, holds),
      await hits(rows, question, holds),
      await hits(rows, question, isRow),
    ];
    body.push([kind, ...shares.map((share) => `${(share * 100).toFixed(0)} %`)]);
  }
  console.log(`Questions about ${PRODUCTS.toLocaleString('en')} products, ${ASKED} of each kind`);
  table(['', 'several rows a passage, hit@3', 'one row, hit@3', 'one row, first'], body);
}

const holds = (found: Passage[], { article }: Product): boolean => found.some(({ text }) => text.includes(article));
const isRow = (found: Passage[], { article }: Product): boolean => found[0]?.matched_row?.includes(article) ?? false;

async function hits(
  client: KnowledgeClient,
  question: (product: Product) => string,
  isHit: (found: Passage[], product: Product) => boolean,
): Promise<number> {
  let count = 0;
  for (let asked = 0; asked < ASKED; asked += 1) {
    const product = productOf((asked * 997) % PRODUCTS);
    if (isHit(await client.search(question(product), 3), product)) count += 1;
  }
  return count / ASKED;
}

async function measureLargest(stack: Stack, uploaded: Upload): Promise<void> {
  const content = csvOf(productList(MAX_ROWS));
  const memory = ['api', 'worker'].map((role) => stack.processes.find((one) => one.role === role)!.child.pid!);
  const before = memory.map(residentMb);
  const most = [...before];
  const sampler = setInterval(
    () => memory.forEach((pid, at) => (most[at] = Math.max(most[at]!, residentMb(pid)))),
    500,
  );
  const began = performance.now();
  const client = await uploaded('largest.csv', content);
  const ingested = performance.now() - began;
  const first = await took(() => client.search('do you have model BO26232 in stock?'));
  const kinds = Object.values(PRODUCT_QUESTIONS);
  const times: number[] = [];
  for (let asked = 0; asked < ASKED; asked += 1)
    times.push(await took(() => client.search(kinds[asked % kinds.length]!(productOf((asked * 7_919) % MAX_ROWS)))));
  clearInterval(sampler);
  times.sort((a, b) => a - b);
  const at = (share: number): string => times[Math.floor(times.length * share)]!.toFixed(1);
  const held = times[Math.floor(times.length / 2)]! <= BAR_MS ? 'yes' : 'NO';
  const grown = most.map((mb, n) => `+${(mb - before[n]!).toFixed(0)} MB`);
  console.log(
    `\nA CSV file of ${(content.length / 1e6).toFixed(1)} MB: ${MAX_ROWS.toLocaleString('en')} rows of ten columns`,
  );
  table(
    ['searchable after', 'first search', 'p50, ms', 'p95', 'p99', 'bar (p50)', 'held', 'api', 'worker'],
    [
      [
        `${(ingested / 1_000).toFixed(1)} s`,
        `${(first / 1_000).toFixed(1)} s`,
        at(0.5),
        at(0.95),
        at(0.99),
        `<= ${BAR_MS}`,
        held,
        ...grown,
      ],
    ],
  );
}

/** Linux only; 0 elsewhere. */
function residentMb(pid: number): number {
  const path = `/proc/${pid}/status`;
  return existsSync(path) ? Number(/VmRSS:\s+(\d+)/.exec(readFileSync(path, 'utf8'))?.[1] ?? 0) / 1_024 : 0;
}

async function took(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
