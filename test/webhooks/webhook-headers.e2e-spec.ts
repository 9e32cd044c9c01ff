import { afterAll, expect, it } from '@jest/globals';
import { Service } from '../support/service.js';
import { StoryAccount } from '../support/story-account.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const service = Service.get();
afterAll(() => service.close());

it("sends an agent's webhook headers only to the host and port that they were stored for", async () => {
  const [own, elsewhere, account] = await Promise.all([
    WebhookReceiver.start(),
    WebhookReceiver.start(),
    StoryAccount.open(service),
  ]);
  const headers = [{ key: 'Authorization', value: 'Bearer of the agent' }];
  const webhook = (path: string) => ({ url: own.url(path), headers });
  const changed = await account.me
    .patch(`/api/v1/agents/${account.agentId}`)
    .send({ call_status_webhook: webhook('/status'), post_call_webhook: webhook('/ended') });
  expect([changed.status, changed.body.errors]).toEqual([200, undefined]);
  const sentTo = async (receiver: WebhookReceiver, url: string, order: object = {}) => {
    const before = receiver.received.length;
    await account.place(account.uri('busy'), { call_status_webhook_url: url, post_call_webhook_url: url, ...order });
    await receiver.until((received) => received.length === before + 3);
    return receiver.received.slice(before).map((one) => one.headers.authorization);
  };
  expect(await sentTo(own, own.url('/other'))).toEqual(Array(3).fill('Bearer of the agent'));
  expect(await sentTo(elsewhere, elsewhere.url('/status'))).toEqual(Array(3).fill(undefined));
  // A call may give headers of its own.
  const given = [{ key: 'Authorization', value: 'Bearer of the call' }];
  const order = { call_status_webhook_headers: given, post_call_webhook_headers: given };
  expect(await sentTo(elsewhere, elsewhere.url('/status'), order)).toEqual(Array(3).fill('Bearer of the call'));
  await Promise.all([own.close(), elsewhere.close(), account.close()]);
});
