import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ToolRun } from './domain/tool.js';
import { Webhook } from 'standardwebhooks';
import { gzipSync } from 'node:zlib';
import { RunningTools } from '../../../test/support/running-tools.js';
import type { WebhookAccount } from '../../../test/support/webhook-account.js';
import type { ReceivedWebhook, ReceiverAnswer, WebhookReceiver } from '../../../test/support/webhook-receiver.js';

const SECRET_HEADER = 'open-sesame-4711';
const INSIDE = '10.11.12.13';
const json = { 'content-type': 'application/json' };

let environment: RunningTools;
let sink: WebhookReceiver;
let account: WebhookAccount;
let secret: string;

/** The answer of the endpoint by path; other paths echo the request. */
const ANSWERS: Record<string, ReceiverAnswer> = {
  '/slow': () => {},
  '/redirects': (_, response) =>
    response.writeHead(302, { location: `http://${INSIDE}/` }).end(`See http://${INSIDE}/`),
  '/drips': (_, response) => {
    const timer = setInterval(() => response.write('x'), 20);
    response.on('close', () => clearInterval(timer));
  },
  '/bomb': (_, response) => {
    response.writeHead(200, { ...json, 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(20 * 1024 * 1024, ' ')));
  },
  '/interim': (_, response) => {
    response.writeContinue();
    response.writeHead(200, json).end('{"ok":true}');
  },
  '/nul': (_, response) => response.writeHead(200, json).end('{"text":"a\\u0000\\ud800b"}'),
};

const echo: ReceiverAnswer = ({ body, method }, response) =>
  void response.writeHead(200, json).end(JSON.stringify({ method, got: body === '' ? null : JSON.parse(body) }));

beforeAll(async () => {
  environment = await RunningTools.open();
  sink = await environment.webhooks.sink();
  sink.answer = (webhook, response) => (ANSWERS[webhook.path] ?? echo)(webhook, response);
  account = await environment.webhooks.account();
  secret = await account.addSecret();
});
afterAll(() => environment.close());

const at = (path: string): ReceivedWebhook[] => sink.received.filter((one) => one.path === path);
const verify = ({ body, headers }: ReceivedWebhook) =>
  new Webhook(secret).verify(body === '' ? '' : body, headers as Record<string, string>);

const run = (
  tool: Parameters<RunningTools['run']>[0],
  args: Record<string, unknown> = {},
  context: Partial<Parameters<RunningTools['run']>[2]> = {},
): Promise<ToolRun> => environment.run(tool, args, { accountId: account.id, ...context });

async function callContext() {
  const id = await account.createCall();
  const call = { id, direction: 'outbound' as const, to_number: '+15550002222', from_number: '+15550001111' };
  return { call, toolCallId: `call_${id}`, metadata: { tier: 'gold' } };
}

describe('a tool that is invoked', () => {
  it('ends with the call: a request in flight is aborted, the rest is not sent', async () => {
    const over = new AbortController();
    const tool = environment.tool([{ url: sink.url('/slow?over') }, { url: sink.url('/after') }]);
    const running = environment.run(tool, {}, { accountId: account.id }, over.signal);
    await sink.until(() => at('/slow').some(({ query }) => query.has('over')));
    over.abort();
    const { result } = await running;
    const aborted = { error: { code: 'aborted', message: expect.any(String) } };
    expect(result).toEqual({ action_1: aborted, action_2: aborted });
    expect(at('/after')).toEqual([]);
  });
});

