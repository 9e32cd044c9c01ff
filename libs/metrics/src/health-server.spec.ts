import { afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { type HealthServer, startHealthServer } from './health-server.js';
import { metrics } from './metrics.js';

let server: HealthServer | undefined;
let reasons: string[] = [];

const start = async (): Promise<string> => {
  server = await startHealthServer({ port: 0, host: '127.0.0.1', role: 'worker', reasons: async () => reasons });
  return `http://127.0.0.1:${server.port}`;
};

afterEach(async () => {
  await server?.close();
  reasons = [];
});

describe('the health port', () => {
  it('returns 503 with the reasons while the process is not ready, and stays live', async () => {
    const base = await start();
    expect((await fetch(`${base}/health/ready`)).status).toBe(200);
    reasons = ['draining'];
    const answer = await fetch(`${base}/health/ready`);
    expect([answer.status, await answer.json()]).toEqual([503, { status: 'unavailable', reasons: ['draining'] }]);
    expect((await fetch(`${base}/health/live`)).status).toBe(200);
  });

  it('serves counters, release and role of the process to Prometheus', async () => {
    const base = await start();
    metrics.httpRequestSeconds.observe({ method: 'GET', route: '/api/v1/calls/:id', status: 200 }, 0.003);
    const answer = await fetch(`${base}/metrics`);
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    const text = await answer.text();
    const labels = 'method="GET",route="/api/v1/calls/:id",status="200"';
    expect(text).toContain(`trunkline_http_request_duration_seconds_count{${labels}} 1`);
    expect(text).toMatch(/^trunkline_build_info\{version="[\d.]+",role="worker"\} 1$/m);
    expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds /m);
  });

  it('listens only on the given address', async () => {
    server = await startHealthServer({ port: 0, host: '127.0.0.2', role: 'worker', reasons: async () => [] });
    expect((await fetch(`http://127.0.0.2:${server.port}/health/live`)).status).toBe(200);
    await expect(fetch(`http://127.0.0.1:${server.port}/health/live`)).rejects.toThrow('fetch failed');
  });

  it('names HEALTH_PORT when another program uses the port', async () => {
    const other = createServer().listen(0);
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const start = startHealthServer({ port, host: '0.0.0.0', role: 'worker', reasons: async () => [] });
    await expect(start).rejects.toThrow(`HEALTH_PORT ${port} is in use by another program. Set HEALTH_PORT to a free`);
    other.close();
  });
});
