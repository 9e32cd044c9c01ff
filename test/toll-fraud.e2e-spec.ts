import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { apiOf } from './support/api-client.js';
import { TestApi } from './support/app.js';
import { CountingCallee } from './support/counting-callee.js';
import { anAgent, aTrunk, aWorkspace, type Workspace } from './support/factories.js';
import { Stack } from './support/stack.js';
import { WebhookSink } from './support/webhook-sink.js';
import { type AccountPlan, createAccount, type TestAccount } from './support/workspace.js';

describe('what an account may not call is refused with the request', () => {
  let api: TestApi;
  let own: Workspace;

  beforeAll(async () => {
    api = await TestApi.start({ SIP_ALLOW_CIDRS: '' });
    own = await aWorkspace(api.pool, { destinations_allow: ['+1'], destinations_deny: ['+1555'] });
  });
  afterAll(() => api.stop());

  const post = (fields: object) =>
    api
      .as(own.token)
      .post('/api/v1/calls')
      .send({ agent_id: own.agentId, number_id: own.numberId, trunk_id: own.trunkId, ...fields });

  it.each([
    ['a number', '+442071838750', /not allowed/],
    ['premium rate', '+19005550100', /premium/],
    ['a denied part of an allowed country', '+15550001111', /denied/],
    ['a number as a SIP user', 'sip:+442071838750@sip.example.com', /not allowed/],
    ['a number without its plus sign', 'sip:442071838750@sip.example.com', /not allowed/],
    ['a number behind 00', 'sip:0019005550100@sip.example.com', /premium/],
    ['a number behind an escape', 'sip:%2B19005550100@sip.example.com', /premium/],
    ['an internal address', 'sip:alice@10.0.0.1', /not a public address/],
    ['an internal IPv6 address', 'sip:alice@[::1]', /not a public address/],
    ['an internal name', 'sip:alice@LOCALHOST', /not a public address/],
    ['a name of a cluster', 'sip:alice@kamailio.voice.svc', /not a public address/],
    ['the host of a cloud', 'sip:alice@metadata.google.internal.', /not a public address/],
    ['an address that only looks like a name', 'sip:alice@0x7f.1', /must be in E\.164 or SIP URI/],
  ])('%s', async (_, to_number, why) => {
    const { status, body } = await post({ to_number: ['sip:bob@sip.example.com', to_number] });
    expect(status).toBe(422);
    expect(body.errors).toEqual({ 'to_number.1': [expect.stringMatching(why)] });
  });

  it.each([
    'sip:09061234567@sip.example.com',
    'sip:0011881612345678@sip.example.com',
    'sip:010881612345678@sip.example.com',
    'sip:+1,9005551212@sip.example.com',
    'sip:%252B19005551212@sip.example.com',
    'sip:9005551212@sip.example.com',
    'sip:9011881612345678@sip.example.com',
    'sip:9005551212%3Bphone-context=+1@sip.example.com',
    'sip:(900)-555.1212@sip.example.com',
    'sip:*6719005551212@sip.example.com',
    'sip:12025550100@sip.example.com',
    'sip:1001@sip.example.com;user=phone',
  ])('a dial string over a trunk without dial formats: %s', async (to_number) => {
    const open = await aWorkspace(api.pool);
    const { agentId: agent_id, numberId: number_id, trunkId: trunk_id } = open;
    const order = { agent_id, number_id, to_number: ['+12025550100', to_number] };
    const { status, body } = await api
      .as(open.token)
      .post('/api/v1/calls')
      .send({ ...order, trunk_id });
    expect([status, Object.keys(body.errors ?? {})]).toEqual([422, ['to_number.1']]);
  });

  it('extensions are allowed over a trunk with a dial format for them, other digits are not', async () => {
    const dial_formats = JSON.stringify({ extensions: { min_digits: 2, max_digits: 4 } });
    const trunk_id = await aTrunk(api.pool, own.accountId, { dial_formats });
    const to = (...users: string[]) => users.map((user) => `sip:${user}@sip.example.com`);
    expect((await post({ trunk_id, to_number: to('10', '1001', 'alice', '+12025550100') })).status).toBe(201);
    const { status, body } = await post({ trunk_id, to_number: to('1', '10001', '9005551212', '%31001', '1001') });
    expect([status, Object.keys(body.errors)]).toEqual([422, [0, 1, 2, 3].map((index) => `to_number.${index}`)]);
    const shown = await api.as(own.token).get(`/api/v1/trunks/${trunk_id}`);
    expect(shown.body.data.dial_formats).toEqual({ extensions: { min_digits: 2, max_digits: 4 } });
  });

  it('a transfer to such a number, also when it is the agent that has it', async () => {
    const to_number = 'sip:bob@sip.example.com';
    const asked = await post({ to_number, enable_call_transfer: true, transfer_phone_number: '+19005550100' });
    expect([asked.status, asked.body.errors]).toEqual([
      422,
      { transfer_phone_number: [expect.stringMatching(/premium/)] },
    ]);
    const agent_id = await anAgent(api.pool, own.accountId, {
      transfer_enabled: true,
      transfer_phone_number: '+442071838750',
    });
    const kept = await post({ to_number, agent_id });
    expect([kept.status, kept.body.errors]).toEqual([
      422,
      { transfer_phone_number: [expect.stringMatching(/not allowed/)] },
    ]);
  });

  it('is allowed otherwise', async () => {
    const to_number = ['+12025550100', 'sip:+12025550100@sip.example.com', 'sip:alice@sip.example.com'];
    expect((await post({ to_number })).status).toBe(201);
    const direct = ['sip:12025550100@sip.example.com', 'sip:1001@sip.example.com'];
    expect((await post({ to_number: direct, trunk_id: undefined })).status).toBe(201);
  });
});

