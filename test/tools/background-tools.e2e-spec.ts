import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import type { Workspace } from '../support/factories.js';
import { LiveCall } from '../support/live-call.js';
import { Service } from '../support/service.js';
import { aTool } from '../support/tools-environment.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { WebhookSink } from '../support/webhook-sink.js';

const service = Service.get();
let kitchen: WebhookReceiver;
let sink: WebhookSink;

beforeAll(async () => {
  [kitchen, sink] = await Promise.all([WebhookReceiver.start(), WebhookSink.start()]);
  kitchen.answer = ({ path }, response) => {
    response.writeHead(path === '/fails' ? 503 : 200, { 'content-type': 'application/json' });
    response.end('{"accepted":true}');
  };
});
afterAll(async () => {
  await Promise.all([service.close(), kitchen?.close(), sink?.close()]);
});

const send = async (own: Workspace, method: 'get' | 'post' | 'patch', path: string, body?: object) => {
  const answer = await service.as(own.token)[method](`/api/v1${path}`).send(body);
  if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.body.data;
};

/** The user presses 1; the agent orders in the background, talks on, and says the result. */
const RULES = [
  { on: { digits: '1' }, call: { tool: 'order' } },
  { on: { tool: 'order', failed: true }, say: 'It failed: {{result.error.message}}' },
  { on: { tool: 'order' }, say: 'State {{result.status}} {{result.id}} {{result.assigned.0}} {{result.accepted}}.' },
];
const ORDER = (path = '/orders', more: object = {}) => ({
  ...aTool({ name: 'order', mode: 'background' }),
  ...more,
  webhook_actions: [{ name: 'ask', url: kitchen.url(path), payload: { to: '{{callback.url}}' } }],
});
const anAccount = async (tool: object, provider = 'sandbox'): Promise<Workspace> => {
  const own = await service.account();
  await send(own, 'post', '/webhook-secrets/rotate', {});
  const post_call_webhook = { url: sink.url };
  const script = { legs: { hears: ['Hello.'] }, rules: RULES };
  await send(own, 'patch', `/agents/${own.agentId}`, { provider, greeting: 'Hi.', script, post_call_webhook });
  await send(own, 'post', `/agents/${own.agentId}/tools`, tool);
  return own;
};

/** A call that has used the tool, with the address for its result. */
const ordered = async (own: Workspace) => {
  const before = kitchen.received.length;
  const call = await LiveCall.place(service, own, 'press_1');
  await call.said(/State running/);
  const { to } = JSON.parse(kitchen.received[before]!.body) as { to: string };
  expect(to).toMatch(/\/api\/v1\/tool-callbacks\/[\w-]{43}$/);
  const report = (body: object, path = new URL(to).pathname) => request(service.baseUrl).post(path).send(body);
  return { call, report, path: new URL(to).pathname };
};

describe.each(['sandbox', 'pipeline'])('a background tool of the provider %s', (provider) => {
  it('lets the conversation go on, and its progress and result reach the agent in a later pause', async () => {
    const own = await anAccount(ORDER('/orders', { assign: { order_id: '/id', gone: '/nope' } }), provider);
    const { call, report } = await ordered(own);
    const noted = await report({ status: 'progress', text: 'The cook has begun.' });
    expect([noted.status, noted.body.data]).toEqual([
      200,
      { invocation_id: expect.any(String), delivery: 'conversation' },
    ]);
    await call.until(({ type, data }) => type === 'tool_result' && data['status'] === 'progress');
    const done = await report({ status: 'completed', result: { id: 'o-7' } });
    expect([done.status, done.body.data.delivery]).toEqual([200, 'conversation']);
    const again = await report({ status: 'completed', text: 'Again.' });
    expect([again.status, again.body.message]).toEqual([409, expect.stringMatching(/result already/)]);
    const { data } = await call.until((event) => event.type === 'tool_result' && event.data['status'] === 'completed');
    expect(data).toMatchObject({
      name: 'order',
      result: { id: 'o-7' },
      assigned: [{ name: 'order_id', value: 'o-7' }, { problem: 'missing' }],
    });
    await call.cancel();
    expect((await call.read()).variables).toEqual({ order_id: 'o-7', gone: null });
    expect(await send(own, 'get', `/calls/${call.id}/tool-calls`)).toMatchObject([
      {
        invocation_id: done.body.data.invocation_id,
        ok: true,
        result: { id: 'o-7' },
        assigned: [{ value: 'o-7' }, { value: null, problem: 'missing' }],
        progress: [{ text: 'The cook has begun.' }],
        actions: [{ name: 'ask', outcome: 'succeeded' }],
      },
    ]);
  });
});

