import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { eventually } from '../support/eventually.js';
import { aToken } from '../support/factories.js';
import { Service } from '../support/service.js';
import { StoryAccount } from '../support/story-account.js';
import { type ReceivedWebhook, WebhookReceiver } from '../support/webhook-receiver.js';

const DELIVERIES = '/api/v1/webhook-deliveries';
const ENDPOINTS = '/api/v1/webhook-endpoints';
const SECRETS = '/api/v1/webhook-secrets';

const service = Service.get();
let account: StoryAccount;
let other: StoryAccount;
let receiver: WebhookReceiver;

beforeAll(async () => {
  [account, other, receiver] = await Promise.all([
    StoryAccount.open(service),
    StoryAccount.open(service),
    WebhookReceiver.start(),
  ]);
});
afterAll(async () => {
  await Promise.all([account?.close(), other?.close(), receiver?.close()]);
  await service.close();
});

interface Delivery {
  id: string;
  state: string;
  attempt_count: number;
  next_attempt_at: string | null;
  event: string;
}

/** A call to a busy phone whose webhooks of changes go to a path of the receiver. */
const place = (path: string, order: object = {}, by = account) =>
  by.place(by.uri('busy'), { call_status_webhook_url: receiver.url(path), ...order });
const at = (path: string): ReceivedWebhook[] => receiver.received.filter((one) => one.path === path);
const eventOf = ({ body }: ReceivedWebhook) => (JSON.parse(body) as { event: string }).event;
const deliveriesOf = async (id: string): Promise<Delivery[]> =>
  (await account.me.get(DELIVERIES).query({ call_id: id })).body.data;
const untilState = (id: string, state: string): Promise<Delivery> =>
  account.until(`${DELIVERIES}/${id}`, (delivery) => delivery.state === state);

/** How the receiver answers at one path; 200 elsewhere. */
const answerAt = (path: string, statusOf: (attempt: number) => number): void => {
  receiver.answer = (webhook, response) => {
    const status = webhook.path === path ? statusOf(Number(webhook.headers['webhook-attempt'])) : 200;
    response.writeHead(status).end('out of order');
  };
};

function isSignedWith(secret: string, { body, headers }: ReceivedWebhook): boolean {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}

