import { getQueueToken } from '@nestjs/bullmq';
import { QUEUE_NAMES } from '@app/queue';
import type { Queue } from 'bullmq';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ReadinessService } from './readiness.service.js';
import { InProcessApi } from '../../../../test/support/in-process-api.js';

let api: InProcessApi;

beforeAll(async () => {
  api = await InProcessApi.start();
});
afterAll(() => api.stop());

const ready = async () => {
  const { status, body } = await api.as().get('/health/ready');
  return { status, body };
};

// One after the other: each makes the state that the next begins with.
describe('the api process', () => {
  it('is not ready while the database lacks a migration', async () => {
    const { rows } = await api.pool.query<{ timestamp: string; name: string }>('DELETE FROM migrations RETURNING *');
    const reasons = ['the database is not migrated to this release'];
    expect(await ready()).toEqual({ status: 503, body: { status: 'unavailable', reasons } });
    for (const { timestamp, name } of rows) {
      await api.pool.query('INSERT INTO migrations (timestamp, name) VALUES ($1, $2)', [timestamp, name]);
    }
  });

  it('is live but not ready during shutdown', async () => {
    api.app.get(ReadinessService).stop();
    const reasons = ['the process is shutting down'];
    expect(await ready()).toEqual({ status: 503, body: { status: 'unavailable', reasons } });
    expect((await api.as().get('/health/live')).status).toBe(200);
  });
});

describe('the api process without its database', () => {
  it('is not ready and returns 503 instead of 500', async () => {
    const lost = await InProcessApi.start();
    await Promise.all(QUEUE_NAMES.map((queue) => lost.app.get<Queue>(getQueueToken(queue)).waitUntilReady()));
    const [name] = new URL(lost.databaseUrl).pathname.slice(1).split('/');
    await api.pool.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    await api.pool.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
    const { status, body } = await lost.as().get('/health/ready');
    expect([status, body]).toEqual([503, { status: 'unavailable', reasons: ['the database does not answer'] }]);
    const token = `tk_${'0'.repeat(49)}`;
    expect([401, 503]).toContain((await lost.as(token).get('/api/v1/calls')).status);
    await lost.stop();
  });
});
