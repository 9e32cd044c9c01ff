import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CallOrder } from '@app/client';
import { type SandboxPhone, startSandboxPhone } from '@app/sandbox/phone';
import { apiOf, type ApiClient } from '../../support/api-client.js';
import { openRedis, type RedisServer } from '../../support/redis.js';
import { Stack } from '../../support/stack.js';
import { WebhookSink } from '../../support/webhook-sink.js';
import { createAccount } from '../../support/workspace.js';

const WHOLE_STORY = ['initiated', 'ringing', 'in-progress', 'completed', 'ended'];

describe('calls, with the queue in Redis', () => {
  let redis: RedisServer;
  let sink: WebhookSink;
  let phone: SandboxPhone;
  let stack: Stack;
  let api: ApiClient;

  beforeAll(async () => {
    redis = await openRedis();
    sink = await WebhookSink.start();
    const log = { debug: () => {}, warn: () => {} };
    const rtpPorts = { min: 28_500, max: 28_599 };
    phone = await startSandboxPhone({ bind: '127.0.0.1', port: 0, rtpPorts, ringMs: 100, log });
    stack = await Stack.start({ queueUrl: redis.url });
    api = apiOf(stack, await createAccount(stack, { name: 'acme', webhookUrl: `${sink.url}/hook` }));
  });
  afterAll(async () => {
    await stack?.stop();
    await phone?.close();
    await sink?.close();
    await redis?.stop();
  });

  const place = async (extension: string, more: Partial<CallOrder> = {}): Promise<string> =>
    (await api.createCall({ to_number: `sip:${extension}@127.0.0.1:${phone.port}`, record: false, ...more })).call_id;
  const untilEvent = (callId: string, event: string) => sink.until(() => sink.eventsOf(callId).includes(event));

  it('a call is dialled and answered, and webhooks that fail are retried with the same id and in order', async () => {
    let failures = 2;
    sink.answerWith((webhook) => (webhook.path === '/flaky' && failures-- > 0 ? 503 : 200));
    const url = `${sink.url}/flaky`;
    const callId = await place('hangup_after_1', { call_status_webhook_url: url, post_call_webhook_url: url });
    await untilEvent(callId, 'ended');
    expect(await api.call(callId)).toMatchObject({ status: 'completed', recording_url: null });
    expect(sink.eventsOf(callId)).toEqual(['initiated', 'initiated', ...WHOLE_STORY]);
    expect(new Set(sink.of(callId).map((webhook) => webhook.headers['webhook-id'])).size).toBe(5);
  });

  it('a ringing call is cancelled', async () => {
    const callId = await place('answer_after_60');
    await untilEvent(callId, 'ringing');
    await api.cancel(callId);
    await untilEvent(callId, 'ended');
    expect(await api.call(callId)).toMatchObject({ status: 'cancelled', hangup_cause: 'cancelled', ended_by: 'api' });
  });
});
