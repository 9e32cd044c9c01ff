import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Service } from '../support/service.js';
import { loudness, sideOf } from '../support/stereo-wav.js';
import { StoryAccount } from '../support/story-account.js';

const WHOLE_STORY = ['initiated', 'ringing', 'in-progress', 'completed', 'ended'];

interface Turn {
  role: string;
  text: string;
  started_ms: number;
  ended_ms: number;
}

const service = Service.get();
let account: StoryAccount;
/** The agent says goodbye after the first words or keys. */
const script = {
  rules: ['speech', { digits: '1' }].map((on) => ({ on, say: 'Goodbye.', hang_up: true })),
};
/** Calls that run side by side. */
let answered: string;
let keys: string;
let refused: Record<'busy' | 'reject' | 'no_answer', string>;

beforeAll(async () => {
  account = await StoryAccount.open(service, { ring_timeout_seconds: 2, script });
  const place = (extension: string, order: object = {}) => account.place(account.uri(extension), order);
  answered = await place('answer', { metadata: { order: 7 } });
  keys = await place('press_1');
  refused = { busy: await place('busy'), reject: await place('reject'), no_answer: await place('no_answer') };
});
afterAll(async () => {
  await account?.close();
  await service.close();
});

describe('an answered call', () => {
  it('sends its webhooks in order, each signed and each once', async () => {
    await account.ended(answered);
    const webhooks = account.sink.of(answered);
    expect(webhooks.map(({ body }) => body.event)).toEqual(WHOLE_STORY);
    expect(webhooks.map(({ body }) => body.sequence)).toEqual([1, 2, 3, 4, 5]);
    expect(new Set(webhooks.map(({ headers }) => headers['webhook-id'])).size).toBe(5);
    for (const webhook of webhooks) account.sink.verify(webhook, account.secret);
    expect(webhooks.map(({ body }) => body.type)).toEqual([...Array<string>(4).fill('call-status'), 'post-call']);
  });

  it('is stored with its times, duration, cost and the reason of its end', async () => {
    const call = await account.ended(answered);
    expect(call).toMatchObject({
      status: 'completed',
      hangup_cause: 'agent_hangup',
      ended_by: 'agent',
      direction: 'outbound',
      agent: 'Receptionist',
      to_number: account.uri('answer'),
      metadata: { order: 7 },
      sip_code: null,
    });
    const times = [call.created_at, call.started_at, call.answered_at, call.ended_at].map((time) => Date.parse(time));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(Math.abs(call.duration_seconds - (times[3]! - times[2]!) / 1_000)).toBeLessThanOrEqual(1);
    expect(call.cost).toBeGreaterThan(0);
    const micros = call.costs.map(({ amount }: { amount: number }) => Math.round(amount * 1e6));
    expect(micros.reduce((sum: number, one: number) => sum + one, 0)).toBe(Math.round(call.cost * 1e6));
    const line = (kind: string) => call.costs.find((one: { kind: string }) => one.kind === kind);
    expect(line('carrier_seconds').quantity).toBeCloseTo((times[3]! - times[2]!) / 1_000, 0);
    expect(call.realtime_cost).toBe(line('agent_seconds').amount);
  });

  it('has the conversation in its post-call webhook and in its transcript', async () => {
    await account.ended(answered);
    const { data } = account.sink.of(answered).at(-1)!.body;
    const turns = data['transcript'] as Turn[];
    expect(turns.map(({ role }) => role)).toEqual(['agent', 'callee', 'agent']);
    expect(turns.map(({ text }) => text)).toEqual(['Hello.', expect.any(String), 'Goodbye.']);
    expect(data).toMatchObject({ status: 'completed', metadata: { order: 7 }, tool_calls: [{ name: 'end_call' }] });
    const { body } = await account.me.get(`/api/v1/calls/${answered}/transcript`);
    const spoken = (all: Turn[]) => all.map(({ role, text, started_ms }) => ({ role, text, started_ms }));
    expect(spoken(body.data.turns)).toEqual(spoken(turns));
  });

  it('is recorded in stereo: the callee left, the agent right', async () => {
    const call = await account.ended(answered);
    const response = await fetch(call.recording_url);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'audio/wav']);
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename="${answered}.wav"`);
    expect(response.headers.get('cache-control')).toBe('private, no-store');
    const wav = Buffer.from(await response.arrayBuffer());
    expect(wav.toString('latin1', 0, 4)).toBe('RIFF');
    const [channels, rate, bits] = [wav.readUInt16LE(22), wav.readUInt32LE(24), wav.readUInt16LE(34)];
    expect([channels, rate, bits]).toEqual([2, 8_000, 16]);
    const seconds = (wav.length - 44) / 32_000;
    expect(Math.abs(seconds - call.duration_seconds)).toBeLessThan(2);

    const { data } = account.sink.of(answered).at(-1)!.body;
    expect(data['recording']).toMatchObject({ bytes: wav.length, error: null });
    const { url } = data['recording'] as { url: string };
    expect(Buffer.from(await (await fetch(url)).arrayBuffer()).equals(wav)).toBe(true);
    const [greeting, reply] = data['transcript'] as Turn[];
    const both = ({ started_ms: from, ended_ms: to }: Turn) => ({
      callee: loudness(sideOf(wav, 'callee'), from + 200, to - 200),
      agent: loudness(sideOf(wav, 'agent'), from + 200, to - 200),
    });
    expect(both(greeting!).agent).toBeGreaterThan(100);
    expect(both(greeting!).callee).toBeLessThan(20);
    expect(both(reply!).callee).toBeGreaterThan(100);
    expect(both(reply!).agent).toBeLessThan(20);
  });

  it('has a link to its recording that cannot be changed', async () => {
    const { recording_url: url } = (await account.ended(answered)) as { recording_url: string };
    const later = url.replace(/expires=(\d+)/, (_, at: string) => `expires=${Number(at) + 1}`);
    for (const changed of [later, `${url}x`, url.replace(answered, keys), url.split('?')[0]!])
      expect((await fetch(changed)).status).toBe(404);
    const beyond = await fetch(url, { headers: { range: 'bytes=999999999-' } });
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([
      416,
      expect.stringMatching(/^bytes \*\/\d+$/),
    ]);
  });

  it('tells the agent which keys the callee pressed', async () => {
    const call = await account.ended(keys);
    expect(call.status).toBe('completed');
    expect(call.summary).toContain('Keys pressed: 1.');
  });
});

describe('a call that is not answered', () => {
  it.each([
    ['busy', 'busy', 'busy', 'user_busy', 486],
    ['reject', 'busy', 'busy', 'call_rejected', 603],
    ['no_answer', 'no-answer', 'no_answer', 'no_answer', null],
  ] as const)(
    '%s: the webhook is %s, the status %s, the cause %s',
    async (extension, event, status, cause, sipCode) => {
      const id = refused[extension];
      const call = await account.ended(id);
      const nothing = { cost: null, duration_seconds: null, answered_at: null, answered_by: null, recording_url: null };
      expect(call).toMatchObject({ status, hangup_cause: cause, sip_code: sipCode, ...nothing });
      const events = account.sink.eventsOf(id);
      expect([events[0], ...events.slice(-2)]).toEqual(['initiated', event, 'ended']);
    },
  );
});

describe('several destinations', () => {
  it('in one request become one call each, with the same settings', async () => {
    const to_number = ['status_404', 'status_480', 'busy'].map((extension) => account.uri(extension));
    const { status, body } = await account.post({ to_number, metadata: { list: 'a' } });
    expect([status, body.message]).toEqual([201, expect.stringContaining('3')]);
    const ids: string[] = body.data.map(({ call_id: id }: { call_id: string }) => id);
    const calls = await Promise.all(ids.map((id) => account.ended(id)));
    expect(calls).toMatchObject([
      {
        to_number: to_number[0],
        status: 'failed',
        hangup_cause: 'unallocated_number',
        sip_code: 404,
        metadata: { list: 'a' },
      },
      { to_number: to_number[1], sip_code: 480, metadata: { list: 'a' } },
      { to_number: to_number[2], status: 'busy', hangup_cause: 'user_busy', metadata: { list: 'a' } },
    ]);
  });

  it('are all refused when one of them is invalid', async () => {
    const marker = account.uri('answer-refused');
    const { status, body } = await account.post({ to_number: [marker, 'nobody'] });
    expect([status, Object.keys(body.errors)]).toEqual([422, ['to_number.1']]);
    expect((await account.me.get('/api/v1/calls').query({ search: 'answer-refused' })).body.data).toEqual([]);
  });
});

describe('the end of a call by a request', () => {
  it('a ringing call is cancelled, and cannot be cancelled twice', async () => {
    const id = await account.place(account.uri('answer_after_60'));
    await account.untilEvent(id, 'ringing');
    expect((await account.me.delete(`/api/v1/calls/${id}`)).status).toBe(409);
    expect((await account.me.post(`/api/v1/calls/${id}/cancel`)).status).toBe(200);
    expect(await account.ended(id)).toMatchObject({ status: 'cancelled', hangup_cause: 'cancelled', ended_by: 'api' });
    expect((await account.me.post(`/api/v1/calls/${id}/cancel`)).status).toBe(409);
    expect(account.sink.eventsOf(id)).toEqual(['initiated', 'ringing', 'cancelled', 'ended']);
  });

  it('an answered call that is cancelled is completed; without `record` it has no recording; then it can be deleted', async () => {
    const id = await account.place(account.uri('silent'), { record: false });
    await account.untilEvent(id, 'in-progress');
    expect((await account.me.delete(`/api/v1/calls/${id}`)).status).toBe(409);
    expect((await account.me.post(`/api/v1/calls/${id}/cancel`)).status).toBe(200);
    expect(await account.ended(id)).toMatchObject({ status: 'completed', ended_by: 'api', recording_url: null });
    expect((await account.me.delete(`/api/v1/calls/${id}`)).status).toBe(200);
    expect((await account.me.get(`/api/v1/calls/${id}`)).status).toBe(404);
  });

  it('an ended call that is deleted takes its recording along', async () => {
    const call = await account.ended(answered);
    // The tests above read it first.
    expect((await fetch(call.recording_url)).status).toBe(200);
    expect((await account.me.delete(`/api/v1/calls/${answered}`)).status).toBe(200);
    expect((await fetch(call.recording_url)).status).toBe(404);
    expect((await account.me.get(`/api/v1/calls/${answered}/transcript`)).status).toBe(404);
  });
});
