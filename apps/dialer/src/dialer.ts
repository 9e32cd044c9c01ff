import { runPeriodically, newId, type Env, type Log, type PeriodicTask } from '@app/common';
import { metrics } from '@app/metrics';
import type { CallClaimsService, DialersService, PlannedCall } from '@app/calls';
import type { Invitation } from '@app/telephony';
import type { CallRun } from './call-run.js';
import { CallWatchdog } from './call-watchdog.js';

const HEARTBEAT_MS = 2_000;
const CANCEL_POLL_MS = 500;
const CLAIM_POLL_MS = 1_000;
const SWEEP_MS = 5_000;
/** Longer than any claim is under way. */
const WATCH_MS = 15_000;

/** A call that came in and is stored as a call of this dialer. */
export interface IncomingStart {
  id: string;
  invitation: Invitation;
}

export interface DialerParts {
  claims: CallClaimsService;
  dialers: DialersService;
  log: Log;
  env: Pick<Env, 'DIALER_CALLS'>;
  /** Carries one call, claimed or come in; the run is over when its `done` resolves, and never rejects. */
  startRun: (call: PlannedCall | IncomingStart, owner: string) => CallRun;
  /** The process must end: its calls have been given to others. */
  onLost: () => void;
}

/** Claims calls from the queue, holds them by a lease, and passes cancellations to their runs. */
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
    await this.parts.dialers.register(this.id);
    this.started = true;
    const { log, dialers } = this.parts;
    const watchdog = new CallWatchdog({ dialers, log, runs: this.runs }, this.id);
    this.repeating.push(
      runPeriodically(HEARTBEAT_MS, () => this.renew(), log),
      runPeriodically(CANCEL_POLL_MS, () => this.passOnCancels(), log),
      runPeriodically(CLAIM_POLL_MS, () => this.claim(), log),
      runPeriodically(SWEEP_MS, () => dialers.endLostCalls(), log),
      runPeriodically(WATCH_MS, () => watchdog.look(), log),
    );
    this.wake();
  }

  get liveCalls(): number {
    return this.runs.size;
  }

  /**
   * A call comes in: `arrive` decides whether it is taken, as a call of `owner`, and never rejects. False: this dialer has no
   * free place, and `arrive` was not called.
   */
  receive(arrive: (owner: string) => Promise<IncomingStart | undefined>): boolean {
    if (!this.started || this.draining || this.room < 1) return false;
    void this.letIn(arrive);
    return true;
  }

  /** There may be calls in the queue. */
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
    await this.parts.dialers.retire(this.id);
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
    for (const call of await this.parts.claims.claim(this.id, this.room)) this.carry(call);
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
    if (await this.parts.dialers.renew(this.id)) return;
    this.parts.log.error({ dialer: this.id }, 'this dialer was taken for dead, its calls are hung up');
    this.draining = true;
    this.hangUpAll('worker_lost');
    this.parts.onLost();
  }

  private async passOnCancels(): Promise<void> {
    if (this.runs.size === 0) return;
    for (const id of await this.parts.dialers.cancelledCalls(this.id)) this.runs.get(id)?.cancel();
  }

  private hangUpAll(cause: 'drained' | 'worker_lost'): void {
    for (const run of this.runs.values()) run.hangUp(cause);
  }
}
