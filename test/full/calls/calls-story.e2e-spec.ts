import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CallOrder } from '@app/client';
import { type SandboxPhone, startSandboxPhone } from '@app/sandbox/phone';
import { apiOf, type ApiClient } from '../../support/api-client.js';
import { PATIENCE_MS } from '../../support/eventually.js';
import { openRedis, type RedisServer } from '../../support/redis.js';
import { Stack } from '../../support/stack.js';
import { loudness, sideOf } from '../../support/stereo-wav.js';
import { WebhookSink } from '../../support/webhook-sink.js';
import { createAccount, type TestAccount } from '../../support/workspace.js';

const WHOLE_STORY = ['initiated', 'ringing', 'in-progress', 'completed', 'ended'];

const BACKENDS = ['postgres', 'redis'] as const;
type Backend = (typeof BACKENDS)[number];
const FIRST_RTP_PORT = { postgres: 28_000, redis: 28_500 };

const untilAll = async (work: Iterable<Promise<unknown>>): Promise<void> => void (await Promise.all(work));

/** The service with its queue in Redis or PostgreSQL, a phone, and conversations shared by several tests. */
class World {
  answered = '';
  withKeys = '';
  byNumber = '';

  private constructor(
    readonly sink: WebhookSink,
    readonly phone: SandboxPhone,
    readonly stack: Stack,
    readonly account: TestAccount,
    private readonly redis: RedisServer | undefined,
  ) {}

  static async open(backend: Backend): Promise<World> {
    const redis = backend === 'redis' ? await openRedis() : undefined;
    const sink = await WebhookSink.start();
    const first = FIRST_RTP_PORT[backend];
    const phone = await startSandboxPhone({
      bind: '127.0.0.1',
      port: 0,
      rtpPorts: { min: first, max: first + 499 },
      ringMs: 100,
      // On a busy machine the greeting may begin late, and the phone must not speak first.
      patience: { greetingMs: PATIENCE_MS },
      log: { debug: () => {}, warn: () => {} },
    });
    const stack = await Stack.start({ queueUrl: redis?.url });
    const account = await createAccount(stack, {
      name: 'acme',
      webhookUrl: `${sink.url}/hook`,
      trunk: { port: phone.port },
      agent: { ring_timeout_seconds: 2 },
    });
    return new World(sink, phone, stack, account, redis);
  }

  /** Conversations take time, so they run in parallel. */
  async converse(): Promise<void> {
    [this.answered, this.withKeys, this.byNumber] = await Promise.all([
      this.place('answer', { metadata: { order: 7 } }),
      this.place('dtmf_menu'),
      this.place('', { to_number: '+1 (555) 000-2295', trunk_id: this.account.trunkId }),
    ]);
  }

  get api(): ApiClient {
    return apiOf(this.stack, this.account);
  }

  uri(extension: string): string {
    return `sip:${extension}@127.0.0.1:${this.phone.port}`;
  }

  async place(extension: string, more: Partial<CallOrder> = {}): Promise<string> {
    return (await this.api.createCall({ to_number: this.uri(extension), ...more })).call_id;
  }

  untilEvent(callId: string, event: string): Promise<void> {
    return this.sink.until(() => this.sink.eventsOf(callId).includes(event));
  }

  async close(): Promise<void> {
    await this.stack.stop();
    await this.phone.close();
    await this.sink.close();
    await this.redis?.stop();
  }
}

const worlds = new Map<Backend, World>();

beforeAll(async () => {
  await untilAll(BACKENDS.map(async (backend) => worlds.set(backend, await World.open(backend))));
  await untilAll([...worlds.values()].map((world) => world.converse()));
  // Six processes begin at once.
});
afterAll(() => untilAll([...worlds.values()].map((world) => world.close())));

