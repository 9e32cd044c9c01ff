import { setMaxListeners } from 'node:events';
import { performance } from 'node:perf_hooks';
import { traceFields, type Log, type Encryption } from '@app/common';
import type { Metrics } from '@app/metrics';
import type { Egress } from '@app/egress';
import type { Pool } from 'pg';
import { moved, settlement } from './attempt-outcome.js';
import { LeaseOver, type Attempt } from './deliver.js';
import { BREAKER_LIMITS, type BreakerLimits } from './breaker.js';
import { DeliveryHealth } from './delivery-health.js';
import { DISABLED_SENTENCE, type DisabledReason } from './endpoints.js';
import { HeldStreams, type HeldStream } from './held-streams.js';
import { takeProbe } from './hosts.js';
import { afterAttempt, ONCE, RETRY_SCHEDULE, type NextStep, type RetrySchedule } from './retry-schedule.js';
import { Settlements } from './settlements.js';
import { SigningSecrets } from './signing-secrets.js';
import { nextInStream, POST_CALL_WAIT_MS } from './stream-order.js';
import {
  claimStreams,
  endUnsent,
  loadDeliveries,
  releaseStream,
  type ClaimedStream,
  type OpenDelivery,
} from './streams.js';
import { tracedDelivery } from './traced-delivery.js';

export interface DispatcherOptions {
  pool: Pool;
  encryption: Encryption;
  egress: Egress;
  log: Log;
  /** Names the process in leases; new at every start. */
  owner: string;
  /** `user-agent` of the requests. */
  agent: string;
  /**
   * Deliveries that are being sent, or whose outcome the database has not been given or has given back because a row was locked: the
   * most that a crash of this process, or a pause longer than its lease, repeats. As many again may be in the statements that store
   * outcomes, which a crash of PostgreSQL takes along.
   */
  inFlight?: number;
  perHost?: number;
  /** A lease outlasts an attempt that starts in its first half. */
  leaseMs?: number;
  /** Looks for due streams this often, whatever the wake-ups do. */
  sweepMs?: number;
  schedule?: RetrySchedule;
  postCallWaitMs?: number;
  breaker?: BreakerLimits;
  metrics?: DeliveryMetrics;
}

export type DeliveryMetrics = Pick<
  Metrics,
  'deliveryAttemptSeconds' | 'deliveryLagSeconds' | 'deliveriesDead' | 'breakerOpened'
>;

const CLAIMED_AT_ONCE = 64;
const HELD_PER_ROUTE = 32;
/** Streams in memory with their deliveries. */
const MOST_HELD = 256;
/** Attempts that a stopping process lets finish. */
const GRACE_MS = 9_000;
/** For a stream that a fault of ours kept from being sent. */
const PUT_OFF_MS = 1_000;

/**
 * Sends what the outbox holds: serially within a stream, in parallel across streams, the outcomes stored in groups. Any number of
 * dispatchers may run; the leases in the database keep them apart.
 */
export class WebhookDispatcher {
  private readonly held: HeldStreams;
  private readonly settlements: Settlements;
  private readonly health: DeliveryHealth;
  private readonly secrets: SigningSecrets;
  private readonly inFlight: number;
  private readonly leaseMs: number;
  private readonly schedule: RetrySchedule;
  private readonly postCallWaitMs: number;
  private readonly breaker: BreakerLimits;
  private readonly stopping = new AbortController();
  private readonly atWork = new Set<Promise<void>>();
  private posting = 0;
  private sweep: NodeJS.Timeout | undefined;
  private filling: Promise<void> | undefined;
  private stopped = false;
  private failing = false;
  /** Something may be due in the database. */
  private due = false;
  /** The last claim left due streams behind. */
  private backlog = false;
  private leases = 0;

