import { escapeLiteral, type Pool } from 'pg';
import type { Condition } from './list-condition.js';
import { type ListedTable, statementName } from './list-rows.js';
import { type Query, rows } from './statement.js';

/** How many rows a condition lets through. */
export interface Total {
  count: number;
  /** Beyond the cap the planner is asked, because counting costs more than the page (O(n)). */
  isEstimate: boolean;
}

/** Counted exactly up to here. */
const CAP = 10_000;
const KEPT_MS = 2_000;
const KEPT_TOTALS = 5_000;

/** Counts rows; large totals, which cost the most and matter the least, are remembered for two seconds. */
export class ListTotals {
  private readonly kept = new Map<string, { total: Total; until: number }>();

  constructor(
    private readonly pool: Pool,
    private readonly now: () => number = () => performance.now(),
  ) {}

  async of(table: ListedTable, condition: Condition): Promise<Total> {
    const key = `${table.name}\n${condition.shape}\n${JSON.stringify(condition.values)}`;
    const kept = this.kept.get(key);
    if (kept && kept.until > this.now()) return kept.total;
    this.kept.delete(key);
    const total = await countRows(this.pool, table, condition);
    if (total.isEstimate) this.keep(key, total);
    return total;
  }

  private keep(key: string, total: Total): void {
    this.kept.set(key, { total, until: this.now() + KEPT_MS });
    const [oldest] = this.kept.keys();
    if (this.kept.size > KEPT_TOTALS && oldest !== undefined) this.kept.delete(oldest);
  }
}

/** PostgreSQL asks its planner itself (`planned_rows`) when the count reaches the cap. */
export function countQuery(table: ListedTable, condition: Condition): Query {
  const { sql, values } = condition;
  const at = values.length;
  const text = `WITH counted AS (SELECT count(*)::integer AS n FROM (SELECT 1 FROM ${table.name} WHERE ${sql} LIMIT $${at + 1}) AS capped)
    SELECT n, CASE WHEN n >= $${at + 1} THEN planned_rows($${at + 2}) END AS planned FROM counted`;
  const question = `SELECT 1 FROM ${table.name} WHERE ${inlined(sql, values)}`;
  return { name: statementName(table, 'count', condition), text, values: [...values, CAP + 1, question] };
}

async function countRows(pool: Pool, table: ListedTable, condition: Condition): Promise<Total> {
  const query = countQuery(table, condition);
  const [row] = await rows<{ n: number; planned: string | null }>(pool, query, query.values);
  const counted = row?.n ?? 0;
  if (row?.planned === null || row?.planned === undefined) return { count: counted, isEstimate: false };
  return { count: Math.max(counted, Number(row.planned)), isEstimate: true };
}

/** EXPLAIN takes no parameters inside a function: the values are written into the text as literals. */
const inlined = (sql: string, values: unknown[]): string =>
  sql.replace(/\$(\d+)/g, (_placeholder, index: string) => literal(values[Number(index) - 1]));

function literal(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value)) return escapeLiteral(`{${value.join(',')}}`);
  // The first and last days of four-digit years, with an offset, are in years that no timestamp literal can be written with.
  if (value instanceof Date) return `('epoch'::timestamptz + ${value.getTime()} * interval '1 millisecond')`;
  return escapeLiteral(String(value));
}