describe('what an account may not call is refused once more when it is dialled', () => {
  let stack: Stack;
  let sink: WebhookSink;
  let callee: CountingCallee;
  let database: Client;

  beforeAll(async () => {
    [sink, callee] = await Promise.all([WebhookSink.start(), CountingCallee.start('127.0.0.2')]);
    stack = await Stack.start({ dialers: 0, env: { SIP_ALLOW_CIDRS: '127.0.0.2/32' } });
    database = new Client({ connectionString: stack.database.url });
    await database.connect();
  });

  afterAll(async () => {
    await database?.end();
    await stack?.stop();
    await callee?.close();
    await sink?.close();
  });

  async function place(account: TestAccount, to_number: string): Promise<string> {
    return (await apiOf(stack, account).createCall({ to_number, trunk_id: account.trunkId })).call_id;
  }

  async function causesOf(ids: string[]): Promise<unknown[]> {
    const text = 'SELECT hangup_cause FROM calls WHERE id = ANY ($1::uuid[])';
    return (await database.query<{ hangup_cause: string }>(text, [ids])).rows.map((row) => row.hangup_cause);
  }

  it('limits that changed while the call waited, and names that lead inside', async () => {
    const dial_formats = { extensions: { min_digits: 2, max_digits: 5 } };
    const trunk = { host: '127.0.0.2', port: callee.port, dial_formats };
    const plan: AccountPlan = { name: 'changing', webhookUrl: `${sink.url}/changing`, trunk };
    const account = await createAccount(stack, plan);
    const blocked = [
      await place(account, '+442071838750'),
      await place(account, `sip:+442071838750@127.0.0.2:${callee.port}`),
      await place(account, `sip:1001@127.0.0.2:${callee.port}`),
    ];
    const allowed = await place(account, callee.uri(1));
    await createAccount(stack, {
      ...plan,
      trunk: { ...trunk, dial_formats: null },
      limits: { destinations: { allow: ['+1'] } },
    });
    // Nothing is wrong with these before somebody resolves the name, or looks at the trunk.
    const direct = { name: 'name', webhookUrl: `${sink.url}/name` };
    blocked.push(await place(await createAccount(stack, direct), `sip:callee-3@localhost:${callee.port}`));
    const hidden = { name: 'trunk', webhookUrl: `${sink.url}/trunk`, trunk: { host: 'localhost', port: callee.port } };
    blocked.push(await place(await createAccount(stack, hidden), '+12025550100'));

    await stack.add('dialer');
    await sink.until(() => [...blocked, allowed].every((id) => sink.eventsOf(id).includes('ended')));
    expect(await causesOf(blocked)).toEqual(blocked.map(() => 'blocked_destination'));
    expect(await causesOf([allowed])).toEqual(['normal_clearing']);
    expect([...callee.dialogs.keys()]).toEqual(['callee-1']);
  });
});