  constructor(private readonly options: DispatcherOptions) {
    this.inFlight = options.inFlight ?? 16;
    // One listener per attempt under way.
    setMaxListeners(0, this.stopping.signal);
    this.leaseMs = options.leaseMs ?? 30_000;
    this.schedule = options.schedule ?? RETRY_SCHEDULE;
    this.postCallWaitMs = options.postCallWaitMs ?? POST_CALL_WAIT_MS;
    this.breaker = options.breaker ?? BREAKER_LIMITS;
    this.held = new HeldStreams({
      places: this.inFlight,
      perHost: options.perHost ?? 4,
      held: MOST_HELD,
      heldPerRoute: HELD_PER_ROUTE,
    });
    this.settlements = new Settlements(options.pool, this.leaseMs, options.log, () => this.dispatch());
    this.health = new DeliveryHealth(options.pool, options.log, this.breaker, options.metrics);
    this.secrets = new SigningSecrets(options.pool, options.encryption);
  }

  start(): void {
    this.sweep = setInterval(() => this.wake(), this.options.sweepMs ?? 1_000);
    this.wake();
  }

  /** Something was added: looks for it now instead of at the next sweep. */
  wake(): void {
    this.due = true;
    this.fill();
  }

  /** Lets attempts under way finish, 9 s at most, gives all leases back and resolves when nothing is under way any more. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearInterval(this.sweep);
    await this.filling;
    await this.giveBackWaiting();
    const grace = setTimeout(() => {
      this.settlements.loseWhatFails();
      this.stopping.abort(new Error('The process is stopping.'));
    }, GRACE_MS);
    await Promise.all(this.atWork);
    clearTimeout(grace);
    // A stream may have been kept for its next delivery just before.
    await this.giveBackWaiting();
    await this.health.stop();
  }

  private async giveBackWaiting(): Promise<void> {
    for (const stream of this.held.takeAllWaiting()) {
      if (stream.probe) this.health.probeUnused(stream);
      await this.giveBack(stream, 0);
    }
  }

  private fill(): void {
    const enough = this.held.canStart(this.inFlight) || this.held.free <= 0;
    if (this.filling || this.stopped || !this.due || enough) return;
    this.filling = this.claim()
      .catch((err: unknown) => this.cannotLook(err))
      .finally(() => {
        this.filling = undefined;
        this.fill();
      });
  }

  private async claim(): Promise<void> {
    this.due = false;
    const lease = `${this.options.owner}/${++this.leases}`;
    const limit = Math.min(CLAIMED_AT_ONCE, this.held.free);
    const leasedAt = performance.now();
    const streams = await claimStreams(this.options.pool, {
      lease,
      leaseMs: this.leaseMs,
      limit,
      room: this.held.room(),
      backlog: this.backlog,
    });
    this.failing = false;
    this.backlog = streams.length === limit;
    if (streams.length === 0) return;
    // Where there was some there may be more.
    this.due = true;
    const sendable = await this.sendable(streams, lease);
    const ids = sendable.map(({ id }) => id);
    const open = await loadDeliveries(this.options.pool, ids);
    const readAt = performance.now();
    for (const stream of sendable)
      this.held.add({ ...stream, lease, leasedAt, readAt, open: open.get(stream.id) ?? [] });
    this.dispatch();
  }

  /** Those of healthy hosts and active endpoints, and one that tries a host whose time to be tried has come. */
  private async sendable(streams: ClaimedStream[], lease: string): Promise<(ClaimedStream & { probe: boolean })[]> {
    const disabled = streams.filter((stream) => stream.disabled_reason !== null);
    if (disabled.length > 0) await this.endDisabled(disabled, lease);
    const active = streams.filter((stream) => stream.disabled_reason === null);
    const healthy = active.filter((stream) => stream.blocked_ms === null);
    const blocked = active.filter((stream) => stream.blocked_ms !== null);
    const probes = await Promise.all(blocked.map((stream) => this.probeOrPark(stream, lease)));
    return [
      ...healthy.map((stream) => ({ ...stream, probe: false })),
      ...probes.flatMap((stream) => (stream ? [{ ...stream, probe: true }] : [])),
    ];
  }

  private async probeOrPark(stream: ClaimedStream, lease: string): Promise<ClaimedStream | undefined> {
    const openMs = stream.blocked_ms ?? 0;
    const probe = openMs <= 0 && (await takeProbe(this.options.pool, stream));
    // While somebody tries, the others wait for the outcome.
    const waitMs = Math.max(openMs, this.breaker.spreadMs / 3);
    this.health.park(stream, waitMs);
    if (probe) return stream;
    await this.giveBack({ ...stream, lease }, waitMs);
    return undefined;
  }

