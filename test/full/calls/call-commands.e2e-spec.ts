import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { bodyOf } from '@app/client';
import { Client } from 'pg';
import { CommandedCall, occursAtMs, RecordingPhone, spokenWords } from '../../support/commanded-calls.js';
import { eventually } from '../../support/eventually.js';
import { Stack } from '../../support/stack.js';
import { loudness, sideOf } from '../../support/stereo-wav.js';
import { createAccount, type TestAccount } from '../../support/workspace.js';

const WORDS = 'Your technician has just arrived at your street.';
const SECRET = 'Please tell me the number of your credit card.';
const LONG = 'Hello, this is ACME, and we have a lot to tell you about our services today. '.repeat(5);
const AUDIBLE = 100;
/** PCMU has a smallest step of 8. */
const SILENT = 10;
/** A frame that was on its way, and the clocks of two processes. */
const MARGIN_MS = 120;

let stack: Stack;
let phone: RecordingPhone;
let colleague: RecordingPhone;
let account: TestAccount;
let talkative: TestAccount;
let strict: TestAccount;
let database: Client;

/** Two dialers: a command must reach the one that owns the call. */
beforeAll(async () => {
  [phone, colleague, stack] = await Promise.all([
    RecordingPhone.start(29_200),
    RecordingPhone.start(29_400),
    Stack.start({ dialers: 2 }),
  ]);
  const trunk = { port: colleague.phone.port };
  const agent = { ring_timeout_seconds: 3, conversation: { idle: { after_seconds: 600 } } };
  account = await createAccount(stack, { name: 'acme', trunk, agent });
  talkative = await createAccount(stack, { name: 'talkative', trunk, agent: { ...agent, greeting: LONG } });
  strict = await createAccount(stack, { name: 'strict', trunk, agent });
  database = new Client({ connectionString: stack.database.url });
  await database.connect();
});

afterAll(async () => {
  await database?.end();
  await stack?.stop();
  await Promise.all([phone?.close(), colleague?.close()]);
});

let users = 0;
/** A call to a phone that answers and never speaks. */
const place = (by = account, order: Record<string, unknown> = {}): Promise<CommandedCall> =>
  CommandedCall.place(stack, by, { user: `silent-${++users}`, port: phone.phone.port }, order);

