import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@app/common';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { apiOf } from '../../support/api-client.js';
import { eventOfCall, eventsOfCall } from '../../support/call-events.js';
import { occursAtMs, RecordingPhone, spokenWords } from '../../support/commanded-calls.js';
import { eventually } from '../../support/eventually.js';
import { Stack } from '../../support/stack.js';
import { loudness, sideOf } from '../../support/stereo-wav.js';
import { WebhookSink } from '../../support/webhook-sink.js';
import { createAccount, type TestAccount } from '../../support/workspace.js';

const CARD = 'Your card is 4111 1111 1111 1111.';
const QUESTION = 'May we record this call?';
const AUDIBLE = 100;

let stack: Stack;
let sink: WebhookSink;
let caller: RecordingPhone;
let colleague: RecordingPhone;
let database: Client;
let hiding: TestAccount;
let asking: TestAccount;

beforeAll(async () => {
  sink = await WebhookSink.start();
  caller = await RecordingPhone.start(27_000, { greetingMs: 10_000, turnMs: 60_000 });
  colleague = await RecordingPhone.start(27_400, { greetingMs: 10_000, turnMs: 60_000 });
  stack = await Stack.start({ env: { LOG_LEVEL: 'silent' } });
  const common = { webhookUrl: `${sink.url}/hook`, trunk: { port: colleague.phone.port } };
  hiding = await createAccount(stack, {
    ...{ name: 'hiding', ...common },
    agent: { greeting: CARD, redaction: { kinds: ['card'] }, conversation: { idle: { after_seconds: 600 } } },
  });
  const destinations = [{ name: 'colleague', to_number: `sip:accept@127.0.0.1:${colleague.phone.port}` }];
  asking = await createAccount(stack, {
    ...{ name: 'asking', ...common },
    agent: {
      recording_consent: { mode: 'ask', message: QUESTION },
      call_transfer: { enabled: true, mode: 'warm', destinations },
    },
  });
  database = new Client({ connectionString: stack.database.url });
  await database.connect();
});

afterAll(async () => {
  await database?.end();
  await stack?.stop();
  await Promise.all([caller?.close(), colleague?.close(), sink?.close()]);
});

const local = (callId: string): string => join(stack.home, 'tmp/recordings', `${callId}.wav`);
const filesIn = (folder: string): Promise<string[]> => readdir(join(stack.home, folder)).catch(() => []);

async function place(account: TestAccount, user: string): Promise<string> {
  const to_number = `sip:${user}@127.0.0.1:${caller.phone.port}`;
  return (await apiOf(stack, account).createCall({ to_number, record: true })).call_id;
}

/** A call whose agent has said the card number, which the local file has. */
async function toldCall(user: string): Promise<{ callId: string; turn: { started_ms: number; ended_ms: number } }> {
  const callId = await place(hiding, user);
  const { data } = await eventOfCall(database, callId, ({ type }) => type === 'turn');
  expect(data).toMatchObject({ role: 'agent', text: 'Your card is [card].' });
  const turn = data as { started_ms: number; ended_ms: number };
  await eventually(
    () => readFile(local(callId)).catch(() => Buffer.alloc(0)),
    (wav) => loudness(sideOf(wav, 'agent'), turn.started_ms, turn.ended_ms) > AUDIBLE,
  );
  return { callId, turn };
}

async function ended(callId: string): Promise<Record<string, unknown>> {
  await sink.until(() => sink.eventsOf(callId).includes('ended'));
  return sink.of(callId).find(({ body }) => body.type === 'post-call')!.body.data;
}

describe('a recording whose secrets cannot be silenced', () => {
  it.each([
    ['is gone', (file: string) => rm(file)],
    ['can neither be written nor removed', (file: string) => rm(file).then(() => mkdir(file))],
  ])(
    'because its file %s is lost with its reason: the call ends as usual and has no recording',
    async (_, breakFile) => {
      const api = apiOf(stack, hiding);
      const { callId } = await toldCall('silent');
      await breakFile(local(callId));
      await api.cancel(callId);
      const error = 'The recording was deleted because the secrets in it could not be silenced.';
      const recording = { url: null, bytes: null, duration_seconds: null, error };
      expect(await ended(callId)).toMatchObject({ status: 'completed', recording_url: null, recording });
      const call = await api.call(callId);
      expect(call).toMatchObject({ status: 'completed', ended_by: 'api', recording_url: null });
      expect(call.summary).not.toBeNull();
      expect(await filesIn(`storage/recordings/${hiding.accountId}`)).toEqual([]);
      const link = await fetch(`${stack.baseUrl}/api/v1/recordings/${callId}`, {
        headers: { authorization: `Bearer ${hiding.token}` },
      });
      expect(link.status).toBe(404);
      await rm(local(callId), { recursive: true, force: true });
    },
  );
});

