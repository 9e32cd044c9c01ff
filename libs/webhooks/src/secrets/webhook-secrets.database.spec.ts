import { THE_SERVICE } from '@app/audit';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { type RotatedSecret, SigningSecretsService, WebhookSecretsService } from './webhook-secrets.service.js';
import type { WebhookAccount } from '../../../../test/support/webhook-account.js';
import { WebhookEnvironment } from '../../../../test/support/webhook-environment.js';

let environment: WebhookEnvironment;

beforeAll(async () => {
  environment = await WebhookEnvironment.open();
});
afterAll(() => environment?.close());

const rotate = ({ id }: WebhookAccount, overlapHours?: number): Promise<RotatedSecret> =>
  environment.services.get(WebhookSecretsService).rotate({ accountId: id, actor: THE_SERVICE }, overlapHours);

it('a rotated secret takes effect within five seconds in a process that signed with the previous one', async () => {
  const account = await environment.account();
  const first = await account.addSecret();
  const startedAt = performance.now();
  const clock = jest.spyOn(performance, 'now').mockReturnValue(startedAt);
  const secrets = environment.services.get(SigningSecretsService);
  expect(await secrets.of(account.id)).toEqual([first]);
  const { secret } = await rotate(account, 0);
  clock.mockReturnValue(startedAt + 4_999);
  expect(await secrets.of(account.id)).toEqual([first]);
  clock.mockReturnValue(startedAt + 5_000);
  expect(await secrets.of(account.id)).toEqual([secret]);
  expect(await secrets.of((await environment.account()).id)).toEqual([]);
  clock.mockRestore();
});

it('never more than two secrets sign after concurrent rotations, and the first one no more', async () => {
  const account = await environment.account();
  const first = await account.addSecret();
  const made = await Promise.all([rotate(account), rotate(account), rotate(account)]);
  const signing = await environment.services.get(SigningSecretsService).of(account.id);
  expect(signing).toHaveLength(2);
  expect(made.map(({ secret }) => secret)).toEqual(expect.arrayContaining(signing));
  expect(signing).not.toContain(first);
});