describe('a webhook whose receiver fails', () => {
  it('is sent again with the same id and body, before the later webhooks of the call', async () => {
    answerAt('/flaky', (attempt) => (attempt === 1 ? 500 : 200));
    const id = await place('/flaky');
    await account.untilEvent(id, 'ended');
    await receiver.until(() => at('/flaky').length === 4);
    const received = at('/flaky');
    expect(received.map((webhook) => webhook.headers['webhook-sequence'])).toEqual(['1', '1', '2', '2']);
    expect(received.map((webhook) => webhook.headers['webhook-attempt'])).toEqual(['1', '2', '1', '2']);
    expect([received[1]!.body, received[1]!.headers['webhook-id']]).toEqual([
      received[0]!.body,
      received[0]!.headers['webhook-id'],
    ]);
    for (const webhook of received) expect(isSignedWith(account.secret, webhook)).toBe(true);
    expect(received[0]!.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': expect.stringMatching(/^Trunkline\/\d/),
    });
    const one = await account.me.get(`${DELIVERIES}/${String(received[0]!.headers['webhook-id'])}`);
    expect(one.body.data).toMatchObject({
      state: 'delivered',
      attempt_count: 2,
      call_id: id,
      url: receiver.url('/flaky'),
    });
    expect(one.body.data.attempts).toMatchObject([
      { attempt: 1, status: 500, answer: 'out of order' },
      { attempt: 2, status: 200 },
    ]);
  });

  it('is retried later after a 404, and can be replayed at once, only by its account', async () => {
    answerAt('/missing', () => 404);
    const id = await place('/missing?key=secret', { call_status_webhook_headers: [{ key: 'X-Team', value: 'sales' }] });
    await receiver.until(() => at('/missing').length === 2);
    const [last, first] = await deliveriesOf(id).then((all) => all.filter(({ event }) => event !== 'ended'));
    expect([first!.event, last!.event]).toEqual(['initiated', 'busy']);
    const slow = await account.until<Delivery>(
      `${DELIVERIES}/${first!.id}`,
      ({ attempt_count: attempts }) => attempts === 1,
    );
    expect(Date.parse(String(slow.next_attempt_at)) - Date.now()).toBeGreaterThan(3 * 60_000);

    const waiting = await account.me.get(DELIVERIES).query({ call_id: id, state: 'slow' });
    expect(waiting.body.data.map((one: Delivery) => one.id)).toContain(first!.id);

    const path = `${DELIVERIES}/${first!.id}`;
    expect((await other.me.get(path)).body).toEqual({ message: 'Webhook delivery not found.' });
    expect((await account.me.get(`${DELIVERIES}/1`)).body).toEqual({ message: 'Webhook delivery not found.' });
    expect((await other.me.get(path)).status).toBe(404);
    expect((await other.me.post(`${path}/replay`)).status).toBe(404);
    const reader = await aToken(service.pool, account.workspace.accountId, ['webhooks:read']);
    expect((await service.as(reader).get(path)).status).toBe(200);
    expect((await service.as(reader).post(`${path}/replay`)).status).toBe(403);

    answerAt('/missing', () => 200);
    expect((await account.me.post(`${path}/replay`)).status).toBe(202);
    const delivered = await untilState(first!.id, 'delivered');
    expect(delivered).toMatchObject({ url: receiver.url('/missing'), attempt_count: 2 });
    const again = at('/missing').at(-1)!;
    expect(again).toMatchObject({
      body: at('/missing')[0]!.body,
      headers: { 'webhook-id': first!.id, 'x-team': 'sales' },
    });
    const shown = JSON.stringify((await account.me.get(path)).body);
    expect(shown).not.toMatch(/sales|key=secret/);
    expect(shown).toContain('[redacted]');
  });

  it('is not retried before the time of its Retry-After', async () => {
    receiver.answer = ({ path }, response) =>
      response.writeHead(path === '/later' ? 429 : 200, { 'retry-after': '1800' }).end();
    const id = await place('/later');
    const isTried = (all: Delivery[]): boolean => all.some(({ attempt_count: attempts }) => attempts === 1);
    const [tried] = await account.until<Delivery[]>(`${DELIVERIES}?call_id=${id}&event=initiated`, isTried);
    expect(Date.parse(String(tried!.next_attempt_at)) - Date.now()).toBeGreaterThan(28 * 60_000);
  });

  it('disables the endpoint by 410, until it is enabled; a period is replayed', async () => {
    answerAt('/gone', () => 410);
    const since = new Date(Date.now() - 1_000).toISOString();
    const id = await place('/gone');
    await account.untilEvent(id, 'ended');
    const url = receiver.url('/gone');
    interface Endpoint {
      id: string;
      url: string;
      disabled_reason: string;
    }
    const disabled = await account.until<Endpoint[]>(`${ENDPOINTS}?state=disabled`, (all) => all.length === 1);
    expect(disabled).toMatchObject([{ url, disabled_reason: 'gone', last_status: 410 }]);
    await account.until<Delivery[]>(`${DELIVERIES}?call_id=${id}&state=dead`, (all) => all.length === 2);
    expect(at('/gone')).toHaveLength(1);

    answerAt('/gone', () => 200);
    const replay = (more: object = {}) =>
      account.me.post(`${DELIVERIES}/replay`).send({ url, date_from: since, ...more });
    const [dead] = await deliveriesOf(id).then((all) => all.filter(({ event }) => event !== 'ended'));
    expect((await account.me.post(`${DELIVERIES}/${dead!.id}/replay`)).status).toBe(409);
    expect((await replay()).body.data).toEqual({ replayed: 0, skipped: 2, next_cursor: null });
    const events = await account.me.get('/api/v1/audit-events?action=webhook_endpoint.disabled');
    const details = { reason: 'gone', host: new URL(url).host };
    expect(events.body.data).toMatchObject([{ actor: { kind: 'system' }, details }]);

    expect((await other.me.post(`${ENDPOINTS}/${disabled[0]!.id}/enable`)).status).toBe(404);
    expect((await account.me.post(`${ENDPOINTS}/${disabled[0]!.id}/enable`)).status).toBe(200);
    expect((await account.me.get(`${ENDPOINTS}?state=disabled`)).body.data).toEqual([]);
    expect(await replay()).toMatchObject({ status: 202, body: { data: { replayed: 2, skipped: 0 } } });
    const sent = await eventually(
      async () => (await deliveriesOf(id)).filter(({ event }) => event !== 'ended'),
      (all) => all.every(({ state }) => state === 'delivered' || state === 'dead'),
    );
    expect(sent.map(({ state }) => state)).toEqual(['delivered', 'delivered']);
    expect(at('/gone').slice(1).map(eventOf)).toEqual(['initiated', 'busy']);
    // Without a state, only what did not arrive.
    expect((await replay()).body.data).toMatchObject({ replayed: 0 });
    expect((await replay({ call_id: id, state: 'delivered' })).body.data).toMatchObject({ replayed: 2 });
  });
});

