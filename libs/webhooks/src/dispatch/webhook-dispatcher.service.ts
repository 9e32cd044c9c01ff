import { createDeferred, type Log } from '@app/common';
import { LOG } from '@app/common/settings';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { setMaxListeners } from 'node:events';
import { performance } from 'node:perf_hooks';
import { DeliveryHealthService } from '../endpoints/delivery-health.service.js';
import { DeliveryOutcomesService, type Settlement } from './delivery-outcomes.service.js';
import { DISPATCH_SETTINGS, type DispatchSettings } from './dispatch-settings.js';
import type { Attempt } from '../domain/attempt-outcome.js';
import type { DisabledReason } from '../domain/endpoint-health.js';
import { type LeasedStream, type OpenDelivery, nextInStream } from '../domain/webhook-stream.js';
import { LeasedStreams } from './leased-streams.js';
import { StreamClaimsService } from './stream-claims.service.js';
import { LeaseExpired, WebhookSenderService } from './webhook-sender.service.js';

const LEASED_PER_ROUTE = 32;
/** Streams in memory with their deliveries. */
const MAX_LEASED = 256;
/** Time in which the attempts of a stopping process may finish. */
const GRACE_MS = 9_000;
/** The wait of a stream after an error inside the service. */
const POSTPONE_MS = 1_000;

/**
 * Sends the deliveries of the outbox: serially within a stream, in parallel across streams; outcomes are stored in groups. Any number of
 * dispatchers may run; the leases in the database keep them apart. It has no timer: jobs of the queue `webhooks` drain what is due.
 */
@Injectable()
export class WebhookDispatcherService implements OnModuleDestroy {
  private readonly leased: LeasedStreams;
  private readonly stopping = new AbortController();
  private readonly working = new Set<Promise<void>>();
  private stopped: Promise<void> | undefined;
  private sending = 0;
  private claiming: Promise<void> | undefined;
  private claimFailed = false;
  /** The database may have due streams. */
  private due = false;
  /** Resolved when the database has none any more. */
  private drained: ReturnType<typeof createDeferred<void>> | undefined;

  constructor(
    private readonly claims: StreamClaimsService,
    private readonly sender: WebhookSenderService,
    private readonly outcomes: DeliveryOutcomesService,
    private readonly health: DeliveryHealthService,
    @Inject(DISPATCH_SETTINGS) private readonly settings: DispatchSettings,
    @Inject(LOG) private readonly log: Log,
  ) {
    // One listener per attempt in flight.
    setMaxListeners(0, this.stopping.signal);
    this.leased = new LeasedStreams({
      inFlight: settings.inFlight,
      perHost: settings.perHost,
      streams: MAX_LEASED,
      perRoute: LEASED_PER_ROUTE,
    });
    outcomes.onFreed(() => this.dispatch());
  }

  onModuleDestroy(): Promise<void> {
    return this.stop();
  }

  /** Claims deliveries that are due. */
  wake(): void {
    this.due = true;
    this.fill();
  }

  /**
   * Claims what is due and sends it. Resolves when a claim finds nothing, or when the process stops; the last webhooks may be in flight, and
   * those beyond the places of a host are claimed when one is free.
   */
  drain(): Promise<void> {
    if (this.stopped) return this.stopped;
    this.drained ??= createDeferred();
    const { promise } = this.drained;
    this.wake();
    return promise;
  }

  /** Lets attempts in flight finish, for 9 s at most, then releases all leases. A second call waits for the first. */
  stop(): Promise<void> {
    this.stopped ??= this.end();
    return this.stopped;
  }

  private async end(): Promise<void> {
    this.drained?.resolve();
    await this.claiming;
    await this.releaseWaiting();
    const grace = setTimeout(() => {
      this.outcomes.dropFailures();
      this.stopping.abort(new Error('The process is stopping.'));
    }, GRACE_MS);
    await Promise.all(this.working);
    clearTimeout(grace);
    // A stream may have been kept for its next delivery just before.
    await this.releaseWaiting();
    await this.health.stop();
  }

  private async releaseWaiting(): Promise<void> {
    for (const stream of this.leased.takeAllWaiting()) {
      this.claims.releaseProbe(stream);
      await this.claims.release(stream, 0);
    }
  }

  private fill(): void {
    const enough = this.leased.canStart(this.settings.inFlight) || this.leased.free <= 0;
    if (!this.due && !this.claiming) {
      this.drained?.resolve();
      this.drained = undefined;
    }
    if (this.claiming || this.stopped || !this.due || enough) return;
    this.claiming = this.claim()
      .catch((err: unknown) => this.reportFailedClaim(err))
      .finally(() => {
        this.claiming = undefined;
        this.fill();
      });
  }