describe('commands to a live call', () => {
  it('`say` is heard by the phone, word for word, and acknowledged when it was heard', async () => {
    const call = await place();
    await call.greeted();
    const said = await call.run({ type: 'say', text: WORDS });
    expect(said).toMatchObject({ type: 'say', number: 1, status: 'done', error: null, result: { text: WORDS } });
    await call.hangUp();

    const heardAt = occursAtMs(await phone.heardBy(call.user), await spokenWords(WORDS));
    const turn = call.stream.events.find(({ data }) => data.command_id === said.command_id && data.turn !== undefined)!;
    expect(turn).toMatchObject({ type: 'turn', data: { role: 'agent', text: WORDS, truncated: false } });
    expect(heardAt).toBeGreaterThan(Number(turn.data.started_ms) - MARGIN_MS);
    const effectiveMs = await call.msOf(said.effective_at);
    expect(Math.abs(effectiveMs - Number(turn.data.ended_ms))).toBeLessThan(MARGIN_MS);
    expect(effectiveMs).toBeGreaterThan(heardAt! + 400);
  });

  it('`mute_agent` leaves silence on the phone until `unmute_agent`', async () => {
    const call = await place(talkative);
    await call.until(({ type }) => type === 'turn_started');
    const muted = await call.run({ type: 'mute_agent' });
    await call.run({ type: 'send_dtmf', digits: '123' });
    const unmuted = await call.run({ type: 'unmute_agent' });
    await call.run({ type: 'inject', note: 'Go on.', respond: true });
    await call.until(({ type, data }) => type === 'turn' && String(data.text).includes('Go on'));
    await call.hangUp();

    const heard = await phone.heardBy(call.user);
    const [from, to] = await Promise.all([call.msOf(muted.effective_at), call.msOf(unmuted.effective_at)]);
    expect(to - from).toBeGreaterThan(1_000);
    expect(loudness(heard, 0, from)).toBeGreaterThan(AUDIBLE);
    expect(loudness(heard, from + MARGIN_MS, to - MARGIN_MS)).toBeLessThan(SILENT);
    expect(loudness(heard, to)).toBeGreaterThan(AUDIBLE);
  });

  it('`pause_recording` leaves silence in the recording, and no words and keys in the transcript, while the phone hears them', async () => {
    const call = await place(talkative);
    await call.until(({ type }) => type === 'turn_started');
    await call.run({ type: 'pause_recording' });
    expect(await call.run({ type: 'say', text: SECRET, when: 'now' })).toMatchObject({ status: 'done' });
    await call.run({ type: 'send_dtmf', digits: '47' });
    await call.run({ type: 'resume_recording' });
    await call.run({ type: 'say', text: WORDS, when: 'now' });
    await call.run({ type: 'send_dtmf', digits: '8' });
    await call.hangUp();

    const record = await call.api.call(call.id);
    const wav = Buffer.from(await (await fetch(String(record.recording_url))).arrayBuffer());
    const [said, heard] = [sideOf(wav, 'agent'), await phone.heardBy(call.user)];
    const [secret, words] = await Promise.all([spokenWords(SECRET), spokenWords(WORDS)]);
    expect([occursAtMs(heard, secret), occursAtMs(heard, words)]).toEqual([expect.any(Number), expect.any(Number)]);
    expect(occursAtMs(said, secret)).toBeUndefined();
    // The recording keeps its length: what follows the pause is at its time.
    expect(Math.abs(occursAtMs(said, words)! - occursAtMs(heard, words)!)).toBeLessThan(1_000);

    const { events } = call.stream;
    const of = (name: string, field: string) =>
      events.filter(({ type }) => type === name).map(({ data }) => data[field]);
    expect(events.filter(({ type }) => /^recording_/.test(type)).map(({ type }) => type)).toEqual([
      'recording_paused',
      'recording_resumed',
    ]);
    expect(of('turn', 'text')).toEqual(['[recording paused]', '[recording paused]', WORDS]);
    expect(of('dtmf_sent', 'digits')).toEqual(['[recording paused]', '8']);
  });

  it('are executed in the order of their requests, one after the other, and soon', async () => {
    const call = await place();
    const types = ['mute_agent', 'send_dtmf', 'unmute_agent', 'pause_recording', 'resume_recording'] as const;
    const sent = [];
    for (const type of types) sent.push(await call.send({ type, ...(type === 'send_dtmf' && { digits: '1' }) }));
    await call.ended(sent.at(-1)!);
    const commands = await call.commands();
    expect(commands.map(({ number, type, status }) => [number, type, status])).toEqual(
      types.map((type, at) => [at + 1, type, 'done']),
    );
    commands.slice(1).forEach(({ started_at }, at) => {
      expect(Date.parse(started_at!)).toBeGreaterThanOrEqual(Date.parse(commands[at]!.finished_at!));
    });

    const delays: number[] = [];
    for (let n = 0; n < 11; n++) {
      const { created_at, effective_at } = await call.run({ type: n % 2 ? 'unmute_agent' : 'mute_agent' });
      delays.push(Date.parse(effective_at!) - Date.parse(created_at));
    }
    // 15 to 110 ms on an idle machine, whichever dialer was woken.
    expect(delays.toSorted((a, b) => a - b)[5]).toBeLessThan(400);
    await call.hangUp();
  });
});

