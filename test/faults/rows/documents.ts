import { DocumentEvents } from '../../support/document-events.js';
import { KnowledgeClient } from '../../support/knowledge-client.js';
import { FaultEnvironment } from '../fault-environment.js';
import type { Findings, Row, Scale } from '../row.js';

const STAGES = ['parse', 'chunk', 'index'];
const ARTICLES = 300;
const MAX_DOCUMENTS = 20;
const TEXT = Array.from({ length: ARTICLES }, (_, i) => `## Article ${i}\n\n${`Word${i} of many. `.repeat(60)}\n`).join(
  '\n',
);

interface Stored {
  status: string;
  chunk_count: number;
  chunks: number;
  places: number;
  generations: number;
}

/** Kills a worker while it processes a document; another worker completes the document after the lease (a minute). */
const killed = ({ times }: Scale): Promise<Findings> =>
  FaultEnvironment.with({ apis: 1, workers: 2 }, async (environment) => {
    const client = new KnowledgeClient(environment.stack, await environment.customer());
    const events = await DocumentEvents.subscribe(environment.stack.database.url);
    try {
      const ids: number[] = [];
      for (let kills = 0; kills < times;) {
        if (ids.length >= MAX_DOCUMENTS) throw new Error('No worker held a document when its stage was seen.');
        const reached = events.next(({ stage }) => stage === STAGES[kills % STAGES.length]);
        ids.push((await client.file(`${ids.length}.md`, TEXT)).id);
        const { id } = await reached;
        if (await killHolder(environment, id)) kills += 1;
      }
      await events.ended(ids);
      return await compare(environment, ids);
    } finally {
      await events.close();
    }
  });

/** @returns false when the document was complete before its worker was known: on a busy machine events arrive late */
async function killHolder(environment: FaultEnvironment, id: number): Promise<boolean> {
  const text = 'SELECT lease_owner FROM knowledge_bases WHERE id = $1';
  const { rows } = await environment.pool.query<{ lease_owner: string | null }>(text, [id]);
  const holder = environment.workers.find(({ ready }) => rows[0]?.lease_owner?.includes(String(ready.owner)));
  if (!holder) return false;
  await environment.stack.kill(holder);
  await environment.stack.add('worker');
  return true;
}

/** An incomplete document counts as lost, a document stored twice as a duplicate. */
async function compare(environment: FaultEnvironment, ids: number[]): Promise<Findings> {
  const { rows } = await environment.pool.query<Stored>(
    `SELECT k.status, k.chunk_count, count(c.*)::integer AS chunks, count(DISTINCT c.ordinal)::integer AS places,
            count(DISTINCT c.generation)::integer AS generations
       FROM knowledge_bases k LEFT JOIN knowledge_chunks c ON c.knowledge_base_id = k.id
      WHERE k.id = ANY ($1) GROUP BY k.id`,
    [ids],
  );
  const whole = rows.filter(
    (one) => one.status === 'completed' && one.places >= ARTICLES && one.chunks >= one.chunk_count,
  );
  const duplicates = rows.filter((one) => one.generations > 1 || one.chunks > one.places).length;
  return { lost: ids.length - whole.length, duplicates, outOfOrder: 0, altered: 0, events: ids.length, missed: [] };
}

export const DOCUMENTS: Row[] = [
  {
    name: 'worker-killed-document',
    fault: 'kill -9 a worker while it processes a document (parse, chunk, index)',
    times: 3,
    bar: () => ({ duplicates: 0, also: 'every document completed, once' }),
    run: killed,
  },
];
