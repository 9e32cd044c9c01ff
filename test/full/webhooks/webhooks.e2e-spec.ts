import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { sealHeaders } from '@app/webhooks';
import { Webhook } from 'standardwebhooks';
import { WebhookEnvironment } from '../../support/webhook-environment.js';
import type { WebhookAccount } from '../../support/webhook-account.js';
import type { ReceivedWebhook, WebhookReceiver } from '../../support/webhook-receiver.js';

let environment: WebhookEnvironment;
let sink: WebhookReceiver;
let account: WebhookAccount;
let secret: string;

beforeEach(async () => {
  environment = await WebhookEnvironment.open();
  sink = await environment.sink();
  account = await environment.account();
  secret = await account.addSecret();
});
afterEach(() => environment.close());

const sequences = (received: ReceivedWebhook[]) => received.map(({ headers }) => Number(headers['webhook-sequence']));
const attempts = (received: ReceivedWebhook[]) => received.map(({ headers }) => Number(headers['webhook-attempt']));
const post = (path: string) => ({ url: sink.url(path), method: 'POST' });

describe('a webhook', () => {
  it('arrives signed, with the headers of the service and of the user', async () => {
    const callId = await account.createCall();
    const given = [
      { key: 'X-Team', value: 'sales' },
      { key: 'Authorization', value: 'Bearer open-sesame' },
    ];
    const target = {
      url: sink.url('/hook?source=trunk%20line'),
      method: 'PUT',
      headers_sealed: sealHeaders(environment.encryption, given),
    };
    const [record] = await account.writeStatuses(callId, target, 1);
    await environment.dispatcher();
    await environment.logs.first({ delivery_id: record!.id, state: 'delivered' });

    const [webhook] = sink.received;
    expect(webhook).toMatchObject({ path: '/hook', method: 'PUT', body: record!.body });
    expect(webhook!.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': expect.stringMatching(/^Trunkline\/\d/),
      'webhook-id': record!.id,
      'webhook-attempt': '1',
      'webhook-sequence': '1',
      'x-team': 'sales',
      authorization: 'Bearer open-sesame',
      'accept-encoding': 'identity',
    });
    expect(new Webhook(secret).verify(webhook!.body, webhook!.headers as Record<string, string>)).toEqual({
      id: record!.id,
      type: 'call-status',
      event: 'initiated',
      created_at: record!.created_at,
      sequence: 1,
      data: { call_id: callId, status: 'initiated' },
    });
    expect(await environment.delivery(record!.id)).toMatchObject({ state: 'delivered', attempts: 1, last_status: 200 });
    const [attempt] = await environment.attempts(record!.id);
    expect(attempt).toMatchObject({ attempt: 1, status: 200, error: null, response_head: 'ok' });
    expect(attempt!['request_headers']).toMatchObject({ 'webhook-id': record!.id, authorization: '[redacted]' });
    expect(JSON.stringify(environment.logs.lines)).not.toContain('open-sesame');
  });

  it('is signed with both secrets during a rotation, and not with an expired one', async () => {
    const newer = await account.addSecret('1 hour');
    const expired = await account.addSecret('-1 hour');
    await account.writeStatuses(await account.createCall(), post('/'), 1);
    await environment.dispatcher();
    await sink.until((received) => received.length === 1);
    const { body, headers } = sink.received[0]!;
    for (const live of [secret, newer])
      expect(() => new Webhook(live).verify(body, headers as Record<string, string>)).not.toThrow();
    expect(() => new Webhook(expired).verify(body, headers as Record<string, string>)).toThrow('No matching signature');
  });

  it('of a finished call with method GET has its fields in the query, no body, and keeps the query of the URL', async () => {
    const callId = await account.createCall();
    const record = await account.writePostCall(callId, { url: sink.url('/done?a=b%20c'), method: 'GET' }, 1);
    await environment.dispatcher();
    await sink.until((received) => received.length === 1);
    const webhook = sink.received[0]!;
    expect(Object.fromEntries(webhook.query)).toEqual({
      a: 'b c',
      id: record.id,
      type: 'post-call',
      call_id: callId,
      status: 'completed',
    });
    expect(webhook).toMatchObject({ method: 'GET', body: '' });
    expect(webhook.headers['content-type']).toBeUndefined();
    expect(() => new Webhook(secret).verify('', webhook.headers as Record<string, string>)).not.toThrow();
  });

  it('of a finished call is written once although the call is finished twice', async () => {
    const callId = await account.createCall();
    const first = await account.writePostCall(callId, post('/'), 5);
    await account.writePostCall(callId, post('/other'), 6);
    const { rows } = await environment.pool.query('SELECT id FROM webhook_deliveries');
    expect(rows).toEqual([{ id: first.id }]);
  });
});

