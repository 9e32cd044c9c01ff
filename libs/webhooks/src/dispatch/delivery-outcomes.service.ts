import { type Log, traceFields } from '@app/common';
import { metrics } from '@app/metrics';
import { LOG } from '@app/common/settings';
import { Inject, Injectable } from '@nestjs/common';
import { performance } from 'node:perf_hooks';
import { DeliveryHealthService } from '../endpoints/delivery-health.service.js';
import { DISPATCH_SETTINGS, type DispatchSettings } from './dispatch-settings.js';
import { type Attempt, openAfter, outcomeOf, stepAfter, type StoredOutcome } from '../domain/attempt-outcome.js';
import type { NextStep } from '../domain/retry-schedule.js';
import { type LeasedStream, type OpenDelivery, nextInStream } from '../domain/webhook-stream.js';
import { OutcomeBatcherService } from './outcome-batcher.service.js';

/** `keep`: the outcome is stored, and the next delivery of the stream is due. `due`: the stream has due deliveries in the database. */
export interface Settlement {
  keep: boolean;
  due: boolean;
}

/** Evaluates attempts: health of host and endpoint, metrics, next step, log. */
@Injectable()
export class DeliveryOutcomesService {
  constructor(
    private readonly batcher: OutcomeBatcherService,
    private readonly health: DeliveryHealthService,
    @Inject(DISPATCH_SETTINGS) private readonly settings: DispatchSettings,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Slots of outcomes that are not stored yet. */
  get slots(): number {
    return this.batcher.slots;
  }

  /** Calls `listener` when there are free slots again. */
  onFreed(listener: () => void): void {
    this.batcher.onFreed(listener);
  }

  /** The process ends soon: outcomes that cannot be stored now are lost. */
  dropFailures(): void {
    this.batcher.dropFailures();
  }

  /** Records an attempt that was sent for host, endpoint and metrics. Unsigned attempts, which are not sent, do not affect health. */
  observe(stream: LeasedStream, { url, type, attempts, due_in_ms }: OpenDelivery, attempt: Attempt): void {
    const { account_id, host, probe } = stream;
    this.health.record({ account_id, host, url, type, result: attempt.result, probe });
    stream.probe = false;
    const ok = attempt.status !== null && attempt.status >= 200 && attempt.status < 300;
    const outcome = ok ? 'delivered' : attempt.result.kind === 'refused' ? 'refused' : 'failed';
    metrics.deliveryAttemptSeconds.observe({ kind: type, outcome }, attempt.latencyMs / 1_000);
    if (attempts === 0 && ok)
      metrics.deliveryLagSeconds.observe({ kind: type }, (performance.now() - stream.readAt - due_in_ms) / 1_000);
  }

  /** Stores the outcome. `mayKeep`: the stream stays leased when its next delivery is due. */
  async settle(stream: LeasedStream, delivery: OpenDelivery, attempt: Attempt, mayKeep: boolean): Promise<Settlement> {
    const { leaseMs, postCallWaitMs, schedule } = this.settings;
    const step = stepAfter(delivery, attempt, schedule);
    const now = performance.now();
    const elapsedMs = now - stream.readAt;
    stream.open = openAfter(stream.open, delivery, step, elapsedMs);
    const next = nextInStream(stream.open, elapsedMs, postCallWaitMs);
    const keep = next !== undefined && 'delivery' in next && mayKeep;
    const waitMs = next ? ('waitMs' in next ? next.waitMs : 0) : null;
    const renew = keep && now - stream.leasedAt > leaseMs / 4;
    const outcome = outcomeOf(stream, delivery, attempt, step, { keep, renew, waitMs });
    const stored = await this.batcher.add(outcome, stream.leasedAt + leaseMs);
    this.report(delivery, attempt, step, stored.outcome);
    if (renew) stream.leasedAt = now;
    return { keep: keep && stored.outcome === 'settled', due: stored.due };
  }

  private report(delivery: OpenDelivery, attempt: Attempt, step: NextStep, outcome: StoredOutcome['outcome']): void {
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
    if (outcome !== 'settled') this.log.warn(fields, 'the outcome of a webhook attempt was lost with its lease');
    else if (step.state === 'delivered') this.log.debug(fields, 'webhook delivered');
    else if (step.state === 'dead' || step.state === 'refused') {
      metrics.deliveriesDead.inc({ kind: delivery.type });
      this.log.warn(fields, 'webhook failed permanently');
    } else this.log.info(fields, 'webhook attempt failed');
  }
}