describe('the list of deliveries', () => {
  it('is filtered, names a wrong filter, and contains only those of the account', async () => {
    const id = await place('/listed');
    await account.untilEvent(id, 'ended');
    const list = (query: object, by = account) => by.me.get(DELIVERIES).query(query);
    const isDone = (all: Delivery[]): boolean => all.length === 3;
    await account.until<Delivery[]>(`${DELIVERIES}?call_id=${id}&state=delivered`, isDone);
    const { body } = await list({ call_id: id });
    expect(body.data.map(({ event }: Delivery) => event)).toEqual(['ended', 'busy', 'initiated']);
    expect((await list({ call_id: id, type: 'post-call' })).body.data).toMatchObject([{ event: 'ended' }]);
    expect((await list({ call_id: id, event: 'busy', per_page: 1 })).body.meta).toMatchObject({
      total: 1,
      per_page: 1,
    });
    expect((await list({ call_id: id }, other)).body.data).toEqual([]);
    const found = async (query: object) =>
      (await list({ call_id: id, ...query })).body.data.map(({ event }: Delivery) => event);
    const today = new Date().toISOString().slice(0, 10);
    expect(await found({ url: receiver.url('/listed?x=9') })).toEqual(['busy', 'initiated']);
    expect(await found({ date_from: today, date_to: today })).toHaveLength(3);
    expect(await found({ date_to: '2020-01-01' })).toEqual([]);
    expect(await found({ page: 2, per_page: 2 })).toEqual(['initiated']);
    const { next_cursor: cursor } = (await list({ call_id: id, pagination: 'cursor', per_page: 2 })).body.meta;
    expect(await found({ cursor, per_page: 2 })).toEqual(['initiated']);
    const foreign = await other.me.post(`${DELIVERIES}/replay`).send({ date_from: today, call_id: id });
    expect([foreign.status, Object.keys(foreign.body.errors)]).toEqual([422, ['call_id']]);
    const reader = await aToken(service.pool, account.workspace.accountId, ['calls:read']);
    expect((await service.as(reader).get(DELIVERIES)).status).toBe(403);
  });

  it.each([
    ['type', { type: 'post' }],
    ['state', { state: 'lost' }],
    ['event', { event: 'x' }],
    ['call_id', { call_id: '7' }],
    ['date_from', { date_from: 'yesterday' }],
    ['cursor', { cursor: 'x' }],
    ['per_page', { per_page: 101 }],
    ['url', { url: 'https://example.com/', state: 'delivered' }],
  ])('is refused with a wrong %s', async (field, query) => {
    const { status, body } = await account.me.get(DELIVERIES).query(query);
    expect([status, Object.keys(body.errors)]).toEqual([422, [field]]);
  });
});

describe('POST /webhooks/test', () => {
  const test = (order: object) => account.me.post('/api/v1/webhooks/test').send(order);
  const tested = async (order: object): Promise<string> => {
    const { status, body } = await test(order);
    expect([status, body.errors]).toEqual([202, undefined]);
    return body.data.id as string;
  };

  it('sends one signed webhook with the given headers, whose result is shown with 16 KiB of the answer', async () => {
    receiver.answer = (_, response) => response.end('x\0'.repeat(20_000));
    const headers = [{ key: 'X-Key', value: 'open-sesame' }];
    const id = await tested({ url: receiver.url('/test'), headers });
    await untilState(id, 'delivered');
    const [webhook] = at('/test');
    expect(JSON.parse(webhook!.body)).toMatchObject({ id, type: 'test', event: 'test' });
    expect([isSignedWith(account.secret, webhook!), webhook!.headers['x-key']]).toEqual([true, 'open-sesame']);
    const { body } = await account.me.get(`${DELIVERIES}/${id}`);
    expect(body.data.attempts).toMatchObject([{ status: 200, answer: 'x'.repeat(8 * 1024) }]);
  });

  it.each(['post_call', 'pre_call'])('of an agent goes to its webhook %s, and is not retried', async (webhook) => {
    const path = `/agent-${webhook}`;
    answerAt(path, () => 503);
    const target = { url: receiver.url(path), method: 'PUT' };
    const agent = { name: `tests ${webhook}`, [`${webhook}_webhook`]: target };
    const made = await account.me.post('/api/v1/agents').send(agent).expect(201);
    await untilState(await tested({ agent_id: made.body.data.id as number, webhook }), 'dead');
    expect(at(path).map(({ method }) => method)).toEqual(['PUT']);
  });

  it.each<[string, () => object, string]>([
    ['nothing', () => ({}), 'url'],
    ['blank fields', () => ({ url: '', agent_id: '' }), 'url'],
    ['an internal address', () => ({ url: 'http://10.0.0.1/' }), 'url'],
    ['another scheme', () => ({ url: 'ftp://example.com/' }), 'url'],
    ['URL and agent', () => ({ url: 'https://example.com/', agent_id: 1 }), 'agent_id'],
    ['an unknown agent', () => ({ agent_id: 2_000_000_000 }), 'agent_id'],
    ['an agent of another account', () => ({ agent_id: other.agentId }), 'agent_id'],
    ['an agent without that webhook', () => ({ agent_id: account.agentId, webhook: 'pre_call' }), 'webhook'],
    ['an unknown method', () => ({ url: 'https://example.com/', method: 'DELETE' }), 'method'],
    [
      'a header of the service',
      () => ({ url: 'https://example.com/', headers: [{ key: 'Host', value: 'x' }] }),
      'headers.0.key',
    ],
  ])('is refused with %s', async (_, order, field) => {
    const { status, body } = await test(order());
    expect([status, Object.keys(body.errors)]).toEqual([422, [field]]);
  });
});