describe('an endpoint', () => {
  const failure = (error: object) => ({ error: { message: expect.any(String), ...error } });
  it.each<[string, string, unknown, string?]>([
    ['that redirects to an internal address', '/redirects', failure({ code: 'http_error', status: 302 })],
    ['that answers one byte at a time', '/drips', failure({ code: 'timeout' })],
    ['that answers a decompression bomb', '/bomb', failure({ code: 'unreadable_answer', status: 200 })],
    ['that answers text that PostgreSQL cannot store', '/nul', { text: 'a\ufffd\ufffdb' }, 'succeeded'],
    ['that answers 100 Continue first', '/interim', { ok: true }, 'succeeded'],
    ['at an internal address', `http://${INSIDE}:8080/x`, failure({ code: 'blocked_address' })],
    [
      'at the metadata address of a cloud',
      'http://169.254.169.254/latest/meta-data',
      failure({ code: 'blocked_address' }),
    ],
    ['whose name resolves to an internal address', 'http://inside.example.com/x', failure({ code: 'blocked_address' })],
    ['whose name does not resolve', 'http://nobody.example.com/x', failure({ code: 'connection_failed' })],
  ])('%s is a structured result, and nothing leaks', async (_, where, expected, outcome = 'failed') => {
    const context = await callContext();
    const logged = environment.webhooks.logs.lines.length;
    const url = where.startsWith('/') ? sink.url(where) : where;
    const headers = { 'X-Api-Key': SECRET_HEADER };
    const tool = environment.tool([{ url, headers }, { url: sink.url('/next') }]);
    const { result } = await run(tool, {}, context);

    expect(result['action_1']).toEqual(expected);
    expect(result['action_2']).toMatchObject({ method: 'POST' });

    const told = await environment.invocations.ofCall(account.id, context.call.id);
    expect(told[0]!.actions.map((action) => action.outcome)).toEqual([outcome, 'succeeded']);
    // The account wrote the URL itself, and an endpoint may put its own address into an answer.
    const records = told.flatMap(({ actions }) => actions.map(({ url: _url, ...rest }) => rest));
    const logs = environment.webhooks.logs.lines.slice(logged);
    const seen = JSON.stringify({
      result,
      records: where === '/redirects' ? records.map(({ error }) => error) : records,
      logs,
    });
    expect(seen).not.toContain(INSIDE);
    expect(seen).not.toContain('127.0.0.1');
    expect(seen).not.toContain(SECRET_HEADER);
    expect(logs).toEqual([]);
  });

  it('that hangs does not delay other endpoints', async () => {
    const other = await environment.webhooks.account();
    await other.addSecret();
    const ended: string[] = [];
    const slow = run(environment.tool([{ url: sink.url('/slow') }])).then(() => ended.push('slow'));
    const quick = environment
      .run(environment.tool([{ url: sink.url('/quick') }]), {}, { accountId: other.id })
      .then(() => ended.push('quick'));
    await Promise.all([slow, quick]);
    expect(ended).toEqual(['quick', 'slow']);
  });
});

describe('a queued action', () => {
  const queued = { waitResponse: false };

  it('is delivered in order, and retried after a failure and a restart of the worker with the same id', async () => {
    const context = await callContext();
    let failures = 1;
    ANSWERS['/note'] = (_, response) => response.writeHead(failures-- > 0 ? 503 : 200).end();
    const headers = { 'X-Api-Key': SECRET_HEADER };
    const tool = environment.tool([
      { url: sink.url('/note?n={{args.n}}'), payload: { n: '{{args.n}}' }, headers, ...queued },
      { url: sink.url('/first') },
      { url: sink.url('/second'), method: 'DELETE', ...queued },
    ]);
    const { ok, result, actions } = await run(tool, { n: 5 }, context);
    expect({ ok, result }).toMatchObject({
      ok: true,
      result: { action_1: { queued: true }, action_3: { queued: true } },
    });
    expect(at('/note')).toEqual([]);

    const first = await environment.webhooks.dispatcher({ schedule: SLOW_SECOND_TRY });
    await sink.until(() => at('/note').length === 1);
    await sink.until(() => at('/second').length === 1);
    await first.stop();
    await environment.webhooks.pool.query('UPDATE webhook_streams SET next_at = now() WHERE next_at IS NOT NULL');
    await environment.webhooks.pool.query(`UPDATE webhook_deliveries SET next_at = now() WHERE state = 'pending'`);
    await environment.webhooks.dispatcher();
    await sink.until(() => at('/note').length === 2);
    await environment.webhooks.logs.first({ delivery_id: actions[0]!.id, state: 'delivered' });

    for (const [index, request] of at('/note').entries()) {
      expect(request).toMatchObject({ method: 'POST', body: '{"n":5}' });
      expect(request.headers).toMatchObject({
        'webhook-id': actions[0]!.id,
        'idempotency-key': actions[0]!.id,
        'webhook-attempt': String(index + 1),
        'x-api-key': SECRET_HEADER,
      });
      expect(verify(request)).toEqual({ n: 5 });
    }
    expect(at('/second')[0]).toMatchObject({ method: 'DELETE', body: '', query: new URLSearchParams({ n: '5' }) });
    expect(at('/second')[0]!.at).toBeGreaterThan(at('/first')[0]!.at);

    const [told] = await environment.invocations.ofCall(account.id, context.call.id);
    expect(told!.actions.map(({ outcome, attempts }) => [outcome, attempts.map(({ status }) => status)])).toEqual([
      ['succeeded', [503, 200]],
      ['succeeded', [200]],
      ['succeeded', [200]],
    ]);
    expect(JSON.stringify([told, environment.webhooks.logs.lines])).not.toContain(SECRET_HEADER);
  });

  it('starts after the awaited actions before it, when the invocation has ended', async () => {
    let open = (): void => undefined;
    ANSWERS['/gate'] = (_, response) => (open = () => void response.end('ok'));
    const dispatcher = (environment.dispatcher = await environment.webhooks.dispatcher());
    const running = run(
      environment.tool([
        { url: sink.url('/gate'), timeoutMs: 60_000 },
        { url: sink.url('/held'), ...queued },
      ]),
    );
    await sink.until(() => at('/gate').length === 1);
    // Invoked later, without an awaited action.
    await run(environment.tool([{ url: sink.url('/passes'), ...queued }]));
    await sink.until(() => at('/passes').length === 1);
    expect(at('/held')).toEqual([]);
    open();
    expect(await running).toMatchObject({ result: { action_1: 'ok', action_2: { queued: true } } });
    await sink.until(() => at('/held').length === 1);
    await dispatcher.stop();
    environment.dispatcher = undefined;
  });

  it('to an internal address is not retried', async () => {
    const context = await callContext();
    const { actions } = await run(environment.tool([{ url: `http://${INSIDE}/x`, ...queued }]), {}, context);
    await environment.webhooks.dispatcher();
    await environment.webhooks.logs.first({ delivery_id: actions[0]!.id, state: 'refused' });
    const [told] = await environment.invocations.ofCall(account.id, context.call.id);
    expect(told!.actions[0]).toMatchObject({ outcome: 'failed', attempts: [{ status: null, answer: null }] });
  });
});

