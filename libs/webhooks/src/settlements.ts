import type { Log } from '@app/common';
import type { Pool } from 'pg';
import { settleAttempts, type Settled, type Settlement } from './streams.js';

/** A group is committed when it is this large, or this old: alone each outcome would cost a commit of its own. */
const GROUP = 8;
const GATHER_MS = 2;
const RETRY_MS = 100;

interface Pending {
  settlement: Settlement;
  /** performance.now() at which the lease has run out and there is nothing left to settle. */
  expiresAt: number;
  resolve: (settled: Settled) => void;
}

/**
 * Commits the outcomes of attempts in groups. While the database cannot be reached, or a row is locked, an outcome is offered
 * again until the lease of its stream ends; then the stream is somebody else's, who sends the delivery once more.
 */
export class Settlements {
  private pending: Pending[] = [];
  private timer: NodeJS.Timeout | undefined;
  private flushing = false;
  private patient = true;
  private failing = false;

  constructor(
    private readonly pool: Pool,
    private readonly leaseMs: number,
    private readonly log: Log,
  ) {}

  /** Resolves when the outcome is stored or lost; never rejects. One at a time per stream. */
  add(settlement: Settlement, expiresAt: number): Promise<Settled> {
    return new Promise((resolve) => {
      this.pending.push({ settlement, expiresAt, resolve });
      if (this.pending.length >= GROUP) this.flush();
      else this.timer ??= setTimeout(() => this.flush(), GATHER_MS);
    });
  }

  /** The process is about to end: what fails from now on is lost. */
  loseWhatFails(): void {
    this.patient = false;
  }

  private flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    // What came meanwhile is looked at when the group under way has ended.
    if (this.flushing) return;
    this.flushing = true;
    const group = this.pending;
    this.pending = [];
    void this.settle(group).then((again) => this.flushed(again));
  }

  private flushed(again: Pending[]): void {
    this.flushing = false;
    const kept = again.filter(({ expiresAt }) => this.patient && expiresAt > performance.now());
    for (const { settlement, resolve } of again.filter((entry) => !kept.includes(entry)))
      resolve({ stream_id: settlement.stream_id, outcome: 'lost', due: false });
    const fresh = this.pending.length;
    this.pending.push(...kept);
    if (fresh >= GROUP) this.flush();
    else if (this.pending.length > 0) this.timer ??= setTimeout(() => this.flush(), fresh > 0 ? GATHER_MS : RETRY_MS);
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
