import {
  CallClaimsService,
  CallReleaseService,
  DialersService,
  type LiveCall,
  type PlannedCall,
  RecordingsService,
} from '@app/calls';
import { type Env, type Log, newId, type PeriodicTask, runPeriodically } from '@app/common';
import { metrics } from '@app/metrics';
import { ENV, LOG } from '@app/common/settings';
import { providerNames } from '@app/voice';
import { Inject, Injectable } from '@nestjs/common';
import { ArrivalDesk } from './inbound/arrival-turns.js';
import { InternalServerService } from './internal/internal-server.service.js';
import { CommandDeliveryService } from './call/command-delivery.service.js';
import { LiveWordsService } from './agent/live-words.service.js';
import { type CallRun, CallRunFactory, type IncomingStart } from './call/call-run.js';

const HEARTBEAT_MS = 2_000;
const CANCEL_POLL_MS = 500;
const CLAIM_POLL_MS = 1_000;
const SWEEP_MS = 5_000;
/** Longer than any claim takes. */
const WATCH_MS = 15_000;
/** The recording of a deleted call must not stay long on the disk of a crashed dialer. */
const TIDY_MS = 300_000;

/** Claims calls from the queue, holds them by a lease, and passes cancellations to their runs. */
@Injectable()
export class DialerService {
  readonly id = newId();
  private readonly runs = new Map<string, CallRun>();
  private readonly repeating: PeriodicTask[] = [];
  private started = false;
  private readonly arrivals = new ArrivalDesk();
  /** Inbound calls that are being decided; each occupies a place already. */
  private arriving = 0;
  private claiming = false;
  private claimAgain = false;
  private draining = false;

  private reportLoss: () => void = () => undefined;
  /** How long a drain lets calls continue; depends on the reason of the stop. */
  graceMs: number;

  constructor(
    private readonly claims: CallClaimsService,
    private readonly releases: CallReleaseService,
    private readonly dialers: DialersService,
    private readonly recordings: RecordingsService,
    private readonly callRuns: CallRunFactory,
    private readonly commands: CommandDeliveryService,
    private readonly words: LiveWordsService,
    private readonly internal: InternalServerService,
    @Inject(ENV) private readonly env: Env,
    @Inject(LOG) private readonly log: Log,
  ) {
    this.graceMs = env.DRAIN_SECONDS * 1_000;
  }

  /** `listener` is called when the calls of this dialer were given to others: the process must end. */
  whenLost(listener: () => void): void {
    this.reportLoss = listener;
  }

  async start(): Promise<void> {
    const { env, log, dialers, recordings } = this;
    metrics.dialerSlots.set(env.DIALER_CALLS);
    await recordings.prepareFolder();
    await recordings.removeLeftOvers().catch((err: unknown) => {
      log.error({ err }, 'recordings of dead dialers could not be removed');
    });
    await dialers.register(this.id, providerNames(env), this.internal.address);
    this.started = true;
    const watchdog = new CallWatchdog({ dialers, log, runs: this.runs }, this.id);
    this.repeating.push(
      runPeriodically(HEARTBEAT_MS, () => this.renew(), log),
      runPeriodically(CANCEL_POLL_MS, () => this.passOnCancels(), log),
      this.releases.start(),
      runPeriodically(CLAIM_POLL_MS, () => this.claim(), log),
      runPeriodically(SWEEP_MS, () => dialers.endLostCalls(), log),
      runPeriodically(WATCH_MS, () => watchdog.look(), log),
      runPeriodically(TIDY_MS, () => recordings.removeLeftOvers(), log),
    );
    this.commands.start(this.id, this.runs);
    this.words.start();
    this.wake();
  }

  /**
   * Takes an inbound call of one of the trunks: `find` looks up the called number, `decide` says whether the call becomes one of `owner`.
   * False: this dialer has no free place, or too many calls of the trunks wait. Rejects with an error of `find` and `decide`.
   */
  async receive<Found extends { trunk_id: number }>(
    trunks: readonly string[],
    find: () => Promise<Found | undefined>,
    decide: (found: Found, owner: string) => Promise<IncomingStart | undefined>,
  ): Promise<boolean> {
    if (!this.takesCalls) return false;
    return this.arrivals.receive(trunks, find, (found) => this.admit((owner) => decide(found, owner)));
  }

  /** Takes a web call, whose page is connected. False: this dialer has no free place. Rejects with an error of `decide`. */
  receiveWeb(decide: (owner: string) => Promise<IncomingStart | undefined>): Promise<boolean> {
    return this.admit(decide);
  }

  /** There is a free place, and no drain. */
  get takesCalls(): boolean {
    return this.started && !this.draining && this.room >= 1;
  }

