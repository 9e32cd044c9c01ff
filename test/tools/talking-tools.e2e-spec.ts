import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Workspace } from '../support/factories.js';
import { LiveCall } from '../support/live-call.js';
import { Service } from '../support/service.js';
import { aTool, errorsOf } from '../support/tools-environment.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { WebhookSink } from '../support/webhook-sink.js';

interface ToolCall {
  name: string;
  ok: boolean;
  result: Record<string, unknown>;
  assigned?: { name: string; value: unknown; problem: string | null }[];
  confirmation?: { state: string; words?: string };
}
interface PostCall {
  transcript: { role: string; text: string }[];
  tool_calls: ToolCall[];
  variables: Record<string, unknown>;
}

const service = Service.get();
let shop: WebhookReceiver;
let sink: WebhookSink;

beforeAll(async () => {
  [shop, sink] = await Promise.all([WebhookReceiver.start(), WebhookSink.start()]);
  shop.answer = ({ path }, response) => {
    const failed = path === '/fails';
    response.writeHead(failed ? 503 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(failed ? { error: 'closed' } : { id: 4711, state: { name: 'shipped' }, paid: true }));
  };
});
afterAll(async () => {
  await Promise.all([service.close(), shop?.close(), sink?.close()]);
});

const send = async (own: Workspace, method: 'get' | 'post' | 'patch', path: string, body?: object) => {
  const answer = await service.as(own.token)[method](`/api/v1${path}`).send(body);
  if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.body.data;
};

/** An account whose agent has tools and a script. */
const anAccount = async (rules: object[], tools: object[], more: object = {}): Promise<Workspace> => {
  const own = await service.account();
  await send(own, 'post', '/webhook-secrets/rotate', {});
  const post_call_webhook = { url: sink.url };
  await send(own, 'patch', `/agents/${own.agentId}`, {
    greeting: 'Hi.',
    script: { legs: { hears: ['Yes, please.'] }, rules },
    post_call_webhook,
    ...more,
  });
  for (const tool of tools) await send(own, 'post', `/agents/${own.agentId}/tools`, tool);
  return own;
};
const postCallOf = async (id: string): Promise<PostCall> => {
  await sink.until(() => sink.eventsOf(id).includes('ended'));
  return sink.of(id).find(({ body }) => body.event === 'ended')!.body.data as unknown as PostCall;
};
const lines = ({ transcript }: PostCall): string[] =>
  transcript.filter(({ role }) => role === 'agent').map(({ text }) => text);

const FIND = () => ({
  ...aTool({ name: 'find_order' }),
  say_before: ['Let me look that up.', 'I look again.'],
  assign: { order_id: '/id', state: '/state/name', paid: '/paid', parcel: '/parcel' },
  private: true,
  webhook_actions: [{ name: 'lookup', url: shop.url('/orders') }],
});
const NOTIFY = () => ({
  ...aTool({ name: 'notify' }),
  say_before: '',
  webhook_actions: [
    {
      name: 'send',
      url: shop.url('/notify/{{vars.order_id}}'),
      payload: {
        id: '{{vars.order_id}}',
        text: 'Order {{vars.order_id}} is {{vars.state}}{{vars.parcel}}.',
        paid: '{{vars.paid}}',
        tier: '{{vars.tier}}',
      },
    },
  ],
});

