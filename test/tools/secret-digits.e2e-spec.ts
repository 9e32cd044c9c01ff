import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Workspace } from '../support/factories.js';
import { LiveCall } from '../support/live-call.js';
import { Service } from '../support/service.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const PIN = '8305';
const SCRIPT = {
  rules: [
    { on: 'opening', call: { tool: 'collect_digits', arguments: { name: 'pin' } } },
    { on: { tool: 'collect_digits' }, call: { tool: 'pay', arguments: { pin: '{{result.value}}' } } },
    { on: { tool: 'pay' }, say: 'The bank says {{result.charge.said}}.', hang_up: true },
  ],
};

const service = Service.get();
let bank: WebhookReceiver;
let own: Workspace;

beforeAll(async () => {
  bank = await WebhookReceiver.start();
  // The endpoint repeats the digits.
  bank.answer = ({ body }, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ said: `yes to ${body}` }));
  own = await service.account();
  const as = service.as(own.token);
  await as.post('/api/v1/webhook-secrets/rotate').send({}).expect(201);
  const digit_inputs = [{ name: 'pin', prompt: 'Please enter your PIN.', min_length: 4, max_length: 4 }];
  const agent = `/api/v1/agents/${own.agentId}`;
  await as.patch(agent).send({ script: SCRIPT, digit_inputs }).expect(200);
  const parameters = { type: 'object', properties: { pin: { type: 'string', pattern: '^[0-9]{4}$' } } };
  const webhook_actions = [{ name: 'charge', url: bank.url('/charge/{{args.pin}}'), payload: { pin: '{{args.pin}}' } }];
  await as.post(`${agent}/tools`).send({ name: 'pay', description: 'Pays.', parameters, webhook_actions }).expect(201);
});
afterAll(async () => {
  await Promise.all([service.close(), bank?.close()]);
});

describe('secret digits that a caller enters', () => {
  it('reach the endpoint of the tool, and no record of the call, even if the endpoint repeats them', async () => {
    const call = await LiveCall.place(service, own, `press_${PIN}`);
    const record = await call.ended();
    expect(record).toMatchObject({ status: 'completed', hangup_cause: 'agent_hangup' });
    expect(bank.received.map(({ path, body }) => [path, body])).toEqual([[`/charge/${PIN}`, `{"pin":"${PIN}"}`]]);
    const read = async (path: string) => (await service.as(own.token).get(`/api/v1/calls/${call.id}${path}`)).body.data;
    const told = await read('/tool-calls');
    expect(told).toMatchObject([{ tool: 'pay', ok: true, arguments: { pin: '{{secure.pin}}' } }]);
    const stored = [record, told, await read('/transcript'), await read('/diagnostics'), call.events];
    // The phone was told by its name what to press.
    const records = JSON.stringify(stored).replaceAll(`press_${PIN}`, '');
    expect(records).toContain('The bank says yes');
    expect(records).not.toContain(PIN);
  });

  it('are entered as keys in a simulation, whose result has the reference', async () => {
    const steps = [{ keys: PIN, expects: 'bank says yes' }];
    const body = { tools: 'live', steps };
    const answer = await service.as(own.token).post(`/api/v1/agents/${own.agentId}/simulations`).send(body);
    expect([answer.status, answer.body.data?.passed]).toEqual([200, true]);
    expect(answer.text).not.toContain(PIN);
    expect(bank.received.at(-1)).toMatchObject({ path: `/charge/${PIN}` });
  });
});
