import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { apiOf } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { aCall, aToken, type Workspace } from '../support/factories.js';
import { Service } from '../support/service.js';
import { WebhookSink } from '../support/webhook-sink.js';

const ANALYSIS = {
  extract: {
    type: 'object',
    properties: { digits: { type: 'string' }, hangup_cause: { type: 'string' }, mood: { type: 'string' } },
  },
  rubric: [{ name: 'greeted', question: 'Did the agent greet?', type: 'boolean' }],
};
const SCRIPT = { rules: [{ on: { digits: '4711' }, say: 'Thank you. Goodbye.', hang_up: true }] };

const service = Service.get();
let sink: WebhookSink;
let own: Workspace;
let other: Workspace;
let secret: string;
let answered: string;
let busy: string;

/** One call that the agent ends after a key input, and one to a busy phone; both have ended and are counted. */
beforeAll(async () => {
  sink = await WebhookSink.start();
  [own, other] = await Promise.all([service.account(), service.account()]);
  secret = (await me().post('/api/v1/webhook-secrets/rotate').send({}).expect(201)).body.data.secret as string;
  const settings = { greeting: 'Welcome to the tea house in Köln.', script: SCRIPT, analysis: ANALYSIS };
  await me().patch(`/api/v1/agents/${own.agentId}`).send(settings).expect(200);
  const { createCall } = apiOf(service, own);
  const to = (extension: string) => `sip:${extension}@127.0.0.1:${service.sandboxPort}`;
  const post_call_webhook_url = `${sink.url}/hook`;
  const orders = { metadata: { order: 7 }, post_call_webhook_url };
  [answered, busy] = (
    await Promise.all(['press_4711', 'busy'].map((extension) => createCall({ to_number: to(extension), ...orders })))
  ).map(({ call_id }) => call_id) as [string, string];
  await sink.until(() => sink.eventsOf(answered).includes('analysed') && sink.eventsOf(busy).includes('ended'));
  await eventually(
    () => analytics({ interval: 'none', metrics: 'calls' }),
    ({ meta, data }) => meta.pending === 0 && data[0]?.values.calls === 2,
  );
});
afterAll(async () => {
  await sink?.close();
  await service.close();
});

const me = () => service.as(own.token);

interface Analytics {
  data: { group: { value: string | null; label: string | null }[]; values: Record<string, number | null> }[];
  meta: { pending: number; intervals: unknown[] };
}

async function analytics(query: Record<string, string>, token = own.token): Promise<Analytics> {
  const { status, body } = await service.as(token).get('/api/v1/analytics').query(query);
  expect([status, (body as { errors?: object }).errors]).toEqual([200, undefined]);
  return body as Analytics;
}

