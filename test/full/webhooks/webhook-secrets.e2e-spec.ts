import { THE_SERVICE } from '@app/audit';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type RotatedSecret, SigningSecrets, WebhookSecretsService } from '@app/webhooks';
import { Webhook } from 'standardwebhooks';
import type { WebhookAccount } from '../../support/webhook-account.js';
import { WebhookEnvironment } from '../../support/webhook-environment.js';
import type { ReceivedWebhook, WebhookReceiver } from '../../support/webhook-receiver.js';

let environment: WebhookEnvironment;
let sink: WebhookReceiver;
let account: WebhookAccount;
let first: string;

beforeEach(async () => {
  environment = await WebhookEnvironment.open();
  sink = await environment.sink();
  account = await environment.account();
  first = await account.addSecret();
});
afterEach(() => environment.close());

const rotate = (overlapHours?: number): Promise<RotatedSecret> =>
  environment.services.get(WebhookSecretsService).rotate({ accountId: account.id, actor: THE_SERVICE }, overlapHours);

/** Which of the secrets signed the next webhook, sent by a dispatcher that has just started. */
async function signedWith(secrets: string[]): Promise<boolean[]> {
  const before = sink.received.length;
  const dispatcher = await environment.dispatcher();
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
  it('signs beside the previous secret, and never more than two sign at once', async () => {
    const second = await rotate();
    expect(second.previous_expires_at!.getTime()).toBeGreaterThan(Date.now() + 23 * 3_600_000);
    expect(await signedWith([first, second.secret])).toEqual([true, true]);
    const third = await rotate();
    expect(await signedWith([first, second.secret, third.secret])).toEqual([false, true, true]);
  });

  it('is the only secret at once when the overlap is 0 hours', async () => {
    const second = await rotate(0);
    expect(await signedWith([first, second.secret])).toEqual([false, true]);
  });

  it('takes effect within five seconds in a process that signed with the previous secret', async () => {
    const startedAt = performance.now();
    const clock = jest.spyOn(performance, 'now').mockReturnValue(startedAt);
    const secrets = environment.services.get(SigningSecrets);
    expect(await secrets.of(account.id)).toEqual([first]);
    const { secret } = await rotate(0);
    clock.mockReturnValue(startedAt + 4_999);
    expect(await secrets.of(account.id)).toEqual([first]);
    clock.mockReturnValue(startedAt + 5_000);
    expect(await secrets.of(account.id)).toEqual([secret]);
    expect(await secrets.of((await environment.account()).id)).toEqual([]);
    clock.mockRestore();
  });

  it('is never one of more than two after concurrent rotations', async () => {
    const made = await Promise.all([rotate(), rotate(), rotate()]);
    const signing = await signedWith([first, ...made.map(({ secret }) => secret)]);
    expect(signing.filter(Boolean)).toHaveLength(2);
    expect(signing[0]).toBe(false);
  });
});
