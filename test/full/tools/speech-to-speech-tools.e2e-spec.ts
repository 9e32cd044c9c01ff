import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Schemas } from '@app/client';
import { type SandboxPhone, startSandboxPhone } from '@app/sandbox/phone';
import { apiOf } from '../../support/api-client.js';
import { PlayedVendors, type ProviderName, SPEECH_TO_SPEECH } from '../../support/speech-to-speech.js';
import { Stack } from '../../support/stack.js';
import { WebhookReceiver } from '../../support/webhook-receiver.js';
import { WebhookSink } from '../../support/webhook-sink.js';
import { createAccount, type TestAccount } from '../../support/workspace.js';

interface EndedCall {
  hangup_cause: string;
  transcript: Schemas['TranscriptTurnDto'][];
  tool_calls: { name: string; ok: boolean; result: Record<string, unknown> }[];
  variables: Record<string, unknown>;
}

const quiet = { debug: () => {}, warn: () => {} };
let vendors: PlayedVendors;
let phone: SandboxPhone;
let shop: WebhookReceiver;
let sink: WebhookSink;
let stack: Stack;

beforeAll(async () => {
  [vendors, shop, sink] = await Promise.all([PlayedVendors.start(), WebhookReceiver.start(), WebhookSink.start()]);
  shop.answer = ({ path }, response) => {
    const failed = path === '/fails';
    response.writeHead(failed ? 503 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(failed ? { error: 'closed' } : { id: 4711, state: 'shipped' }));
  };
  phone = await startSandboxPhone({ bind: '127.0.0.1', port: 0, rtpPorts: { min: 28_800, max: 28_999 }, log: quiet });
  stack = await Stack.start({ env: vendors.env });
});
afterAll(async () => {
  await stack?.stop();
  await Promise.all([phone?.close(), sink?.close(), shop?.close(), vendors?.close()]);
});

const aTool = (name: string, path: string, more: object) => ({
  name,
  description: 'Of the shop.',
  parameters: { type: 'object', properties: {} },
  webhook_actions: [
    { name: 'shop', url: shop.url(path), method: 'POST' as const, payload: { id: '{{vars.order_id}}' } },
  ],
  ...more,
});

async function runsOf({ token }: TestAccount, callId: string): Promise<object[]> {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${stack.baseUrl}/api/v1/calls/${callId}/tool-calls`, { headers });
  return ((await answer.json()) as { data: object[] }).data;
}

/** The account, the call's id and its post-call webhook. */
async function called(provider: ProviderName) {
  const script = {
    rules: [
      { on: { digits: '1' }, call: { tool: 'find_order' } },
      { on: { tool: 'find_order' }, call: { tool: 'notify' } },
      { on: { tool: 'notify', failed: true }, say: 'Failed.' },
      { on: { tool: 'notify' }, say: 'State {{result.status}} {{result.shop.id}}.' },
      { on: { digits: '9' }, say: 'Goodbye.', hang_up: true },
    ],
  };
  const agent = { greeting: 'Hello, this is ACME.', ...(await vendors.agent(provider, script)) };
  const plan = { name: provider, webhookUrl: `${sink.url}/hook`, trunk: { port: phone.port }, agent };
  const account = await createAccount(stack, plan);
  const api = apiOf(stack, account);
  const assign = { order_id: '/id', state: '/state' };
  await api.createTool(aTool('find_order', '/orders', { say_before: 'Let me look.', assign, private: true }));
  await api.createTool(aTool('notify', '/notify/{{vars.order_id}}', { mode: 'background', say_before: '' }));
  const { call_id: id } = await api.createCall({ to_number: `sip:press_1_9@127.0.0.1:${phone.port}` });
  await sink.until(() => sink.eventsOf(id).includes('ended'));
  const call = sink.of(id).find(({ body }) => body.event === 'ended')?.body.data as unknown as EndedCall;
  return { account, id, call };
}

describe('agents that speak by one model', () => {
  const calls = new Map<ProviderName, ReturnType<typeof called>>();
  // The calls of all providers at once.
  beforeAll(() => {
    for (const provider of SPEECH_TO_SPEECH) {
      const call = called(provider);
      call.catch(() => undefined);
      calls.set(provider, call);
    }
  });

  it.each(SPEECH_TO_SPEECH)(
    '%s speaks before its tool, keeps the answer from the model, uses its values, and takes a result in the background',
    async (provider) => {
      const { account, id, call } = await calls.get(provider)!;
      const said = call.transcript.flatMap(({ role, text }) => (role === 'agent' ? [text] : []));
      expect(said).toEqual(expect.arrayContaining(['Hello, this is ACME.', 'Let me look.']));
      expect(shop.received.filter(({ path }) => path === '/notify/4711')).toHaveLength(SPEECH_TO_SPEECH.length);
      expect(call.tool_calls).toMatchObject([
        { name: 'find_order', ok: true, result: { ok: true, assigned: ['order_id', 'state'] } },
        { name: 'notify', ok: true },
        { name: 'end_call', ok: true },
      ]);
      expect(await runsOf(account, id)).toMatchObject([
        { tool: 'find_order' },
        { tool: 'notify', result: { shop: { id: 4711 } } },
      ]);
      // The result in the background is in the conversation as well, unless the phone talks over it.
      expect(said.some((text) => /State (?:running|4711)/.test(text))).toBe(true);
      expect(call.variables).toMatchObject({ order_id: 4711, state: 'shipped' });
      expect(call.hangup_cause).toBe('agent_hangup');
    },
  );
});