describe('the analytics of an account', () => {
  it('count its calls by outcome, with duration, cost and answer rate', async () => {
    const metrics = 'calls,dialled,answered,answer_rate,duration,cost,peak_concurrency';
    const { data } = await analytics({ interval: 'none', metrics });
    const call = (await me().get(`/api/v1/calls/${answered}`).expect(200)).body.data as { cost: number };
    expect(data).toMatchObject([
      { values: { calls: 2, dialled: 2, answered: 1, answer_rate: 0.5, peak_concurrency: expect.any(Number) } },
    ]);
    expect(data[0]?.values.cost).toBeCloseTo(call.cost, 6);
    expect(data[0]?.values.duration).toBeGreaterThan(1);
    const { data: outcomes } = await analytics({ interval: 'none', group_by: 'outcome', metrics: 'calls' });
    const byOutcome = Object.fromEntries(outcomes.map(({ group, values }) => [group[0]?.value, values.calls]));
    expect(byOutcome).toEqual({ completed: 1, busy: 1 });
  });

  it('have rows per interval and agent, in the time zone of the request', async () => {
    const zone = { time_zone: 'Asia/Kathmandu', interval: 'day', group_by: 'agent' };
    const { data, meta } = await analytics({ ...zone, metrics: 'calls' });
    expect(data).toMatchObject([{ group: [{ value: String(own.agentId), label: expect.stringMatching(/^agent-/) }] }]);
    expect(meta.intervals.length).toBeGreaterThan(28);
  });

  it('are returned as CSV too', async () => {
    const query = { interval: 'none', group_by: 'outcome', metrics: 'calls,answer_rate' };
    const csv = await me()
      .get('/api/v1/analytics')
      .query({ ...query, format: 'csv' })
      .expect(200)
      .expect('Content-Type', /^text\/csv/);
    const accepted = await me().get('/api/v1/analytics').query(query).set('Accept', 'text/csv');
    expect(accepted.text).toBe(csv.text);
    const [header, ...lines] = csv.text.trim().split('\r\n');
    expect(header).toBe('start,end,outcome,outcome_label,is_other,calls,answer_rate');
    expect(lines).toHaveLength(2);
  });

  it('have no calls of other accounts', async () => {
    expect((await analytics({ interval: 'none' }, other.token)).data).toEqual([]);
  });

  it.each([
    [{ metrics: 'calls,nonsense' }, 'metrics'],
    [{ group_by: 'agent,number,trunk' }, 'group_by'],
    [{ group_by: 'agent,agent' }, 'group_by'],
    [{ interval: 'minute' }, 'interval'],
    [{ interval: 'hour', date_from: '2020-01-01' }, 'interval'],
    [{ time_zone: 'Mars/Olympus' }, 'time_zone'],
    [{ date_from: '2026-02-01', date_to: '2026-01-01' }, 'date_to'],
    [{ date_from: 'yesterday' }, 'date_from'],
    [{ agent_version: '2' }, 'agent_version'],
    [{ group_limit: '1000' }, 'group_limit'],
    [{ cause: "x'; DROP" }, 'cause'],
    [{ metrics: 'peak_concurrency', include_tests: 'true' }, 'metrics'],
  ])('refuse %j with the name of the field', async (query, field) => {
    const { status, body } = await me().get('/api/v1/analytics').query(query);
    expect([status, Object.keys(body.errors as object)]).toEqual([422, [field]]);
  });

  it('leave out calls of testers unless they are asked for, and need their scope', async () => {
    const tested = await service.account();
    const id = await aCall(service.pool, tested, { metadata: { test_run: 'greets' }, status: 'pending' });
    await service.as(tested.token).post(`/api/v1/calls/${id}/cancel`).expect(200);
    const count = async (more: Record<string, string>) =>
      (await analytics({ interval: 'none', metrics: 'calls', ...more }, tested.token)).data[0]?.values.calls;
    expect(
      await eventually(
        () => count({ include_tests: 'true' }),
        (calls) => calls === 1,
      ),
    ).toBe(1);
    expect(await count({})).toBeUndefined();
    const token = await aToken(service.pool, own.accountId, ['calls:read']);
    const refused = await service.as(token).get('/api/v1/analytics');
    expect([refused.status, refused.body]).toEqual([403, { message: 'The token lacks the scope analytics:read.' }]);
  });
});

describe('the search in transcripts', () => {
  const find = async (transcript: string, token = own.token): Promise<string[]> => {
    const { status, body } = await service.as(token).get('/api/v1/calls').query({ transcript });
    expect([transcript, status]).toEqual([transcript, 200]);
    return (body.data as { call_id: string }[]).map(({ call_id }) => call_id);
  };

  it('finds a call by words, phrases and beginnings of words, whatever their case and accents', async () => {
    for (const words of ['tea', 'HOUSE koln', '"tea house"', 'welc*', 'tea -coffee'])
      expect([words, await find(words)]).toEqual([words, [answered]]);
    for (const words of ['"house tea"', 'coffee', 'tea -house'])
      expect([words, await find(words)]).toEqual([words, []]);
  });

  it('shows the turns with the words', async () => {
    const { body } = await me().get('/api/v1/calls').query({ transcript: 'tea' }).expect(200);
    expect(body.data[0].transcript_matches).toMatchObject([
      { role: 'agent', text: expect.stringContaining('tea house'), started_ms: expect.any(Number) },
    ]);
  });

  it('never finds calls of another account, and refuses a text without words', async () => {
    const { accountId } = own;
    for (const text of ['tea', `tea @${accountId}`, `'@${accountId}' | tea`, `tea) | ('@${accountId}'`])
      expect([text, await find(text, other.token)]).toEqual([text, []]);
    const { status, body } = await me().get('/api/v1/calls').query({ transcript: '"" -x' });
    expect([status, Object.keys(body.errors as object)]).toEqual([422, ['transcript']]);
  });
});

