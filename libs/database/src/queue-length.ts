import type { Database } from './database.js';

/** The length of a queue in the database, and how long its first entry has been due. */
export interface QueueLength {
  depth: number;
  oldestSeconds: number;
}

/** Counting stops here: it is expensive, and the exact length of a longer queue changes nothing. */
export const MAX_COUNTED = 100_000;

/** Counts the rows of `from`, which an index finds; `since`: when an entry became due. */
export async function queueLength(
  database: Database,
  { name, from, since }: { name: string; from: string; since: string },
): Promise<QueueLength> {
  const text = `SELECT count(*)::integer AS depth,
      greatest(0, coalesce(extract(epoch FROM now() - min(since)), 0))::float8 AS oldest
    FROM (SELECT ${since} AS since FROM ${from} LIMIT ${MAX_COUNTED}) queued`;
  const [row] = await database.rows<{ depth: number; oldest: number }>({ name, text });
  return { depth: row?.depth ?? 0, oldestSeconds: row?.oldest ?? 0 };
}
