import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import type { Workspace } from '../support/factories.js';
import { LiveCall } from '../support/live-call.js';
import { Service } from '../support/service.js';
import { aTool } from '../support/tools-environment.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const service = Service.get();
let desk: WebhookReceiver;

beforeAll(async () => {
  desk = await WebhookReceiver.start();
  desk.answer = (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ id: 4711, secret: 'tulip' }));
  };
});
afterAll(async () => {
  await Promise.all([service.close(), desk?.close()]);
});

const send = async (own: Workspace, method: 'get' | 'post' | 'patch', path: string, body?: object) => {
  const answer = await service.as(own.token)[method](`/api/v1${path}`).send(body);
  if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.body.data;
};

/** The user names themselves with the key 1 or by text; a tool books; its answer opens the way to the next step. */
const FLOW = {
  start: 'identify',
  steps: [
    {
      name: 'identify',
      collect: {
        type: 'object',
        properties: { name: { type: 'string' }, guests: { type: 'integer' } },
        required: ['name'],
      },
      exits: [{ to: 'book', if: 'vars.name != null' }],
    },
    {
      name: 'book',
      tools: ['book_time'],
      exits: [{ to: 'confirm', if: 'vars.booking_id != null' }],
    },
    {
      name: 'confirm',
      instructions: 'Confirm the booking of {{name}}.',
      tools: [],
      exits: [{ to: 'bye', if: 'vars.paid == true' }],
    },
    { name: 'bye', action: { end: 'Goodbye.' } },
  ],
};
const IDENTIFIED = { tool: 'continue_flow', arguments: { name: 'Ada', guests: 4 } };
const RULES = [
  { on: { digits: '1' }, call: IDENTIFIED },
  { on: { speech: true }, say: 'Yes.' },
  { on: { text: 'Ada' }, call: IDENTIFIED },
  { on: 'entered', step: 'book', call: { tool: 'book_time' } },
  { on: { tool: 'book_time', failed: true }, step: 'confirm', say: 'There is no such tool.' },
  { on: { tool: 'book_time' }, step: 'book', say: 'Still {{result.status}}.' },
  { on: 'entered', step: 'confirm', say: 'It is booked. {{values.booking_id}}' },
  { on: { tool: 'book_time' }, step: 'confirm', say: 'It is booked. {{result.id}}' },
  { on: { text: 'try' }, step: 'confirm', call: { tool: 'book_time' } },
];
const BOOK = (more: object = {}) => ({
  ...aTool({ name: 'book_time', say_before: '' }),
  assign: { booking_id: '/id', code: '/secret' },
  private: true,
  ...more,
  webhook_actions: [
    {
      name: 'desk',
      url: desk.url('/book/{{vars.name}}'),
      payload: { guests: '{{vars.guests}}', to: '{{callback.url}}' },
    },
  ],
});

/** An account whose agent has the flow, and a tool that its steps use. */
const anAccount = async (tool: object, more: object = {}): Promise<Workspace> => {
  const own = await service.account();
  await send(own, 'post', '/webhook-secrets/rotate', {});
  await send(own, 'post', `/agents/${own.agentId}/tools`, tool);
  const variables = [{ name: 'paid' }];
  await send(own, 'patch', `/agents/${own.agentId}`, {
    greeting: 'Hi.',
    script: { rules: RULES },
    variables,
    flow: FLOW,
    ...more,
  });
  return own;
};

const entered = ({ events }: LiveCall) =>
  events.filter(({ type }) => type === 'step_entered').map(({ data }) => [data.step, data.by]);

describe.each(['sandbox', 'pipeline'])('the values of a flow and the variables of tools (%s)', (provider) => {
  it('are one set: a tool gets what was collected, and what it assigns opens the next step, unseen by the model', async () => {
    const own = await anAccount(BOOK(), { provider });
    const before = desk.received.length;
    const call = await LiveCall.place(service, own, 'press_1');
    await call.until(({ type, data }) => type === 'step_entered' && data.step === 'confirm');
    const set = await send(own, 'post', `/calls/${call.id}/commands`, {
      type: 'set_variables',
      variables: { paid: true },
    });
    expect(set.type).toBe('set_variables');
    const ended = await call.ended();
    expect(ended).toMatchObject({
      path: ['identify', 'book', 'confirm', 'bye'],
      values: { name: 'Ada', guests: 4 },
      variables: { booking_id: 4711, code: 'tulip', paid: true },
      hangup_cause: 'agent_hangup',
    });
    expect(entered(call)).toEqual([
      ['identify', 'start'],
      ['book', 'if'],
      ['confirm', 'if'],
      ['bye', 'if'],
    ]);
    const [asked] = desk.received.slice(before);
    expect([asked!.path, JSON.parse(asked!.body)]).toMatchObject(['/book/Ada', { guests: 4 }]);
    const said = call.events.filter(({ type }) => type === 'turn').map(({ data }) => data.text);
    expect(said.join('\n')).not.toMatch(/4711|tulip/);
  });

  it('are complete when a result comes late', async () => {
    const own = await anAccount(BOOK({ mode: 'background' }), { provider });
    const before = desk.received.length;
    const call = await LiveCall.place(service, own, 'press_1');
    await call.said(/Still running/);
    const { to } = JSON.parse(desk.received[before]!.body) as { to: string };
    await request(service.baseUrl)
      .post(new URL(to).pathname)
      .send({ status: 'completed', result: { id: 12, secret: 'x' } });
    await call.until(({ type, data }) => type === 'step_entered' && data.step === 'confirm');
    const ended = await call.cancel();
    expect(ended).toMatchObject({ path: ['identify', 'book', 'confirm'], variables: { booking_id: 12 } });
  });
});

describe('a simulation', () => {
  it('plays the mock of a tool whose values open the next step, in which the tool is no more', async () => {
    const own = await anAccount(BOOK());
    const played = await send(own, 'post', `/agents/${own.agentId}/simulations`, {
      mocks: { book_time: { result: { desk: { id: 7, secret: 'rose' } } } },
      steps: [
        { says: 'I am Ada.', expects: 'It is booked' },
        { says: 'try again', expects: 'There is no such tool', ends: false },
      ],
      judge: { path: ['identify', 'book', 'confirm'], values: { name: 'Ada', guests: 4 } },
    });
    const failures = played.steps.flatMap((step: { failures: string[] }) => step.failures);
    expect([played.passed, failures]).toEqual([true, []]);
    expect(JSON.stringify(played.steps)).not.toContain('rose');
  });
});
