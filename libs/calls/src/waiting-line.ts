import { rows, type Sql } from '@app/db';

/** So close to its end the line is counted for each order, one order at a time. */
const MARGIN = 10_000;
/** Nobody adds more calls to one line in a second: a line is believed for as long as others cannot have filled it. */
const ADDED_PER_MS = MARGIN / 1_000;
/** Others go on believing it while one order looks again. */
const LOOKING_MS = 1_000;
const KEPT_ACCOUNTS = 10_000;

const LOCK = { name: 'line-lock', text: `SELECT pg_advisory_xact_lock(7216036, $1)` };

/** The calls of the account `a` that no dialer has taken yet, as far as they matter. */
export const WAITING_CALLS = `(SELECT count(*)::integer FROM (SELECT 1 FROM calls w
  WHERE w.account_id = a.id AND w.status = 'pending' AND w.owner IS NULL LIMIT a.queued_calls) AS line)`;

const COUNT = { name: 'line-count', text: `SELECT ${WAITING_CALLS} AS waiting FROM accounts a WHERE a.id = $1` };

/** Waits for other orders of the account that do the same, then counts. Inside the transaction that adds the calls. */
export async function countUnderLock(tx: Sql, accountId: number): Promise<number> {
  await rows(tx, LOCK, [accountId]);
  const [line] = await rows<{ waiting: number }>(tx, COUNT, [accountId]);
  return line?.waiting ?? 0;
}

/**
 * How long the waiting lines are, as this process last saw them. A line far from its limit is believed for a while, so that creating
 * calls costs no count; near its limit it must be counted.
 */
export class WaitingLines {
  private readonly seen = new Map<number, { waiting: number; until: number }>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Whether to look again with this order. Of orders at once one looks, unless the line was out of sight for long. */
  isUnknown(accountId: number): boolean {
    const line = this.seen.get(accountId);
    const now = this.now();
    if (!line || now >= line.until + LOOKING_MS) return true;
    if (now < line.until) return false;
    line.until = now + LOOKING_MS;
    return true;
  }

  saw(accountId: number, waiting: number, limit: number): void {
    this.seen.delete(accountId);
    this.seen.set(accountId, { waiting, until: this.now() + (limit - waiting) / ADDED_PER_MS });
    const [oldest] = this.seen.keys();
    if (this.seen.size > KEPT_ACCOUNTS && oldest !== undefined) this.seen.delete(oldest);
  }

  /** Takes places for `count` calls when there are plenty. False: it must be counted. */
  takePlenty(accountId: number, count: number, limit: number): boolean {
    const line = this.seen.get(accountId);
    if (!line || line.waiting + count > limit - MARGIN) return false;
    line.waiting += count;
    return true;
  }
}