describe('a background tool', () => {
  it('tells the agent of a reported failure, and keeps a private result from it', async () => {
    const failing = await ordered(await anAccount(ORDER()));
    await failing.report({ status: 'failed', text: 'No flour.' }).expect(200);
    const { data } = await failing.call.until(({ type }) => type === 'tool_result');
    expect(data).toMatchObject({ status: 'failed', result: { error: { code: 'tool_error', message: 'No flour.' } } });
    await failing.call.cancel();
    const hidden = await ordered(await anAccount(ORDER('/orders', { private: true, assign: { secret: '/id' } })));
    await hidden.report({ status: 'completed', result: { id: 'hidden-1' } }).expect(200);
    const given = await hidden.call.until(({ type }) => type === 'tool_result');
    expect(given.data['result']).toEqual({ ok: true, assigned: ['secret'], not_assigned: [] });
    await hidden.call.cancel();
    expect((await hidden.call.read()).variables).toEqual({ secret: 'hidden-1' });
  });

  it('has its response as the result where no request names the callback, and a refused request as its failure', async () => {
    const plain = {
      ...aTool({ name: 'order', mode: 'background' }),
      webhook_actions: [{ name: 'ask', url: kitchen.url('/orders'), payload: {} }],
    };
    const own = await anAccount(plain);
    const call = await LiveCall.place(service, own, 'press_1');
    await call.until(({ type, data }) => type === 'tool_result' && data['status'] === 'completed');
    await call.cancel();
    const [run] = await send(own, 'get', `/calls/${call.id}/tool-calls`);
    expect(run).toMatchObject({ ok: true, result: { ask: { accepted: true } }, progress: [] });
    const refused = await LiveCall.place(service, await anAccount(ORDER('/fails')), 'press_1');
    const { data } = await refused.until(({ type }) => type === 'tool_result');
    expect(data).toMatchObject({ status: 'failed', result: { ask: { error: { status: 503 } } } });
    await refused.cancel();
  });

  it('has its late result in the record and in a webhook when the call is over', async () => {
    const own = await anAccount(ORDER('/orders', { assign: { order_id: '/id' } }));
    const { call, report } = await ordered(own);
    await call.cancel();
    await sink.until(() => sink.eventsOf(call.id).includes('ended'));
    const late = await report({ status: 'completed', result: { id: 'o-9' } });
    expect([late.status, late.body.data.delivery]).toEqual([200, 'record']);
    await sink.until(() => sink.eventsOf(call.id).includes('tool-completed'));
    const { body } = sink.of(call.id).find((one) => one.body.event === 'tool-completed')!;
    expect(body).toMatchObject({
      type: 'tool-result',
      data: {
        call_id: call.id,
        agent_id: own.agentId,
        tool: 'order',
        ok: true,
        result: { id: 'o-9' },
        assigned: [{ value: 'o-9' }],
      },
    });
    expect((await call.read()).variables).toEqual({ order_id: 'o-9' });
    expect(await send(own, 'get', `/calls/${call.id}/tool-calls`)).toMatchObject([{ ok: true, result: { id: 'o-9' } }]);
  });

  it('refuses unknown, late and wrong reports with the reason', async () => {
    const own = await anAccount(ORDER());
    const { call, report, path } = await ordered(own);
    expect((await report({ status: 'completed' }, path.replace(/.{5}$/, 'AAAAA'))).status).toBe(404);
    for (const [body, field] of [
      [{ status: 'done' }, 'status'],
      [{ status: 'progress' }, 'text'],
      [{ status: 'progress', text: 'a', result: {} }, 'result'],
      [{ status: 'failed' }, 'text'],
      [{ status: 'completed', text: 'a', result: 1 }, 'text'],
      [{ status: 'completed', text: 'x'.repeat(4_001) }, 'text'],
      [{ status: 'completed', result: 'x'.repeat(70_000) }, 'result'],
    ] as const) {
      const answer = await report(body);
      expect([answer.status, Object.keys(answer.body.errors ?? {})]).toEqual([422, [field]]);
    }
    await call.cancel();
    for (let note = 0; note < 20; note++) await report({ status: 'progress', text: `Note ${note}` }).expect(200);
    expect((await report({ status: 'progress', text: 'One more.' })).status).toBe(429);
    await service.pool.query(
      `UPDATE tool_callbacks SET expires_at = now() - interval '1 s' WHERE account_id = ${own.accountId}`,
    );
    const late = await report({ status: 'completed', text: 'Late.' });
    expect([late.status, late.body.message]).toEqual([410, expect.stringMatching(/15 minutes/)]);
  });

  it('is played in a simulation with its mock, which arrives later', async () => {
    const own = await service.account();
    const rules = [{ on: { text: 'order' }, call: { tool: 'order' } }, ...RULES.slice(1)];
    await send(own, 'patch', `/agents/${own.agentId}`, { greeting: 'Hi.', script: { rules } });
    await send(own, 'post', `/agents/${own.agentId}/tools`, ORDER());
    const played = await send(own, 'post', `/agents/${own.agentId}/simulations`, {
      mocks: { order: { result: { id: 'o-3' }, after_ms: 4_000 } },
      steps: [{ says: 'My order, please.', expects: ['State running', 'o-3'], calls: { tool: 'order', ok: true } }],
    });
    expect(played.steps.flatMap(({ failures }: { failures: string[] }) => failures)).toEqual([]);
  });
});
