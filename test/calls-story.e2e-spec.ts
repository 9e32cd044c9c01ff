import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startSandboxPhone, type SandboxPhone } from '@app/telephony';
import { ApiClient } from './support/api-client.js';
import { openRedis, type RedisServer } from './support/redis.js';
import { Stack } from './support/stack.js';
import { WebhookSink } from './support/webhook-sink.js';
import { createAccount, type TestAccount } from './support/workspace.js';

const WHOLE_STORY = ['initiated', 'ringing', 'in-progress', 'completed', 'ended'];

describe.each(['postgres', 'redis'] as const)('calls, with the queue in %s', (backend) => {
  let redis: RedisServer | undefined;
  let stack: Stack;
  let phone: SandboxPhone;
  let sink: WebhookSink;
  let account: TestAccount;
  let api: ApiClient;
  let answered: string;
  let withKeys: string;
  let byNumber: string;

  beforeAll(async () => {
    redis = backend === 'redis' ? await openRedis() : undefined;
    sink = await WebhookSink.start();
    phone = await startSandboxPhone({
      bind: '127.0.0.1',
      port: 0,
      rtpPorts: { min: 28_000, max: 28_999 },
      ringMs: 100,
      log: { debug: () => {}, warn: () => {} },
    });
    stack = await Stack.start({ queueUrl: redis?.url });
    account = await createAccount(stack, {
      name: 'acme',
      webhookUrl: `${sink.url}/hook`,
      trunk: { port: phone.port },
      agent: { ring_timeout_seconds: 2 },
    });
    api = new ApiClient(stack.baseUrl, account.token);
    // A conversation takes a while: those that several tests look at go on side by side.
    [answered, withKeys, byNumber] = await Promise.all([
      place('answer', { metadata: { order: 7 } }),
      place('dtmf_menu'),
      place('', { to_number: '+1 (555) 000-2295', trunk_id: account.trunkId }),
    ]);
  }, 60_000);

  afterAll(async () => {
    await stack?.stop();
    await phone?.close();
    await sink?.close();
    await redis?.stop();
  });

  const uri = (extension: string) => `sip:${extension}@127.0.0.1:${phone.port}`;
  const place = async (extension: string, more: object = {}) => {
    const data = await api.createCall({
      to_number: uri(extension),
      agent_id: account.agentId,
      number_id: account.numberId,
      ...more,
    });
    return String(data.call_id);
  };
  const untilEvent = (callId: string, event: string) => sink.until(() => sink.eventsOf(callId).includes(event), 60_000);

  it('a call that is answered is told of from the first ring to the bill', async () => {
    const callId = answered;
    await untilEvent(callId, 'ended');

    const webhooks = sink.of(callId);
    expect(webhooks.map((webhook) => webhook.body.event)).toEqual(WHOLE_STORY);
    expect(webhooks.map((webhook) => webhook.body.sequence)).toEqual([1, 2, 3, 4, 5]);
    for (const webhook of webhooks) sink.verify(webhook, account.webhookSecret);

    const call = await api.call(callId);
    expect(call).toMatchObject({ status: 'completed', hangup_cause: 'agent_hangup', to_number: uri('answer') });
    expect(call.duration_seconds).toBeGreaterThan(0);

    const { data } = webhooks[4]!.body;
    expect(data).toMatchObject({ call_id: callId, status: 'completed', cost: call.cost, metadata: { order: 7 } });
    const costs = data.costs as { amount: number }[];
    expect(costs.length).toBeGreaterThan(1);
    expect(costs.reduce((sum, line) => sum + Math.round(line.amount * 1e6), 0)).toBe(
      Math.round(Number(call.cost) * 1e6),
    );
    const transcript = data.transcript as { role: string; text: string }[];
    expect(transcript[0]).toMatchObject({ role: 'agent', text: 'Hello, this is ACME.' });
    expect(transcript.some((turn) => turn.role === 'callee')).toBe(true);
    expect(data.summary).toContain('The agent spoke');
  }, 60_000);

  it('the recording can be fetched with its link, holds both sides, and is gone with the call', async () => {
    const callId = answered;
    await untilEvent(callId, 'ended');
    const link = String((await api.call(callId)).recording_url);

    const wav = Buffer.from(await (await fetch(link)).arrayBuffer());
    expect(wav.subarray(0, 4).toString()).toBe('RIFF');
    expect(loudness(wav, 0)).toBeGreaterThan(100);
    expect(loudness(wav, 1)).toBeGreaterThan(100);

    expect((await api.request('DELETE', `/calls/${callId}`)).status).toBe(200);
    expect((await fetch(link)).status).toBe(404);
    expect((await api.request('GET', `/calls/${callId}`)).status).toBe(404);
  }, 60_000);

  it('a call that is not to be recorded has no recording', async () => {
    const callId = await place('hangup_after_1', { record: false });
    await untilEvent(callId, 'ended');
    expect(await api.call(callId)).toMatchObject({ status: 'completed', recording_url: null });
  }, 60_000);

  it.each([
    ['busy', 'busy', 'busy', 'user_busy', 486],
    ['reject', 'busy', 'busy', 'call_rejected', 603],
    ['no_answer', 'no-answer', 'no_answer', 'no_answer', null],
  ])('extension %s ends with %s', async (extension, event, status, cause, sipCode) => {
    const callId = await place(extension);
    await untilEvent(callId, 'ended');
    const call = await api.call(callId);
    expect(call).toMatchObject({
      status,
      hangup_cause: cause,
      cost: null,
      realtime_cost: null,
      duration_seconds: null,
    });
    expect(call.recording_url).toBeNull();
    expect(call.sip_code).toBe(sipCode);
    expect(sink.eventsOf(callId).slice(-2)).toEqual([event, 'ended']);
  });

  it('a ringing call that is cancelled ends as cancelled', async () => {
    const callId = await place('no_answer');
    await untilEvent(callId, 'ringing');
    expect((await api.request('DELETE', `/calls/${callId}`)).status).toBe(409);
    expect((await api.request('POST', `/calls/${callId}/cancel`)).status).toBe(200);
    await untilEvent(callId, 'ended');
    expect(await api.call(callId)).toMatchObject({ status: 'cancelled', hangup_cause: 'cancelled' });
    expect((await api.request('POST', `/calls/${callId}/cancel`)).status).toBe(409);
  });

  it('an answered call that is cancelled is hung up and completed', async () => {
    const callId = await place('voicemail');
    await untilEvent(callId, 'in-progress');
    expect((await api.request('POST', `/calls/${callId}/cancel`)).status).toBe(200);
    await untilEvent(callId, 'ended');
    expect(await api.call(callId)).toMatchObject({ status: 'completed' });
  });

  it('keys pressed by the callee reach the agent', async () => {
    const callId = withKeys;
    await untilEvent(callId, 'ended');
    const { data } = sink.of(callId).at(-1)!.body;
    expect(String(data.summary)).toContain('Keys pressed');
  }, 60_000);

  it('a number is dialled through the trunk', async () => {
    const callId = byNumber;
    await untilEvent(callId, 'ended');
    expect(await api.call(callId)).toMatchObject({ to_number: '+15550002295' });
    expect(sink.eventsOf(callId)).toContain('ringing');
  }, 60_000);

  it('webhooks that fail are sent again, with the same id, and the order holds', async () => {
    let failures = 2;
    sink.answerWith((webhook) => (webhook.path === '/flaky' && failures-- > 0 ? 503 : 200));
    const callId = await place('hangup_after_1', {
      record: false,
      call_status_webhook_url: `${sink.url}/flaky`,
      post_call_webhook_url: `${sink.url}/flaky`,
    });
    await untilEvent(callId, 'ended');
    const ids = sink.of(callId).map((webhook) => webhook.body.id);
    expect(sink.eventsOf(callId)).toEqual(['initiated', 'initiated', ...WHOLE_STORY]);
    expect(new Set(ids).size).toBe(5);
    expect(new Set(sink.of(callId).map((webhook) => webhook.headers['webhook-id'])).size).toBe(5);
    sink.answerWith(() => 200);
  }, 60_000);
});

/** Root mean square of one channel of a stereo 16-bit WAV. */
function loudness(wav: Buffer, channel: 0 | 1): number {
  let sum = 0;
  let count = 0;
  for (let at = 44 + channel * 2; at + 1 < wav.length; at += 4, count++) sum += wav.readInt16LE(at) ** 2;
  return Math.sqrt(sum / count);
}
