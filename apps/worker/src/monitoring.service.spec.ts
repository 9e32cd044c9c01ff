import { describe, expect, it } from '@jest/globals';
import { loadEnv } from '@app/common';
import type { InvariantName, InvariantsRepository } from '@app/database';
import { metricsText } from '@app/metrics';
import type { QueueStatesService } from '@app/queue';
import { LogLines } from '../../../test/support/log-lines.js';
import type { Backlog, BacklogService } from './backlog.service.js';
import { MonitoringService } from './monitoring.service.js';

const BACKLOG: Backlog = {
  calls: { scheduled: 0, pending: 3, ringing: 0, in_progress: 0 },
  queues: {
    deliveries: { depth: 7, oldestSeconds: 40 },
    calls: { depth: 3, oldestSeconds: 11 },
    documents: { depth: 0, oldestSeconds: 0 },
  },
  trunks: { up: 1, down: 2, unknown: 0 },
  registrations: { registered: 0, failed: 0, unregistered: 0 },
  campaigns: { running: 4, paused: 0, paused_by_breaker: 0 },
  breakersOpen: 5,
  endpointsDisabled: 6,
  callsCutOff: 8,
};

const JOBS = { queue: 'documents', waiting: 1, active: 6, failed: 2, oldestSeconds: 12 };

describe('the metrics of the installation', () => {
  it('have each figure of the database under its own name', async () => {
    const broken: Partial<Record<InvariantName, number>> = { calls_stuck: 9 };
    const invariants = { countBroken: (name: InvariantName) => Promise.resolve(broken[name] ?? 0) };
    const backlog = { read: () => Promise.resolve(BACKLOG) };
    const logs = new LogLines();
    const service = new MonitoringService(
      invariants as InvariantsRepository,
      backlog as BacklogService,
      { read: () => Promise.resolve([JOBS]) } as QueueStatesService,
      loadEnv({}),
      logs.log,
    );
    await service.readDatabase();
    const { text } = await metricsText();
    const lines = text.split('\n');
    expect(lines).toEqual(
      expect.arrayContaining([
        'trunkline_calls_stuck 9',
        'trunkline_deliveries_overdue 0',
        'trunkline_calls{status="pending"} 3',
        'trunkline_queue_depth{queue="deliveries"} 7',
        'trunkline_queue_oldest_seconds{queue="deliveries"} 40',
        'trunkline_queue_depth{queue="calls"} 3',
        'trunkline_queue_oldest_seconds{queue="calls"} 11',
        'trunkline_jobs{queue="documents",state="waiting"} 1',
        'trunkline_jobs{queue="documents",state="active"} 6',
        'trunkline_jobs{queue="documents",state="failed"} 2',
        'trunkline_jobs_oldest_seconds{queue="documents"} 12',
        'trunkline_trunks{state="down"} 2',
        'trunkline_campaigns{state="running"} 4',
      ]),
    );
  });
});