describe('the command `transfer`', () => {
  it('connects both parties, although the agent may not transfer by itself', async () => {
    const call = await place();
    await call.greeted();
    const command = await call.run({ type: 'transfer', phone_number: '+15550002298' });
    expect(command).toMatchObject({ status: 'done', result: { method: 'bridge', to_number: '+15550002298' } });
    const late = await call.run({ type: 'say', text: WORDS });
    expect(late).toMatchObject({ status: 'failed', error: { code: 'agent_left' } });
    await call.over();
    expect(await call.api.call(call.id)).toMatchObject({
      ...{ status: 'completed', hangup_cause: 'transferred' },
      transfers: [{ to_number: '+15550002298', from_number: '+15550001111', status: 'completed' }],
    });
  });

  it('that the budget of the account does not pay for is not dialled', async () => {
    await database.query('UPDATE accounts SET daily_spend_micros = 300000 WHERE id = $1', [strict.accountId]);
    const call = await place(strict);
    await call.greeted();
    await database.query('UPDATE accounts SET daily_spend_micros = 1 WHERE id = $1', [strict.accountId]);
    const command = await call.run({ type: 'transfer', phone_number: '+15550002201' });
    expect(command).toMatchObject({ status: 'failed', error: { code: 'spend_limit' } });
    expect(colleague.phone.calls.some(({ requestUser }) => requestUser === '+15550002201')).toBe(false);
    await call.hangUp();
  });
});

describe('commands that wait', () => {
  it('are limited in number, sent once with one key of the client, and not executed when the call ends', async () => {
    const call = await place(talkative);
    await call.send({ type: 'say', text: WORDS });
    const first = await call.send({ type: 'unmute_agent' }, 'once');
    expect(await call.send({ type: 'unmute_agent' }, 'once')).toEqual(first);
    for (let n = 0; n < 98; n++) await call.send({ type: 'unmute_agent' });
    // The first `say` waits for a pause of the greeting, and does not count once it runs.
    await call.send({ type: 'unmute_agent' }).catch(() => undefined);
    await expect(call.send({ type: 'unmute_agent' })).rejects.toMatchObject({ status: 429 });
    await call.api.cancel(call.id);
    const events = await call.over();
    const left = events.filter(({ type }) => type === 'command_not_executed');
    expect(left.length).toBeGreaterThan(98);
    expect(left[0]!.data).toMatchObject({
      code: 'call_ended',
      message: expect.stringMatching(/^The call ended before/),
    });
    expect(events.at(-1)!.type).toBe('status');
    const { meta } = await bodyOf(
      call.api.GET('/api/v1/calls/{callId}/commands', {
        params: { path: { callId: call.id }, query: { per_page: 50 } },
      }),
    );
    expect(meta).toEqual({ per_page: 50, next_after: 50 });
  });
});

describe('commands during kill -9 of the dialer', () => {
  it('are executed once or reported as not executed', async () => {
    const call = await place(talkative);
    const heard = await call.run({ type: 'send_dtmf', digits: '5' });
    const speaking = await call.send({ type: 'say', text: WORDS });
    const waiting = [await call.send({ type: 'mute_agent' }), await call.send({ type: 'send_dtmf', digits: '9' })];
    const sql = 'SELECT k.status, c.owner FROM call_commands k JOIN calls c ON c.id = k.call_id WHERE k.id = $1';
    const look = () => database.query<{ status: string; owner: string }>(sql, [speaking.command_id]);
    const running = await eventually(look, ({ rows }) => rows[0]!.status === 'running');
    const dialer = stack.processes.find(({ ready }) => ready.owner === running.rows[0]!.owner)!;
    await stack.kill(dialer);

    const events = await call.over();
    expect(events.at(-1)).toMatchObject({ type: 'status', data: { status: 'failed', hangup_cause: 'worker_lost' } });
    const outcomes = (await call.commands()).map(({ command_id, status, error }) => [command_id, status, error?.code]);
    expect(outcomes).toEqual([
      [heard.command_id, 'done', undefined],
      [speaking.command_id, 'failed', 'outcome_unknown'],
      ...waiting.map(({ command_id }) => [command_id, 'not_executed', 'dialer_lost']),
    ]);
    expect(phone.phone.calls.find(({ requestUser }) => requestUser === call.user)!.digits).toBe('5');
  });
});
