import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import type { WebhookAccount } from '../../support/webhook-account.js';
import { WebhookEnvironment } from '../../support/webhook-environment.js';
import type { WebhookReceiver } from '../../support/webhook-receiver.js';

const HOSTS = 200;

let environment: WebhookEnvironment;
let other: WebhookAccount;
let others: WebhookReceiver;
const atEnd: (() => void)[] = [];

beforeEach(async () => {
  environment = await WebhookEnvironment.open();
  other = await environment.account();
  await other.addSecret();
  others = await environment.sink();
});
afterEach(async () => {
  for (const answer of atEnd.splice(0)) answer();
  await environment.close();
});

const post = (receiver: WebhookReceiver, path = '/') => ({ url: receiver.url(path), method: 'POST' });

/** An account whose webhooks go to many hosts. `until` waits for that many requests at all of them together. */
async function manyHosts(count = HOSTS) {
  const account = await environment.account();
  await account.addSecret();
  const hosts = await Promise.all(Array.from({ length: count }, () => environment.sink()));
  let received = 0;
  const waiting = new Set<{ count: number; resolve: () => void }>();
  const hanging: ServerResponse[] = [];
  let hangs = true;
  for (const host of hosts) {
    host.answer = (_, response) => {
      received++;
      if (hangs) hanging.push(response);
      else response.end();
      for (const waiter of waiting) if (received >= waiter.count) waiter.resolve();
    };
  }
  const answer = () => {
    hangs = false;
    for (const response of hanging) response.end();
  };
  // A dispatcher that stops waits for what is under way.
  atEnd.push(answer);
  return {
    account,
    hosts,
    answer,
    received: () => received,
    until: (wanted: number) =>
      new Promise<void>((resolve) => {
        if (received >= wanted) return resolve();
        waiting.add({ count: wanted, resolve });
      }),
  };
}

async function delivered(): Promise<void> {
  const dispatcher = await environment.dispatcher({ sweepMs: 60_000 });
  await other.writeStatuses(await other.createCall(), post(others), 1);
  dispatcher.wake();
  await others.until((received) => received.length === 1);
}

it('an account with 200 hosts that never answer leaves room in claims and slots: a webhook behind its 1,000 calls arrives while they hang', async () => {
  const slow = await manyHosts();
  await slow.account.writeBacklog(environment.pool, 1_000, 1, (n) => post(slow.hosts[n % HOSTS]!, `/${n}`));
  await delivered();
  expect(slow.received()).toBeLessThanOrEqual(12);
});

it('an account with a long backlog and quick hosts takes turns with another account', async () => {
  const busy = await manyHosts(20);
  busy.answer();
  await busy.account.writeBacklog(environment.pool, 2_000, 1, (n) => post(busy.hosts[n % 20]!, `/${n}`));
  await delivered();
  // What was claimed before the other account was seen, and what went out beside its webhook.
  expect(busy.received()).toBeLessThan(512);
});

it('the backlog of a single account at many hosts is delivered without waiting for a sweep', async () => {
  const busy = await manyHosts(20);
  busy.answer();
  await busy.account.writeBacklog(environment.pool, 600, 1, (n) => post(busy.hosts[n % 20]!, `/${n}`));
  await environment.dispatcher({ sweepMs: 60_000 });
  await busy.until(600);
  expect(busy.received()).toBe(600);
});
