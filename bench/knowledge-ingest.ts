import { readdirSync, readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { Client } from 'pg';
import { DocumentEvents } from '../test/support/document-events.js';
import { KnowledgeClient } from '../test/support/knowledge-client.js';
import { RestartablePostgres } from '../test/support/restartable-postgres.js';
import { Stack } from '../test/support/stack.js';
import { dataPath } from '../test/support/test-data.js';
import { createAccount } from '../test/support/workspace.js';
import { table } from './table.js';

interface Upload {
  name: string;
  content: Buffer;
}

/** Time from the upload to the last searchable passage, through the API and one worker, by kind of document. */
export async function run(): Promise<void> {
  const database = await RestartablePostgres.start();
  const stack = await Stack.start({ dialers: 0, database, env: { LOG_LEVEL: 'fatal' } });
  try {
    const client = new KnowledgeClient(stack, await createAccount(stack, { name: 'bench' }));
    const events = await DocumentEvents.subscribe(database.url);
    const kinds: [string, Upload[]][] = [
      ...['pdf', 'docx', 'doc'].map((type): [string, Upload[]] => [`${type}, real documents`, made(type)]),
      ['txt, 200 of 2 KB', notes(200)],
      ['md, one of 8 MB', [{ name: 'large.md', content: Buffer.from(manual(8_000)) }]],
      ['csv, one of 3 MB', [{ name: 'large.csv', content: Buffer.from(rows(70_000)) }]],
    ];
    // The first document includes loading the parsers from disk.
    await ingest(client, events, database, made('pdf').slice(0, 1));
    const lines: string[][] = [];
    for (const [kind, uploads] of kinds) lines.push([kind, ...(await ingest(client, events, database, uploads))]);
    table(['from upload to searchable', 'documents', 's', 'documents/s', 'MB/s', 'pages/s', 'passages/s'], lines);
    await events.close();
  } finally {
    await stack.stop();
  }
}

const made = (type: string): Upload[] =>
  readdirSync(dataPath('documents', 'made'))
    .filter((name) => name.endsWith(`.${type}`))
    .map((name) => ({ name, content: readFileSync(dataPath('documents', 'made', name)) }));

const notes = (count: number): Upload[] =>
  Array.from({ length: count }, (_, i) => ({
    name: `note-${i}.txt`,
    content: Buffer.from(`Note ${i}. ${'It repeats what the customer said on the phone. '.repeat(42)}`),
  }));

const manual = (sections: number): string =>
  Array.from(
    { length: sections },
    (_, i) => `## Article ${i}\n\n${`All about article ${i}, as it was. `.repeat(32)}`,
  ).join('\n\n');

const rows = (count: number): string =>
  `Article,Place,Price\n${Array.from({ length: count }, (_, i) => `article ${i + 1},shelf ${i % 97} on the left,${i}.50`).join('\n')}\n`;

async function ingest(
  client: KnowledgeClient,
  events: DocumentEvents,
  database: RestartablePostgres,
  uploads: Upload[],
): Promise<string[]> {
  const startedAt = performance.now();
  const ids: number[] = [];
  for (const { name, content } of uploads) ids.push((await client.file(name, content)).id);
  await events.ended(ids);
  const seconds = (performance.now() - startedAt) / 1000;
  const { chunks, pages } = await stored(database, ids);
  const megabytes = uploads.reduce((sum, { content }) => sum + content.length, 0) / 1e6;
  const perSecond = (amount: number): string => (amount / seconds).toFixed(1);
  const counts = [uploads.length, megabytes, pages, chunks].map(perSecond);
  return [String(uploads.length), seconds.toFixed(1), ...counts];
}

async function stored(database: RestartablePostgres, ids: number[]): Promise<{ chunks: number; pages: number }> {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  const text = `SELECT coalesce(sum(chunks), 0)::integer AS chunks, coalesce(sum(pages), 0)::integer AS pages
    FROM (SELECT count(*) AS chunks, max(page) AS pages FROM knowledge_chunks WHERE knowledge_base_id = ANY ($1)
           GROUP BY knowledge_base_id) AS documents`;
  const { rows } = await client.query<{ chunks: number; pages: number }>(text, [ids]);
  await client.end();
  return rows[0] ?? { chunks: 0, pages: 0 };
}