describe('order in a stream', () => {
  it('holds while the first attempts fail, with the same id and body on every attempt', async () => {
    sink.answer = ({ headers }, response) => {
      response.statusCode = headers['webhook-sequence'] === '2' && Number(headers['webhook-attempt']) < 4 ? 503 : 200;
      response.end();
    };
    const records = await account.writeStatuses(await account.createCall(), post('/'), 4);
    await environment.dispatcher();
    await environment.logs.first({ delivery_id: records[3]!.id, state: 'delivered' });
    expect(sequences(sink.received)).toEqual([1, 2, 2, 2, 2, 3, 4]);
    expect(attempts(sink.received)).toEqual([1, 1, 2, 3, 4, 1, 1]);
    for (const webhook of sink.received) {
      const record = records[Number(webhook.headers['webhook-sequence']) - 1]!;
      expect(webhook.headers['webhook-id']).toBe(record.id);
      expect(webhook.body).toBe(record.body);
      expect(() => new Webhook(secret).verify(webhook.body, webhook.headers as Record<string, string>)).not.toThrow();
    }
  });

  it('lets later events pass after five attempts, and gives up after the slow lane', async () => {
    sink.answer = ({ headers }, response) => {
      response.statusCode = headers['webhook-sequence'] === '1' ? 500 : 200;
      response.end('broken');
    };
    const records = await account.writeStatuses(await account.createCall(), post('/'), 2);
    await environment.dispatcher();
    await environment.logs.first({ delivery_id: records[0]!.id, state: 'dead' });
    expect(sequences(sink.received).slice(0, 6)).toEqual([1, 1, 1, 1, 1, 2]);
    expect(sink.received).toHaveLength(5 + 1 + 8);
    expect(await environment.delivery(records[0]!.id)).toMatchObject({ state: 'dead', attempts: 13, slow_tries: 8 });
    const log = await environment.attempts(records[0]!.id);
    expect(log.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
  });

  it('makes the post-call wait for the events before it, for a limited time', async () => {
    sink.answer = ({ headers }, response) => {
      response.statusCode = headers['webhook-sequence'] === '1' ? 500 : 200;
      response.end();
    };
    const fastMs = [0, 100, 60_000, 60_000, 60_000];
    const schedule = { fastMs, slowMs: [60_000], jitter: 0, fastLimitMs: 0, slowLimitMs: 0 };
    await environment.dispatcher({ schedule, postCallWaitMs: 1_500 });
    const callId = await account.createCall();
    await account.writeStatuses(callId, post('/'), 1);
    const last = await account.writePostCall(callId, post('/'), 2);
    await environment.logs.first({ delivery_id: last.id, state: 'delivered' });
    expect(sequences(sink.received)).toEqual([1, 1, 2]);
  });

  it('includes an event that is added while the stream is being delivered', async () => {
    const callId = await account.createCall();
    let added: Promise<unknown> | undefined;
    sink.answer = ({ headers }, response) => {
      if (headers['webhook-sequence'] === '2') response.end();
      else added = account.writePostCall(callId, post('/'), 2).then(() => response.end());
    };
    await account.writeStatuses(callId, post('/'), 1);
    await environment.dispatcher({ sweepMs: 60_000 });
    await sink.until((received) => received.length === 2);
    await added;
    expect(sequences(sink.received)).toEqual([1, 2]);
  });
});

describe('an answer', () => {
  it.each([
    [410, 'dead', 1],
    [404, 'slow', 1],
    [401, 'slow', 1],
  ])('%d to the first attempt makes a delivery %s', async (status, state, tries) => {
    sink.answer = (_, response) => response.writeHead(status).end('no');
    const [record] = await account.writeStatuses(await account.createCall(), post('/'), 1);
    await environment.dispatcher({
      schedule: { fastMs: [0, 10], slowMs: [60_000], jitter: 0, fastLimitMs: 0, slowLimitMs: 0 },
    });
    await environment.logs.first({ delivery_id: record!.id, state });
    expect(await environment.delivery(record!.id)).toMatchObject({ state, attempts: tries, last_status: status });
  });

  it('429 with Retry-After is not retried before that time', async () => {
    sink.answer = ({ headers }, response) => {
      if (headers['webhook-attempt'] === '1') response.writeHead(429, { 'retry-after': '1' });
      response.end();
    };
    const [record] = await account.writeStatuses(await account.createCall(), post('/'), 1);
    await environment.dispatcher({
      schedule: { fastMs: [0, 10], slowMs: [], jitter: 0, fastLimitMs: 5_000, slowLimitMs: 0 },
    });
    await environment.logs.first({ delivery_id: record!.id, state: 'delivered' });
    expect(sink.received[1]!.at - sink.received[0]!.at).toBeGreaterThanOrEqual(990);
  });

  it('with a redirect is a failure and is not followed', async () => {
    sink.answer = ({ path, headers }, response) => {
      if (path === '/' && headers['webhook-attempt'] === '1')
        response.writeHead(307, { location: sink.url('/elsewhere') });
      response.end();
    };
    const [record] = await account.writeStatuses(await account.createCall(), post('/'), 1);
    await environment.dispatcher();
    await environment.logs.first({ delivery_id: record!.id, state: 'delivered' });
    expect(sink.received.map(({ path }) => path)).toEqual(['/', '/']);
  });

  it('that is missing because the connection was closed is a failure with its reason', async () => {
    sink.answer = ({ headers }, response) => {
      if (headers['webhook-attempt'] === '1') response.destroy();
      else response.end();
    };
    const [record] = await account.writeStatuses(await account.createCall(), post('/'), 1);
    await environment.dispatcher();
    await environment.logs.first({ delivery_id: record!.id, state: 'delivered' });
    const [first] = await environment.attempts(record!.id);
    expect(first).toMatchObject({ status: null, error: expect.stringContaining('closed the connection') });
  });

  it('is stored up to 16 KiB', async () => {
    sink.answer = (_, response) => response.end('x\0'.repeat(20_000));
    const [record] = await account.writeStatuses(await account.createCall(), post('/'), 1);
    await environment.dispatcher();
    await environment.logs.first({ delivery_id: record!.id, state: 'delivered' });
    expect(String((await environment.attempts(record!.id))[0]!['response_head'])).toHaveLength(8 * 1024);
  });
});

describe('a target that is not allowed', () => {
  it('is refused permanently, and no connection is made', async () => {
    const [record] = await account.writeStatuses(await account.createCall(), post('/'), 1);
    await environment.dispatcher({ allowCidrs: [] });
    await environment.logs.first({ delivery_id: record!.id, state: 'refused' });
    expect(sink.connections).toBe(0);
    expect(await environment.delivery(record!.id)).toMatchObject({
      state: 'refused',
      attempts: 1,
      last_error: 'The URL must not point to an internal address.',
    });
  });
});

it('an account without a secret sends no webhook', async () => {
  const other = await environment.account();
  const [record] = await other.writeStatuses(await other.createCall(), post('/'), 1);
  await environment.dispatcher();
  await environment.logs.first({ delivery_id: record!.id, state: 'dead' });
  expect(sink.received).toHaveLength(0);
  expect(await environment.delivery(record!.id)).toMatchObject({
    last_error: 'The account has no webhook secret to sign with.',
  });
});