describe('the API of tools', () => {
  it('keeps what a tool says, assigns and confirms; null brings the default back, and absent fields stay', async () => {
    const own = await service.account();
    const path = `/agents/${own.agentId}/tools`;
    const plain = await send(own, 'post', path, aTool());
    const defaults = {
      say_before: null,
      say_while_waiting: null,
      say_on_failure: null,
      assign: null,
      private: false,
      confirm: false,
    };
    expect(plain).toMatchObject(defaults);
    const behaviour = {
      say_before: '',
      say_while_waiting: { after_seconds: 4, text: ['Still looking.', 'A moment.'] },
      say_on_failure: 'I cannot reach it.',
      assign: { id: '/a~1b/0' },
      private: true,
      confirm: true,
    };
    const made = await send(own, 'post', path, { ...aTool(), ...behaviour });
    const stored = { ...behaviour, say_while_waiting: { ...behaviour.say_while_waiting, every_seconds: 15 } };
    expect(made).toMatchObject(stored);
    expect(await send(own, 'get', `${path}/${made.id}`)).toEqual(made);
    expect(await send(own, 'patch', `${path}/${made.id}`, { description: 'Other.' })).toMatchObject(stored);
    const half = await send(own, 'patch', `${path}/${made.id}`, { say_before: null, private: null });
    expect(half).toMatchObject({ ...stored, say_before: null, private: false });
    expect((await send(own, 'get', path))[0]).toMatchObject({ confirm: true, assign: { id: '/a~1b/0' } });
  });

  it.each<[object, string[]]>([
    [{ say_before: ['a', ''] }, ['say_before.1']],
    [{ say_before: 7 }, ['say_before']],
    [{ say_on_failure: '' }, ['say_on_failure']],
    [
      { say_while_waiting: { after_seconds: 0, every_seconds: 1 } },
      ['say_while_waiting.after_seconds', 'say_while_waiting.every_seconds', 'say_while_waiting.text'],
    ],
    [{ say_while_waiting: { after_seconds: 4, text: 'a', sound: 'typing' } }, ['say_while_waiting.sound']],
    [{ assign: { 'Not snake': '/a', id: 'a' } }, ['assign.Not snake', 'assign.id']],
    [{ private: true }, ['private']],
    [{ confirm: 'yes' }, ['confirm']],
    [{ confirm: true, parameters: { type: 'object', properties: { confirmed: { type: 'string' } } } }, ['confirm']],
  ])('refuses %j with the paths of its faults', async (wrong, paths) => {
    const own = await service.account();
    const answer = await service
      .as(own.token)
      .post(`/api/v1/agents/${own.agentId}/tools`)
      .send({ ...aTool(), ...wrong });
    expect(Object.keys(errorsOf(answer)).sort()).toEqual([...paths].sort());
  });
});