  /** A call that this dialer runs. */
  run(callId: string): CallRun | undefined {
    return this.runs.get(callId);
  }

  /** The queue may have calls, and its calls may have commands. */
  wake(): void {
    this.commands.wake();
    this.claim().catch((err: unknown) => this.log.error({ err }, 'calls could not be claimed'));
  }

  /** Accepts no more calls, waits for live calls, hangs up the rest after `graceMs`, and ends its registration. */
  async drain(): Promise<void> {
    this.draining = true;
    const timer = setTimeout(() => this.hangUpAll('drained'), this.graceMs);
    while (this.runs.size > 0 || this.claiming || this.arriving > 0) {
      await Promise.all([...this.runs.values()].map((run) => run.done));
      await new Promise((resolve) => setImmediate(resolve));
    }
    clearTimeout(timer);
    await Promise.all([...this.repeating, this.commands, this.words].map((task) => task.stop()));
    await this.dialers.retire(this.id);
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
    for (const call of await this.claims.claim(this.id, this.room)) this.carry(call);
  }

  /** False: the last place was taken, or a drain began, while the call waited for its turn. */
  private async admit(decide: (owner: string) => Promise<IncomingStart | undefined>): Promise<boolean> {
    if (!this.takesCalls) return false;
    this.arriving += 1;
    let start: IncomingStart | undefined;
    try {
      start = await decide(this.id);
    } finally {
      this.arriving -= 1;
    }
    if (start) this.carry(start);
    return true;
  }

  private get room(): number {
    return this.env.DIALER_CALLS - this.runs.size - this.arriving;
  }

  private carry(call: PlannedCall | IncomingStart): void {
    const run = this.callRuns.start(call, this.id);
    this.runs.set(call.id, run);
    metrics.dialerCalls.set(this.runs.size);
    metrics.callsStarted.inc({ direction: 'invitation' in call ? 'inbound' : 'outbound' });
    run.done
      .finally(() => {
        // A postponed call may have been claimed again.
        if (this.runs.get(call.id) === run) this.runs.delete(call.id);
        metrics.dialerCalls.set(this.runs.size);
        this.wake();
      })
      .catch((err: unknown) => this.log.error({ err, call_id: call.id }, 'a call ended without being recorded'));
  }

  private async renew(): Promise<void> {
    if (await this.dialers.renew(this.id)) return;
    this.log.error({ dialer: this.id }, 'the lease of this dialer has expired, its calls are hung up');
    this.draining = true;
    this.hangUpAll('worker_lost');
    this.reportLoss();
  }

  private async passOnCancels(): Promise<void> {
    if (this.runs.size === 0) return;
    for (const id of await this.dialers.cancelledCalls(this.id)) this.runs.get(id)?.hangUp('cancelled');
  }

  private hangUpAll(cause: 'drained' | 'worker_lost'): void {
    for (const run of this.runs.values()) run.hangUp(cause);
  }
}

/**
 * A session ends its call at the limit. A call that exceeds its limit by this much hangs, and gets a BYE. After its end a call may still
 * store its recording, write its summary and wait for the database; a call that takes longer has failed.
 */
const HANG_UP_AFTER_S = 60;
const GIVE_UP_AFTER_S = 300;

interface WatchedCalls {
  dialers: DialersService;
  log: Log;
  runs: Map<string, CallRun>;
}

/**
 * Compares the live calls of this dialer in the database with its runs: a call without a run (its end could not be written, or the
 * response to its claim was lost) is ended; an overdue call is hung up, and ended when that does not help.
 */
export class CallWatchdog {
  /** Calls without a run in the last round: a call that was claimed just now may not have started its run. */
  private suspects = new Set<string>();

  constructor(
    private readonly watched: WatchedCalls,
    private readonly owner: string,
  ) {}

  async look(): Promise<void> {
    const { runs, log, dialers } = this.watched;
    const calls = await dialers.liveCalls(this.owner);
    const without = calls.filter(({ id }) => !runs.has(id)).map(({ id }) => id);
    const late = calls.filter((call) => runs.has(call.id) && call.overdue_seconds > HANG_UP_AFTER_S);
    for (const { id } of late) {
      log.error({ call_id: id }, 'an overdue call is hung up');
      runs.get(id)?.hangUp('max_duration');
    }
    await this.end([...without.filter((id) => this.suspects.has(id)), ...late.filter(isHopeless).map(({ id }) => id)]);
    this.suspects = new Set(without);
  }

  private async end(ids: string[]): Promise<void> {
    if (ids.length > 0) await this.watched.dialers.endForgottenCalls(this.owner, ids);
  }
}

const isHopeless = ({ overdue_seconds: late }: LiveCall): boolean => late > GIVE_UP_AFTER_S;
