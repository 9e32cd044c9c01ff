import { CallClaimsService } from '@app/calls';
import { newId } from '@app/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { InProcessApi } from '../../support/in-process-api.js';
import { aCall, anAgent, aToken, aWorkspace, type Workspace } from '../../support/factories.js';

let api: InProcessApi;
let own: Workspace;

beforeAll(async () => {
  api = await InProcessApi.start();
  own = await aWorkspace(api.pool);
});
afterAll(() => api?.stop());

const path = '/api/v1/numbers';
let last = 7_000_000;
const aFreeNumber = (): string => `+1555${(last += 1)}`;

async function created(fields: object = {}): Promise<{ id: number; e164: string }> {
  const { status, body } = await api
    .as(own.token)
    .post(path)
    .send({ e164: aFreeNumber(), ...fields });
  expect([status, body.errors]).toEqual([201, undefined]);
  return body.data as { id: number; e164: string };
}

const actionsOf = async (id: number): Promise<unknown[]> => {
  const { body } = await api.as(own.token).get(`/api/v1/audit-events?subject=number:${id}`);
  return (body.data as { action: string; details: unknown }[])
    .map(({ action, details }) => [action, details])
    .toReversed();
};

describe('a phone number over REST', () => {
  it('is created in E.164, read, changed and deleted, with audit events', async () => {
    const made = await api
      .as(own.token)
      .post(path)
      .send({ e164: '+1 (555) 600-0001', name: 'support', agent_id: own.agentId });
    expect([made.status, made.body]).toEqual([
      201,
      {
        message: 'Number created successfully.',
        data: expect.objectContaining({ e164: '+15556000001', name: 'support', agent_id: own.agentId, active: true }),
      },
    ]);
    const { id } = made.body.data as { id: number };
    expect((await api.as(own.token).get(`${path}/${id}`)).body.data).toEqual(made.body.data);
    const changed = await api.as(own.token).patch(`${path}/${id}`).send({ agent_id: null, active: false });
    expect(changed.body.data).toMatchObject({ id, name: 'support', agent_id: null, active: false });
    await api.as(own.token).patch(`${path}/${id}`).send({});
    expect((await api.as(own.token).delete(`${path}/${id}`)).body).toEqual({
      message: 'Number deleted successfully.',
    });
    expect((await api.as(own.token).get(`${path}/${id}`)).body).toEqual({ message: 'Number not found.' });
    expect(await actionsOf(id)).toEqual([
      ['number.created', { name: 'support' }],
      ['number.updated', { name: 'support', changed: ['active', 'agent_id'] }],
      ['number.deleted', { name: 'support' }],
    ]);
  });

  it('is named like itself without a name', async () => {
    const { id, e164 } = await created();
    expect((await api.as(own.token).get(`${path}/${id}`)).body.data.name).toBe(e164);
  });

  it.each([
    ['no number', {}, 'e164', 'The e164 field is required.'],
    [
      'a national number',
      { e164: '0301234' },
      'e164',
      'The e164 field must be an E.164 number such as "+15550001111".',
    ],
    [
      'an unknown agent',
      { e164: '+15556100001', agent_id: 2_000_000_000 },
      'agent_id',
      'The selected agent id is invalid.',
    ],
    ['text as agent', { e164: '+15556100001', agent_id: 'x' }, 'agent_id', 'must be a whole number'],
    ['an empty name', { e164: '+15556100001', name: ' ' }, 'name', 'The name field must not be empty.'],
    ['a number as name', { e164: '+15556100001', name: 7 }, 'name', 'The name field must be a string.'],
  ])('with %s is refused with a sentence on the field', async (_, body, field, message) => {
    const answer = await api.as(own.token).post(path).send(body);
    expect([answer.status, Object.keys(answer.body.errors as object)]).toEqual([422, [field]]);
    expect(answer.body.errors[field][0]).toContain(message);
  });

  it('has a number and a name of its own in the account, also when two requests come at once', async () => {
    const { id, e164 } = await created({ name: 'first' });
    const again = await api.as(own.token).post(path).send({ e164, name: 'other' });
    expect(again.body.errors).toEqual({ e164: [`The account has another number with the e164 ${e164}.`] });
    const named = await api.as(own.token).post(path).send({ e164: aFreeNumber(), name: 'first' });
    expect(named.body.errors).toEqual({ name: ['The account has another number with the name first.'] });
    const other = await created();
    const moved = await api.as(own.token).patch(`${path}/${other.id}`).send({ e164, name: 'first' });
    expect(moved.status).toBe(422);
    const both = aFreeNumber();
    const answers = await Promise.all(
      ['a', 'b'].map((name) =>
        api
          .as(own.token)
          .post(path)
          .send({ e164: both, name: `race ${name}` }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 422]);
    const elsewhere = await aWorkspace(api.pool);
    expect((await api.as(elsewhere.token).post(path).send({ e164 })).status).toBe(201);
    expect((await api.as(own.token).get(`${path}/${id}`)).status).toBe(200);
  });

  it('has business hours, a closed action and a queue, which are replaced as a whole and removed by null', async () => {
    const { id } = await created();
    const patch = async (fields: object) => (await api.as(own.token).patch(`${path}/${id}`).send(fields)).body;
    const hours = { time_zone: 'Asia/Kolkata', windows: [{ days: ['monday'], from: '22:00', to: '06:00' }] };
    const closed = { action: 'say_and_hang_up', message: ' Closed. ', language: 'en' };
    expect((await patch({ hours, closed, queue: { announce: { language: 'de' } } })).data).toMatchObject({
      hours: { ...hours, excluded_dates: [] },
      closed: { action: 'say_and_hang_up', message: 'Closed.', language: 'en', agent_id: null },
      queue: {
        enabled: true,
        max_waiting: 20,
        max_wait_seconds: 300,
        announce: { position: true, every_seconds: 30, message: null, language: 'de' },
        on_timeout: { action: 'hang_up', to_number: null, message: null },
        music: true,
      },
    });
    const transfer = { action: 'transfer', to_number: '+1 (202) 555-0100', message: ' All busy. ' };
    expect((await patch({ queue: { on_timeout: transfer } })).data.queue.on_timeout).toEqual({
      action: 'transfer',
      to_number: '+12025550100',
      message: 'All busy.',
    });
    await api.pool.query(
      `UPDATE phone_numbers SET queue = queue #- '{on_timeout,action}' #- '{on_timeout,to_number}' WHERE id = $1`,
      [id],
    );
    expect((await api.as(own.token).get(`${path}/${id}`)).body.data.queue.on_timeout).toEqual({
      action: 'hang_up',
      to_number: null,
      message: 'All busy.',
    });
    const night = { action: 'agent', agent_id: own.agentId };
    expect((await patch({ closed: night, queue: { max_waiting: 1 } })).data).toMatchObject({
      hours: { time_zone: 'Asia/Kolkata' },
      closed: { ...night, message: null, language: null },
      queue: { max_waiting: 1, announce: { language: null } },
    });
    expect((await patch({ hours: null, closed: null, queue: null })).data).toMatchObject({
      hours: null,
      closed: null,
      queue: null,
    });
  });

  it.each<[string, object, string, string]>([
    [
      'an unknown time zone',
      { hours: { time_zone: 'Mars/Olympus' } },
      'hours.time_zone',
      'The hours.time zone field must be a time zone such as "Europe/Berlin".',
    ],
    [
      'a time of day that does not exist',
      { hours: { time_zone: 'UTC', windows: [{ days: ['monday'], from: '24:00', to: '24:00' }] } },
      'hours.windows.0.from',
      'The hours.windows.0.from field must be a time of day such as 09:30.',
    ],
    [
      'a date that does not exist',
      { hours: { time_zone: 'UTC', excluded_dates: ['2026-02-30'] } },
      'hours.excluded_dates.0',
      'The hours.excluded dates.0 field must be a date such as "2026-12-25".',
    ],
    [
      'a closed message without its text',
      { closed: { action: 'say_and_hang_up' } },
      'closed.message',
      'The closed.message field is required: the action say_and_hang_up needs it.',
    ],
    [
      'an agent of another account',
      { closed: { action: 'agent', agent_id: 2_000_000_000 } },
      'closed.agent_id',
      'The selected agent id is invalid.',
    ],
    [
      'a queue that waits for hours',
      { queue: { max_wait_seconds: 7_200 } },
      'queue.max_wait_seconds',
      'The queue.max wait seconds field must be a whole number from 5 to 3600.',
    ],
  ])('is not changed to %s', async (_title, fields, field, sentence) => {
    const { id } = await created();
    const { status, body } = await api.as(own.token).patch(`${path}/${id}`).send(fields);
    expect([status, body.errors]).toEqual([422, { [field]: [sentence] }]);
  });

  it('is created once for an Idempotency-Key', async () => {
    const body = { e164: aFreeNumber() };
    const post = () => api.as(own.token).post(path).set('Idempotency-Key', 'number-1');
    const [first, second] = [await post().send(body), await post().send(body)];
    expect([second.status, second.body, second.headers['idempotent-replayed']]).toEqual([201, first.body, 'true']);
    expect((await post().send({ e164: aFreeNumber() })).status).toBe(409);
  });

  it('cannot be deleted while calls from or to it are queued or live; past calls keep it', async () => {
    const { id, e164 } = await created();
    const call = await aCall(api.pool, { ...own, numberId: id }, { from_number: e164 });
    const refused = await api.as(own.token).delete(`${path}/${id}`);
    expect([refused.status, refused.body.message]).toEqual([
      409,
      'The number cannot be deleted while calls from or to it are queued or active. Wait until they end, or cancel them.',
    ]);
    await api.pool.query(`INSERT INTO dialers (id, lease_until) VALUES ('d', now()) ON CONFLICT DO NOTHING`);
    await api.pool.query(`UPDATE calls SET owner = 'd', status = 'in_progress', direction = 'inbound' WHERE id = $1`, [
      call,
    ]);
    expect((await api.as(own.token).delete(`${path}/${id}`)).status).toBe(409);
    await api.pool.query(`UPDATE calls SET owner = NULL, status = 'completed', ended_at = now() WHERE id = $1`, [call]);
    expect((await api.as(own.token).delete(`${path}/${id}`)).status).toBe(200);
    const past = await api.as(own.token).get(`/api/v1/calls/${call}`);
    expect(past.body.data).toMatchObject({ from_number: e164, number_id: id });
    const listed = await api.as(own.token).get(`/api/v1/calls?number_id=${id}`);
    expect(listed.body.data).toHaveLength(1);
    const next = { to_number: 'sip:a@127.0.0.1', agent_id: own.agentId, number_id: id };
    expect((await api.as(own.token).post('/api/v1/calls').send(next)).body.errors).toHaveProperty('number_id');
  });

  it('requires the scope numbers:write', async () => {
    const reader = await aToken(api.pool, own.accountId, ['numbers:read']);
    expect((await api.as(reader).post(path).send({ e164: aFreeNumber() })).status).toBe(403);
  });
});

describe('a number that two accounts have on trunks with the same addresses', () => {
  it('gets its inbound calls where the operator assigned it, not where a tenant claimed it earlier', async () => {
    const [claimer, owner] = [await aWorkspace(api.pool), await aWorkspace(api.pool)];
    const tenant = await aToken(api.pool, claimer.accountId, ['numbers:write']);
    const e164 = aFreeNumber();
    const claimed = await api.as(tenant).post(path).send({ e164, agent_id: claimer.agentId });
    expect(claimed.status).toBe(201);
    const agentId = await anAgent(api.pool, owner.accountId);
    const assigned = await api.as(owner.token).post(path).send({ e164, agent_id: agentId });
    expect(assigned.status).toBe(201);
    const trunkIds = [claimer.trunkId, owner.trunkId];
    await api.pool.query('UPDATE sip_trunks SET inbound_enabled = true WHERE id = ANY ($1)', [trunkIds]);
    await api.pool.query(`INSERT INTO dialers (id, lease_until) VALUES ('inbound', now())`);
    const claims = api.app.get(CallClaimsService, { strict: false });
    const number = (await claims.calledNumber(trunkIds, [e164]))!;
    const incoming = { id: newId(), owner: 'inbound', number, caller: undefined };
    expect(await claims.receive(incoming)).toEqual({ kind: 'taken' });
    const { rows } = await api.pool.query('SELECT account_id FROM calls WHERE id = $1', [incoming.id]);
    expect(rows).toEqual([{ account_id: owner.accountId }]);
  });
});