describe('a post-call webhook with the method GET', () => {
  it('has its fields in the query, no body, and keeps the query of the URL', async () => {
    answerAt('/', () => 200);
    const id = await account.place(account.uri('busy'), {
      post_call_webhook_url: receiver.url('/done?a=b%20c'),
      post_call_webhook_method: 'GET',
    });
    await receiver.until(() => at('/done').length > 0);
    const [webhook] = at('/done');
    expect(Object.fromEntries(webhook!.query)).toMatchObject({ a: 'b c', type: 'post-call', call_id: id });
    expect([webhook!.method, webhook!.body, webhook!.headers['content-type']]).toEqual(['GET', '', undefined]);
    const { 'webhook-id': sent, 'webhook-timestamp': time, 'webhook-signature': signature } = webhook!.headers;
    const signed = new Webhook(account.secret).sign(String(sent), new Date(Number(time) * 1_000), '');
    expect(signature).toBe(signed);
  });
});

describe('the secret of an account', () => {
  it('is rotated: both sign until the previous one is expired, and it is shown only once', async () => {
    const rotated = await other.me.post(`${SECRETS}/rotate`).send({ overlap_hours: 24 });
    expect(rotated.status).toBe(201);
    const newer = rotated.body.data.secret as string;
    expect(Date.parse(rotated.body.data.previous_expires_at)).toBeGreaterThan(Date.now() + 23 * 3_600_000);
    const { body } = await other.me.get(SECRETS);
    expect(body.data).toHaveLength(2);
    expect(JSON.stringify(body)).not.toContain(newer);
    const foreign = await account.me.post(`${SECRETS}/${rotated.body.data.id}/expire`);
    expect(foreign.status).toBe(404);
    expect((await other.me.post(`${SECRETS}/${rotated.body.data.id}/expire`)).status).toBe(409);
    const wrong = await other.me.post(`${SECRETS}/rotate`).send({ overlap_hours: 169 });
    expect(Object.keys(wrong.body.errors)).toEqual(['overlap_hours']);

    let tests = 0;
    /** Which of the secrets sign a webhook that is sent now. */
    const signing = async (): Promise<boolean[]> => {
      const path = `/rotated-${(tests += 1)}`;
      await other.me.post('/api/v1/webhooks/test').send({ url: receiver.url(path) });
      await receiver.until(() => at(path).length > 0);
      return [other.secret, newer].map((secret) => isSignedWith(secret, at(path)[0]!));
    };
    // A worker reads the secrets again after five seconds; this account has sent nothing before.
    expect(await signing()).toEqual([true, true]);
    const previous = body.data.find(({ id }: { id: number }) => id !== rotated.body.data.id) as { id: number };
    expect((await other.me.post(`${SECRETS}/${previous.id}/expire`)).status).toBe(200);
    const left = (await other.me.get(SECRETS)).body.data as { id: number }[];
    expect(left.map(({ id }) => id)).toEqual([rotated.body.data.id]);
  });

  it('is needed: without one, webhooks end as dead', async () => {
    const { token } = await service.account();
    const { body } = await service
      .as(token)
      .post('/api/v1/webhooks/test')
      .send({ url: receiver.url('/unsigned') });
    const { id } = body.data as { id: string };
    const look = async () => (await service.as(token).get(`${DELIVERIES}/${id}`)).body.data as { state: string };
    const dead = await eventually(look, ({ state }) => state === 'dead');
    expect(dead).toMatchObject({ last_error: 'The account has no webhook secret to sign with.' });
    expect(at('/unsigned')).toEqual([]);
  });
});
