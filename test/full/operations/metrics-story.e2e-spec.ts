import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type SandboxPhone, startSandboxPhone } from '@app/sandbox/phone';
import { apiOf } from '../../support/api-client.js';
import { eventually } from '../../support/eventually.js';
import { freePort } from '../../support/free-port.js';
import { mayBe } from '../../support/metric-labels.js';
import { type Role, Stack } from '../../support/stack.js';
import { WebhookSink } from '../../support/webhook-sink.js';
import { createAccount, type TestAccount } from '../../support/workspace.js';

const FIRST_RTP_PORT = 29_000;
const ROLES = ['api', 'worker', 'dialer'] as const;

let phone: SandboxPhone;
let sink: WebhookSink;
let stack: Stack;
let account: TestAccount;
const healthPorts = new Map<Role, number>();

/** The service with a health port for each of its processes, and one call that is over. */
beforeAll(async () => {
  phone = await startSandboxPhone({
    bind: '127.0.0.1',
    port: 0,
    rtpPorts: { min: FIRST_RTP_PORT, max: FIRST_RTP_PORT + 99 },
    ringMs: 100,
    log: { debug: () => {}, warn: () => {} },
  });
  sink = await WebhookSink.start();
  const apiPort = await freePort();
  healthPorts.set('api', apiPort);
  stack = await Stack.start({ workers: 0, dialers: 0, env: { HEALTH_PORT: String(apiPort) } });
  for (const role of ['worker', 'dialer'] as const) {
    const port = await freePort();
    healthPorts.set(role, port);
    await stack.add(role, { HEALTH_PORT: String(port) });
  }
  account = await createAccount(stack, { name: 'acme', webhookUrl: `${sink.url}/hook`, trunk: { port: phone.port } });
  const api = apiOf(stack, account);
  const to_number = `sip:hangup_after_1@127.0.0.1:${phone.port}`;
  const { call_id } = await api.createCall({ to_number });
  await sink.until(() => sink.eventsOf(call_id).includes('ended'));
  await api.call(call_id);
});
afterAll(async () => {
  await stack?.stop();
  await phone?.close();
  await sink?.close();
});

const metricsOf = async (role: Role): Promise<string> =>
  (await fetch(`http://127.0.0.1:${healthPorts.get(role)}/metrics`)).text();

describe('the metrics for Prometheus', () => {
  it.each(ROLES)('include version, role and resources of the %s', async (role) => {
    const text = await metricsOf(role);
    expect(text).toMatch(new RegExp(`^trunkline_build_info\\{version="[^"]+",role="${role}"\\} 1$`, 'm'));
    expect(text).toMatch(/^trunkline_db_pool_connections\{state="(?:idle|busy)"\} \d+$/m);
    expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds /m);
  });

  it('of the api label requests by route template, without accounts or ids', async () => {
    const text = await metricsOf('api');
    expect(text).toMatch(
      /http_request_duration_seconds_count\{method="POST",route="\/api\/v1\/calls",status="201"\} 1/,
    );
    expect(text).toMatch(
      /http_request_duration_seconds_count\{method="GET",route="\/api\/v1\/calls\/:\w+",status="200"\}/,
    );
    expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}|sip:|\+1555|account/);
  });

  it('of the dialer describe outcome and quality of the call', async () => {
    const text = await metricsOf('dialer');
    expect(text).toMatch(/^trunkline_calls_ended_total\{direction="outbound",status="completed",cause="\w+"\} 1$/m);
    for (const name of ['call_ring_seconds', 'call_answer_seconds', 'call_wait_seconds', 'call_mos'])
      expect(text).toMatch(new RegExp(`^trunkline_${name}_count 1$`, 'm'));
    expect(text).toMatch(/^trunkline_rtp_loss_ratio_count\{direction="received"\} 1$/m);
    expect(text).toMatch(/^trunkline_dialer_slots 200$/m);
    expect(text).not.toMatch(/sip:|\+1555/);
  });

  it('have only the label values that dashboards and alerts use', async () => {
    const texts = await Promise.all(ROLES.map(metricsOf));
    const series = texts.flatMap((text) => [...text.matchAll(/^(trunkline_\w+)\{([^}]*)\}/gm)]);
    const values = series.flatMap(([, metric = '', labels = '']) =>
      [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label = '', value = '']) => ({ metric, label, value })),
    );
    expect(values.length).toBeGreaterThan(50);
    expect(values.filter(({ metric, label, value }) => label !== 'le' && !mayBe(metric, label, value))).toEqual([]);
  });

  it('of the worker count a call that was cut by the stop of its dialer', async () => {
    const api = apiOf(stack, account);
    const { call_id: id } = await api.createCall({ to_number: `sip:answer@127.0.0.1:${phone.port}` });
    await sink.until(() => sink.eventsOf(id).includes('in-progress'));
    await stack.retire(stack.processes.find(({ role }) => role === 'dialer')!);
    expect(await api.call(id)).toMatchObject({ status: 'completed', hangup_cause: 'drained', ended_by: 'system' });
    // A worker looks every 15 s.
    await eventually(
      () => metricsOf('worker'),
      (text) => /^trunkline_calls_cut_off 1$/m.test(text),
    );
  });

  it('are not available on the public port', async () => {
    expect((await fetch(`${stack.baseUrl}/metrics`)).status).toBe(404);
  });
});