  private async endDisabled(streams: ClaimedStream[], lease: string): Promise<void> {
    const unsendable = streams.map(({ id, disabled_reason }) => ({
      stream_id: id,
      lease,
      error: DISABLED_SENTENCE[disabled_reason ?? 'failing'],
    }));
    for (const { type, count } of await endUnsent(this.options.pool, unsendable))
      this.options.metrics?.deliveriesDead.inc({ kind: type }, count);
  }

  private dispatch(): void {
    while (!this.stopped && this.posting + this.settlements.places < this.inFlight) {
      const stream = this.held.take();
      if (!stream) break;
      this.posting++;
      const work = this.work(stream).finally(() => {
        this.atWork.delete(work);
        this.dispatch();
      });
      this.atWork.add(work);
    }
    this.fill();
  }

  /** Sends the next delivery of a stream, stores what came of it, and keeps the stream or gives it back. Never rejects. */
  private async work(stream: HeldStream): Promise<void> {
    try {
      if (await this.sendAndSettle(stream)) return this.held.keep(stream);
    } catch (err) {
      this.leaveProbe(stream);
      await this.giveBack(stream, this.putOffMs(stream, err));
    }
    // What a full host left in the database was not claimed, and no wake-up will come for it.
    if (this.held.drop(stream)) this.due = true;
  }

  /** How long a stream waits whose attempt was not made. */
  private putOffMs(stream: HeldStream, err: unknown): number {
    if (this.stopping.signal.aborted) return 0;
    const fields = { stream_id: stream.id };
    if (err instanceof LeaseOver) {
      this.due = true;
      this.options.log.info(fields, 'the lease of a webhook stream was over before its request was written');
      return 0;
    }
    this.options.log.error({ err, ...fields }, 'a webhook stream was put off');
    return PUT_OFF_MS;
  }

  private async sendAndSettle(stream: HeldStream): Promise<boolean> {
    let settled: Promise<boolean> | false = false;
    try {
      const sent = await this.send(stream);
      // At once its outcome waits in the place of its post.
      if (sent) settled = this.settle(stream, sent.delivery, sent.attempt);
    } finally {
      this.posting--;
      this.held.posted(stream);
      this.dispatch();
    }
    return settled;
  }

  /** Undefined: nothing was to be sent, the stream has been given back. */
  private async send(stream: HeldStream): Promise<{ delivery: OpenDelivery; attempt: Attempt } | undefined> {
    const next = this.next(stream);
    if (!('delivery' in next)) {
      this.leaveProbe(stream);
      if (next.disabled) await this.endDisabled([{ ...stream, disabled_reason: next.disabled }], stream.lease);
      else await this.giveBack(stream, next.waitMs);
      // Whoever looked before it was given back has not seen it.
      if (next.waitMs === 0) this.due = true;
      return undefined;
    }
    const { delivery } = next;
    const { egress, encryption, agent } = this.options;
    const secrets = await this.secrets.of(delivery.account_id);
    const { signal } = this.stopping;
    const checkLease = () => {
      // The process may have been stopped for any time since this was looked at before.
      if (this.isOld(stream)) throw new LeaseOver();
    };
    const attempt = await tracedDelivery(delivery, secrets, { egress, encryption, agent, signal, checkLease });
    this.observe(stream, delivery, attempt);
    return { delivery, attempt };
  }

  /** What is sent now, or why the stream goes back and when it is due again (undefined: when something is added). */
  private next(
    stream: HeldStream,
  ): { delivery: OpenDelivery } | { waitMs: number | undefined; disabled?: DisabledReason | undefined } {
    const now = performance.now();
    const next = nextInStream(stream.open, now - stream.readAt, this.postCallWaitMs);
    if (!next) return { waitMs: undefined };
    if ('waitMs' in next) return next;
    if (this.isOld(stream)) return { waitMs: 0 };
    const disabled = this.health.disabledReason(stream.account_id, next.delivery.url);
    const blockedMs = stream.probe ? 0 : this.health.blockedMs(stream);
    const waitMs = blockedMs + Math.random() * this.breaker.spreadMs;
    return disabled || blockedMs > 0 ? { waitMs, disabled } : next;
  }

