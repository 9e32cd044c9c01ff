import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { InternalRequests } from '@app/common';
import { dataOf } from '@app/client';
import { type SandboxPhone, startSandboxPhone } from '@app/sandbox/phone';
import { Client } from 'pg';
import { apiOf, type ApiClient } from '../../support/api-client.js';
import { eventOfCall, eventsOfCall } from '../../support/call-events.js';
import { eventually } from '../../support/eventually.js';
import { PlayedVendors, type ProviderName, PROVIDERS } from '../../support/speech-to-speech.js';
import { Stack } from '../../support/stack.js';
import { WebPage } from '../../support/web-page.js';
import { WebhookSink } from '../../support/webhook-sink.js';
import { createAccount, type TestAccount } from '../../support/workspace.js';

const log = { debug: () => undefined, warn: () => undefined };
let vendors: PlayedVendors;
let phone: SandboxPhone;
let sink: WebhookSink;
let stack: Stack;
let database: Client;

beforeAll(async () => {
  [vendors, sink] = await Promise.all([PlayedVendors.start(), WebhookSink.start()]);
  phone = await startSandboxPhone({ bind: '127.0.0.1', port: 0, rtpPorts: { min: 28_400, max: 28_599 }, log });
  stack = await Stack.start({ env: vendors.env });
  database = new Client({ connectionString: stack.database.url });
  await database.connect();
});
afterAll(async () => {
  await database?.end();
  await stack?.stop();
  await Promise.all([phone?.close(), sink?.close(), vendors?.close()]);
});

/** The key 1 gives the values, which lead to the next step; 2 is the choice of the model; then another agent says goodbye. */
const RULES = [
  { on: { digits: '1' }, call: { tool: 'continue_flow', arguments: { name: 'Ada', guests: 4 } } },
  { on: 'entered', step: 'book', say: 'When do you want to come?' },
  { on: { digits: '2' }, step: 'book', call: { tool: 'continue_flow', arguments: { next: 'desk' } } },
  { on: { speech: true }, say: 'Yes.' },
];
const FLOW = {
  start: 'identify',
  steps: [
    {
      name: 'identify',
      instructions: 'Find out who is calling.',
      collect: {
        type: 'object',
        properties: { name: { type: 'string' }, guests: { type: 'integer' } },
        required: ['name', 'guests'],
      },
      exits: [{ to: 'book', if: 'vars.guests > 3' }],
    },
    {
      name: 'book',
      instructions: 'Book a table for {{guests}}.',
      exits: [{ to: 'desk', when: 'The table is booked.' }],
    },
  ],
};
const DESK_RULES = [{ on: 'entered', say: 'The desk says goodbye.', hang_up: true }];

interface Account {
  account: TestAccount;
  api: ApiClient;
  desk: number;
}

/** An account whose agent has the flow and hands over to a desk, both with the provider. */
async function anAccount(provider: ProviderName, name: string = provider): Promise<Account> {
  const agent = { greeting: 'Hello.', ...(await vendors.agent(provider, { rules: RULES })) };
  const trunk = { port: phone.port };
  const account = await createAccount(stack, { name, webhookUrl: `${sink.url}/hook`, trunk, agent });
  const api = apiOf(stack, account);
  const other = { name: 'Desk', greeting: '', ...(await vendors.agent(provider, { rules: DESK_RULES })) };
  const { id: desk } = await dataOf(api.POST('/api/v1/agents', { body: other }));
  const steps = [...FLOW.steps, { name: 'desk', handoff: { agent: desk, context: 'full' as const } }];
  const params = { path: { agent_id: account.agentId } };
  const body = { flow: { ...FLOW, steps } };
  await dataOf(api.PATCH('/api/v1/agents/{agent_id}', { params, body }));
  return { account, api, desk };
}

const endOf = (api: ApiClient, id: string) =>
  eventually(
    () => api.call(id),
    ({ ended_at: endedAt }) => endedAt !== null,
  );