// These calls run during the conversations.
describe.each(BACKENDS)('calls, with the queue in %s', (backend) => {
  let world: World;
  let sink: WebhookSink;
  let api: ApiClient;

  beforeAll(() => {
    world = worlds.get(backend)!;
    ({ sink, api } = world);
  });

  const place = (extension: string, more: Partial<CallOrder> = {}) => world.place(extension, more);
  const untilEvent = (callId: string, event: string) => world.untilEvent(callId, event);

  it('a call without recording has no recording file', async () => {
    const callId = await place('hangup_after_1', { record: false });
    await untilEvent(callId, 'ended');
    expect(await api.call(callId)).toMatchObject({ status: 'completed', recording_url: null });
  });

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
    await expect(api.deleteCall(callId)).rejects.toMatchObject({ status: 409 });
    await api.cancel(callId);
    await untilEvent(callId, 'ended');
    expect(await api.call(callId)).toMatchObject({ status: 'cancelled', hangup_cause: 'cancelled', ended_by: 'api' });
    await expect(api.cancel(callId)).rejects.toMatchObject({ status: 409 });
  });

  it('an answered call that is cancelled is hung up and completed', async () => {
    const callId = await place('voicemail');
    await untilEvent(callId, 'in-progress');
    await api.cancel(callId);
    await untilEvent(callId, 'ended');
    expect(await api.call(callId)).toMatchObject({ status: 'completed', ended_by: 'api' });
  });

  it('webhooks that fail are retried with the same id and in order', async () => {
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
  });
});

describe.each(BACKENDS)('conversations, with the queue in %s', (backend) => {
  let world: World;
  let sink: WebhookSink;
  let api: ApiClient;

  beforeAll(() => {
    world = worlds.get(backend)!;
    ({ sink, api } = world);
  });

  const uri = (extension: string) => world.uri(extension);
  const untilEvent = (callId: string, event: string) => world.untilEvent(callId, event);

  it('an answered call sends webhooks from the first ring to the bill', async () => {
    const callId = world.answered;
    await untilEvent(callId, 'ended');

    const webhooks = sink.of(callId);
    expect(webhooks.map((webhook) => webhook.body.event)).toEqual(WHOLE_STORY);
    expect(webhooks.map((webhook) => webhook.body.sequence)).toEqual([1, 2, 3, 4, 5]);
    for (const webhook of webhooks) sink.verify(webhook, world.account.webhookSecret);

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
    // On a busy machine "One moment, please" precedes the greeting, and a gap in it is an end for the phone, which interrupts it.
    expect(transcript).toContainEqual(
      expect.objectContaining({ role: 'agent', text: expect.stringMatching(/^Hello, this/) }),
    );
    expect(transcript.some((turn) => turn.role === 'callee')).toBe(true);
    expect(data.summary).toContain('The agent spoke');
  });

  it('the recording is available at its link, has both sides, and is deleted with the call', async () => {
    const callId = world.answered;
    await untilEvent(callId, 'ended');
    const link = String((await api.call(callId)).recording_url);

    const wav = Buffer.from(await (await fetch(link)).arrayBuffer());
    expect(wav.subarray(0, 4).toString()).toBe('RIFF');
    expect(loudness(sideOf(wav, 'callee'))).toBeGreaterThan(100);
    expect(loudness(sideOf(wav, 'agent'))).toBeGreaterThan(100);

    await api.deleteCall(callId);
    expect((await fetch(link)).status).toBe(404);
    await expect(api.call(callId)).rejects.toMatchObject({ status: 404 });
  });

  it('keys pressed by the callee reach the agent', async () => {
    const callId = world.withKeys;
    await untilEvent(callId, 'ended');
    const { data } = sink.of(callId).at(-1)!.body;
    expect(String(data.summary)).toContain('Keys pressed');
  });

  it('a number is dialled through the trunk', async () => {
    const callId = world.byNumber;
    await untilEvent(callId, 'ended');
    expect(await api.call(callId)).toMatchObject({ to_number: '+15550002295' });
    expect(sink.eventsOf(callId)).toContain('ringing');
  });
});
