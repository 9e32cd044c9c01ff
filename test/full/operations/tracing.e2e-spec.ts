import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dataOf } from '@app/client';
import { type SandboxPhone, startSandboxPhone } from '@app/sandbox/phone';
import { Pool } from 'pg';
import { apiOf } from '../../support/api-client.js';
import { Stack } from '../../support/stack.js';
import { type CollectedSpan, TraceCollector } from '../../support/trace-collector.js';
import { type CallWebhook, WebhookSink } from '../../support/webhook-sink.js';
import { createAccount, type TestAccount } from '../../support/workspace.js';

const RTP_PORTS = { min: 27_800, max: 27_899 };
const ROLES = ['api', 'worker', 'dialer'] as const;
const CALLER = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
const TRACE_PARENT = `00-${CALLER.traceId}-${CALLER.spanId}-01`;
/** Of the URL of the receiver. */
const QUERY = 'a-word-of-the-query';

interface Story {
  callId: string;
  requestId: string;
  webhooks: CallWebhook[];
  traceParent: string | null;
}

let collector: TraceCollector;
let phone: SandboxPhone;
let sink: WebhookSink;
let stack: Stack;
let database: Pool;
let account: TestAccount;
/** The same call twice: in processes with an address of traces but not switched on, and in such as are. */
let untraced: Story;
let traced: Story;
let sentUntraced: number;
let spans: CollectedSpan[];
let lines: Record<string, unknown>[];

