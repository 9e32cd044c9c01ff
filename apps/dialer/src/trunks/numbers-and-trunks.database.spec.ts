import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type DialTrunk, SipRoutesService, trunkOf, TrunkHealthService } from '@app/accounts';
import { CallClaimsService } from '@app/calls';
import { Encryption, newId } from '@app/common';
import { type EmbeddedEngine } from '@app/telephony';
import { type SandboxPhone, startSandboxPhone } from '@app/sandbox/phone';
import type { Pool } from 'pg';
import { TrunkHealthMonitorService } from './trunk-health-monitor.service.js';
import { startTestEngine } from '../../../../test/full/interop/test-engine.js';
import { InProcessApi } from '../../../../test/support/in-process-api.js';
import { aCall, anAgent, aToken, aTrunk, aWorkspace, type Workspace } from '../../../../test/support/factories.js';
import { LogLines } from '../../../../test/support/log-lines.js';

/** A port without a listener, so that a connection is refused at once. */
const NOBODY = { port: 9, transport: 'tcp' };
const QUIET = { debug: () => undefined, warn: () => undefined };

let api: InProcessApi;
let pool: Pool;
let own: Workspace;
let phone: SandboxPhone;

beforeAll(async () => {
  api = await InProcessApi.start();
  pool = api.pool;
  own = await aWorkspace(pool);
  phone = await startSandboxPhone({ bind: '127.0.0.1', port: 0, rtpPorts: { min: 26_000, max: 26_098 }, log: QUIET });
});

afterAll(async () => {
  await phone?.close();
  await api?.stop();
});

const get = (path: string, token = own.token) => api.as(token).get(`/api/v1/trunks${path}`);

describe('the trunks of an account', () => {
  it('are listed by name in pages, without secrets', async () => {
    const other = await aWorkspace(pool);
    await aTrunk(pool, other.accountId, {
      name: 'a carrier',
      username: 'acme',
      password_sealed: new Encryption('x'.repeat(32)).encrypt('pa55word', 'trunk-password'),
      tls_key_sealed: Buffer.from('sealed'),
      headers: { 'X-Order': 'order' },
      targets: JSON.stringify([
        { host: 'sbc1.example.net', port: 5071, transport: 'tls', priority: 1 },
        { host: 'sbc2.example.net', priority: 2 },
      ]),
      concurrent_calls: 10,
    });
    const { status, body } = await get('?per_page=1', other.token);
    expect(status).toBe(200);
    expect(body.meta).toMatchObject({ current_page: 1, per_page: 1, total: 2, last_page: 2 });
    expect(body.links.next).toMatch(/\/api\/v1\/trunks\?per_page=1&page=2$/);
    expect(body.data).toEqual([
      expect.objectContaining({
        name: 'a carrier',
        state: 'unknown',
        reason: 'It has not been checked yet; a running dialer checks it.',
        username: 'acme',
        headers: { 'X-Order': 'order' },
        live_calls: 0,
        concurrent_calls: 10,
        calls_per_second: null,
        targets: [
          expect.objectContaining({
            host: 'sbc1.example.net',
            port: 5071,
            transport: 'tls',
            priority: 1,
            state: 'unknown',
          }),
          expect.objectContaining({ host: 'sbc2.example.net', port: null, transport: null, priority: 2 }),
        ],
      }),
    ]);
    expect(JSON.stringify(body)).not.toMatch(/sealed|pa55word|key/i);
    expect((await get('?per_page=0')).status).toBe(422);
  });

  it('show the number of their live calls', async () => {
    await pool.query(`INSERT INTO dialers (id, lease_until) VALUES ('d', now())`);
    const on = { trunk_id: own.trunkId, owner: 'd' };
    await aCall(pool, own, { ...on, status: 'in_progress' });
    await aCall(pool, own, { ...on, status: 'completed', ended_at: new Date() });
    await aCall(pool, own, { trunk_id: own.trunkId });
    expect((await get(`/${own.trunkId}`)).body.data).toMatchObject({ id: own.trunkId, live_calls: 1 });
    await pool.query('UPDATE calls SET transfer_trunk_id = trunk_id WHERE ended_at IS NULL AND owner IS NOT NULL');
    expect((await get(`/${own.trunkId}`)).body.data).toMatchObject({ live_calls: 2 });
  });
});

