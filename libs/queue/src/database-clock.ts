import type { PostgresConnection } from 'bullmq';

type Pool = PostgresConnection['pool'];
type Values = readonly unknown[];

/** Milliseconds since 1970 by the clock of PostgreSQL. */
const DATABASE_NOW = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

/** A statement of BullMQ, found by a part of its text, and its parameters that are the clock of the process. */
interface ClockUse {
  call: string;
  parameters: readonly number[];
  /** It answers with a job that this process has claimed. */
  isClaim?: true;
}

const CLOCK_USES: readonly ClockUse[] = [
  { call: 'add_job(', parameters: [8] },
  { call: 'add_job_scheduler(', parameters: [8] },
  { call: 'update_job_scheduler_next_millis(', parameters: [6] },
  { call: 'move_to_active(', parameters: [4], isClaim: true },
  { call: 'move_to_completed(', parameters: [5] },
  { call: 'move_to_completed_fetch(', parameters: [5, 10], isClaim: true },
  { call: 'move_to_failed(', parameters: [6] },
  { call: 'move_to_failed_fetch(', parameters: [6, 11], isClaim: true },
  { call: 'extend_lock(', parameters: [5] },
  { call: 'SET locked_until_ms = $5', parameters: [5] },
  { call: 'move_stalled_jobs_to_wait(', parameters: [3] },
];

/** BullMQ compares the next moment at which a job is due with the clock of the process, so these add what is left to that clock. */
const NEXT_MOMENTS = [
  {
    part: 'next_delay FROM next_signal($1, $2, $3)',
    replacement: `next_delay - ${DATABASE_NOW} + $3::bigint AS next_delay FROM next_signal($1, $2, ${DATABASE_NOW})`,
    values: (given: Values): Values => given,
  },
  {
    part: 'next_delay($1) AS next_delay',
    replacement: `next_delay($1) - ${DATABASE_NOW} + $2::bigint AS next_delay`,
    values: (given: Values): Values => [...given, Date.now()],
  },
] as const;

interface Rewrite {
  text: string;
  values(given: Values): Values;
  isClaim: boolean;
}

/**
 * Makes BullMQ's statements use the clock of the database. By its own clock, a process that is a minute ahead takes scheduled jobs before
 * all others, plans the next ones a minute late, and takes the jobs of others for stalled.
 */
export function useDatabaseClock(pool: Pool): void {
  const query = pool.query.bind(pool);
  const rewrites = new Map<string, Rewrite>();
  pool.query = async (text, given = []) => {
    let rewrite = rewrites.get(text);
    if (!rewrite) rewrites.set(text, (rewrite = rewriteOf(text)));
    const result = await query(rewrite.text, rewrite.values(given));
    // From it BullMQ counts until it renews the lock, by the clock of the process.
    if (rewrite.isClaim) for (const job of result.rows as Record<string, unknown>[]) job.processed_at_ms = Date.now();
    return result as never;
  };
}

function rewriteOf(text: string): Rewrite {
  const next = NEXT_MOMENTS.find(({ part }) => text.includes(part));
  if (next) return { text: text.replace(next.part, () => next.replacement), values: next.values, isClaim: false };
  const use = CLOCK_USES.find(({ call }) => text.includes(call));
  if (!use) return { text, values: (given) => given, isClaim: false };
  return {
    text: withoutParameters(text, use.parameters),
    values: (given) => given.filter((_, index) => !use.parameters.includes(index + 1)),
    isClaim: use.isClaim ?? false,
  };
}

/** PostgreSQL refuses a parameter that a statement does not use, so the later ones move up. */
function withoutParameters(text: string, removed: readonly number[]): string {
  return text.replace(/\$(\d+)/g, (_, digits: string) => {
    const position = Number(digits);
    if (removed.includes(position)) return DATABASE_NOW;
    return `$${position - removed.filter((one) => one < position).length}`;
  });
}