beforeAll(async () => {
  collector = await TraceCollector.start();
  sink = await WebhookSink.start();
  phone = await startSandboxPhone({
    bind: '127.0.0.1',
    port: 0,
    rtpPorts: RTP_PORTS,
    ringMs: 100,
    log: { debug: () => {}, warn: () => {} },
  });
  const env = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.endpoint}/v1/traces`, LOG_LEVEL: 'debug' };
  stack = await Stack.start({ env, keepsOutput: true });
  database = new Pool({ connectionString: stack.database.url, max: 1 });
  const webhookUrl = `${sink.url}/hook?key=${QUERY}`;
  account = await createAccount(stack, { name: 'acme', webhookUrl, trunk: { port: phone.port } });
  untraced = await oneCall();
  await stopAll();
  sentUntraced = collector.texts.length;
  stack.output.length = 0;
  // Sent when the processes stop: nothing waits for a timer.
  const on = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, OTEL_BSP_SCHEDULE_DELAY: '60000' };
  await Promise.all(ROLES.map((role) => stack.add(role, on)));
  traced = await oneCall();
  await stopAll();
  spans = collector.spans;
  lines = stack.output
    .join('')
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
});
afterAll(async () => {
  await database?.end();
  await stack?.stop();
  await phone?.close();
  await sink?.close();
  await collector?.close();
});

/** A call with its webhooks, asked for as part of a trace of the client's. */
async function oneCall(): Promise<Story> {
  const api = apiOf(stack, account);
  const to_number = `sip:hangup_after_3@127.0.0.1:${phone.port}`;
  const body = { agent_id: account.agentId, number_id: account.numberId, to_number };
  const asked = api.POST('/api/v1/calls', { body, headers: { traceparent: TRACE_PARENT } });
  const { call_id: callId } = [await dataOf(asked)].flat()[0]!;
  await sink.until(() => sink.eventsOf(callId).includes('ended'));
  const text = 'SELECT trace_parent FROM calls WHERE id = $1';
  const stored = await database.query<{ trace_parent: string | null }>(text, [callId]);
  const requestId = String((await asked).response.headers.get('x-request-id'));
  return { callId, requestId, webhooks: sink.of(callId), traceParent: stored.rows[0]?.trace_parent ?? null };
}

async function stopAll(): Promise<void> {
  const ends = stack.processes.splice(0).map(async ({ child }) => {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'close');
  });
  await Promise.all(ends);
}

const named = (name: string): CollectedSpan => {
  const found = ours().find((span) => span.name === name);
  if (!found) throw new Error(`No span is called ${name}: ${String(ours().map((span) => span.name))}`);
  return found;
};
const ours = (): CollectedSpan[] => spans.filter(({ traceId }) => traceId === CALLER.traceId);

describe('without OTEL_EXPORTER_OTLP_ENDPOINT', () => {
  it('no span is recorded, stored or exported', () => {
    expect(sentUntraced).toBe(0);
    expect(untraced.traceParent).toBeNull();
    expect(untraced.webhooks.length).toBeGreaterThan(3);
    expect(untraced.webhooks.filter(({ headers }) => headers.traceparent !== undefined)).toEqual([]);
  });
});

describe('with OTEL_EXPORTER_OTLP_ENDPOINT', () => {
  it('a call is one trace through all processes, which continues the trace of the client', () => {
    const post = named('POST /api/v1/calls');
    expect(post).toMatchObject({ service: 'trunkline-api', parentId: CALLER.spanId });
    expect(traced.traceParent).toBe(`00-${CALLER.traceId}-${post.spanId}-01`);
    const call = named('call');
    expect(call).toMatchObject({ service: 'trunkline-dialer', parentId: post.spanId });
    for (const name of ['call waiting', 'agent prepare', 'INVITE', 'talk', 'call store'])
      expect(named(name)).toMatchObject({ service: 'trunkline-dialer', parentId: call.spanId });
    expect(named('agent first audio').parentId).toBe(named('talk').spanId);
    const deliveries = ours().filter(({ name }) => name === 'webhook delivery');
    expect(deliveries).toHaveLength(traced.webhooks.length);
    for (const delivery of deliveries)
      expect(delivery).toMatchObject({ service: 'trunkline-worker', parentId: post.spanId });
  });

  it('the spans describe the call', () => {
    expect(named('POST /api/v1/calls').attributes).toMatchObject({
      'http.route': '/api/v1/calls',
      'http.response.status_code': 201,
      'trunkline.request_id': traced.requestId,
    });
    expect(named('call').attributes).toMatchObject({
      'trunkline.call_id': traced.callId,
      'trunkline.status': 'completed',
      'trunkline.hangup_cause': 'normal_clearing',
    });
    expect(named('INVITE')).toMatchObject({ attributes: { 'sip.status_code': 200 }, events: ['trying', 'ringing'] });
    expect(named('talk').ms).toBeGreaterThan(500);
    const delivered = ours().filter(({ name }) => name === 'webhook delivery');
    expect(delivered.map(({ attributes }) => attributes['trunkline.webhook.event'])).toContain('ended');
    expect(delivered[0]?.attributes).toMatchObject({
      'server.address': '127.0.0.1',
      'http.response.status_code': 200,
      'trunkline.call_id': traced.callId,
    });
  });

  it('each receiver gets the span of its delivery in a header', () => {
    const ids = ours()
      .filter(({ name }) => name === 'webhook delivery')
      .map(({ spanId }) => `00-${CALLER.traceId}-${spanId}-01`);
    const told = traced.webhooks.map(({ headers }) => String(headers.traceparent));
    expect(told.toSorted()).toEqual(ids.toSorted());
  });

  it('log lines of all processes carry the trace_id, with request_id or call_id', () => {
    const joined = lines.filter(({ trace_id }) => trace_id === CALLER.traceId);
    const { requestId: request_id, callId: call_id } = traced;
    expect(joined).toContainEqual(expect.objectContaining({ role: 'api', msg: 'request', request_id }));
    expect(joined).toContainEqual(expect.objectContaining({ role: 'dialer', msg: 'call progressed', call_id }));
    expect(joined).toContainEqual(expect.objectContaining({ role: 'dialer', msg: 'call ended', call_id }));
    expect(joined).toContainEqual(expect.objectContaining({ role: 'worker', msg: 'webhook delivered', call_id }));
  });

  it('exported spans contain no phone number, URL or speech', () => {
    const sent = collector.texts.join('\n');
    expect(sent).toContain(traced.callId);
    for (const marker of ['hangup_after', '5550001111', 'sip:', QUERY, '/hook', 'ACME', account.token])
      expect(sent).not.toContain(marker);
  });
});
