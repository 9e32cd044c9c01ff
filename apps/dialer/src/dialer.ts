import { runPeriodically, newId, type Env, type Log, type PeriodicTask } from '@app/common';
import { metrics } from '@app/metrics';
import {
  cancelledCalls,
  claimCalls,
  endLostCalls,
  registerDialer,
  renewDialer,
  retireDialer,
  type Links,
  type PlannedCall,
} from '@app/calls';
import type { Invitation } from '@app/telephony';
import type { Pool } from 'pg';
import type { CallRun } from './call-run.js';
import { CallWatchdog } from './call-watchdog.js';

const HEARTBEAT_MS = 2_000;
const CANCEL_POLL_MS = 500;
const CLAIM_POLL_MS = 1_000;
const SWEEP_MS = 5_000;
/** Longer than any claim is under way. */
const WATCH_MS = 15_000;

/** A call that came in, written down as ours. */
export interface IncomingStart {
  id: string;
  invitation: Invitation;
}

export interface DialerParts {
  pool: Pool;
  log: Log;
  env: Pick<Env, 'DIALER_CALLS'>;
  links: Links;
  /** Carries one call, claimed or come in; the run is over when its `done` resolves, and never rejects. */
  startRun: (call: PlannedCall | IncomingStart, owner: string) => CallRun;
  /** The process must end: its calls have been given to others. */
  onLost: () => void;
}

/** Takes calls from the waiting line, answers for them by a lease, and tells each run what others want of its call. */
export class Dialer {
  readonly id = newId();
  private readonly runs = new Map<string, CallRun>();
  private readonly repeating: PeriodicTask[] = [];
  private started = false;
  /** Calls that came in and are being looked up: each has its place already. */
  private arriving = 0;
  private claiming = false;
  private claimAgain = false;
  private draining = false;

  constructor(private readonly parts: DialerParts) {}

  async start(): Promise<void> {
    metrics.dialerSlots.set(this.parts.env.DIALER_CALLS);
    await registerDialer(this.parts.pool, this.id);
    this.started = true;
    const { log, pool, links } = this.parts;
    const watchdog = new CallWatchdog({ pool, links, log, runs: this.runs }, this.id);
    this.repeating.push(
      runPeriodically(HEARTBEAT_MS, () => this.renew(), log),
      runPeriodically(CANCEL_POLL_MS, () => this.passOnCancels(), log),
      runPeriodically(CLAIM_POLL_MS, () => this.claim(), log),
      runPeriodically(SWEEP_MS, () => endLostCalls(pool, links, log), log),
      runPeriodically(WATCH_MS, () => watchdog.look(), log),
    );
    this.wake();
  }

  get liveCalls(): number {
    return this.runs.size;
  }

  /**
   * Somebody calls in: `arrive` finds out whether the call is taken, as `owner`'s. It never rejects. False: there is no place
   * for it here, and it was not asked.
   */
  receive(arrive: (owner: string) => Promise<IncomingStart | undefined>): boolean {
    if (!this.started || this.draining || this.room < 1) return false;
    void this.letIn(arrive);
    return true;
  }

  /** There may be something in the waiting line. */
  wake(): void {
    this.claim().catch((err: unknown) => this.parts.log.error({ err }, 'calls could not be claimed'));
  }

  /** Takes no more calls, lets the live ones end, hangs up what is left at the deadline, and leaves. */
  async drain(deadlineMs: number): Promise<void> {
    this.draining = true;
    const timer = setTimeout(() => this.hangUpAll('drained'), deadlineMs);
    while (this.runs.size > 0 || this.claiming || this.arriving > 0) {
      await Promise.all([...this.runs.values()].map((run) => run.done));
      await new Promise((resolve) => setImmediate(resolve));
    }
    clearTimeout(timer);
    await Promise.all(this.repeating.map((task) => task.stop()));
    await retireDialer(this.parts.pool, this.id);
  }

  private async claim(): Promise<void> {
    if (this.claiming) {
      this.claimAgain = true;
      return;
    }
    this.claiming = true;
    try {
      do {
        this.claimAgain = false;
        await this.claimOnce();
      } while (this.claimAgain);
    } finally {
      this.claiming = false;
    }
  }

  private async claimOnce(): Promise<void> {
    if (this.draining || this.room < 1) return;
    for (const call of await claimCalls(this.parts.pool, this.id, this.room)) this.carry(call);
  }

  private async letIn(arrive: (owner: string) => Promise<IncomingStart | undefined>): Promise<void> {
    this.arriving += 1;
    const start = await arrive(this.id);
    this.arriving -= 1;
    if (start) this.carry(start);
  }

  private get room(): number {
    return this.parts.env.DIALER_CALLS - this.runs.size - this.arriving;
  }

  private carry(call: PlannedCall | IncomingStart): void {
    const run = this.parts.startRun(call, this.id);
    this.runs.set(call.id, run);
    metrics.dialerCalls.set(this.runs.size);
    metrics.callsStarted.inc({ direction: 'invitation' in call ? 'inbound' : 'outbound' });
    run.done
      .finally(() => {
        this.runs.delete(call.id);
        metrics.dialerCalls.set(this.runs.size);
        this.wake();
      })
      .catch((err: unknown) => this.parts.log.error({ err, call_id: call.id }, 'a call ended without being recorded'));
  }

  private async renew(): Promise<void> {
    if (await renewDialer(this.parts.pool, this.id)) return;
    this.parts.log.error({ dialer: this.id }, 'this dialer was taken for dead, its calls are hung up');
    this.draining = true;
    this.hangUpAll('worker_lost');
    this.parts.onLost();
  }

  private async passOnCancels(): Promise<void> {
    if (this.runs.size === 0) return;
    for (const id of await cancelledCalls(this.parts.pool, this.id)) this.runs.get(id)?.cancel();
  }

  private hangUpAll(cause: 'drained' | 'worker_lost'): void {
    for (const run of this.runs.values()) run.hangUp(cause);
  }
}