describe('the analysis of a call', () => {
  it('follows the call by itself, with evidence for each value, and is reported by a signed webhook', async () => {
    const { body } = await me().get(`/api/v1/calls/${answered}/analysis`).expect(200);
    expect(body.data).toMatchObject({
      version: 1,
      status: 'completed',
      source: 'rules',
      values: { digits: '4711', hangup_cause: 'agent_hangup', mood: null },
      rubric: [{ name: 'greeted', value: null, status: 'absent' }],
      cost: 0,
    });
    const digits = (body.data.fields as { path: string }[]).find(({ path }) => path === 'digits');
    expect(digits).toMatchObject({ status: 'supported', evidence: [{ type: 'keypad' }] });
    expect(sink.eventsOf(answered).slice(-2)).toEqual(['ended', 'analysed']);
    const webhook = sink.of(answered).find((one) => one.body.type === 'call-analysis')!;
    sink.verify(webhook, secret);
    expect(webhook.body.data).toMatchObject({ call_id: answered, metadata: { order: 7 }, values: body.data.values });
    // A call that was not answered has none.
    await me().get(`/api/v1/calls/${busy}/analysis`).expect(404);
  });

  it('is made again with other questions, and all versions are kept', async () => {
    const extract = { type: 'object', properties: { keys: { type: 'string' } } };
    const again = await me().post(`/api/v1/calls/${answered}/analysis`).send({ extract }).expect(202);
    expect(again.body.data).toMatchObject({ version: 2, status: 'pending' });
    const ended = await eventually(
      async () => (await me().get(`/api/v1/calls/${answered}/analysis`)).body.data as { status: string },
      ({ status }) => status === 'completed',
    );
    expect(ended).toMatchObject({ version: 2, values: { keys: '4711' } });
    const { body } = await me().get(`/api/v1/calls/${answered}/analyses`).expect(200);
    expect((body.data as { version: number }[]).map(({ version }) => version)).toEqual([2, 1]);
  });

  it('is made for all calls of a filter, once per Idempotency-Key, and a mistake in the filter is refused', async () => {
    const body = { filter: { agent_id: own.agentId, date_from: '2020-01-01' }, analysis: { rubric: [] } };
    const post = () => me().post('/api/v1/analyses').set('Idempotency-Key', 'batch-1').send(body).expect(202);
    const [first, second] = [await post(), await post()];
    expect(first.body.data).toMatchObject({ calls: 1 });
    expect([second.body.data.id, second.headers['idempotent-replayed']]).toEqual([first.body.data.id, 'true']);
    const done = await eventually(
      async () => (await me().get(`/api/v1/analyses/${first.body.data.id}`)).body.data as { status: string },
      ({ status }) => status === 'completed',
    );
    expect(done).toMatchObject({ analyses: { pending: 0, running: 0, completed: 1, failed: 0 } });
    const again = await me().post('/api/v1/analyses').send(body).expect(202);
    const page = (number: number) => me().get(`/api/v1/analyses?per_page=1&page=${number}`).expect(200);
    const [newest, oldest] = [await page(1), await page(2)];
    expect(newest.body).toMatchObject({ data: [{ id: again.body.data.id, filter: body.filter }], meta: { total: 2 } });
    expect(oldest.body.data).toMatchObject([{ id: first.body.data.id, status: 'completed' }]);
    for (const [filter, field] of [
      [{ agent: 1 }, 'filter.agent'],
      [{ date_from: 'soon' }, 'filter.date_from'],
    ] as const) {
      const wrong = await me().post('/api/v1/analyses').send({ filter });
      expect([wrong.status, Object.keys(wrong.body.errors as object)]).toEqual([422, [field]]);
    }
    const invalid = await me()
      .post(`/api/v1/calls/${answered}/analysis`)
      .send({ extract: { type: 'string' } });
    expect([invalid.status, Object.keys(invalid.body.errors as object)]).toEqual([422, ['extract.type']]);
  });

  it('is invisible for other accounts and counted by question', async () => {
    for (const path of ['analysis', 'analyses'])
      await service.as(other.token).get(`/api/v1/calls/${answered}/${path}`).expect(404);
    await service.as(other.token).post(`/api/v1/calls/${answered}/analysis`).send({}).expect(404);
    const { body } = await service.as(other.token).get('/api/v1/analytics/rubrics?interval=none').expect(200);
    expect(body.data).toEqual([]);
  });
});
