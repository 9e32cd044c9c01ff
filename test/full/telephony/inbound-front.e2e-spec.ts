import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dataOf } from '@app/client';
import { type SandboxPhone, startSandboxPhone } from '@app/sandbox/phone';
import { type CallLeg, decode, type EmbeddedEngine, type LegEnd } from '@app/telephony';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Pool } from 'pg';
import { eventOf, mediaOf, startTestEngine, testMedia } from '../interop/test-engine.js';
import { apiOf, type ApiClient } from '../../support/api-client.js';
import { eventOfCall, eventsOfCall } from '../../support/call-events.js';
import { Stack } from '../../support/stack.js';
import { loudness, sideOf } from '../../support/stereo-wav.js';
import { WebhookSink } from '../../support/webhook-sink.js';
import { createAccount, type TestAccount } from '../../support/workspace.js';

const log = { debug: () => undefined, warn: () => undefined };
const MAIN = '+15550001111';
const CLOSED = '+15550002222';
const NIGHT = '+15550003333';
const LOUD = 1_000;

/** A minute of a weekday that is neither today nor tomorrow anywhere. */
const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const otherDay = WEEKDAYS[(new Date().getUTCDay() + 2) % 7]!;
const hours = { time_zone: 'UTC', windows: [{ days: [otherDay], from: '12:00', to: '12:01' }] };
const queue = {
  max_waiting: 2,
  max_wait_seconds: 120,
  announce: { every_seconds: 5, message: 'You are number {{position}} in line.' },
  on_timeout: { message: 'Please call again later.' },
};