  /** No attempt begins in the second half of a lease. */
  private isOld(stream: HeldStream): boolean {
    return performance.now() - stream.leasedAt > this.leaseMs / 2;
  }

  /** What an attempt says about its host and endpoint. What was kept back for want of a secret says nothing. */
  private observe(stream: HeldStream, delivery: OpenDelivery, attempt: Attempt): void {
    const { url, type, attempts, due_in_ms } = delivery;
    const { metrics } = this.options;
    if (!attempt.sent) return this.leaveProbe(stream);
    const { account_id, host, probe } = stream;
    this.health.note({ account_id, host, url, type, result: attempt.result, probe });
    stream.probe = false;
    const ok = attempt.status !== null && attempt.status >= 200 && attempt.status < 300;
    const outcome = ok ? 'delivered' : attempt.result.kind === 'refused' ? 'refused' : 'failed';
    metrics?.deliveryAttemptSeconds.observe({ kind: type, outcome }, attempt.latencyMs / 1_000);
    if (attempts === 0 && ok)
      metrics?.deliveryLagSeconds.observe({ kind: type }, (performance.now() - stream.readAt - due_in_ms) / 1_000);
  }

  private leaveProbe(stream: HeldStream): void {
    if (stream.probe) this.health.probeUnused(stream);
    stream.probe = false;
  }

  /** True: the outcome is stored, the lease is renewed and the next delivery of the stream is due. */
  private async settle(stream: HeldStream, delivery: OpenDelivery, attempt: Attempt): Promise<boolean> {
    const step = this.stepAfter(delivery, attempt);
    const now = performance.now();
    stream.open = stream.open.flatMap((one) => (one === delivery ? moved(one, step, now - stream.readAt) : [one]));
    const next = nextInStream(stream.open, now - stream.readAt, this.postCallWaitMs);
    const keep = next !== undefined && 'delivery' in next && !this.stopped;
    const waitMs = next ? ('waitMs' in next ? next.waitMs : 0) : null;
    const renew = keep && now - stream.leasedAt > this.leaseMs / 4;
    const settled = await this.settlements.add(
      settlement(stream, delivery, attempt, step, { keep, renew, waitMs }),
      stream.leasedAt + this.leaseMs,
    );
    this.report(delivery, attempt, step, settled.outcome);
    if (settled.due) this.due = true;
    if (renew) stream.leasedAt = now;
    return keep && settled.outcome === 'settled';
  }

  private stepAfter(delivery: OpenDelivery, attempt: Attempt): NextStep {
    const tries = { lane: delivery.state, attempt: delivery.attempts + 1, slowTries: delivery.slow_tries };
    // Who tries a target looks at what came of it, and asks again.
    const schedule = delivery.type === 'test' ? ONCE : this.schedule;
    return afterAttempt(tries, attempt.result, schedule);
  }

  private report(delivery: OpenDelivery, attempt: Attempt, step: NextStep, outcome: string): void {
    const fields = {
      delivery_id: delivery.id,
      call_id: delivery.call_id,
      account_id: delivery.account_id,
      attempt: delivery.attempts + 1,
      state: step.state,
      status: attempt.status,
      latency_ms: attempt.latencyMs,
      ...traceFields(delivery.trace_parent),
    };
    const { log } = this.options;
    if (outcome !== 'settled') log.warn(fields, 'the outcome of a webhook attempt was lost with its lease');
    else if (step.state === 'delivered') log.debug(fields, 'webhook delivered');
    else if (step.state === 'dead' || step.state === 'refused') {
      this.options.metrics?.deliveriesDead.inc({ kind: delivery.type });
      log.warn(fields, 'webhook given up');
    } else log.info(fields, 'webhook attempt failed');
  }

  /** When even this fails the lease ends by itself. */
  private async giveBack(stream: { id: string; lease: string }, waitMs: number | undefined): Promise<void> {
    try {
      await releaseStream(this.options.pool, stream.id, stream.lease, waitMs ?? null);
    } catch (err) {
      this.options.log.warn({ err, stream_id: stream.id }, 'a webhook stream could not be given back');
    }
  }

  private cannotLook(err: unknown): void {
    if (!this.failing) this.options.log.error({ err }, 'due webhooks cannot be looked for, the next sweep tries again');
    this.failing = true;
  }
}
