import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { rotateSecret, type RotatedSecret } from '@app/accounts';
import { inTransaction } from '@app/database';
import { SigningSecrets } from '@app/webhooks';
import { Webhook } from 'standardwebhooks';
import type { WebhookAccount } from './support/webhook-account.js';
import { WebhookHouse } from './support/webhook-house.js';
import type { ReceivedWebhook, WebhookReceiver } from './support/webhook-receiver.js';

let house: WebhookHouse;
let sink: WebhookReceiver;
let account: WebhookAccount;
let first: string;

beforeEach(async () => {
  house = await WebhookHouse.open();
  sink = await house.sink();
  account = await house.account();
  first = await account.addSecret();
});
afterEach(() => house.close());

const rotate = (overlapHours?: number): Promise<RotatedSecret> =>
  inTransaction(house.pool, (sql) =>
    rotateSecret(sql, house.encryption, account.id, overlapHours === undefined ? {} : { overlapHours }),
  );

/** Of the next webhook, sent by a dispatcher that has just started. */
async function signedWith(secrets: string[]): Promise<boolean[]> {
  const before = sink.received.length;
  const dispatcher = house.dispatcher();
  await account.writeStatuses(await account.createCall(), { url: sink.url('/'), method: 'POST' }, 1);
  await sink.until((received) => received.length > before);
  await dispatcher.stop();
  return secrets.map((secret) => verifies(secret, sink.received.at(-1)!));
}

function verifies(secret: string, { body, headers }: ReceivedWebhook): boolean {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}

describe('a rotated secret', () => {
  it('signs beside the one before it, never more than two at once', async () => {
    const second = await rotate();
    expect(second.previous_expires_at!.getTime()).toBeGreaterThan(Date.now() + 23 * 3_600_000);
    expect(await signedWith([first, second.secret])).toEqual([true, true]);
    const third = await rotate();
    expect(await signedWith([first, second.secret, third.secret])).toEqual([false, true, true]);
  });

  it('is the only one at once when no overlap is asked for', async () => {
    const second = await rotate(0);
    expect(await signedWith([first, second.secret])).toEqual([false, true]);
  });

  it('is noticed within five seconds by who has signed with the one before it', async () => {
    let now = 0;
    const secrets = new SigningSecrets(house.pool, house.encryption, () => now);
    expect(await secrets.of(account.id)).toEqual([first]);
    const { secret } = await rotate(0);
    now = 4_999;
    expect(await secrets.of(account.id)).toEqual([first]);
    now = 5_000;
    expect(await secrets.of(account.id)).toEqual([secret]);
    expect(await secrets.of((await house.account()).id)).toEqual([]);
  });

  it('stays one of two when it is rotated by two people at once', async () => {
    const made = await Promise.all([rotate(), rotate(), rotate()]);
    const signing = await signedWith([first, ...made.map(({ secret }) => secret)]);
    expect(signing.filter(Boolean)).toHaveLength(2);
    expect(signing[0]).toBe(false);
  });
});
