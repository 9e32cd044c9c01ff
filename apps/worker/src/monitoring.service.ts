import type { Env, Log } from '@app/common';
import { INVARIANT_NAMES, type InvariantName, InvariantsRepository } from '@app/database';
import { beforeScrape, metrics } from '@app/metrics';
import { type QueueState, QueueStatesService } from '@app/queue';
import { ENV, LOG } from '@app/common/settings';
import { storageFolder } from '@app/storage';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { statfs } from 'node:fs/promises';
import { type Backlog, BacklogService } from './backlog.service.js';

const GAUGES: Record<InvariantName, { set(value: number): void }> = {
  calls_stuck: metrics.callsStuck,
  dialers_lost: metrics.dialersLost,
  deliveries_overdue: metrics.deliveriesOverdue,
  documents_stuck: metrics.documentsStuck,
  tool_actions_stuck: metrics.actionsStuck,
  retention_overdue: metrics.retentionOverdue,
};

/** Collects the metrics of the whole installation: invariants, queues, free storage. */
@Injectable()
export class MonitoringService implements OnModuleInit {
  constructor(
    private readonly invariants: InvariantsRepository,
    private readonly backlog: BacklogService,
    private readonly queues: QueueStatesService,
    @Inject(ENV) private readonly env: Env,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Measures the free space of a storage folder at each scrape. S3 has no such figure. */
  onModuleInit(): void {
    const folder = storageFolder(this.env);
    if (folder === undefined) return;
    beforeScrape(async () => {
      // Before the first file there is no folder.
      const found = await statfs(folder).catch(() => undefined);
      if (found) metrics.storageFreeBytes.set(found.bavail * found.bsize);
    });
  }

  /**
   * Reads the invariants and the queues into the metrics. Every worker does this, without a leader: the alert rules take the maximum
   * over workers, so a hanging worker does no harm.
   */
  async readDatabase(): Promise<void> {
    for (const name of INVARIANT_NAMES) {
      const broken = await this.invariants.countBroken(name);
      GAUGES[name].set(broken);
      if (broken > 0) this.log.error({ invariant: name, broken }, 'an invariant is broken');
    }
    showBacklog(await this.backlog.read());
    for (const state of await this.queues.read()) showJobs(state);
    metrics.checkedAt.setToCurrentTime();
  }
}

function showBacklog(backlog: Backlog): void {
  const { calls, queues, trunks, registrations, campaigns, breakersOpen, endpointsDisabled, callsCutOff } = backlog;
  for (const [status, n] of Object.entries(calls)) metrics.calls.set({ status }, n);
  for (const [queue, { depth, oldestSeconds }] of Object.entries(queues)) {
    metrics.queueDepth.set({ queue }, depth);
    metrics.queueOldestSeconds.set({ queue }, oldestSeconds);
  }
  for (const [state, n] of Object.entries(trunks)) metrics.trunks.set({ state }, n);
  for (const [state, n] of Object.entries(registrations)) metrics.trunkRegistrations.set({ state }, n);
  for (const [state, n] of Object.entries(campaigns)) metrics.campaigns.set({ state }, n);
  metrics.breakersOpen.set(breakersOpen);
  metrics.endpointsDisabled.set(endpointsDisabled);
  metrics.callsCutOff.set(callsCutOff);
}

function showJobs({ queue, waiting, active, failed, oldestSeconds }: QueueState): void {
  for (const [state, n] of Object.entries({ waiting, active, failed })) metrics.jobs.set({ queue, state }, n);
  metrics.jobsOldestSeconds.set({ queue }, oldestSeconds);
}
