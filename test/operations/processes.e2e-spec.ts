import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { eventually } from '../support/eventually.js';
import type { Workspace } from '../support/factories.js';
import { Service } from '../support/service.js';

const ROLES = ['api', 'worker', 'dialer'] as const;

const service = Service.get();
let own: Workspace;
let callId: string;

const metricsOf = async (role: (typeof ROLES)[number]): Promise<string> => {
  const answer = await fetch(`${service.healthUrl(role)}/metrics`);
  expect([role, answer.status, answer.headers.get('content-type')]).toEqual([
    role,
    200,
    expect.stringMatching(/^text\/plain/),
  ]);
  return answer.text();
};

/** An ended call of the account. */
beforeAll(async () => {
  own = await service.account();
  const order = { agent_id: own.agentId, number_id: own.numberId };
  const made = await service
    .as(own.token)
    .post('/api/v1/calls')
    .send({ ...order, to_number: `sip:reject@127.0.0.1:${service.sandboxPort}` })
    .expect(201);
  callId = made.body.data.call_id as string;
  await eventually(
    async () => (await service.as(own.token).get(`/api/v1/calls/${callId}`)).body.data.status as string,
    (status) => status === 'failed' || status === 'busy' || status === 'rejected',
  );
});
afterAll(() => service.close());

describe('each process', () => {
  it.each(ROLES)('of the role %s is live and ready', async (role) => {
    for (const path of ['/health/live', '/health/ready']) {
      const answer = await fetch(`${service.healthUrl(role)}${path}`);
      expect([path, answer.status, await answer.json()]).toEqual([path, 200, { status: 'ok' }]);
    }
  });

  it.each(ROLES)('of the role %s has metrics with its release, its role and its resources', async (role) => {
    const text = await metricsOf(role);
    expect(text).toMatch(new RegExp(`^trunkline_build_info\\{version="[^"]+",role="${role}"\\} 1$`, 'm'));
    expect(text).toMatch(/^trunkline_db_pool_connections\{state="(?:idle|busy)"\} \d+$/m);
    expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds /m);
  });
});

describe('the metrics', () => {
  it('count requests by route, and calls by their outcome, without numbers, accounts or ids', async () => {
    const [api, dialer] = await Promise.all([metricsOf('api'), metricsOf('dialer')]);
    expect(api).toMatch(
      /http_request_duration_seconds_count\{method="POST",route="\/api\/v1\/calls",status="201"\} \d/,
    );
    expect(dialer).toMatch(/^trunkline_calls_ended_total\{direction="outbound",status="\w+",cause="\w+"\} \d+$/m);
    for (const text of [api, dialer])
      expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}|sip:[^ ]|\+1555|account_?id/);
  });

  it('are not on the public port', async () => {
    expect((await service.as().get('/metrics')).status).toBe(404);
  });
});

describe('the OpenAPI document', () => {
  it('is served as it is in openapi.json, with the address of the running sandbox phone', async () => {
    const served = await service.as().get('/openapi.json').expect(200);
    const stored = await readFile('openapi.json', 'utf8');
    const phone = `127.0.0.1:${service.sandboxPort}`;
    expect(served.body).toEqual(JSON.parse(stored.replaceAll('127.0.0.1:5070', phone)));
  });

  it('is shown by Swagger UI', async () => {
    const page = await service.as().get('/docs').redirects(1).expect(200);
    expect(page.text).toContain('swagger-ui');
    const settings = await service.as().get('/docs/swagger-ui-init.js').expect(200);
    expect(settings.text).toContain('"persistAuthorization": true');
  });
});

describe('trunkline doctor', () => {
  const doctor = async (variables: NodeJS.ProcessEnv) => {
    const { code, stdout, stderr } = await service.outcome(['doctor', '--json'], variables);
    const found = JSON.parse(stdout) as { check: string; state: string; says: string; remedy?: string }[];
    return { code, stdout: stdout + stderr, of: (check: string) => found.find((one) => one.check === check) };
  };

  it('examines an installation, and ends with 1 and a remedy where something is wrong', async () => {
    // The ports of the running service are in use.
    const free = { SIP_PORT: '0', HEALTH_PORT: '' };
    const [healthy, broken] = await Promise.all([
      doctor(free),
      doctor({
        ...free,
        STORAGE_URL: 's3://bucket?endpoint=http://127.0.0.1:1&path_style=true',
        QUEUE_URL: 'redis://127.0.0.1:1',
      }),
    ]);
    expect(healthy.of('database')).toMatchObject({ state: 'ok', says: expect.stringMatching(/^PostgreSQL \d+/) });
    expect(healthy.of('migrations')).toMatchObject({ state: 'ok' });
    expect(healthy.of('storage')).toMatchObject({ state: 'ok' });
    expect(healthy.of('dialers')).toMatchObject({ state: 'ok' });
    expect(broken.code).toBe(1);
    for (const check of ['storage', 'queue'])
      expect(broken.of(check)).toMatchObject({ state: 'wrong', remedy: expect.any(String) });
    const { stdout: lines } = await service.outcome(['doctor'], free);
    const warnings = lines.match(/^warning /gm)?.length ?? 0;
    expect(warnings).toBeGreaterThan(0);
    // Trunks of other stories may be down.
    expect(lines.trim().split('\n').at(-1)).toMatch(
      new RegExp(
        `^(?:\\d+ of \\d+ checks (?:is|are) wrong, )?${warnings} ${warnings === 1 ? 'warning' : 'warnings'}\\.$`,
      ),
    );
    for (const { stdout } of [healthy, broken]) expect(stdout).not.toMatch(/postgres(?:ql)?:\/\/[^/]*:/);
  });
});