describe('the front of inbound numbers', () => {
  let stack: Stack;
  let sink: WebhookSink;
  let account: TestAccount;
  let api: ApiClient;
  let database: Pool;
  let phone: EmbeddedEngine;
  let colleague: SandboxPhone;
  let ports: number[];
  let callers = 0;

  beforeAll(async () => {
    sink = await WebhookSink.start();
    stack = await Stack.start({ dialers: 0 });
    colleague = await startSandboxPhone({
      ...{ bind: '127.0.0.1', port: 0, ringMs: 100, log, rtpPorts: { min: 13_300, max: 13_398 } },
      patience: { turnMs: 60_000 },
    });
    account = await createAccount(stack, {
      name: 'acme',
      webhookUrl: `${sink.url}/acme`,
      concurrentCalls: 1,
      trunk: { port: colleague.port, inbound: { addresses: ['127.0.0.2'] } },
      numbers: [
        {
          name: 'closed',
          e164: CLOSED,
          agent: 'Receptionist',
          hours,
          closed: { action: 'say_and_hang_up', message: 'We are closed. Please call again tomorrow.' },
        },
        { name: 'night', e164: NIGHT, agent: 'Receptionist', hours },
      ],
    });
    database = new Pool({ connectionString: stack.database.url, max: 2 });
    api = apiOf(stack, account);
    ports = [await addDialer(), await addDialer()];
    const media = testMedia({ bindAddress: '127.0.0.2', ports: { min: 13_100, max: 13_298 } });
    phone = await startTestEngine({ sip: { bind: '127.0.0.2', port: 0, userAgent: 'carrier', log }, media });
  });

  afterAll(async () => {
    await phone?.close();
    await database?.end();
    await stack?.stop();
    await colleague?.close();
    await sink?.close();
  });

  const addDialer = async (): Promise<number> => Number((await stack.add('dialer')).ready.sip_port);

  interface Caller {
    leg: CallLeg;
    ended: Promise<LegEnd>;
    /** The ids of its call, once it is stored. */
    id: () => Promise<string>;
    /** Frames of 20 ms with sound so far. */
    loud: () => number;
  }

  /** A caller that has a new number. */
  function call(number: string, dialer = 0): Caller {
    callers += 1;
    const from = `+1555777${String(callers).padStart(4, '0')}`;
    const leg = phone.dial({
      legId: from,
      destination: { kind: 'e164', number },
      from: { number: from },
      trunk: { targets: [{ host: '127.0.0.1', port: ports[dialer]!, transport: 'udp', priority: 0 }] },
      ringTimeoutMs: 20_000,
    });
    let loud = 0;
    leg.on('answered', () => {
      const media = mediaOf(leg);
      media.onFrame((frame) => {
        if (decode(media.codec, frame).some((sample) => Math.abs(sample) > LOUD)) loud += 1;
      });
    });
    const id = async (): Promise<string> =>
      (await database.query<{ id: string }>('SELECT id FROM calls WHERE from_number = $1', [from])).rows[0]!.id;
    return { leg, ended: new Promise((resolve) => leg.on('ended', resolve)), id, loud: () => loud };
  }

  const untilEnded = (id: string) => sink.until(() => sink.eventsOf(id).includes('ended'));
  const atPosition = async (caller: Caller, position: number) =>
    eventOfCall(
      database,
      await caller.id(),
      ({ type, data }) => type === 'queue_position' && data.position === position,
    );
  const left = async (caller: Caller) =>
    (await eventOfCall(database, await caller.id(), ({ type }) => type === 'queue_left')).data;
  const isGreeting = ({ type }: { type: string }) => type === 'turn';
  const greeted = async (caller: Caller) => eventOfCall(database, await caller.id(), isGreeting);
  /** A call that its agent answers at once. */
  const talking = async (dialer: number): Promise<Caller> => {
    const caller = call(MAIN, dialer);
    await eventOf(caller.leg, 'answered');
    await greeted(caller);
    return caller;
  };
  /** A caller that waits at the position. */
  const waiting = async (dialer: number, position: number): Promise<Caller> => {
    const caller = call(MAIN, dialer);
    await eventOf(caller.leg, 'answered');
    await atPosition(caller, position);
    return caller;
  };
  const hangUp = async (caller: Caller): Promise<string> => {
    caller.leg.hangup('agent_hangup');
    const id = await caller.id();
    await untilEnded(id);
    return id;
  };
  const setNumber = (id: number, body: object) =>
    dataOf(api.PATCH('/api/v1/numbers/{numberId}', { params: { path: { numberId: id } }, body }));
  const numberOf = async (e164: string) =>
    (await dataOf(api.GET('/api/v1/numbers', {}))).find((one) => one.e164 === e164)!;

  it('outside its hours a number says that it is closed and hangs up, without an agent', async () => {
    const caller = call(CLOSED);
    const end = await caller.ended;
    expect(end).toMatchObject({ status: 'completed', endedBy: 'callee' });
    expect(caller.loud()).toBeGreaterThan(50);
    const id = await caller.id();
    await untilEnded(id);
    expect(sink.eventsOf(id)).toEqual(['initiated', 'ringing', 'in-progress', 'completed', 'ended']);
    const found = await api.call(id);
    expect(found).toMatchObject({ status: 'completed', hangup_cause: 'closed', ended_by: 'system', summary: null });
    expect((found as { costs?: { kind: string }[] }).costs?.map(({ kind }) => kind)).toEqual(['carrier_seconds']);
    expect((await eventsOfCall(database, id)).filter(({ type }) => type === 'turn')).toEqual([]);
  });

  it('outside its hours a number may have another agent, whose name and greeting the call has', async () => {
    const texts = { instructions: 'Be brief.', greeting: 'This is the night desk.' };
    const body = { name: 'Night', provider: 'sandbox' as const, ...texts };
    const agent = await dataOf(api.POST('/api/v1/agents', { body }));
    const number = await numberOf(NIGHT);
    const closed = { action: 'agent' as const, agent_id: agent.id };
    expect(await setNumber(number.id, { closed })).toMatchObject({
      closed: { action: 'agent', message: null, language: null, agent_id: agent.id },
      hours: { time_zone: 'UTC', excluded_dates: [] },
    });
    const caller = call(NIGHT);
    await eventOf(caller.leg, 'answered');
    expect((await greeted(caller)).data).toMatchObject({ text: 'This is the night desk.' });
    caller.leg.hangup('agent_hangup');
    await eventOfCall(database, await caller.id(), ({ data }) => data.hangup_cause !== undefined);
    expect(await api.call(await caller.id())).toMatchObject({ agent: 'Night', agent_id: agent.id, agent_version: 1 });
  });

  it('with a queue, callers wait with music and their position, are served in order over all dialers, and may leave', async () => {
    await setNumber(account.numberId, { queue });
    const first = await talking(0);
    const second = await waiting(1, 1);
    const leaver = await waiting(0, 2);
    // The queue is full.
    const refused = call(MAIN, 1);
    expect(await refused.ended).toMatchObject({ status: 'busy', sipCode: 486 });
    await untilEnded(await refused.id());
    expect(await api.call(await second.id())).toMatchObject({
      status: 'in_progress',
      queued_seconds: expect.any(Number),
    });

    const abandoned = await hangUp(leaver);
    expect(await left(leaver)).toMatchObject({ outcome: 'abandoned' });
    expect(await api.call(abandoned)).toMatchObject({
      status: 'completed',
      hangup_cause: 'queue_abandoned',
      ended_by: 'caller',
      summary: null,
    });
    const last = await waiting(0, 2);
    // An outbound call does not take the place of a waiting caller.
    const outbound = await api.createCall({ to_number: 'sip:nobody@127.0.0.1:9' });
    await hangUp(first);
    await greeted(second);
    expect(await left(second)).toMatchObject({ outcome: 'served' });
    expect(second.loud()).toBeGreaterThan(50);
    await atPosition(last, 1);
    expect((await eventsOfCall(database, await last.id())).some(({ type }) => type === 'turn')).toBe(false);
    const served = await hangUp(second);
    const found = await api.call(served);
    const wav = await readFile(join(stack.home, 'storage', 'recordings', String(account.accountId), `${served}.wav`));
    const greeting = (await eventOfCall(database, served, isGreeting)).data as { started_ms: number; ended_ms: number };
    const agent = sideOf(wav, 'agent');
    expect(greeting.started_ms).toBeGreaterThan((await left(second)).waited_ms as number);
    expect(loudness(agent, greeting.started_ms + 100, greeting.ended_ms - 100)).toBeGreaterThan(100);
    expect(loudness(agent, 0, greeting.started_ms - 300)).toBe(0);
    expect(found).toMatchObject({ hangup_cause: 'normal_clearing', ended_by: 'caller' });
    expect(Number(found.queued_seconds)).toBeLessThanOrEqual(Number(found.duration_seconds));
    await greeted(last);
    expect(await api.call(outbound.call_id)).toMatchObject({ status: 'pending' });
    await api.cancel(outbound.call_id);
    await hangUp(last);
  });

  it('a caller that waited as long as the number allows hears a message, and the call ends', async () => {
    await setNumber(account.numberId, { queue: { ...queue, max_wait_seconds: 5, music: false } });
    const busy = await talking(0);
    const late = call(MAIN, 1);
    expect(await late.ended).toMatchObject({ status: 'completed', endedBy: 'callee' });
    expect(await left(late)).toMatchObject({ outcome: 'timeout' });
    const id = await late.id();
    await untilEnded(id);
    expect(late.loud()).toBeGreaterThan(50);
    const found = await api.call(id);
    expect(found).toMatchObject({ hangup_cause: 'queue_timeout', ended_by: 'system' });
    expect(Number(found.queued_seconds)).toBeGreaterThanOrEqual(5);
    await hangUp(busy);
  });

  it('a caller that waited too long is transferred when the number says so, hears the message when that fails, and leaves the queue', async () => {
    const set = (number: string) => {
      const on_timeout = { ...queue.on_timeout, action: 'transfer' as const, to_number: number };
      return setNumber(account.numberId, { queue: { ...queue, max_waiting: 3, max_wait_seconds: 5, on_timeout } });
    };
    const busy = await talking(0);
    await dataOf(api.POST('/api/v1/do-not-call', { body: { number: '+15550002200' } }));
    await set('+15550002283');
    const connected = await waiting(0, 1);
    await set('+15550002291');
    const refused = await waiting(1, 2);
    await set('+15550002200');
    const listed = await waiting(1, 3);

    for (const [late, transfer] of [
      [refused, { to_number: '+15550002291', status: 'busy', hangup_cause: 'user_busy' }],
      [listed, { to_number: '+15550002200', status: 'failed', hangup_cause: 'do_not_call' }],
    ] as const) {
      expect(await late.ended).toMatchObject({ status: 'completed', endedBy: 'callee' });
      await untilEnded(await late.id());
      expect(late.loud()).toBeGreaterThan(50);
      expect(await api.call(await late.id())).toMatchObject({ hangup_cause: 'queue_timeout', transfers: [transfer] });
    }
    expect(colleague.calls.map(({ requestUser }) => requestUser).toSorted()).toEqual(['+15550002283', '+15550002291']);

    // The transferred caller still talks; it has no position and takes no place.
    await setNumber(account.numberId, { queue });
    const next = await waiting(0, 1);
    await hangUp(busy);
    await greeted(next);
    const transferred = await hangUp(connected);
    const second = await colleague.waitFor((one) => one.requestUser === '+15550002283' && one.endedBy !== undefined);
    expect(second.from).toContain(MAIN);
    const found = await api.call(transferred);
    const leg = { to_number: '+15550002283', from_number: MAIN, method: 'bridge', mode: 'cold', status: 'completed' };
    expect(found).toMatchObject({ hangup_cause: 'transferred', ended_by: 'caller', summary: null, transfers: [leg] });
    const waited = (await left(connected)).waited_ms as number;
    expect(Math.abs(Number(found.queued_seconds) - waited / 1_000)).toBeLessThan(3);
    expect(Number(found.queued_seconds)).toBeLessThan(Number(found.duration_seconds));
    const carrier = (found as { costs?: { kind: string }[] }).costs?.filter(({ kind }) => kind === 'carrier_seconds');
    expect(carrier).toHaveLength(2);
    const steps = (await eventsOfCall(database, transferred)).filter(({ type }) => type === 'transfer');
    expect(steps.map(({ data }) => data.status)).toEqual(
      expect.arrayContaining(['dialing', 'in_progress', 'completed']),
    );
    await hangUp(next);
  });

  it('the death of the dialer leaves no waiting caller in progress, and its place is free', async () => {
    await setNumber(account.numberId, { queue });
    const dialer = stack.processes.filter((one) => one.role === 'dialer')[1]!;
    const lostCalls = [await talking(1), await waiting(1, 1)];
    await stack.kill(dialer);
    const survivor = await waiting(0, 2);
    for (const lost of lostCalls) {
      await untilEnded(await lost.id());
      expect(await api.call(await lost.id())).toMatchObject({ status: 'failed', hangup_cause: 'worker_lost' });
    }
    await greeted(survivor);
    await hangUp(survivor);
    expect((await database.query('SELECT id FROM calls WHERE ended_at IS NULL')).rows).toEqual([]);
  });
});
