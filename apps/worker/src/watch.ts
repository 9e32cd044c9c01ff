import type { Log } from '@app/common';
import { metrics } from '@app/metrics';
import {
  type Backlog,
  type BacklogRepository,
  INVARIANT_NAMES,
  type InvariantName,
  type InvariantsRepository,
} from '@app/database';

const GAUGES: Record<InvariantName, { set(value: number): void }> = {
  calls_stuck: metrics.callsStuck,
  dialers_lost: metrics.dialersLost,
  deliveries_overdue: metrics.deliveriesOverdue,
  documents_stuck: metrics.documentsStuck,
  tool_actions_stuck: metrics.actionsStuck,
  retention_overdue: metrics.retentionOverdue,
};

/**
 * Reads the invariants and the backlog into the metrics. Every worker does so: no leader is needed, and a hanging worker leaves no gap,
 * because alert rules take the maximum over the workers.
 */
export async function watchDatabase(
  invariants: InvariantsRepository,
  backlog: BacklogRepository,
  log: Log,
): Promise<void> {
  for (const name of INVARIANT_NAMES) {
    const broken = await invariants.countBroken(name);
    GAUGES[name].set(broken);
    if (broken > 0) log.error({ invariant: name, broken }, 'an invariant is broken');
  }
  showBacklog(await backlog.read());
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
