import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { bodyOf } from '@app/client';
import { Client } from 'pg';
import { apiOf } from '../../support/api-client.js';
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
let other: TestAccount;
let strict: TestAccount;
let declaring: TestAccount;
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
  other = await createAccount(stack, { name: 'other', trunk });
  strict = await createAccount(stack, { name: 'strict', trunk, agent });
  const variables = [{ name: 'order', max_length: 5 }, { name: 'customer' }];
  declaring = await createAccount(stack, { name: 'declaring', trunk, agent: { ...agent, variables } });
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

  it('`say` with "when": "now" interrupts the agent', async () => {
    const call = await place(talkative);
    await call.until(({ type }) => type === 'turn_started');
    expect(await call.run({ type: 'say', text: WORDS, when: 'now' })).toMatchObject({ status: 'done' });
    await call.hangUp();
    const turns = call.stream.events.filter(({ type }) => type === 'turn');
    expect(turns.map(({ data }) => [data.text === WORDS, data.truncated])).toEqual([
      [false, true],
      [true, false],
    ]);
    expect(occursAtMs(await phone.heardBy(call.user), await spokenWords(WORDS))).toBeDefined();
  });

  it('`inject` changes what the agent says next', async () => {
    const call = await place();
    await call.greeted();
    const note = 'The order left the warehouse at nine.';
    expect(await call.run({ type: 'inject', note, respond: true })).toMatchObject({ status: 'done' });
    const told = await call.until(
      ({ type, data }) => type === 'turn' && String(data.text).includes('left the warehouse'),
    );
    expect(told.data).not.toHaveProperty('command_id');
    await call.hangUp();
  });

  it('`set_variables` stores declared values with the call, and refuses others', async () => {
    const call = await place(declaring);
    await call.greeted();
    expect(await call.run({ type: 'set_variables', variables: { order: '4711' } })).toMatchObject({ status: 'done' });
    await call.run({ type: 'set_variables', variables: { customer: 'Ada' } });
    const { rows } = await database.query('SELECT variables FROM calls WHERE id = $1', [call.id]);
    expect(rows).toEqual([{ variables: { order: '4711', customer: 'Ada' } }]);
    const undeclared = call.send({ type: 'set_variables', variables: { other: 1, order: 'far too long' } });
    await expect(undeclared).rejects.toMatchObject({
      status: 422,
      errors: { 'variables.other': expect.anything(), 'variables.order': expect.anything() },
    });
    await call.hangUp();
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

  it('`send_dtmf` presses keys at the phone', async () => {
    const call = await place();
    expect(await call.run({ type: 'send_dtmf', digits: '12#' })).toMatchObject({ status: 'done' });
    await phone.phone.waitFor(({ requestUser, digits }) => requestUser === call.user && digits === '12#');
    await call.until(({ type, data }) => type === 'dtmf_sent' && data.digits === '12#');
    await call.hangUp();
  });

  it('`hang_up` ends the call like a cancellation', async () => {
    const call = await place();
    const command = await call.send({ type: 'hang_up' });
    const events = await call.over();
    expect(events.filter(({ type }) => /^command_done|status/.test(type)).slice(-2)).toMatchObject([
      { type: 'command_done', data: { command_id: command.command_id, command_type: 'hang_up' } },
      { type: 'status', data: { status: 'completed', hangup_cause: 'normal_clearing', ended_by: 'api' } },
    ]);
    await phone.phone.waitFor(({ requestUser, endedBy }) => requestUser === call.user && endedBy === 'caller');
    const { summary } = await apiOf(stack, account).call(call.id);
    expect(summary).toContain('The call was ended by a request.');
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

  it('to a busy number fails with the reason, and the agent tells the user', async () => {
    const call = await place();
    await call.greeted();
    const command = await call.run({ type: 'transfer', phone_number: '+15550002291' });
    expect(command).toMatchObject({ status: 'failed', error: { code: 'busy' } });
    expect(command.error?.message).toContain('busy');
    // The sandbox agent answers the note about the transfer.
    await call.until(({ type, at, data }) => type === 'turn' && data.role === 'agent' && at > command.started_at!);
    await call.hangUp();
  });

  it('to a number that the account may not call is not dialled', async () => {
    const call = await place(strict);
    await call.greeted();
    await database.query(`UPDATE accounts SET destinations_deny = '{+1555}' WHERE id = $1`, [strict.accountId]);
    const command = await call.run({ type: 'transfer', phone_number: '+15550002200' });
    expect(command).toMatchObject({ status: 'failed', error: { code: 'blocked_destination' } });
    expect(colleague.phone.calls.some(({ requestUser }) => requestUser === '+15550002200')).toBe(false);
    await call.hangUp();
  });

  it('that the budget of the account does not pay for is not dialled', async () => {
    await database.query(`UPDATE accounts SET destinations_deny = '{}', daily_spend_micros = 300000 WHERE id = $1`, [
      strict.accountId,
    ]);
    const call = await place(strict);
    await call.greeted();
    await database.query('UPDATE accounts SET daily_spend_micros = 1 WHERE id = $1', [strict.accountId]);
    const command = await call.run({ type: 'transfer', phone_number: '+15550002201' });
    expect(command).toMatchObject({ status: 'failed', error: { code: 'spend_limit' } });
    expect(colleague.phone.calls.some(({ requestUser }) => requestUser === '+15550002201')).toBe(false);
    await call.hangUp();
  });
});

describe('a command is refused', () => {
  const rejected = (status: number, message: RegExp) =>
    expect.objectContaining({ status, message: expect.stringMatching(message) });

  it('before the answer, after the end, without a number to transfer to, and by another account', async () => {
    const ringing = await apiOf(stack, account).createCall({
      to_number: `sip:no_answer-${++users}@127.0.0.1:${phone.phone.port}`,
    });
    await phone.phone.waitFor(({ extension, ringingAt }) => extension === 'no_answer' && ringingAt !== undefined);
    const call = await place();
    const send = (callId: string, type: 'mute_agent' | 'hang_up' | 'transfer', by = account) =>
      apiOf(stack, by)
        .POST('/api/v1/calls/{callId}/commands', { params: { path: { callId } }, body: { type } })
        .then(({ response, error }) => ({ status: response.status, message: error?.message }));
    expect(await send(ringing.call_id, 'mute_agent')).toEqual(rejected(409, /not been answered yet/));
    expect(await send(ringing.call_id, 'hang_up')).toEqual(rejected(409, /\/cancel/));
    expect(await send(call.id, 'transfer')).toEqual(rejected(409, /phone_number/));
    expect(await send(call.id, 'hang_up', other)).toEqual(rejected(404, /Call not found/));
    await call.hangUp();
    expect(await send(call.id, 'mute_agent')).toEqual(rejected(409, /already ended/));
    await apiOf(stack, account).cancel(ringing.call_id);
  });

  it('when too many commands wait, and is executed once for one Idempotency-Key', async () => {
    const call = await place(talkative);
    await call.send({ type: 'say', text: WORDS });
    const first = await call.send({ type: 'unmute_agent' }, 'once');
    expect(await call.send({ type: 'unmute_agent' }, 'once')).toEqual(first);
    await expect(call.send({ type: 'mute_agent' }, 'once')).rejects.toMatchObject({ status: 409 });
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
