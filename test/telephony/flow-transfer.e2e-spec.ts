import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { SipPeer } from '../peers/sip-peer.js';
import { eventually } from '../support/eventually.js';
import { Service } from '../support/service.js';
import { StoryAccount } from '../support/story-account.js';
import { aTool } from '../support/tools-environment.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

/** The carrier, by its address. */
const CARRIER = '127.0.41.12';
const NUMBER = '+15554100012';

const service = Service.get();
let account: StoryAccount;
let carrier: SipPeer;
let desk: WebhookReceiver;

beforeAll(async () => {
  const rules = [
    { on: { digits: '5' }, call: { tool: 'continue_flow', arguments: { name: 'Ada', guests: 4 } } },
    { on: 'entered', step: 'book', call: { tool: 'book_time' } },
  ];
  const flow = {
    start: 'identify',
    steps: [
      {
        name: 'identify',
        collect: { type: 'object', properties: { name: { type: 'string' }, guests: { type: 'integer' } } },
        exits: [{ to: 'book', if: 'vars.guests > 3' }],
      },
      { name: 'book', exits: [{ to: 'person', if: 'vars.table != null' }] },
      { name: 'person', action: { transfer: 'reception' } },
    ],
  };
  desk = await WebhookReceiver.start();
  desk.answer = (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end('{"table":12}');
  };
  const destination = { name: 'reception', to_number: `sip:hangup_after_1@127.0.0.1:${service.sandboxPort}` };
  [carrier, account] = await Promise.all([
    SipPeer.start(CARRIER),
    StoryAccount.open(service, {
      script: { rules },
      call_transfer: { enabled: true, destinations: [destination] },
      variables: [{ name: 'table' }],
    }),
  ]);
  const tool = {
    ...aTool({ name: 'book_time', assign: { table: '/table' }, say_before: '' }),
    webhook_actions: [{ name: 'desk', url: desk.url('/book/{{vars.name}}') }],
  };
  await account.me.post(`/api/v1/agents/${account.agentId}/tools`).send(tool).expect(201);
  await account.me.patch(`/api/v1/agents/${account.agentId}`).send({ flow }).expect(200);
  await account.me.post('/api/v1/numbers').send({ e164: NUMBER, agent_id: account.agentId }).expect(201);
  const trunk = {
    ...{ name: 'carrier', host: '127.0.0.1', options_ping_seconds: 0, inbound: { addresses: [CARRIER] } },
    end_headers: { 'X-Name': 'name', 'X-Guests': 'guests', 'X-Table': 'table' },
  };
  await account.me.post('/api/v1/trunks').send(trunk).expect(201);
  await eventually(
    () => carrier.probe(service.sipPort),
    (status) => status === 200,
  );
});
afterAll(async () => {
  await Promise.all([carrier?.close(), account?.close(), desk?.close()]);
  await service.close();
});

it('a step transfers the caller, and the BYE has what the flow collected and what its tool assigned', async () => {
  const from = '+15554177021';
  const call = await carrier.dial({ number: NUMBER, port: service.sipPort, from });
  await call.audio.heard();
  call.audio.press('5');
  await call.hungUp;
  const { body } = await account.me.get('/api/v1/calls').query({ search: from, direction: 'inbound' });
  const ended = await account.ended(body.data[0].call_id);
  expect(ended).toMatchObject({
    path: ['identify', 'book', 'person'],
    values: { name: 'Ada', guests: 4 },
    variables: { table: 12 },
    transfers: [{ destination: 'reception' }],
  });
  expect(desk.received.map(({ path }) => path)).toEqual(['/book/Ada']);
  const bye = carrier.requests.find(({ method, get }) => method === 'BYE' && get('Call-ID') === call.callId)!;
  expect(['X-Name', 'X-Guests', 'X-Table'].map((name) => bye.get(name))).toEqual(['Ada', '4', '12']);
});
