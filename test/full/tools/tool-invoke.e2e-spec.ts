import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Encryption } from '@app/common';
import { newWebhookSecret } from '@app/webhooks';
import type { ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { aCall, aToken, aWorkspace, type Workspace } from '../../support/factories.js';
import { InProcessApi } from '../../support/in-process-api.js';
import { aTool, errorsOf, ToolsEnvironment } from '../../support/tools-environment.js';
import { WebhookReceiver } from '../../support/webhook-receiver.js';

const PARAMETERS = {
  type: 'object',
  properties: { city: { type: 'string' }, address: { type: 'object', properties: { zip: { type: 'integer' } } } },
  required: ['city'],
};

let environment: ToolsEnvironment<InProcessApi>;
let sink: WebhookReceiver;
let stranger: Workspace;
const secret = newWebhookSecret();
const waiting: ServerResponse[] = [];

beforeAll(async () => {
  [environment, sink] = await Promise.all([ToolsEnvironment.over(await InProcessApi.start()), WebhookReceiver.start()]);
  const { pool, app } = environment.api;
  stranger = await aWorkspace(pool);
  const sealed = app.get(Encryption).encrypt(secret, 'webhook-secret');
  const text = 'INSERT INTO webhook_secrets (account_id, secret_sealed) VALUES ($1, $2)';
  await pool.query(text, [environment.own.accountId, sealed]);
  sink.answer = ({ path, body }, response) => {
    if (path === '/waits' && waiting.length < 4) waiting.push(response);
    else response.writeHead(200, { 'content-type': 'application/json' }).end(`{"got":${body || 'null'}}`);
  };
});
afterAll(async () => {
  await environment?.close();
  await sink?.close();
});

const weather = (more: object = {}) =>
  environment.made(
    aTool({
      parameters: PARAMETERS,
      webhook_actions: [
        {
          name: 'forecast',
          url: sink.url('/weather/{{args.city}}'),
          payload: { zip: '{{args.address.zip}}', tier: '{{metadata.tier}}', by: '{{agent.id}}', call: '{{call.id}}' },
          headers: { 'X-Api-Key': { value: 'open-sesame', secret: true } },
        },
        { name: 'note', url: sink.url('/note'), wait_response: false },
      ],
      ...more,
    }),
  );

const invoke = (id: number, body: object, token = environment.own.token) =>
  environment.api.as(token).post(`${environment.path}/${id}/invoke`).send(body);

describe('a trial invocation of a tool', () => {
  it('sends its actions, even if the tool is not active', async () => {
    const tool = await weather({ is_active: false });
    const metadata = { tier: 'gold' };
    const { status, body } = await invoke(tool.id, { arguments: { city: 'Köln', address: { zip: 5 } }, metadata });
    const got = { zip: 5, tier: 'gold', by: environment.own.agentId, call: null };
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        data: {
          invocation_id: expect.any(String),
          ok: true,
          result: { forecast: { got }, note: { queued: true } },
          actions: [
            {
              id: expect.any(String),
              name: 'forecast',
              method: 'POST',
              outcome: 'succeeded',
              status: 200,
              latency_ms: expect.any(Number),
              error: null,
            },
            expect.objectContaining({ name: 'note', outcome: 'queued', status: null, latency_ms: null, error: null }),
          ],
        },
      },
    });
    const [request] = sink.received;
    expect(request).toMatchObject({ path: '/weather/K%C3%B6ln', headers: { 'x-api-key': 'open-sesame' } });
    expect(new Webhook(secret).verify(request!.body, request!.headers as Record<string, string>)).toEqual(got);
    expect(request!.headers['idempotency-key']).toBe(body.data.actions[0].id);
    const { rows } = await environment.api.pool.query(
      `SELECT type, event, call_id, body::json->'arguments'->>'city' AS city FROM webhook_deliveries WHERE id = $1`,
      [body.data.actions[1].id],
    );
    expect(rows).toEqual([{ type: 'tool-action', event: 'invoked', call_id: null, city: 'Köln' }]);
  });

  it('accepts arguments and metadata with any name, including names of Object.prototype', async () => {
    const parameters = { type: 'object', properties: { toString: { type: 'string' } }, required: ['toString'] };
    const payload = { a: '{{args}}', m: '{{metadata}}' };
    const { id } = await environment.made(
      aTool({ parameters, webhook_actions: [{ name: 'ask', url: sink.url('/names'), payload }] }),
    );
    const given = { toString: 'x', valueOf: { hasOwnProperty: 1 } };
    const { status, body } = await invoke(id, { arguments: given, metadata: given });
    expect([status, body.data?.result]).toEqual([200, { ask: { got: { a: given, m: given } } }]);
  });

  it('is refused with the invalid arguments, and sends nothing', async () => {
    const tool = await weather();
    const before = sink.received.length;
    expect(errorsOf(await invoke(tool.id, { arguments: { address: { zip: 'x' } } }))).toEqual({
      'arguments.city': 'The arguments.city field is required.',
      'arguments.address.zip': 'The arguments.address.zip field must be integer.',
    });
    expect(errorsOf(await invoke(tool.id, {}))).toEqual({ 'arguments.city': 'The arguments.city field is required.' });
    expect(errorsOf(await invoke(tool.id, { arguments: [] }))).toEqual({
      arguments: 'The arguments field must be an object.',
    });
    expect(errorsOf(await invoke(tool.id, { arguments: { city: 'x' }, metadata: 'x' }))).toEqual({
      metadata: 'The metadata field must be an object.',
    });
    expect(sink.received).toHaveLength(before);
  });

  it('requires the account and the agent of the tool, and a token with tools:write', async () => {
    const tool = await weather();
    const args = { arguments: { city: 'Bonn' } };
    const foreign = await invoke(tool.id, args, stranger.token);
    expect([foreign.status, foreign.body]).toEqual([404, { message: 'Agent not found.' }]);
    const elsewhere = await environment.post(args, `${await environment.another()}/${tool.id}/invoke`);
    expect([elsewhere.status, elsewhere.body]).toEqual([404, { message: 'Tool not found.' }]);
    const reader = await aToken(environment.api.pool, environment.own.accountId, ['tools:read']);
    expect((await invoke(tool.id, args, reader)).status).toBe(403);
  });

  it('is refused when four are in progress', async () => {
    const tool = await environment.made(aTool({ webhook_actions: [{ name: 'wait', url: sink.url('/waits') }] }));
    const four = Array.from({ length: 4 }, () => invoke(tool.id, {}).then(({ status }) => status));
    await sink.until((received) => received.filter(({ path }) => path === '/waits').length === 4);
    const fifth = await invoke(tool.id, {});
    expect([fifth.status, fifth.body.message]).toEqual([
      429,
      'Only 4 tools can be invoked at once. Wait for one to finish.',
    ]);
    for (const response of waiting) response.end();
    expect(await Promise.all(four)).toEqual([200, 200, 200, 200]);
    expect((await invoke(tool.id, {})).status).toBe(200);
  });
});

describe('the tool calls of a call', () => {
  it('are listed for the account of the call', async () => {
    const { api, own } = environment;
    const callId = await aCall(api.pool, own);
    const mine = await api.as(own.token).get(`/api/v1/calls/${callId}/tool-calls`);
    expect([mine.status, mine.body]).toEqual([200, { data: [] }]);
    const foreign = await api.as(stranger.token).get(`/api/v1/calls/${callId}/tool-calls`);
    expect([foreign.status, foreign.body]).toEqual([404, { message: 'Call not found.' }]);
  });
});
