import { AnalyticsUpkeepService } from '@app/analytics';
import type { Env } from '@app/common';
import { ENV } from '@app/common/settings';
import { RefreshesService } from '@app/knowledge';
import { TestRunWorkerService } from '@app/simulation';
import { McpRefreshService } from '@app/tools';
import { Inject, Injectable } from '@nestjs/common';
import { PurgeService } from './purge.service.js';
import { RepairsService } from './repairs.service.js';

/** Interval in ms by name. States that last minutes or days are looked at less often. */
export const SWEEPS = {
  'lost-calls': 2_000,
  'lost-documents': 5_000,
  'lost-analyses': 5_000,
  'due-refreshes': 5_000,
  'due-test-runs': 1_000,
  'call-counts': 1_000,
  analytics: 5_000,
  'expired-calls': 30_000,
  'abandoned-invocations': 30_000,
  'mcp-servers': 30_000,
  purge: 60_000,
  'storage-quota': 60_000,
} as const;

type SweepName = keyof typeof SWEEPS;

/** The periodic tasks of the installation: a scheduler repeats each, and any worker runs it. */
@Injectable()
export class SweepsService {
  private readonly running = new Set<string>();
  private readonly sweeps: Record<SweepName, () => Promise<unknown>>;

  constructor(
    repairs: RepairsService,
    purge: PurgeService,
    analytics: AnalyticsUpkeepService,
    refreshes: RefreshesService,
    testRuns: TestRunWorkerService,
    mcpServers: McpRefreshService,
    @Inject(ENV) env: Env,
  ) {
    this.sweeps = {
      'lost-calls': () => repairs.endLostCalls(),
      'lost-documents': () => repairs.takeLostDocuments(),
      'lost-analyses': () => repairs.takeLostAnalyses(),
      'due-refreshes': () => refreshes.beginDue(),
      'due-test-runs': () => testRuns.beginScheduled(),
      'call-counts': () => analytics.countPending(),
      analytics: () => analytics.build(),
      'expired-calls': () => repairs.endExpiredCalls(),
      'abandoned-invocations': () => repairs.endAbandonedInvocations(),
      'mcp-servers': () => mcpServers.refreshDue(),
      purge: () => purge.purge(env.AUDIT_DAYS),
      'storage-quota': () => repairs.recountStorage(),
    };
  }

  /** Does nothing if the sweep is still running here, or is of another release. */
  async run(name: string): Promise<void> {
    if (!isSweep(name) || this.running.has(name)) return;
    this.running.add(name);
    try {
      await this.sweeps[name]();
    } finally {
      this.running.delete(name);
    }
  }
}

const isSweep = (name: string): name is SweepName => Object.hasOwn(SWEEPS, name);
