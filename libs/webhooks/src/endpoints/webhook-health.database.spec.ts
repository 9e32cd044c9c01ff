import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { BREAKER_LIMITS } from '../domain/breaker.js';
import { WebhookEndpointsService } from './webhook-endpoints.service.js';
import { eventually } from '../../../../test/support/eventually.js';
import type { WebhookAccount } from '../../../../test/support/webhook-account.js';
import { WebhookEnvironment } from '../../../../test/support/webhook-environment.js';
import type { ReceivedWebhook, WebhookReceiver } from '../../../../test/support/webhook-receiver.js';

let environment: WebhookEnvironment;
let sink: WebhookReceiver;
let account: WebhookAccount;

beforeEach(async () => {
  environment = await WebhookEnvironment.open();
  sink = await environment.sink();
  account = await withSecret();
});
afterEach(() => environment.close());

async function withSecret(): Promise<WebhookAccount> {
  const made = await environment.account();
  await made.addSecret();
  return made;
}

const post = (path: string) => ({ url: sink.url(path), method: 'POST' });
const idOf = ({ headers }: ReceivedWebhook) => String(headers['webhook-id']);
const sequenceOf = ({ headers }: ReceivedWebhook) => Number(headers['webhook-sequence']);
const write = async (of: WebhookAccount, path: string, count = 1) =>
  of.writeStatuses(await of.createCall(), post(path), count);

/** Of the whole table, by state. */
async function states(): Promise<Record<string, number>> {
  const { rows } = await environment.pool.query<{ state: string; count: number }>(
    'SELECT state, count(*)::integer AS count FROM webhook_deliveries GROUP BY state',
  );
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}

describe('a host that fails', () => {
  it('gets no more requests of the account that it fails, while other accounts still reach it', async () => {
    sink.answer = ({ path }, response) => response.writeHead(path.startsWith('/bad') ? 503 : 200).end();
    const schedule = { fastMs: [0, 60_000], slowMs: [], jitter: 0, fastLimitMs: 0, slowLimitMs: 0 };
    for (let call = 0; call < 60; call++) await write(account, `/bad/${call}`, 2);
    const dispatchers = await Promise.all(
      [1, 2].map(() => environment.dispatcher({ schedule, breaker: BREAKER_LIMITS })),
    );
    await environment.logs.first({ msg: 'webhooks to a failing host are held back' });

    const neighbour = await withSecret();
    const [record] = await write(neighbour, '/good');
    for (const dispatcher of dispatchers) dispatcher.wake();
    await environment.logs.first({ delivery_id: record!.id, state: 'delivered' });
    // A stream that a dispatcher had in memory goes back only when its turn comes.
    const due = 'SELECT 1 FROM webhook_streams WHERE next_at <= now() OR lease_owner IS NOT NULL';
    await eventually(
      () => environment.pool.query(due),
      ({ rows }) => rows.length === 0,
    );
    await Promise.all(dispatchers.map((dispatcher) => dispatcher.stop()));

    // Ten, and what was under way meanwhile.
    const tried = sink.received.filter(({ path }) => path.startsWith('/bad'));
    expect(tried.length).toBeGreaterThanOrEqual(10);
    expect(tried.length).toBeLessThanOrEqual(30);
    expect(tried.every((webhook) => sequenceOf(webhook) === 1)).toBe(true);
    const { rows } = await environment.pool.query('SELECT sum(attempts)::integer AS attempts FROM webhook_deliveries');
    expect(rows).toEqual([{ attempts: tried.length + 1 }]);
    expect(await states()).toEqual({ pending: 120, delivered: 1 });
  });

  it('gets all webhooks in order when it works again, after one probe', async () => {
    let well = false;
    sink.answer = (_, response) => response.writeHead(well ? 200 : 500).end();
    const patient = {
      fastMs: Array.from({ length: 1_000 }, () => 5),
      slowMs: [],
      jitter: 0,
      fastLimitMs: 0,
      slowLimitMs: 0,
    };
    for (let call = 0; call < 20; call++) await write(account, `/${call}`, 3);
    for (let worker = 0; worker < 2; worker++) await environment.dispatcher({ schedule: patient });
    await environment.logs.first({ msg: 'webhooks to a failing host are held back' });
    well = true;
    await environment.logs.first({ msg: 'a host accepts webhooks again' });
    const delivered = () => sink.received.filter((webhook) => Number(webhook.headers['webhook-sequence']) === 3);
    await sink.until(() => new Set(delivered().map(idOf)).size === 20);
    for (let call = 0; call < 20; call++) {
      const order = sink.received.filter(({ path }) => path === `/${call}`).map(sequenceOf);
      expect(order).toEqual([...order].sort((a, b) => a - b));
    }
  });
});

it('an endpoint is disabled when all attempts of 120 hours failed', async () => {
  const schedule = { fastMs: [0, 5], slowMs: [60_000], jitter: 0, fastLimitMs: 0, slowLimitMs: 0 };
  sink.answer = ({ path }, response) => response.writeHead(path === '/works' ? 200 : 500).end();
  const dispatcher = await environment.dispatcher({ schedule });
  await write(account, '/broken');
  await write(account, '/works');
  await sink.until((received) => received.length === 3);
  await dispatcher.stop();
  await environment.pool.query(
    `UPDATE webhook_endpoints SET failing_since = now() - interval '121 hours', last_failure_at = now() - interval '20 hours'`,
  );
  await environment.dispatcher({ schedule });
  await write(account, '/broken');
  await write(account, '/works');
  await environment.logs.first({ msg: 'a webhook endpoint was disabled', reason: 'failing' });
  await environment.logs.first({ delivery_id: idOf(sink.received.findLast(({ path }) => path === '/works')!) });
  const { endpoints } = await environment.services
    .get(WebhookEndpointsService)
    .list(account.id, { limit: 10, offset: 0 });
  const byUrl = Object.fromEntries(endpoints.map((endpoint) => [new URL(endpoint.url).pathname, endpoint]));
  expect(byUrl['/broken']).toMatchObject({ state: 'disabled', disabled_reason: 'failing', last_status: 500 });
  expect(byUrl['/works']).toMatchObject({ state: 'active' });
});

it('an account whose requests hang at a shared host leaves slots there for other accounts', async () => {
  sink.answer = ({ path }, response) => void (path.startsWith('/hangs') || response.end());
  for (let call = 0; call < 50; call++) await write(account, `/hangs/${call}`);
  const dispatcher = await environment.dispatcher();
  await sink.until((received) => received.length === 4);
  const neighbour = await withSecret();
  for (let call = 0; call < 10; call++) await write(neighbour, `/works/${call}`);
  dispatcher.wake();
  await sink.until((received) => received.filter(({ path }) => path.startsWith('/works')).length === 10);
  expect(sink.received.filter(({ path }) => path.startsWith('/hangs'))).toHaveLength(4);
  await sink.close();
});