describe('a trunk', () => {
  it('cannot be tested while no dialer runs', async () => {
    const { status, body } = await api.as(own.token).post(`/api/v1/trunks/${own.trunkId}/test`);
    expect([status, body]).toEqual([503, { message: 'No dialer is running.' }]);
  });

  it('cannot be deleted while calls are queued for it, or transferred over it', async () => {
    const id = await aTrunk(pool, own.accountId);
    const remove = () => api.as(own.token).delete(`/api/v1/trunks/${id}`);
    const call = await aCall(pool, own, { trunk_id: id });
    expect((await remove()).status).toBe(409);
    await pool.query(`INSERT INTO dialers (id, lease_until) VALUES ('gone', now() - interval '1 day')`);
    await pool.query(
      `UPDATE calls SET trunk_id = NULL, transfer_trunk_id = $2, owner = 'gone', status = 'in_progress' WHERE id = $1`,
      [call, id],
    );
    expect((await remove()).status).toBe(409);
    await pool.query(`UPDATE calls SET ended_at = now(), status = 'completed' WHERE id = $1`, [call]);
    expect((await remove()).status).toBe(200);
  });
});

describe('the health of trunks', () => {
  let engine: EmbeddedEngine;

  beforeAll(async () => {
    engine = await startTestEngine();
    await pool.query('UPDATE sip_trunks SET options_ping_seconds = 0');
  });
  afterAll(() => engine?.close());

  it('is checked by one dialer at a time', async () => {
    const { accountId } = await aWorkspace(pool);
    const ids = await Promise.all(Array.from({ length: 8 }, () => aTrunk(pool, accountId)));
    await aTrunk(pool, accountId, { active: false });
    await aTrunk(pool, accountId, { options_ping_seconds: 0 });
    const claims = (
      await Promise.all(Array.from({ length: 10 }, () => api.app.get(TrunkHealthService).claim(100)))
    ).flat();
    const claimed = claims.map((one) => one.trunkId).filter((id) => ids.includes(id));
    expect(claimed.toSorted((a, b) => a - b)).toEqual(ids.toSorted((a, b) => a - b));
    expect(claims.filter((one) => one.accountId === accountId)).toHaveLength(ids.length + 1);
    expect(await api.app.get(TrunkHealthService).claim(100)).toEqual([]);
  });

  it('follows the responses of their targets, with a reason when they are down', async () => {
    const [here, there] = [{ host: '127.0.0.1', port: phone.port, transport: 'udp', priority: 0 }, NOBODY];
    const gone = { host: '127.0.0.1', ...there, priority: 5 };
    const up = await aTrunk(pool, own.accountId, { name: 'up', port: phone.port });
    const down = await aTrunk(pool, own.accountId, { name: 'down', ...NOBODY });
    const half = await aTrunk(pool, own.accountId, { name: 'half', targets: JSON.stringify([here, gone]) });
    const lines = new LogLines();
    const telephony = { health: (trunk: DialTrunk) => engine.health(trunkOf(trunk, (encrypted) => encrypted)) };
    const health = api.app.get(TrunkHealthService);
    const monitor = new TrunkHealthMonitorService(health, telephony, api.app.get(SipRoutesService), lines.log);
    monitor.start();
    await Promise.all([
      lines.first({ trunk_id: up, msg: 'a trunk can be reached' }),
      lines.first({ trunk_id: half, msg: 'a trunk can be reached' }),
      lines.first({ trunk_id: down, msg: 'a trunk cannot be reached' }),
    ]);
    const [shownUp, shownDown, shownHalf] = await Promise.all(
      [up, down, half].map(async (id) => (await get(`/${id}`)).body.data),
    );
    expect(shownUp).toMatchObject({ state: 'up', reason: null, targets: [{ state: 'up', sip_status: 200 }] });
    expect(shownUp.targets[0].rtt_ms).toBeGreaterThan(0);
    expect(shownDown).toMatchObject({
      state: 'down',
      reason: expect.stringContaining('refused'),
      checked_at: expect.anything(),
    });
    expect(shownHalf).toMatchObject({
      state: 'up',
      reason: '1 of 2 targets cannot be reached.',
      targets: [{ state: 'up' }, { state: 'down', reason: expect.stringContaining('refused'), rtt_ms: null }],
    });

    // The carrier moves to a reachable address.
    await pool.query(`UPDATE sip_trunks SET port = $2, transport = 'udp' WHERE id = $1`, [down, phone.port]);
    await pool.query(`UPDATE trunk_health SET due_at = 'epoch' WHERE trunk_id = $1`, [down]);
    await lines.first({ trunk_id: down, msg: 'a trunk can be reached' });
    expect((await get(`/${down}`)).body.data).toMatchObject({
      state: 'up',
      targets: [{ port: phone.port, state: 'up' }],
    });
    await monitor.stop();
  });
});

