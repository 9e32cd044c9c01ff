import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dataOf } from '@app/client';
import { type SandboxPhone, startSandboxPhone } from '@app/sandbox/phone';
import { Pool } from 'pg';
import { apiOf, type ApiClient } from './support/api-client.js';
import { eventOfCall } from './support/call-events.js';
import { Stack } from './support/stack.js';
import { WebhookReceiver } from './support/webhook-receiver.js';
import { WebhookSink } from './support/webhook-sink.js';
import { createAccount, type TestAccount } from './support/workspace.js';

const SCRIPT = {
  rules: [
    { on: { digits: '1' }, call: { tool: 'find_order', arguments: { order: 4711 } } },
    { on: { tool: 'find_order', failed: true }, call: { tool: 'find_order', arguments: { order_id: 4711 } } },
    { on: { tool: 'find_order', failed: false }, say: 'Your order is {{result.lookup.status}}.' },
  ],
};
const PARAMETERS = { type: 'object', properties: { order_id: { type: 'integer' } }, required: ['order_id'] };

/** The scripted agent reacts to the key that the phone presses. */
describe('an agent with tools on a call', () => {
  let stack: Stack;
  let sink: WebhookSink;
  let shop: WebhookReceiver;
  let phone: SandboxPhone;
  let database: Pool;
  let account: TestAccount;
  let api: ApiClient;

  beforeAll(async () => {
    [sink, shop] = await Promise.all([WebhookSink.start(), WebhookReceiver.start()]);
    const log = { debug: () => {}, warn: () => {} };
    const rtpPorts = { min: 27_200, max: 27_399 };
    phone = await startSandboxPhone({ bind: '127.0.0.1', port: 0, rtpPorts, ringMs: 100, log });
    stack = await Stack.start();
    database = new Pool({ connectionString: stack.database.url, max: 2 });
    account = await createAccount(stack, { name: 'shop', webhookUrl: `${sink.url}/hook` });
    api = apiOf(stack, account);
    const options = JSON.stringify({ script: SCRIPT });
    await database.query('UPDATE agents SET provider_options = $2 WHERE id = $1', [account.agentId, options]);
    shop.answer = ({ path }, response) => {
      response.writeHead(path === '/orders/4711' ? 200 : 500, { 'content-type': 'application/json' });
      response.end('{"status":"shipped"}');
    };
    await api.createTool({
      name: 'find_order',
      description: 'Finds an order.',
      parameters: PARAMETERS,
      webhook_actions: [
        {
          name: 'lookup',
          url: shop.url('/orders/{{args.order_id}}'),
          method: 'GET',
          payload: { to: '{{call.to_number}}' },
        },
        {
          name: 'note',
          url: shop.url('/note'),
          wait_response: false,
          payload: { call: '{{call.call_id}}', of: '{{metadata.of}}' },
        },
      ],
    });
  }, 90_000);

  afterAll(async () => {
    await database?.end();
    await stack?.stop();
    await phone?.close();
    await sink?.close();
    await shop?.close();
  });

  it('corrects invalid arguments and uses the result of the tool; the call records all of it', async () => {
    const call = await api.createCall({
      to_number: `sip:press_1@127.0.0.1:${phone.port}`,
      metadata: { of: 'autumn' },
    });
    const id = call.call_id;
    await eventOfCall(database, id, ({ type, data }) => type === 'turn' && /shipped/.test(String(data.text)));
    await shop.until((received) => received.some(({ path }) => path === '/note'), AbortSignal.timeout(20_000));
    await api.cancel(id);
    await sink.until(() => sink.eventsOf(id).includes('ended'));

    const [lookup, note] = shop.received;
    expect(Object.fromEntries(lookup!.query)).toEqual({ to: call.to_number });
    expect(JSON.parse(note!.body)).toEqual({ call: id, of: 'autumn' });

    const told = sink.of(id).at(-1)!.body.data;
    const result = { lookup: { status: 'shipped' }, note: { queued: true } };
    const shared = { ok: true, arguments: { order_id: 4711 }, result };
    const unfit = { ok: false, arguments: { order: 4711 }, result: { error: { code: 'invalid_arguments' } } };
    expect(told['tool_calls']).toMatchObject([
      { ...unfit, name: 'find_order', actions: [] },
      {
        ...shared,
        name: 'find_order',
        actions: [
          { name: 'lookup', outcome: 'succeeded', status: 200, error: null },
          { name: 'note', outcome: 'queued' },
        ],
      },
    ]);
    const [wrong, toolCall] = told['tool_calls'] as { invocation_id: string; tool_call_id: string }[];
    const params = { path: { callId: id } };
    expect(await dataOf(api.GET('/api/v1/calls/{callId}/tool-calls', { params }))).toMatchObject([
      { ...unfit, invocation_id: wrong!.invocation_id, tool_call_id: wrong!.tool_call_id, actions: [] },
      {
        ...shared,
        invocation_id: toolCall!.invocation_id,
        tool_call_id: toolCall!.tool_call_id,
        source: 'call',
        actions: [
          { name: 'lookup', outcome: 'succeeded', attempts: [{ status: 200, answer: '{"status":"shipped"}' }] },
          { name: 'note', method: 'POST' },
        ],
      },
    ]);
  });
});
