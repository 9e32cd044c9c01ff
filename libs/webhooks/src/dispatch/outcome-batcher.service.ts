import type { Log } from '@app/common';
import { LOG } from '@app/common/settings';
import { Inject, Injectable } from '@nestjs/common';
import { DISPATCH_SETTINGS, type DispatchSettings } from './dispatch-settings.js';
import type { AttemptOutcome, StoredOutcome } from '../domain/attempt-outcome.js';
import { OUTCOMES_PER_STATEMENT, WebhookStreamsRepository } from './webhook-streams.repository.js';

const RETRY_MS = 100;
/** Concurrent statements: while PostgreSQL flushes one to the disk it executes the other. */
const STATEMENTS = 2;
/**
 * The second statement starts with at least so many outcomes; fewer wait for the end of the first. Groups of 7 instead of 9 to 11 take a
 * quarter more CPU time per outcome, here and in PostgreSQL.
 */
const SECOND_GROUP = OUTCOMES_PER_STATEMENT / 2;
/**
 * Slots that stay reserved for the outcomes in running statements. Another transaction may have locked a row (for example, it adds an
 * event to the same stream): such an outcome is returned and counts against the limit of unstored outcomes again. A slot for every
 * outcome would cost a third of the throughput; rarely more than one outcome of a group is locked.
 */
const RESERVED_FOR_LOCKED = 4;

interface Pending {
  outcome: AttemptOutcome;
  /** performance.now() at which the lease ends and the outcome is lost. */
  expiresAt: number;
  resolve: (stored: StoredOutcome) => void;
}

/**
 * Commits the outcomes of attempts in groups: at most two concurrent statements with 16 outcomes together. A statement takes all outcomes
 * that arrived during the one before, or in one turn of the event loop. So no outcome waits for a timer, and the groups grow with the
 * load. While the database is unreachable, or a row is locked, an outcome is retried until the lease of its stream ends; then another
 * dispatcher takes the stream and sends the delivery again.
 */
@Injectable()
export class OutcomeBatcherService {
  private pending: Pending[] = [];
  private timer: NodeJS.Timeout | undefined;
  private statements = 0;
  /** Outcomes in the running statements. */
  private running = 0;
  private flushScheduled = false;
  private failures: 'retried' | 'dropped' = 'retried';
  private unreachable = false;
  private freed: () => void = () => undefined;

  constructor(
    private readonly streams: WebhookStreamsRepository,
    @Inject(DISPATCH_SETTINGS) private readonly settings: DispatchSettings,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Calls `listener` when a group was sent to the database or stored: there are free slots. */
  onFreed(listener: () => void): void {
    this.freed = listener;
  }

  /** Slots of the outcomes that wait for a statement or may come back from one. */
  get slots(): number {
    return this.pending.length + Math.min(this.running, RESERVED_FOR_LOCKED);
  }

  /** Resolves when the outcome is stored or lost; never rejects. One at a time per stream. */
  add(outcome: AttemptOutcome, expiresAt: number): Promise<StoredOutcome> {
    return new Promise((resolve) => {
      this.pending.push({ outcome, expiresAt, resolve });
      this.flushSoon();
    });
  }

  /** The process ends soon: outcomes that cannot be stored now are lost. */
  dropFailures(): void {
    this.failures = 'dropped';
  }

  /** After all answers of this turn of the event loop. */
  private flushSoon(): void {
    if (this.flushScheduled || !this.mayFlush) return;
    this.flushScheduled = true;
    setImmediate(() => {
      this.flushScheduled = false;
      this.flush();
    });
  }

  private get mayFlush(): boolean {
    if (this.statements === 0) return true;
    const next = Math.min(this.pending.length, OUTCOMES_PER_STATEMENT - this.running);
    return this.statements < STATEMENTS && next >= SECOND_GROUP;
  }

  private flush(): void {
    const group = this.pending.splice(0, OUTCOMES_PER_STATEMENT - this.running);
    this.statements++;
    this.running += group.length;
    void this.store(group).then((again) => this.flushed(group, again));
    this.freed();
  }

  private flushed(group: Pending[], again: Pending[]): void {
    this.statements--;
    this.running -= group.length;
    const kept = again.filter(({ expiresAt }) => this.failures === 'retried' && expiresAt > performance.now());
    for (const { outcome, resolve } of again.filter((entry) => !kept.includes(entry)))
      resolve({ stream_id: outcome.stream_id, outcome: 'lost', due: false });
    const fresh = this.pending.length > 0;
    this.pending.push(...kept);
    if (fresh) this.flushSoon();
    else if (kept.length > 0) this.retryLater();
    this.freed();
  }

  /** New outcomes do not wait for this timer. */
  private retryLater(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      if (this.pending.length > 0) this.flushSoon();
    }, RETRY_MS);
  }

  /** @returns the outcomes to retry. */
  private async store(group: Pending[]): Promise<Pending[]> {
    try {
      const outcomes = group.map(({ outcome }) => outcome);
      const rows = await this.streams.storeOutcomes(outcomes, this.settings.leaseMs);
      this.unreachable = false;
      const stored = new Map(rows.map((row) => [row.stream_id, row]));
      return group.filter(({ outcome, resolve }) => {
        const found = stored.get(outcome.stream_id);
        if (!found || found.outcome === 'busy') return true;
        resolve(found);
        return false;
      });
    } catch (err) {
      if (!this.unreachable)
        this.log.warn({ err }, 'webhook outcomes cannot be stored, they are kept until their leases end');
      this.unreachable = true;
      return group;
    }
  }
}
