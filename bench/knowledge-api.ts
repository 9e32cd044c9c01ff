import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { Pool } from 'pg';
import { testData } from '../test/support/test-data.js';
import { KnowledgeClient } from '../test/support/knowledge-client.js';
import { RestartablePostgres } from '../test/support/restartable-postgres.js';
import { Stack } from '../test/support/stack.js';
import { createAccount } from '../test/support/workspace.js';
import { fill, retitle } from './knowledge-database.js';
import { manyTexts, questionsIn, randomNumbers } from './knowledge-questions.js';
import { table } from './table.js';

const CHUNKS = 10_000;
/** Knowledge bases among which the same chunks are divided, by agent. */
const DIVISIONS = [1, 1_000, 5_000];
/** Consecutive questions per agent, so that each agent is searched with its own data in the CPU caches. */
const IN_A_ROW = 20;
const CHANGES = 9;
const BAR_MS = 10;

interface SearchedClient {
  knowledgeBases: number;
  client: KnowledgeClient;
  /** The first search, which builds the index. */
  first: number;
  times: number[];
  /** CPU time of the api process for these searches, in ms: unlike their latency, almost independent of other load. */
  cpu: number;
  /** The first searches after changes of one knowledge base. */
  changed: number[];
  change: (at: number) => Promise<void>;
}

/**
 * Latency of `POST …/knowledge-bases/search` of the built api process: sequential questions over 10,000 chunks, which one agent has in
 * a single knowledge base, and others in many small ones.
 */
export async function run(): Promise<void> {
  if (testData === undefined) return console.log('knowledge-api: skipped, XQuAD is missing (TRUNKLINE_TEST_DATA)');
  const database = await RestartablePostgres.start();
  const stack = await Stack.start({ dialers: 0, workers: 0, database, env: { LOG_LEVEL: 'fatal' } });
  const pool = new Pool({ connectionString: stack.database.url });
  try {
    await measure(stack, pool);
  } finally {
    await pool.end();
    await stack.stop();
  }
}

async function measure(stack: Stack, pool: Pool): Promise<void> {
  const questions = questionsIn('en').questions.map(({ question }) => question);
  const clients: SearchedClient[] = [];
  for (const knowledgeBases of DIVISIONS) clients.push(await aClient(stack, pool, knowledgeBases, questions[0]!));
  for (let at = 0; at < questions.length; at += IN_A_ROW)
    for (const one of clients) {
      const before = cpuOf(stack);
      for (const question of questions.slice(at, at + IN_A_ROW)) one.times.push(await searched(one.client, question));
      one.cpu += cpuOf(stack) - before;
    }
  for (let at = 0; at < CHANGES; at += 1)
    for (const { client, changed, change } of clients) {
      await change(at);
      changed.push(await searched(client, questions[at]!));
    }
  console.log(
    `Search through the API over ${CHUNKS} chunks, ms; ${questions.length} questions per agent, ${IN_A_ROW} in a row`,
  );
  table(
    ['knowledge bases', 'p50', 'p95', 'p99', 'CPU', 'first', 'first after a change (median)', 'bar (p50)', 'held'],
    clients.map(rowOf),
  );
}

async function aClient(stack: Stack, pool: Pool, knowledgeBases: number, question: string): Promise<SearchedClient> {
  const account = await createAccount(stack, { name: `asking ${knowledgeBases}` });
  const paragraphs = ['en', 'de'].flatMap((language) => questionsIn(language).paragraphs);
  const texts = manyTexts(paragraphs, CHUNKS, randomNumbers(7));
  const ids = await fill(pool, account, texts, CHUNKS / knowledgeBases);
  const client = new KnowledgeClient(stack, account);
  const change = (at: number): Promise<void> => retitle(pool, account, ids[(at * 101) % ids.length]!, `Title ${at}`);
  return { knowledgeBases, client, first: await searched(client, question), times: [], cpu: 0, changed: [], change };
}

/** @returns the time in ms. */
async function searched(client: KnowledgeClient, question: string): Promise<number> {
  const began = performance.now();
  const found = await client.search(question);
  const ms = performance.now() - began;
  if (found.length !== 5) throw new Error(`${found.length} passages found for "${question}"`);
  return ms;
}

/** User and system time, counted in steps of 10 ms. */
function cpuOf(stack: Stack): number {
  const { child } = stack.processes.find(({ role }) => role === 'api')!;
  const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return 10 * (Number(fields[11]) + Number(fields[12]));
}

function rowOf({ knowledgeBases, times, cpu, first, changed }: SearchedClient): string[] {
  const p50 = at(times, 0.5);
  const row = [p50, at(times, 0.95), at(times, 0.99), cpu / times.length, first, at(changed, 0.5)].map((ms) =>
    ms.toFixed(1),
  );
  return [`${knowledgeBases}`, ...row, `<= ${BAR_MS}`, p50 <= BAR_MS ? 'yes' : 'NO'];
}

const at = (times: number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * share)]!;
