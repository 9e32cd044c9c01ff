import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type SandboxPhone, startSandboxPhone } from '@app/sandbox/phone';
import { apiOf } from '../../support/api-client.js';
import { freePort } from '../../support/free-port.js';
import { mayBe } from '../../support/metric-labels.js';
import { type Role, Stack } from '../../support/stack.js';
import { WebhookSink } from '../../support/webhook-sink.js';
import { createAccount } from '../../support/workspace.js';

const FIRST_RTP_PORT = 29_000;
const ROLES = ['api', 'worker', 'dialer'] as const;

let phone: SandboxPhone;
let sink: WebhookSink;
let stack: Stack;
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
  const account = await createAccount(stack, {
    name: 'acme',
    webhookUrl: `${sink.url}/hook`,
    trunk: { port: phone.port },
  });
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
});
