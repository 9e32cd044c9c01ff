import { DocumentEvents } from '../../support/document-events.js';
import { KnowledgeClient } from '../../support/knowledge-client.js';
import { Ground } from '../ground.js';
import type { Findings, Row, Scale } from '../row.js';

const STAGES = ['parse', 'chunk', 'index'];
const ARTICLES = 300;
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

/** A worker dies while it processes a document; another one completes it after the lease expired (one minute). */
const killed = ({ times, short }: Scale): Promise<Findings> =>
  Ground.with({ apis: 1, workers: 2 }, async (ground) => {
    const client = new KnowledgeClient(ground.stack, await ground.customer());
    const events = await DocumentEvents.subscribe(ground.stack.database.url);
    try {
      const ids: number[] = [];
      for (let n = 0; n < times; n++) {
        const reached = events.next(({ stage }) => stage === STAGES[n % STAGES.length]);
        ids.push((await client.file(`${n}.md`, TEXT)).id);
        const { id } = await reached;
        await killHolder(ground, id);
        if (short) await ground.pool.query('UPDATE knowledge_bases SET lease_until = now() WHERE id = $1', [id]);
      }
      await events.ended(ids);
      return await compared(ground, ids);
    } finally {
      await events.close();
    }
  });

async function killHolder(ground: Ground, id: number): Promise<void> {
  const text = 'SELECT lease_owner FROM knowledge_bases WHERE id = $1';
  const { rows } = await ground.pool.query<{ lease_owner: string | null }>(text, [id]);
  const holder = ground.workers.find(({ ready }) => rows[0]?.lease_owner?.includes(String(ready.owner)));
  if (!holder) throw new Error('No worker holds the lease of the document.');
  await ground.stack.kill(holder);
  await ground.stack.add('worker');
}

/** An incomplete document counts as lost; a document with repeated chunks counts as a duplicate. */
async function compared(ground: Ground, ids: number[]): Promise<Findings> {
  const { rows } = await ground.pool.query<Stored>(
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
    fault: 'kill -9 a worker in the midst of a document (parse, chunk, index)',
    times: 3,
    bar: () => ({ duplicates: 0, also: 'every document completed, once' }),
    run: killed,
  },
];
