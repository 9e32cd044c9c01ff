import type { Log } from '@app/common';
import type { Pool } from 'pg';
import { settleAttempts, type Settled, type Settlement } from './streams.js';

/** How long a settlement waits for others to share its commit with; alone each would cost a commit of its own. */
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
      this.flushAfter(GATHER_MS);
    });
  }

  /** The process is about to end: what fails from now on is lost. */
  loseWhatFails(): void {
    this.patient = false;
  }

  private flushAfter(ms: number): void {
    if (this.flushing) return;
    this.flushing = true;
    setTimeout(() => {
      void this.flush();
    }, ms);
  }

  private async flush(): Promise<void> {
    const group = this.pending;
    this.pending = [];
    const again = await this.settle(group);
    const kept = again.filter((entry) => this.patient && entry.expiresAt > performance.now());
    for (const { settlement, resolve } of again.filter((entry) => !kept.includes(entry)))
      resolve({ stream_id: settlement.stream_id, outcome: 'lost', due: false });
    const fresh = this.pending.length > 0;
    this.pending.push(...kept);
    this.flushing = false;
    if (this.pending.length > 0) this.flushAfter(fresh ? GATHER_MS : RETRY_MS);
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