describe('a flow over SIP', () => {
  const calls = new Map<ProviderName, Promise<Account & { id: string }>>();
  // The calls of all providers at once.
  beforeAll(() => {
    for (const provider of PROVIDERS) {
      const called = (async () => {
        const made = await anAccount(provider);
        const { call_id: id } = await made.api.createCall({ to_number: `sip:press_1_2@127.0.0.1:${phone.port}` });
        await sink.until(() => sink.eventsOf(id).includes('ended'));
        return { ...made, id };
      })();
      called.catch(() => undefined);
      calls.set(provider, called);
    }
  });

  it.each(PROVIDERS)('%s collects values, follows both kinds of exits, and hands over', async (provider) => {
    const { account, api, desk, id } = await calls.get(provider)!;
    const events = await eventsOfCall(database, id);
    const call = await api.call(id);
    expect(call).toMatchObject({
      agent_id: account.agentId,
      path: ['identify', 'book', 'desk'],
      values: { name: 'Ada', guests: 4 },
      value_evidence: [
        { name: 'name', value: 'Ada', step: 'identify', turn: 1 },
        { name: 'guests', value: 4, step: 'identify', turn: 1 },
      ],
      agents: [{ agent_id: account.agentId }, { agent_id: desk, name: 'Desk', reason: 'desk' }],
      hangup_cause: 'agent_hangup',
    });
    const entered = events.filter(({ type }) => type === 'step_entered').map(({ data }) => [data.step, data.by]);
    expect(entered).toEqual([
      ['identify', 'start'],
      ['book', 'if'],
      ['desk', 'when'],
    ]);
    const said = events
      .filter(({ type, data }) => type === 'turn' && data.role === 'agent')
      .map(({ data }) => data.text);
    expect(said).toEqual(expect.arrayContaining(['Hello.', 'The desk says goodbye.']));
    const { body } = sink.of(id).findLast(({ body: { event } }) => event === 'ended')!;
    expect(body.data).toMatchObject({ path: call.path, values: call.values, agents: [{}, { name: 'Desk' }] });
  });
});

describe('a flow in the browser', () => {
  it('is that of calls', async () => {
    const { account, api } = await anAccount('sandbox', 'web');
    const body = { agent_id: account.agentId };
    const { call_id: id } = await dataOf(api.POST('/api/v1/web-calls', { body }));
    const requests = new InternalRequests({ SECRET_KEY: stack.secretKey, SECRET_KEY_FALLBACKS: [] });
    const dialer = stack.processes.find(({ role }) => role === 'dialer')!;
    const path = `/internal/web-calls/${id}?format=l16`;
    const address = `ws://${String(dialer.ready.internal_address)}${path}`;
    const page = await WebPage.open(address, requests.sign('GET', path));
    await page.message('in_progress');
    page.says({ type: 'dtmf', digits: '1' });
    await eventOfCall(database, id, ({ type, data }) => type === 'step_entered' && data.step === 'book');
    page.says({ type: 'dtmf', digits: '2' });
    expect(await page.message('ended')).toMatchObject({ cause: 'agent_hangup' });
    page.vanish();
    expect(await endOf(api, id)).toMatchObject({
      channel: 'web',
      path: ['identify', 'book', 'desk'],
      values: { name: 'Ada', guests: 4 },
    });
  });
});

describe('a flow whose dialer is killed', () => {
  it('leaves the path and the values that were collected so far', async () => {
    const { api } = await anAccount('sandbox', 'killed');
    const { call_id: id } = await api.createCall({ to_number: `sip:press_1@127.0.0.1:${phone.port}` });
    await eventOfCall(database, id, ({ type, data }) => type === 'step_entered' && data.step === 'book');
    for (const dialer of stack.processes.filter(({ role }) => role === 'dialer')) await stack.kill(dialer);
    await stack.add('dialer');
    expect(await endOf(api, id)).toMatchObject({
      hangup_cause: 'worker_lost',
      path: ['identify', 'book'],
      values: { name: 'Ada', guests: 4 },
    });
  });
});