  private async claim(): Promise<void> {
    this.due = false;
    const claim = await this.claims.claim(this.leased);
    this.claimFailed = false;
    if (claim.streams.length === 0) return;
    // There may be more due streams.
    this.due = true;
    for (const stream of await this.claims.open(claim)) this.leased.add(stream);
    this.dispatch();
  }

  private reportFailedClaim(err: unknown): void {
    if (!this.claimFailed) this.log.error({ err }, 'due webhooks cannot be claimed, the next sweep retries');
    this.claimFailed = true;
  }

  private dispatch(): void {
    while (!this.stopped && this.sending + this.outcomes.slots < this.settings.inFlight) {
      const stream = this.leased.take();
      if (!stream) break;
      this.sending++;
      const work = this.work(stream).finally(() => {
        this.working.delete(work);
        this.dispatch();
      });
      this.working.add(work);
    }
    this.fill();
  }

  /** Sends the next delivery of a stream, stores its outcome, and keeps or releases the stream. Never rejects. */
  private async work(stream: LeasedStream): Promise<void> {
    try {
      const settled = await this.sendAndSettle(stream);
      if (settled?.due) this.due = true;
      if (settled?.keep) return this.leased.keep(stream);
    } catch (err) {
      this.claims.releaseProbe(stream);
      await this.claims.release(stream, this.postponeMs(stream, err));
    }
    // A full route may have unclaimed streams in the database, for which no wake-up follows.
    if (this.leased.drop(stream)) this.due = true;
  }

  /** How long a stream waits whose attempt was not made. */
  private postponeMs(stream: LeasedStream, err: unknown): number {
    if (this.stopping.signal.aborted) return 0;
    const fields = { stream_id: stream.id };
    if (err instanceof LeaseExpired) {
      this.due = true;
      this.log.info(fields, 'the lease of a webhook stream expired before its request was written');
      return 0;
    }
    this.log.error({ err, ...fields }, 'a webhook stream was postponed');
    return POSTPONE_MS;
  }

  private async sendAndSettle(stream: LeasedStream): Promise<Settlement | undefined> {
    let settled: Promise<Settlement> | undefined;
    try {
      const sent = await this.send(stream);
      // In the same turn, so that the outcome takes over the slot of its request.
      if (sent) settled = this.outcomes.settle(stream, sent.delivery, sent.attempt, !this.stopped);
    } finally {
      this.sending--;
      this.leased.sent(stream);
      this.dispatch();
    }
    return settled;
  }

  /** Undefined: there was nothing to send, and the stream was released. */
  private async send(stream: LeasedStream): Promise<{ delivery: OpenDelivery; attempt: Attempt } | undefined> {
    const next = this.next(stream);
    if (!('delivery' in next)) {
      await this.releaseUnsent(stream, next);
      return undefined;
    }
    const { delivery } = next;
    const checkLease = () => {
      // The process may have been suspended since the last check.
      if (this.isOld(stream)) throw new LeaseExpired();
    };
    const attempt = await this.sender.send(delivery, { signal: this.stopping.signal, checkLease });
    if (attempt.sent) this.outcomes.observe(stream, delivery, attempt);
    else this.claims.releaseProbe(stream);
    return { delivery, attempt };
  }

  private async releaseUnsent(stream: LeasedStream, { waitMs, disabled }: Waiting): Promise<void> {
    this.claims.releaseProbe(stream);
    if (disabled) await this.claims.endDisabled([{ id: stream.id, disabled_reason: disabled }], stream.lease);
    else await this.claims.release(stream, waitMs);
    // A claim before the release did not see the stream.
    if (waitMs === 0) this.due = true;
  }

  /** The delivery to send now, or why the stream is released. */
  private next(stream: LeasedStream): { delivery: OpenDelivery } | Waiting {
    const now = performance.now();
    const next = nextInStream(stream.open, now - stream.readAt, this.settings.postCallWaitMs);
    if (!next) return { waitMs: undefined };
    if ('waitMs' in next) return next;
    if (this.isOld(stream)) return { waitMs: 0 };
    const disabled = this.health.disabledReason(stream, next.delivery.url);
    const blockedMs = stream.probe ? 0 : this.health.blockedMs(stream);
    const waitMs = blockedMs + Math.random() * this.settings.breaker.spreadMs;
    return disabled || blockedMs > 0 ? { waitMs, disabled } : next;
  }

  /** No attempt begins in the second half of a lease. */
  private isOld(stream: LeasedStream): boolean {
    return performance.now() - stream.leasedAt > this.settings.leaseMs / 2;
  }
}

/** `waitMs`: until the stream is due again; undefined: when a delivery is added. */
interface Waiting {
  waitMs: number | undefined;
  disabled?: DisabledReason | undefined;
}