describe('secret digits of the caller', () => {
  const card = '4242424242424242';
  const secure = new Map([['card', card]]);
  const parameters = { type: 'object', properties: { card: { type: 'string', pattern: '^[0-9]{16}$' } } };
  const args = { card: '{{secure.card}}' };

  /** Rows and logs, as a person with access to the database would read them. */
  async function stored(): Promise<string> {
    const { pool, logs } = environment.webhooks;
    const { rows: tables } = await pool.query<{ name: string }>(
      `SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'`,
    );
    const rows = await Promise.all(tables.map(({ name }) => pool.query(`SELECT to_jsonb(t)::text FROM ${name} t`)));
    return JSON.stringify([rows.map((one) => one.rows), logs.lines]);
  }

  it('of a queued request are sealed until it is delivered', async () => {
    const context = { ...(await callContext()), secure };
    const headers = { 'x-card': '{{secure.card}}' };
    const tool = environment.tool(
      [{ url: sink.url('/later-paid'), payload: { card: '{{secure.card}}' }, headers, waitResponse: false }],
      parameters,
    );
    const ended = await run(tool, args, context);
    expect(await stored()).not.toContain(card);
    const dispatcher = await environment.webhooks.dispatcher();
    await sink.until(() => at('/later-paid').length > 0);
    const [request] = at('/later-paid');
    expect([JSON.parse(request!.body), request!.headers['x-card']]).toEqual([{ card }, card]);
    verify(request!);
    const { id } = ended.actions[0]!;
    await environment.webhooks.logs.first({ delivery_id: id, state: 'delivered' });
    await dispatcher.stop();
    expect(await environment.webhooks.delivery(id)).toMatchObject({ request_sealed: null });
    expect(await stored()).not.toContain(card);
  });

  it('that were not entered stop the request, with the reason', async () => {
    const ended = await run(environment.tool([{ url: sink.url('/never') }]), args, {
      ...(await callContext()),
      secure: new Map(),
    });
    expect(ended.result).toMatchObject({ action_1: { error: { code: 'unusable_value' } } });
    expect(at('/never')).toEqual([]);
  });
});

describe('the records of invocations', () => {
  const count = async (): Promise<number[]> => {
    const tables = ['tool_invocations', 'tool_attempts', 'webhook_streams', 'webhook_deliveries', 'webhook_attempts'];
    const counts = tables.map((table) =>
      environment.webhooks.pool.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${table}`),
    );
    return (await Promise.all(counts)).map(({ rows }) => rows[0]!.n);
  };

  it('are deleted with their call, and after 30 days', async () => {
    const { pool } = environment.webhooks;
    const before = await count();
    const context = await callContext();
    const tool = environment.tool([{ url: sink.url('/kept') }, { url: sink.url('/later'), waitResponse: false }]);
    await run(tool, {}, context);
    await pool.query('DELETE FROM calls WHERE id = $1', [context.call.id]);
    expect(await count()).toEqual(before);
    await run(tool);
    expect(await environment.invocations.purgeOld()).toBe(0);
    expect(await environment.invocations.purgeOld(Date.now() + 31 * 86_400_000)).toBe(before[0]! + 1);
    expect(await count()).toEqual([0, 0, 0, 0, 0]);
  });
});

/** The second attempt is due long after the end of the test, so that another dispatcher makes it. */
const SLOW_SECOND_TRY = { fastMs: [0, 60_000], slowMs: [60_000], jitter: 0, fastLimitMs: 1_000, slowLimitMs: 1_000 };
