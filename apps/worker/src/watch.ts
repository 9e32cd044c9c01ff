import type { Log } from '@app/common';
import { metrics } from '@app/metrics';
import { type Backlog, countBroken, INVARIANT_NAMES, type InvariantName, readBacklog } from '@app/database';
import type { Pool } from 'pg';

const GAUGES: Record<InvariantName, { set(value: number): void }> = {
  calls_stuck: metrics.callsStuck,
  dialers_lost: metrics.dialersLost,
  deliveries_overdue: metrics.deliveriesOverdue,
  documents_stuck: metrics.documentsStuck,
  tool_actions_stuck: metrics.actionsStuck,
  retention_overdue: metrics.retentionOverdue,
};

/**
 * Reads the invariants and the waiting lines into the metrics. Every worker does so, so that none has to be chosen and one that hangs is
 * not missed: rules take the maximum over workers.
 */
export async function watchDatabase(pool: Pool, log: Log): Promise<void> {
  for (const name of INVARIANT_NAMES) {
    const broken = await countBroken(pool, name);
    GAUGES[name].set(broken);
    if (broken > 0) log.error({ invariant: name, broken }, 'an invariant is broken');
  }
  showBacklog(await readBacklog(pool));
  metrics.checkedAt.setToCurrentTime();
}

function showBacklog({ calls, queues, trunks, breakersOpen, endpointsDisabled, callsCutOff }: Backlog): void {
  for (const [status, n] of Object.entries(calls)) metrics.calls.set({ status }, n);
  for (const [queue, { depth, oldestSeconds }] of Object.entries(queues)) {
    metrics.queueDepth.set({ queue }, depth);
    metrics.queueOldestSeconds.set({ queue }, oldestSeconds);
  }
  for (const [state, n] of Object.entries(trunks)) metrics.trunks.set({ state }, n);
  metrics.breakersOpen.set(breakersOpen);
  metrics.endpointsDisabled.set(endpointsDisabled);
  metrics.callsCutOff.set(callsCutOff);
}