describe('the recording of a call with consent and a warm transfer', () => {
  const calls = {} as Record<'accepted' | 'refused', string>;
  beforeAll(async () => {
    const run = async (user: string): Promise<string> => {
      const callId = await place(asking, user);
      const isJoined = async () => (await apiOf(stack, asking).call(callId)).transfers.at(-1)?.joined_at ?? null;
      await eventually(isJoined, (at) => at !== null);
      // The two people talk for some sentences.
      const phone = await caller.phone.waitFor((call) => call.requestUser === user);
      const before = phone.said.length;
      await caller.phone.waitFor((call) => call === phone && call.said.length >= before + 2);
      await apiOf(stack, asking).cancel(callId);
      await ended(callId);
      return callId;
    };
    const [accepted, refused] = [await run('press_1_8-yes'), await run('press_2_8-no')];
    Object.assign(calls, { accepted, refused });
  }, 240_000);

  it('has both people from the consent and after the transfer, and not the briefing', async () => {
    const call = await apiOf(stack, asking).call(calls.accepted);
    expect(call).toMatchObject({ recording_consent: { result: 'accepted' }, transfers: [{ status: 'completed' }] });
    const wav = Buffer.from(await (await fetch(call.recording_url!)).arrayBuffer());
    const sides = [sideOf(wav, 'callee'), sideOf(wav, 'agent')] as const;
    const msOf = (time: string): number => Date.parse(time) - Date.parse(call.answered_at!);
    const agreedMs = msOf(call.recording_consent!.at);
    for (const side of sides) expect(loudness(side, 0, agreedMs - 200)).toBe(0);
    const joinedMs = msOf(call.transfers[0]!.joined_at!);
    for (const side of sides) expect(loudness(side, joinedMs + 300)).toBeGreaterThan(AUDIBLE);
    const events = await eventsOfCall(database, calls.accepted);
    const { text } = events.find(({ type }) => type === 'transfer_briefing')!.data;
    const briefing = await spokenWords(String(text));
    expect(occursAtMs(await colleague.heardBy('accept'), briefing)).toEqual(expect.any(Number));
    expect(occursAtMs(sides[1], briefing)).toBeUndefined();
  });

  it('does not exist after a refusal, although the colleague was connected', async () => {
    const call = await apiOf(stack, asking).call(calls.refused);
    expect(call).toMatchObject({ recording_consent: { result: 'refused' }, transfers: [{ status: 'completed' }] });
    expect(call.recording_url).toBeNull();
    expect(sink.of(calls.refused).at(-1)!.body.data.recording).toBeNull();
    expect(await filesIn(`storage/recordings/${asking.accountId}`)).toEqual([`${calls.accepted}.wav`]);
    expect(await filesIn('tmp/recordings')).toEqual([]);
  });
});

// The last test: its dialer dies.
it('a killed dialer leaves the secret on its disk only, until the next dialer deletes it there', async () => {
  const { callId, turn } = await toldCall('silent-killed');
  await stack.kill(stack.processes.find(({ role }) => role === 'dialer')!);
  await database.query(`UPDATE dialers SET lease_until = now() - interval '1 minute'`);
  const api = apiOf(stack, hiding);
  await eventually(
    () => api.call(callId),
    ({ status }) => status === 'failed',
  );
  const left = await readFile(local(callId));
  expect(loudness(sideOf(left, 'agent'), turn.started_ms, turn.ended_ms)).toBeGreaterThan(AUDIBLE);
  // A file that cannot be removed stops neither the start of the dialer nor the removal of the others.
  const kept = `${newId()}.wav`;
  await mkdir(join(stack.home, 'tmp/recordings', kept));
  await stack.add('dialer');
  expect(await api.call(callId)).toMatchObject({ hangup_cause: 'worker_lost', recording_url: null });
  expect(await filesIn('tmp/recordings')).toEqual([kept]);
  expect(await filesIn(`storage/recordings/${hiding.accountId}`)).toEqual([]);
});
