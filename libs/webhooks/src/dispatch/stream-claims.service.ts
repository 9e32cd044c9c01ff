import type { Log } from '@app/common';
import { metrics } from '@app/metrics';
import { LOG, OWNER } from '@app/common/settings';
import { Inject, Injectable } from '@nestjs/common';
import { performance } from 'node:perf_hooks';
import { DeliveryHealthService } from '../endpoints/delivery-health.service.js';
import { DISPATCH_SETTINGS, type DispatchSettings } from './dispatch-settings.js';
import { DISABLED_ERROR, type DisabledReason } from '../domain/endpoint-health.js';
import type { ClaimedStream, LeasedStream } from '../domain/webhook-stream.js';
import type { LeasedStreams } from './leased-streams.js';
import { OpenDeliveriesRepository } from './open-deliveries.repository.js';
import { WebhookHostsRepository } from './webhook-hosts.repository.js';
import { WebhookStreamsRepository } from './webhook-streams.repository.js';

const STREAMS_PER_CLAIM = 64;

interface Claim {
  streams: ClaimedStream[];
  lease: string;
  /** Before the statement was sent. */
  leasedAt: number;
}

interface Lease {
  id: string;
  lease: string;
}

/** Leases due streams of healthy hosts and active endpoints, and releases them. */
@Injectable()
export class StreamClaimsService {
  private leases = 0;
  /** The last claim left due streams behind. */
  private backlog = false;

  constructor(
    private readonly streams: WebhookStreamsRepository,
    private readonly deliveries: OpenDeliveriesRepository,
    private readonly hosts: WebhookHostsRepository,
    private readonly health: DeliveryHealthService,
    @Inject(DISPATCH_SETTINGS) private readonly settings: DispatchSettings,
    @Inject(OWNER) private readonly owner: string,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Leases due streams, as many as `leased` has room for. */
  async claim(leased: LeasedStreams): Promise<Claim> {
    const lease = `${this.owner}/${++this.leases}`;
    const limit = Math.min(STREAMS_PER_CLAIM, leased.free);
    const leasedAt = performance.now();
    const streams = await this.streams.claim({
      lease,
      leaseMs: this.settings.leaseMs,
      limit,
      room: leased.room(),
      backlog: this.backlog,
    });
    this.backlog = streams.length === limit;
    return { streams, lease, leasedAt };
  }

  /** The sendable streams of a claim with their open deliveries; the others are released. */
  async open({ streams, lease, leasedAt }: Claim): Promise<LeasedStream[]> {
    const sendable = await this.sendable(streams, lease);
    const open = await this.deliveries.ofStreams(sendable.map(({ id }) => id));
    const readAt = performance.now();
    return sendable.map((stream) => ({
      ...stream,
      lease,
      leasedAt,
      claimedAt: leasedAt,
      readAt,
      open: open.get(stream.id) ?? [],
    }));
  }

  /** Ends the open deliveries of streams with a disabled endpoint, and releases the streams. */
  async endDisabled(
    streams: readonly { id: string; disabled_reason: DisabledReason | null }[],
    lease: string,
  ): Promise<void> {
    const disabled = streams.map(({ id, disabled_reason }) => ({
      stream_id: id,
      lease,
      error: DISABLED_ERROR[disabled_reason ?? 'failing'],
    }));
    for (const { type, count } of await this.streams.endUnsent(disabled))
      metrics.deliveriesDead.inc({ kind: type }, count);
  }

  /** `waitMs`: until the stream is due again; undefined: no delivery is open. When the statement fails, the lease expires. */
  async release(stream: Lease, waitMs: number | undefined): Promise<void> {
    try {
      await this.streams.release(stream.id, stream.lease, waitMs ?? null);
    } catch (err) {
      this.log.warn({ err, stream_id: stream.id }, 'a webhook stream could not be released');
    }
  }

  /** A stream that held the probe of its host goes back without a request. */
  releaseProbe(stream: LeasedStream): void {
    if (stream.probe) this.health.probeUnused(stream);
    stream.probe = false;
  }

  /** Streams of healthy hosts and active endpoints, and one probe for each half-open breaker. */
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
    const probe = openMs <= 0 && (await this.hosts.takeProbe(stream));
    // During a probe the other streams wait for its result.
    const waitMs = Math.max(openMs, this.settings.breaker.spreadMs / 3);
    this.health.park(stream, waitMs);
    if (probe) return stream;
    await this.release({ id: stream.id, lease }, waitMs);
    return undefined;
  }
}
