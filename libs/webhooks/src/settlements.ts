import type { Log } from '@app/common';
import type { Pool } from 'pg';
import { SETTLED_AT_ONCE, settleAttempts, type Settled, type Settlement } from './streams.js';

const RETRY_MS = 100;
/** Under way at once: while PostgreSQL flushes one to the disk it carries out the other. */
const STATEMENTS = 2;
/**
 * Places that are kept for the outcomes under way. Another transaction may have a row locked (a new event for the same stream, for
 * example): such an outcome comes back, and would be one more than the process may have unstored. To keep a place for each of them costs
 * a third of the throughput; seldom more than one of a group is locked.
 */
const KEPT_FOR_LOCKED = 4;

interface Pending {
  settlement: Settlement;
  /** performance.now() at which the lease has run out and there is nothing left to settle. */
  expiresAt: number;
  resolve: (settled: Settled) => void;
}

/**
 * Commits the outcomes of attempts in groups: two statements at a time that hold 16 together, each with all that arrived while there
 * was none to take it, or with the same turn of the event loop. So nobody waits for a timer, and the groups grow with the load. While the
 * database cannot be reached, or a row is locked, an outcome is offered again until the lease of its stream ends; then the stream is
 * somebody else's, who sends the delivery once more.
 */
export class Settlements {
  private pending: Pending[] = [];
  private timer: NodeJS.Timeout | undefined;
  private statements = 0;
  /** Outcomes in the statements that are under way. */
  private underWay = 0;
  private flushesSoon = false;
  private patient = true;
  private failing = false;

  constructor(
    private readonly pool: Pool,
    private readonly leaseMs: number,
    private readonly log: Log,
    /** A group is on its way to the database, or is stored: there is room for more. */
    private readonly freed: () => void,
  ) {}

  /** Places of the outcomes that the database has not been given yet, or may give back. */
  get places(): number {
    return this.pending.length + Math.min(this.underWay, KEPT_FOR_LOCKED);
  }

  /** Resolves when the outcome is stored or lost; never rejects. One at a time per stream. */
  add(settlement: Settlement, expiresAt: number): Promise<Settled> {
    return new Promise((resolve) => {
      this.pending.push({ settlement, expiresAt, resolve });
      this.flushSoon();
    });
  }

  /** The process is about to end: what fails from now on is lost. */
  loseWhatFails(): void {
    this.patient = false;
  }

  /** After the answers that are here already have been looked at. */
  private flushSoon(): void {
    if (this.flushesSoon || this.statements === STATEMENTS || this.underWay === SETTLED_AT_ONCE) return;
    this.flushesSoon = true;
    setImmediate(() => {
      this.flushesSoon = false;
      this.flush();
    });
  }

  private flush(): void {
    const group = this.pending.splice(0, SETTLED_AT_ONCE - this.underWay);
    this.statements++;
    this.underWay += group.length;
    void this.settle(group).then((again) => this.flushed(group, again));
    this.freed();
  }

  private flushed(group: Pending[], again: Pending[]): void {
    this.statements--;
    this.underWay -= group.length;
    const kept = again.filter(({ expiresAt }) => this.patient && expiresAt > performance.now());
    for (const { settlement, resolve } of again.filter((entry) => !kept.includes(entry)))
      resolve({ stream_id: settlement.stream_id, outcome: 'lost', due: false });
    const fresh = this.pending.length > 0;
    this.pending.push(...kept);
    if (fresh) this.flushSoon();
    else if (kept.length > 0) this.retryLater();
    this.freed();
  }

  /** What comes meanwhile need not wait for it. */
  private retryLater(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      if (this.pending.length > 0) this.flushSoon();
    }, RETRY_MS);
  }

  /** Gives back what has to be offered again. */
  private async settle(group: Pending[]): Promise<Pending[]> {
    try {
      const settled = await settleAttempts(
        this.pool,
        group.map(({ settlement }) => settlement),
        this.leaseMs,
      );
      this.failing = false;
      const outcomes = new Map(settled.map((row) => [row.stream_id, row]));
      return group.filter(({ settlement, resolve }) => {
        const outcome = outcomes.get(settlement.stream_id);
        if (!outcome || outcome.outcome === 'busy') return true;
        resolve(outcome);
        return false;
      });
    } catch (err) {
      if (!this.failing)
        this.log.warn({ err }, 'webhook outcomes cannot be stored, they are kept until their leases end');
      this.failing = true;
      return group;
    }
  }
}
