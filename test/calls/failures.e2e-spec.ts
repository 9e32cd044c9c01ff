import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { Service } from '../support/service.js';
import { StoryAccount } from '../support/story-account.js';

interface Failure {
  code: string;
  message: string;
}

const service = Service.get();
let account: StoryAccount;
/** A carrier that takes INVITEs and never says anything. */
let carrier: Socket;
let silent: string;

const UNCONFIGURED = { provider: 'openai-live', model: 'gpt-live-1' };
const WARNING = {
  code: 'agent_not_configured',
  field: 'provider',
  message: 'Not configured: OPENAI_API_KEY is missing.',
};

beforeAll(async () => {
  account = await StoryAccount.open(service);
  carrier = createSocket('udp4');
  carrier.bind(0, '127.0.0.1');
  await once(carrier, 'listening');
  const { port } = carrier.address();
  const trunk = { name: 'silent', host: '127.0.0.1', port, options_ping_seconds: 0, response_timeout_seconds: 8 };
  const made = await account.me.post('/api/v1/trunks').send(trunk);
  silent = await account.place('+15554440001', { trunk_id: made.body.data.id as number });
});
afterAll(async () => {
  carrier?.close();
  await account?.close();
  await service.close();
});

/** The failure of an ended call, which its webhooks, the list and the last event repeat. */
async function failureOf(id: string): Promise<Failure | null> {
  const { failure, to_number: number } = (await account.ended(id)) as { failure: Failure | null; to_number: string };
  const webhooks = account.sink.of(id).slice(-2);
  expect(webhooks.map(({ body }) => body.data['failure'])).toEqual([failure, failure]);
  const list = await account.me.get('/api/v1/calls').query({ search: number });
  expect(list.body.data).toContainEqual(expect.objectContaining({ call_id: id, failure }));
  expect((await account.events(id)).at(-1)).toMatchObject({ type: 'status', data: { failure } });
  return failure;
}

describe('a call that fails says why', () => {
  it('the destination does not exist', async () => {
    const failure = await failureOf(await account.place(account.uri('status_404')));
    expect(failure).toEqual({ code: 'unallocated_number', message: expect.stringContaining('(SIP 404). Check it') });
  });

  it('the carrier does not answer', async () => {
    const failure = await failureOf(silent);
    expect(failure).toEqual({
      code: 'no_response',
      message: expect.stringContaining('Check the address of the trunk'),
    });
    expect(await account.call(silent)).toMatchObject({ status: 'failed', hangup_cause: 'no_response', sip_code: null });
  });

  it('a busy callee is no failure', async () => {
    expect(await failureOf(await account.place(account.uri('busy')))).toBeNull();
  });
});

describe('an agent whose provider has no key', () => {
  it('says so in every response about it, in the list, and where its calls begin', async () => {
    const created = await account.me.post('/api/v1/agents').send({ name: 'Not yet', ...UNCONFIGURED });
    expect([created.status, created.body.warnings]).toEqual([201, [WARNING]]);
    const path = `/api/v1/agents/${created.body.data.id}`;
    expect((await account.me.get(path)).body.warnings).toEqual([WARNING]);
    const draft = await account.me.post(`${path}/versions`).send({ greeting: 'Hello.' });
    expect(draft.body.warnings).toEqual([WARNING]);
    const listed = [{ ...WARNING, field: `agents.${created.body.data.id}.provider` }];
    expect((await account.me.get('/api/v1/agents')).body.warnings).toEqual(listed);

    const { numberId, trunkId } = account.workspace;
    const campaign = { name: 'Too early', agent_id: created.body.data.id, number_ids: [numberId], trunk_id: trunkId };
    const drafted = await account.me.post('/api/v1/campaigns').send(campaign);
    const campaignPath = `/api/v1/campaigns/${drafted.body.data.id}`;
    await account.me.post(`${campaignPath}/contacts`).send({ contacts: [{ to_number: '+15554440002' }] });
    const start = await account.me.post(`${campaignPath}/start`);
    expect([start.status, start.body.warnings]).toEqual([200, [{ ...WARNING, field: 'agent_id' }]]);

    const replaced = await account.me.patch(path).send({ fallbacks: [{ provider: 'sandbox' }] });
    expect(replaced.body.warnings).toMatchObject([{ code: 'provider_not_configured', field: 'provider' }]);
    const mended = await account.me.patch(path).send({ provider: 'sandbox', fallbacks: [] });
    expect([mended.status, mended.body.warnings]).toEqual([200, undefined]);
    expect((await account.me.get('/api/v1/agents')).body.warnings).toBeUndefined();
  });

  it('warns when a call is created, and the failed call names the variable', async () => {
    const webhook = { url: `${account.sink.url}/hook` };
    const webhooks = { call_status_webhook: webhook, post_call_webhook: webhook };
    const made = await account.me.post('/api/v1/agents').send({ name: 'Mute', ...webhooks, ...UNCONFIGURED });
    const { status, body } = await account.post({ to_number: account.uri('answer'), agent_id: made.body.data.id });
    const message = 'The calls of Mute will fail. Not configured: OPENAI_API_KEY is missing.';
    expect([status, body.warnings]).toEqual([201, [{ code: 'agent_not_configured', field: 'agent_id', message }]]);
    expect(await failureOf(body.data.call_id as string)).toEqual({
      code: 'agent_provider_error',
      message: 'The voice agent failed. The voice provider openai-live needs OPENAI_API_KEY.',
    });
  });

  it('tells an assistant at /mcp as well', async () => {
    const made = await account.me.post('/api/v1/agents').send({ name: 'Dumb', ...UNCONFIGURED });
    const agentId = made.body.data.id as number;
    const client = new Client({ name: 'assistant', version: '1.0.0' });
    const requestInit = { headers: { authorization: `Bearer ${account.workspace.token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', service.baseUrl), { requestInit }));
    await client.listTools();
    const warningsOf = async (name: string, args: Record<string, unknown>) =>
      ((await client.callTool({ name, arguments: args })).structuredContent as { warnings?: object[] }).warnings;
    expect(await warningsOf('list_agents', {})).toContainEqual({ ...WARNING, field: `agents.${agentId}.provider` });
    const order = { to_number: account.uri('answer'), number_id: account.workspace.numberId, agent_id: agentId };
    expect(await warningsOf('place_call', order)).toMatchObject([{ code: 'agent_not_configured', field: 'agent_id' }]);
    expect(await warningsOf('place_call', { ...order, agent_id: account.agentId })).toEqual([]);
    await client.close();
  });
});
