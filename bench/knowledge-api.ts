import { performance } from 'node:perf_hooks';
import { Pool } from 'pg';
import { testData } from '../test/support/test-data.js';
import { KnowledgeClient } from '../test/support/knowledge-client.js';
import { RestartablePostgres } from '../test/support/restartable-postgres.js';
import { Stack } from '../test/support/stack.js';
import { createAccount } from '../test/support/workspace.js';
import { fill } from './knowledge-database.js';
import { manyTexts, questionsIn, randomNumbers } from './knowledge-questions.js';
import { table } from './table.js';

const CHUNKS = 10_000;
const BAR_MS = 10;

/** Latency of `POST …/knowledge-bases/search` of the built api process: sequential questions over 10,000 chunks. */
export async function run(): Promise<void> {
  if (testData === undefined) return console.log('knowledge-api: skipped, XQuAD is missing (TRUNKLINE_TEST_DATA)');
  const database = await RestartablePostgres.start();
  const stack = await Stack.start({ dialers: 0, workers: 0, database, env: { LOG_LEVEL: 'fatal' } });
  try {
    await measure(stack);
  } finally {
    await stack.stop();
  }
}

async function measure(stack: Stack): Promise<void> {
  const account = await createAccount(stack, { name: 'asking' });
  const { paragraphs, questions } = questionsIn('en');
  const texts = manyTexts([...paragraphs, ...questionsIn('de').paragraphs], CHUNKS, randomNumbers(7));
  const pool = new Pool({ connectionString: stack.database.url });
  try {
    await fill(pool, account, texts);
  } finally {
    await pool.end();
  }
  const client = new KnowledgeClient(stack, account);
  const first = await took(() => client.search(questions[0]!.question));
  const times: number[] = [];
  for (const { question } of questions)
    times.push(
      await took(async () => {
        const found = await client.search(question);
        if (found.length !== 5) throw new Error(`${found.length} passages found for "${question}"`);
      }),
    );
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.floor(times.length * share)]!;
  console.log(`Search through the API over ${CHUNKS} chunks, ms, ${times.length} sequential questions`);
  const row = [at(0.5), at(0.95), at(0.99), first].map((ms) => ms.toFixed(1));
  table(
    ['p50', 'p95', 'p99', 'first (builds the index)', 'bar (p50)', 'held'],
    [[...row, `<= ${BAR_MS}`, at(0.5) <= BAR_MS ? 'yes' : 'NO']],
  );
}

async function took(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