describe.each(['sandbox', 'pipeline'])('an agent of the provider %s in a call', (provider) => {
  it('speaks before its tool, keeps the answer from the model, and passes its values to the next tool and to the record', async () => {
    const rules = [
      { on: { digits: '1' }, call: { tool: 'find_order' } },
      { on: { tool: 'find_order' }, call: { tool: 'notify' } },
      { on: { tool: 'notify' }, say: 'I have sent it.', hang_up: true },
    ];
    const own = await anAccount(rules, [FIND(), NOTIFY()], { provider });
    const before = shop.received.length;
    const { id } = await LiveCall.place(service, own, 'press_1', { variables: { tier: 'gold' } });
    const told = await postCallOf(id);
    expect(lines(told)).toEqual(['Hi.', 'Let me look that up.', 'I have sent it.']);
    expect(told.tool_calls[0]).toMatchObject({
      result: { ok: true, assigned: ['order_id', 'state', 'paid'], not_assigned: ['parcel'] },
      assigned: [
        { name: 'order_id', value: 4711, problem: null },
        { name: 'state', value: 'shipped', problem: null },
        { name: 'paid', value: true, problem: null },
        { name: 'parcel', value: null, problem: 'missing' },
      ],
    });
    expect(JSON.stringify(told.tool_calls[0]!.result)).not.toContain('shipped');
    const [, request] = shop.received.slice(before);
    expect([request!.path, JSON.parse(request!.body)]).toEqual([
      '/notify/4711',
      { id: 4711, text: 'Order 4711 is shipped.', paid: true, tier: 'gold' },
    ]);
    const values = { tier: 'gold', order_id: 4711, state: 'shipped', paid: true, parcel: null };
    expect(told.variables).toEqual(values);
    expect(await send(own, 'get', `/calls/${id}`)).toMatchObject({ variables: values });
    expect(await send(own, 'get', `/calls/${id}/tool-calls`)).toMatchObject([
      {
        tool: 'find_order',
        result: { lookup: { id: 4711 } },
        assigned: told.tool_calls[0]!.assigned,
        confirmation: null,
      },
      { tool: 'notify', assigned: null },
    ]);
  });

  it('speaks the words of a failure itself, and waits for the caller', async () => {
    const rules = [
      { on: { digits: '1' }, call: { tool: 'pay' } },
      { on: { tool: 'pay' }, say: 'The model speaks.' },
    ];
    const pay = { ...aTool({ name: 'pay' }), say_before: '', say_on_failure: 'I cannot reach the desk.' };
    const tool = { ...pay, webhook_actions: [{ name: 'charge', url: shop.url('/fails') }] };
    const own = await anAccount(rules, [tool], { provider });
    const call = await LiveCall.place(service, own, 'press_1');
    await call.said(/I cannot reach the desk/);
    await call.cancel();
    const told = await postCallOf(call.id);
    expect(told.tool_calls[0]).toMatchObject({ ok: false, result: { charge: { error: { status: 503 } } } });
    expect(lines(told)).not.toContain('The model speaks.');
  });

  it('books after the caller has agreed, with the words as evidence', async () => {
    const rules = [
      { on: { digits: '1' }, call: { tool: 'book', arguments: { guests: 4 } } },
      ...[{ speech: 1 }, { text: 'Yes' }].map((on) => ({
        on,
        call: { tool: 'book', arguments: { guests: 4, confirmed: true } },
      })),
      { on: { tool: 'book', failed: true }, say: 'Not yet.' },
      { on: { tool: 'book' }, say: 'Result {{result.confirmation_needed}} {{result.desk.id}}.' },
    ];
    const book = {
      ...aTool({ name: 'book', confirm: true, say_before: 'I book it.' }),
      parameters: {
        type: 'object',
        properties: { guests: { type: 'integer' } },
        required: ['guests'],
        additionalProperties: false,
      },
      webhook_actions: [{ name: 'desk', url: shop.url('/book') }],
    };
    const own = await anAccount(rules, [book], { provider });
    const before = shop.received.length;
    const call = await LiveCall.place(service, own, 'press_1');
    await call.said(/Result\s+4711/);
    await call.cancel();
    const told = await postCallOf(call.id);
    expect(told.tool_calls.map(({ confirmation }) => confirmation?.state)).toEqual(['asked', 'confirmed']);
    expect(lines(told)).toEqual(expect.arrayContaining(['Result true .', 'I book it.']));
    expect(shop.received.slice(before).map(({ path, body }) => [path, JSON.parse(body).arguments])).toEqual([
      ['/book', { guests: 4 }],
    ]);
    const [run, ...others] = await send(own, 'get', `/calls/${call.id}/tool-calls`);
    expect([run.confirmation, others]).toEqual([
      {
        words: expect.stringMatching(provider === 'pipeline' ? /^Yes, please\.$/ : /^\[speech/),
        at_ms: expect.any(Number),
      },
      [],
    ]);
  });
});

describe('a simulation', () => {
  it('plays mocks with their words, values and confirmation, and refuses a model that confirms by itself', async () => {
    const rules = [
      { on: { text: 'order' }, call: { tool: 'find_order' } },
      { on: { tool: 'find_order' }, say: 'I found it. {{result.lookup.id}}' },
      { on: { text: 'alone' }, call: { tool: 'book', arguments: { confirmed: true } } },
      { on: { text: 'book' }, call: { tool: 'book' } },
      { on: { text: 'yes' }, call: { tool: 'book', arguments: { confirmed: true } } },
      { on: { tool: 'book', failed: true }, say: 'Refused: {{result.error.code}}' },
      { on: { tool: 'book' }, say: 'Asked {{result.confirmation_needed}}, done {{result.desk.id}}' },
    ];
    const tools = [FIND(), { ...aTool({ name: 'book', confirm: true, say_on_failure: 'The desk is closed.' }) }];
    const own = await anAccount(rules, tools);
    const played = await send(own, 'post', `/agents/${own.agentId}/simulations`, {
      mocks: {
        find_order: { result: { lookup: { id: 7, state: { name: 'lost' } } } },
        book: [{ result: { desk: { id: 'b-1' } } }, { error: { code: 'closed', message: 'Closed.' } }],
      },
      steps: [
        { says: 'My order?', expects: 'Let me look that up. I found it.', calls: { tool: 'find_order', ok: true } },
        { says: 'Alone.', expects: 'Refused: not_confirmed' },
        { says: 'Please book.', expects: 'Asked true' },
        { says: 'yes', expects: 'done b-1' },
        { says: 'Please book.', expects: 'Asked true' },
        { says: 'yes', expects: 'The desk is closed.' },
      ],
    });
    expect(played.steps.flatMap(({ failures }: { failures: string[] }) => failures)).toEqual([]);
    const calls = played.tool_calls as ToolCall[];
    expect(calls[0]).toMatchObject({
      result: { ok: true, assigned: ['order_id', 'state'], not_assigned: ['paid', 'parcel'] },
      assigned: [{ value: 7 }, { value: 'lost' }, { value: null }, { value: null }],
    });
    expect(calls.slice(1).map(({ confirmation }) => [confirmation?.state, confirmation?.words])).toEqual([
      ['refused', undefined],
      ['asked', undefined],
      ['confirmed', 'yes'],
      ['asked', undefined],
      ['confirmed', 'yes'],
    ]);
  });
});
