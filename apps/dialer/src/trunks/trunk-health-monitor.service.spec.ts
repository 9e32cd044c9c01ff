import type { ClaimedHealthCheck, TrunkHealthService } from '@app/accounts';
import { describe, expect, it } from '@jest/globals';
import { LogLines } from '../../../../test/support/log-lines.js';
import { TrunkHealthMonitorService } from './trunk-health-monitor.service.js';

const TARGET = { host: '192.0.2.1', port: 5060, transport: 'udp' as const, priority: 0 };

describe('the change of a trunk’s health', () => {
  it.each([
    [true, 'a trunk can be reached'],
    [false, 'a trunk cannot be reached'],
  ])('is logged although the database cannot store where it answered (reachable: %s)', async (reachable, msg) => {
    const due = { trunkId: 7, accountId: 1, trunk: TARGET, before: { state: 'unknown', targets: [] } };
    const claims = [[due as unknown as ClaimedHealthCheck]];
    const trunks = { claim: async () => claims.shift() ?? [], store: async () => true };
    const lines = new LogLines();
    const monitor = new TrunkHealthMonitorService(
      trunks as unknown as TrunkHealthService,
      { health: async () => ({ targets: [{ target: TARGET, reachable }] }) },
      { answered: () => Promise.reject(new Error('The database is unavailable.')) },
      lines.log,
    );
    monitor.start();
    await lines.first({ trunk_id: 7, msg: 'the places of a trunk could not be stored' });
    expect(lines.lines.map((line) => line.msg)).toEqual([msg, 'the places of a trunk could not be stored']);
    await monitor.stop();
  });
});
