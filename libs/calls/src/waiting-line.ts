import { rows, type Sql } from '@app/database';

/** So close to its end the line is counted for each order, one order at a time. */
const MARGIN = 10_000;
/** Nobody adds more calls to one line in a second: it is believed for as long as others cannot have filled it. */
const ADDED_PER_MS = MARGIN / 1_000;
const BELIEVED_MS = { least: 1_000, most: 10_000 };
const KEPT_ACCOUNTS = 10_000;

const LOCK = { name: 'line-lock', text: `SELECT pg_advisory_xact_lock(7216036, $1)` };

const COUNT = {
  name: 'line-count',
  text: `SELECT a.queued_calls AS "limit", (SELECT count(*)::integer FROM (
      SELECT 1 FROM calls w WHERE w.account_id = a.id AND w.status = 'pending' AND w.owner IS NULL LIMIT a.queued_calls) AS line) AS waiting
    FROM accounts a WHERE a.id = $1`,
};

/** The calls of an account that no dialer has taken yet, as far as they matter, and how many may be. */
export interface Line {
  waiting: number;
  limit: number;
}

export async function countLine(sql: Sql, accountId: number): Promise<Line> {
  const [line] = await rows<Line & Record<string, unknown>>(sql, COUNT, [accountId]);
  return line ?? { waiting: 0, limit: 0 };
}

/** Waits for other orders of the account that do the same, then counts. Inside the transaction that adds the calls. */
export async function countUnderLock(tx: Sql, accountId: number): Promise<Line> {
  await rows(tx, LOCK, [accountId]);
  return countLine(tx, accountId);
}

/**
 * How long the waiting lines are, as this process last saw them. A line far from its limit is believed for a while, so that creating
 * calls costs no count; near its limit it must be counted.
 */
export class WaitingLines {
  private readonly seen = new Map<number, { waiting: number; until: number }>();
  private readonly looking = new Map<number, Promise<void>>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Resolves when the line is known. Of orders at once one counts it, and the others wait for that: a long line takes a while. */
  async look(accountId: number, count: () => Promise<Line>): Promise<void> {
    if (this.now() < (this.seen.get(accountId)?.until ?? -Infinity)) return;
    let looking = this.looking.get(accountId);
    if (!looking) {
      looking = count()
        .then((line) => this.saw(accountId, line))
        .finally(() => this.looking.delete(accountId));
      this.looking.set(accountId, looking);
    }
    await looking;
  }

  saw(accountId: number, { waiting, limit }: Line): void {
    this.seen.delete(accountId);
    this.seen.set(accountId, { waiting, until: this.now() + believedMs(limit - waiting) });
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

const believedMs = (room: number): number =>
  Math.min(Math.max(room / ADDED_PER_MS, BELIEVED_MS.least), BELIEVED_MS.most);
