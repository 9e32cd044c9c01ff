import { SigningSecretsService } from '../secrets/webhook-secrets.service.js';
import { WebhookDispatcherService } from './webhook-dispatcher.service.js';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { EventEmitter, once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { inTransaction } from '@app/database';
import { eventually } from '../../../../test/support/eventually.js';
import type { WebhookAccount } from '../../../../test/support/webhook-account.js';
import { afterStoredOutcomes, WebhookEnvironment } from '../../../../test/support/webhook-environment.js';
import type { ReceivedWebhook, WebhookReceiver } from '../../../../test/support/webhook-receiver.js';

let environment: WebhookEnvironment;
let sink: WebhookReceiver;
let account: WebhookAccount;

beforeEach(async () => {
  environment = await WebhookEnvironment.open();
  sink = await environment.sink();
  account = await environment.account();
  await account.addSecret();
});
afterEach(() => environment.close());

const post = (receiver: WebhookReceiver, path: string) => ({ url: receiver.url(path), method: 'POST' });
const sequenceOf = ({ headers }: ReceivedWebhook) => Number(headers['webhook-sequence']);
const idOf = ({ headers }: ReceivedWebhook) => String(headers['webhook-id']);

/** Sequences in order of first arrival, by path; every test gives each stream a path of its own. */
function firstArrivals(received: readonly ReceivedWebhook[]): Map<string, number[]> {
  const streams = new Map<string, number[]>();
  const seen = new Set<string>();
  for (const webhook of received) {
    if (seen.has(idOf(webhook))) continue;
    seen.add(idOf(webhook));
    streams.set(webhook.path, [...(streams.get(webhook.path) ?? []), sequenceOf(webhook)]);
  }
  return streams;
}

async function writeStreams(streams: number, events: number): Promise<void> {
  for (let stream = 0; stream < streams; stream++)
    await account.writeStatuses(await account.createCall(), post(sink, `/${stream}`), events);
}

const openDeliveries = async (): Promise<number> => {
  const { rows } = await environment.pool.query<{ count: string }>(
    `SELECT count(*) FROM webhook_deliveries WHERE state <> 'delivered'`,
  );
  return Number(rows[0]?.count);
};

describe('two dispatchers', () => {
  it('deliver 500 events of 50 streams once each and in order', async () => {
    await writeStreams(50, 10);
    const dispatchers = [await environment.dispatcher(), await environment.dispatcher()];
    await sink.until((received) => received.length >= 500);
    await Promise.all(dispatchers.map((dispatcher) => dispatcher.stop()));
    expect(sink.received).toHaveLength(500);
    expect(await openDeliveries()).toBe(0);
    const streams = firstArrivals(sink.received);
    expect(streams.size).toBe(50);
    for (const order of streams.values()) expect(order).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it('keep the order when every fifth answer is an error', async () => {
    let answers = 0;
    sink.answer = (_, response) => response.writeHead(answers++ % 5 === 0 ? 500 : 200).end();
    await writeStreams(20, 5);
    await environment.dispatcher();
    await environment.dispatcher();
    await sink.until((received) => new Set(received.map(idOf)).size === 100);
    for (const order of firstArrivals(sink.received).values()) expect(order).toEqual([1, 2, 3, 4, 5]);
  });

  it('take over a stream when its lease ends, without reordering, and ignore a late outcome', async () => {
    const hanging: ServerResponse[] = [];
    sink.answer = (_, response) => {
      if (hanging.length < 2) hanging.push(response);
      else response.end();
    };
    const [first] = await account.writeStatuses(await account.createCall(), post(sink, '/'), 3);
    const frozen = await environment.dispatcher({ leaseMs: 300, sweepMs: 60_000 });
    await sink.until((received) => received.length === 1);
    await environment.dispatcher();
    await sink.until((received) => received.length === 2);
    hanging[0]?.writeHead(500).end();
    await environment.logs.first({ msg: 'the outcome of a webhook attempt was lost with its lease' });
    expect(await environment.delivery(first!.id)).toMatchObject({ state: 'pending', attempts: 0 });
    hanging[1]?.end();
    await sink.until((received) => received.length === 4);
    expect(sink.received.map(sequenceOf)).toEqual([1, 1, 2, 3]);
    expect(idOf(sink.received[1]!)).toBe(idOf(sink.received[0]!));
    await frozen.stop();
    expect(await environment.delivery(first!.id)).toMatchObject({ state: 'delivered', attempts: 1, last_status: 200 });
    expect(await environment.attempts(first!.id)).toHaveLength(1);
  });
});

describe('a dispatcher', () => {
  it('sends a delivery that is written while it waits for the answer to the previous one', async () => {
    const hanging: ServerResponse[] = [];
    sink.answer = (_, response) => void (hanging.length === 0 ? hanging.push(response) : response.end());
    const call = await account.createCall();
    await account.writeEvent(call, post(sink, '/'), 1);
    await environment.dispatcher();
    await sink.until((received) => received.length === 1);
    await account.writeEvent(call, post(sink, '/'), 2);
    hanging[0]?.end();
    await sink.until((received) => received.length === 2);
    expect(sink.received.map(sequenceOf)).toEqual([1, 2]);
  });

  it('lets the post-call wait for the events before it, for a limited time', async () => {
    sink.answer = ({ headers }, response) => {
      response.statusCode = headers['webhook-sequence'] === '1' ? 500 : 200;
      response.end();
    };
    const fastMs = [0, 100, 60_000, 60_000, 60_000];
    const schedule = { fastMs, slowMs: [60_000], jitter: 0, fastLimitMs: 0, slowLimitMs: 0 };
    await environment.dispatcher({ schedule, postCallWaitMs: 1_500 });
    const callId = await account.createCall();
    await account.writeStatuses(callId, post(sink, '/'), 1);
    const last = await account.writePostCall(callId, post(sink, '/'), 2);
    await environment.logs.first({ delivery_id: last.id, state: 'delivered' });
    expect(sink.received.map(sequenceOf)).toEqual([1, 1, 2]);
  });

  it('does not send under a lease that ended before the request was written', async () => {
    const worker = await environment.worker({ leaseMs: 2_000, sweepMs: 60_000 });
    const [secrets, frozen] = [worker.get(SigningSecretsService), worker.get(WebhookDispatcherService)];
    const held: (() => void)[] = [];
    const untilHeld = new EventEmitter();
    // The process stands still between the check of the lease and the request.
    const of = secrets.of.bind(secrets);
    jest.spyOn(secrets, 'of').mockImplementation(async (accountId) => {
      await new Promise<void>((resolve) => {
        held.push(resolve);
        untilHeld.emit('held');
      });
      return of(accountId);
    });
    const [record] = await account.writeStatuses(await account.createCall(), post(sink, '/'), 1);
    frozen.wake();
    if (held.length === 0) await once(untilHeld, 'held');

    await environment.dispatcher();
    await environment.logs.first({ delivery_id: record!.id, state: 'delivered' });
    held[0]?.();
    await environment.logs.first({ msg: 'the lease of a webhook stream expired before its request was written' });
    await frozen.stop();
    expect(sink.received).toHaveLength(1);
    expect(await environment.attempts(record!.id)).toHaveLength(1);
  });

  it('has at most 16 webhooks sent and not stored, even when rows of their outcomes are locked', async () => {
    const other = await environment.account();
    await other.addSecret();
    const hanging: { path: string; response: ServerResponse }[] = [];
    sink.answer = ({ path }, response) => void hanging.push({ path, response });
    const statements = new EventEmitter();
    const worker = await environment.worker({ perHost: 100, sweepMs: 60_000 });
    afterStoredOutcomes(worker, () => statements.emit('settled'));
    for (let stream = 0; stream < 30; stream++) {
      await account.writeStatuses(await account.createCall(), post(sink, `/${stream}`), 1);
      await other.writeStatuses(await other.createCall(), post(sink, `/other-${stream}`), 1);
    }
    worker.get(WebhookDispatcherService).wake();
    await sink.until((received) => received.length === 14);
    await inTransaction(environment.pool, async (sql) => {
      const locked = hanging.slice(0, 4).map(({ path }) => sink.url(path));
      await sql.query('SELECT 1 FROM webhook_streams WHERE url = ANY ($1) FOR UPDATE', [locked]);
      for (const { response } of hanging.splice(0)) response.end();
      // The first statement stores ten, and four come back; those are offered again and again.
      for (let statement = 0; statement < 4; statement++) await once(statements, 'settled');
      expect(await openDeliveries()).toBe(50);
      expect(hanging.length).toBeLessThanOrEqual(12);
    });
    sink.answer = (_, response) => response.end();
    for (const { response } of hanging) response.end();
    await eventually(openDeliveries, (open) => open === 0);
    expect(new Set(sink.received.map(idOf)).size).toBe(60);
  });

  it('stores an outcome once when the answer to its statement is lost', async () => {
    const worker = await environment.worker({ sweepMs: 60_000 });
    let statements = 0;
    afterStoredOutcomes(worker, () => {
      if ((statements += 1) === 1) throw new Error('The connection is cut.');
    });
    const deliveries = await account.writeStatuses(await account.createCall(), post(sink, '/'), 2);
    worker.get(WebhookDispatcherService).wake();
    await sink.until((received) => received.length === 2);
    await eventually(openDeliveries, (open) => open === 0);
    const attempts = await Promise.all(deliveries.map(({ id }) => environment.attempts(id)));
    expect(attempts.map(({ length }) => length)).toEqual([1, 1]);
    expect(sink.received.map(sequenceOf)).toEqual([1, 2]);
  });
});

it('the post-call of a call is written once although the call is finished twice', async () => {
  const call = await account.createCall();
  const first = await account.writePostCall(call, post(sink, '/'), 5);
  await account.writePostCall(call, post(sink, '/other'), 6);
  const { rows } = await environment.pool.query('SELECT id FROM webhook_deliveries');
  expect(rows).toEqual([{ id: first.id }]);
});

const leases = async (): Promise<unknown[]> =>
  (await environment.pool.query('SELECT id FROM webhook_streams WHERE lease_owner IS NOT NULL')).rows;

it('a backlog for one host that exceeds the leases of a dispatcher is delivered without waiting for a sweep', async () => {
  await writeStreams(100, 1);
  await environment.dispatcher({ sweepMs: 60_000 });
  await sink.until((received) => received.length === 100);
  expect(new Set(sink.received.map(idOf)).size).toBe(100);
});

it('a drain ends when nothing is due any more, while the last webhooks are in flight', async () => {
  const dispatcher = await environment.dispatcher({ sweepMs: 60_000 });
  const hanging: ServerResponse[] = [];
  sink.answer = (_, response) => void hanging.push(response);
  await writeStreams(20, 1);
  const drains = Promise.all([dispatcher.drain(), dispatcher.drain()]);
  await sink.until((received) => received.length === 4);
  sink.answer = (_, response) => response.end();
  for (const response of hanging.splice(1)) response.end();
  await drains;
  const { rows } = await environment.pool.query(
    'SELECT 1 FROM webhook_streams WHERE next_at <= now() AND lease_owner IS NULL',
  );
  expect([rows, (await leases()).length > 0]).toEqual([[], true]);
  hanging[0]!.end();
});

describe('a dispatcher that is stopped', () => {
  it('finishes the requests in flight and leaves the rest to another one, without repeating any', async () => {
    const waiting: ServerResponse[] = [];
    sink.answer = (_, response) => void waiting.push(response);
    await writeStreams(10, 2);
    const dispatcher = await environment.dispatcher();
    await sink.until((received) => received.length === 4);
    const stopped = dispatcher.stop();
    for (const response of waiting) response.end();
    await stopped;
    expect(sink.received).toHaveLength(4);
    expect(await leases()).toEqual([]);
    await dispatcher.drain();

    sink.answer = (_, response) => response.end();
    const next = await environment.dispatcher();
    await sink.until((received) => received.length === 20);
    await next.stop();
    for (const order of firstArrivals(sink.received).values()) expect(order).toEqual([1, 2]);
    expect(await leases()).toEqual([]);
  });
});

describe('a receiver that never answers', () => {
  it('does not delay webhooks to other receivers', async () => {
    const slow = await environment.sink();
    slow.answer = () => undefined;
    for (let call = 0; call < 100; call++)
      await account.writeStatuses(await account.createCall(), post(slow, `/${call}`), 3);
    const dispatcher = await environment.dispatcher();
    await slow.until((received) => received.length === 4);

    // All of them arrive before the first attempt at the slow one ends, after 10 s; bench/webhooks measures how fast.
    for (let call = 0; call < 10; call++) {
      await account.writeStatuses(await account.createCall(), post(sink, `/${call}`), 1);
      dispatcher.wake();
      await sink.until((received) => received.length === call + 1);
    }
    expect(slow.received).toHaveLength(4);
    await slow.close();
  });
});

describe('the database', () => {
  it('may hold a stream locked: other streams do not wait, and the outcome is stored when the lock is gone', async () => {
    const callId = await account.createCall();
    const [record] = await account.writeStatuses(callId, post(sink, '/'), 1);
    const dispatcher = await environment.dispatcher({ sweepMs: 60_000 });
    let answer: ServerResponse | undefined;
    sink.answer = (_, response) => (answer = response);
    await sink.until((received) => received.length === 1);
    await inTransaction(environment.pool, async (sql) => {
      await sql.query('SELECT 1 FROM webhook_streams WHERE call_id = $1 FOR UPDATE', [callId]);
      answer?.end();
      // Another stream goes its way meanwhile.
      sink.answer = (_, response) => response.end();
      const [other] = await account.writeStatuses(await account.createCall(), post(sink, '/other'), 1);
      dispatcher.wake();
      await environment.logs.first({ delivery_id: other!.id, state: 'delivered' });
      expect(await environment.delivery(record!.id)).toMatchObject({ state: 'pending', attempts: 0 });
    });
    await environment.logs.first({ delivery_id: record!.id, state: 'delivered' });
    expect(sink.received).toHaveLength(2);
  });

  it('may cut all connections: no webhook is lost, the order holds, and few are repeated', async () => {
    await writeStreams(30, 5);
    const cuts: Promise<void>[] = [];
    const starting = environment.dispatcher();
    const answer = async (response: ServerResponse, isCut: boolean): Promise<void> => {
      // Until then other parts of the process read the database.
      await starting;
      response.end();
      if (isCut) cuts.push(environment.cutConnections());
    };
    sink.answer = (_, response) => void answer(response, sink.received.length % 40 === 20);
    const dispatcher = await starting;
    await sink.until((received) => new Set(received.map(idOf)).size === 150);
    await dispatcher.stop();
    await Promise.all(cuts);
    expect(cuts.length).toBeGreaterThan(2);
    for (const order of firstArrivals(sink.received).values()) expect(order).toEqual([1, 2, 3, 4, 5]);
    expect(sink.received.length).toBeLessThanOrEqual(150 + 16 * cuts.length);
  });
});