describe('a number', () => {
  it('is created by one of two requests at once', async () => {
    const post = (name: string) => api.as(own.token).post('/api/v1/numbers').send({ e164: '+15557000002', name });
    const answers = await Promise.all(['a', 'b'].map((name) => post(name)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 422]);
  });

  it('whose queue was stored by an earlier release ends the wait by hanging up', async () => {
    const queue = { on_timeout: { action: 'transfer', to_number: '+12025550100', message: 'All busy.' } };
    const body = { e164: '+15557000003', queue };
    const { id } = (await api.as(own.token).post('/api/v1/numbers').send(body)).body.data as { id: number };
    await pool.query(
      `UPDATE phone_numbers SET queue = queue #- '{on_timeout,action}' #- '{on_timeout,to_number}' WHERE id = $1`,
      [id],
    );
    expect((await api.as(own.token).get(`/api/v1/numbers/${id}`)).body.data.queue.on_timeout).toEqual({
      action: 'hang_up',
      to_number: null,
      message: 'All busy.',
    });
  });

  it('that two accounts have on trunks with the same addresses gets its calls where the operator assigned it, not where a tenant claimed it earlier', async () => {
    const [claimer, owner] = [await aWorkspace(api.pool), await aWorkspace(api.pool)];
    const tenant = await aToken(api.pool, claimer.accountId, ['numbers:write']);
    const e164 = '+15557000001';
    const claimed = await api.as(tenant).post('/api/v1/numbers').send({ e164, agent_id: claimer.agentId });
    expect(claimed.status).toBe(201);
    const agentId = await anAgent(api.pool, owner.accountId);
    const assigned = await api.as(owner.token).post('/api/v1/numbers').send({ e164, agent_id: agentId });
    expect(assigned.status).toBe(201);
    const trunkIds = [claimer.trunkId, owner.trunkId];
    await pool.query('UPDATE sip_trunks SET inbound_enabled = true WHERE id = ANY ($1)', [trunkIds]);
    await pool.query(`INSERT INTO dialers (id, lease_until) VALUES ('inbound', now())`);
    const claims = api.app.get(CallClaimsService, { strict: false });
    const number = (await claims.calledNumber(trunkIds, [e164]))!;
    const incoming = { id: newId(), owner: 'inbound', number, caller: undefined };
    expect(await claims.receive(incoming)).toEqual({ kind: 'taken' });
    const { rows } = await pool.query('SELECT account_id FROM calls WHERE id = $1', [incoming.id]);
    expect(rows).toEqual([{ account_id: owner.accountId }]);
  });
});
