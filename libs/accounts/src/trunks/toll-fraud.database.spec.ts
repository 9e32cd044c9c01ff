import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SipRoutesService } from './sip-routes.service.js';
import { Client } from 'pg';
import { DnsServer } from '../../../../test/full/interop/dns-server.js';
import { apiOf } from '../../../../test/support/api-client.js';
import { InProcessApi } from '../../../../test/support/in-process-api.js';
import { CountingCallee } from '../../../../test/support/counting-callee.js';
import { aTrunk, aWorkspace, type Workspace } from '../../../../test/support/factories.js';
import { Stack, type StackProcess } from '../../../../test/support/stack.js';
import { WebhookSink } from '../../../../test/support/webhook-sink.js';
import {
  type AccountPlan,
  applyPlans,
  createAccountByFile,
  type TestAccount,
} from '../../../../test/support/workspace.js';

describe('a SIP URI without trunk_id', () => {
  const CARRIER = '192.0.2.10';
  const BLOCKED = 'Calls to this destination are not allowed for the account.';
  let api: InProcessApi;
  let dns: DnsServer;

  beforeAll(async () => {
    dns = await DnsServer.start({
      'A sbc.test': [CARRIER],
      'A alias.test': [CARRIER],
      'A claims.test': ['192.0.2.52', '192.0.2.53'],
      'A victim.test': ['192.0.2.54'],
      'SRV _sips._tcp.srv.test': [{ name: 'sbc.test', priority: 1, weight: 0, port: 5061 }],
    });
    const env = { SIP_ALLOW_CIDRS: '192.0.2.0/24,127.0.0.0/8', SIP_DNS_SERVERS: dns.address, SANDBOX_SIP_PORT: '5070' };
    api = await InProcessApi.start(env);
  });
  afterAll(async () => {
    await api?.stop();
    dns?.close();
  });

  const post = ({ token, agentId: agent_id, numberId: number_id }: Workspace, to_number: string | string[]) =>
    api.as(token).post('/api/v1/calls').send({ agent_id, number_id, to_number });

  async function trunksOf(workspace: Workspace, to: string[]): Promise<unknown[]> {
    const { status, body } = await post(workspace, to);
    expect([status, body.errors]).toEqual([201, undefined]);
    const ids: string[] = [body.data].flat().map((call: { call_id: string }) => call.call_id);
    const shown = await Promise.all(ids.map((id) => api.as(workspace.token).get(`/api/v1/calls/${id}`)));
    return shown.map((one) => one.body.data.trunk_id);
  }

  /** The only target of the trunk has answered a call. */
  const answeredAt = (id: number, host: string, port = 5060): Promise<void> =>
    api.app.get(SipRoutesService).answeredCall(id, [{ host, port }], { address: host, port });

  /** The trunk of another account at the carrier, which has answered. */
  async function foreignTrunk(
    fields: { host?: string; port?: number } & Record<string, unknown> = {},
  ): Promise<number> {
    const other = await aWorkspace(api.pool);
    const trunk = { host: CARRIER, ...fields };
    const id = await aTrunk(api.pool, other.accountId, trunk);
    await answeredAt(id, trunk.host, fields.port);
    return id;
  }

  describe('at a host of the account’s own trunk', () => {
    let own: Workspace;
    let trunkId: number;

    beforeAll(async () => {
      own = await aWorkspace(api.pool);
      trunkId = await aTrunk(api.pool, own.accountId, { host: 'SBC.test', port: 5060 });
    });

    it('is a call over that trunk, however the host is written', async () => {
      const hosts = ['sbc.test', 'sbc.TEST.', 'sbc.test:5061;transport=tls', CARRIER, 'alias.test', 'srv.test'];
      const mapped = ['[::ffff:192.0.2.10]', '[::ffff:c000:20a]'];
      const to = [...hosts, ...mapped].flatMap((host) => [`sip:+12025550100@${host}`, `sip:alice@${host}`]);
      expect(await trunksOf(own, to)).toEqual(to.map(() => trunkId));
    });

    it('is a direct call at another port, or at another host', async () => {
      const to = [`sip:+12025550100@${CARRIER}:5080`, 'sip:+12025550100@192.0.2.11', 'sip:1001@192.0.2.11'];
      expect(await trunksOf(own, to)).toEqual([null, null, null]);
    });

    it('is a call over the first trunk whose rules allow it', async () => {
      const dial_formats = JSON.stringify({ extensions: { min_digits: 2, max_digits: 5 } });
      const targets = JSON.stringify([
        { host: '192.0.2.99', priority: 0 },
        { host: CARRIER, priority: 1 },
      ]);
      const several = await aWorkspace(api.pool);
      await aTrunk(api.pool, several.accountId, { host: CARRIER, active: false });
      const first = await aTrunk(api.pool, several.accountId, { host: CARRIER });
      const pbx = await aTrunk(api.pool, several.accountId, { host: '192.0.2.99', targets, dial_formats });
      expect(await trunksOf(several, ['sip:+12025550100@sbc.test', 'sip:1001@sbc.test'])).toEqual([first, pbx]);
    });

    it('is refused when its number is on the do-not-call list or not on the allow list', async () => {
      const listed = await aWorkspace(api.pool, { destinations_allow: ['+1202'] });
      await aTrunk(api.pool, listed.accountId, { host: CARRIER });
      await api.as(listed.token).post('/api/v1/do-not-call').send({ number: '+12025550100' });
      const { status, body } = await post(listed, [`sip:+12025550100@${CARRIER}`, `sip:+13035550100@${CARRIER}`]);
      expect(status).toBe(422);
      expect(body.errors).toEqual({
        'to_number.0': [expect.stringMatching(/do-not-call/)],
        'to_number.1': [expect.stringMatching(/not allowed/)],
      });
    });
  });

  describe('at a host of another account’s trunk', () => {
    const numbers = ['+12025550100', '2025550100', '911', '1001', '%2B12025550100', '*67+12025550100'];

    it('is allowed until the trunk has answered, and always for names', async () => {
      const [mine, theirs] = [await aWorkspace(api.pool), await aWorkspace(api.pool)];
      const host = '192.0.2.20';
      const id = await aTrunk(api.pool, theirs.accountId, { host });
      expect(await trunksOf(mine, [`sip:+12025550100@${host}`])).toEqual([null]);
      await answeredAt(id, host);
      expect((await post(mine, `sip:+12025550100@${host}`)).status).toBe(422);
      expect(await trunksOf(mine, [`sip:alice@${host}`, `sip:callee-17@${host}`])).toEqual([null, null]);
    });

    it('is refused like any blocked destination when its user part is a number', async () => {
      await foreignTrunk({ active: false });
      const mine = await aWorkspace(api.pool);
      const { status, body } = await post(
        mine,
        numbers.flatMap((user) => [`sip:${user}@${CARRIER}`, `sip:${user}@alias.test`, `sip:${user}@srv.test`]),
      );
      expect(status).toBe(422);
      const limited = await aWorkspace(api.pool, { destinations_allow: ['+44'] });
      const blocked = await post(limited, 'sip:+12025550100@192.0.2.200');
      expect(blocked.body.errors).toEqual({ 'to_number.0': [BLOCKED] });
      expect(Object.values(body.errors)).toEqual(Array.from({ length: numbers.length * 3 }, () => [BLOCKED]));
    });

    it('is allowed when that trunk has credentials, or no longer has the host', async () => {
      const mine = await aWorkspace(api.pool);
      const host = '192.0.2.30';
      await foreignTrunk({ host, username: 'u', password_sealed: Buffer.from('sealed') });
      expect(await trunksOf(mine, [`sip:+12025550100@${host}`])).toEqual([null]);

      const other = await aWorkspace(api.pool);
      const created = await api.as(other.token).post('/api/v1/trunks').send({ name: 'moves', host: '192.0.2.31' });
      await answeredAt(created.body.data.id, '192.0.2.31');
      expect((await post(mine, 'sip:+12025550100@192.0.2.31')).status).toBe(422);
      const path = `/api/v1/trunks/${created.body.data.id}`;
      expect((await api.as(other.token).patch(path).send({ host: '192.0.2.32' })).status).toBe(200);
      expect(await trunksOf(mine, ['sip:+12025550100@192.0.2.31'])).toEqual([null]);
    });

    it('is allowed when only another target or another address of that trunk has answered', async () => {
      const [mine, theirs] = [await aWorkspace(api.pool), await aWorkspace(api.pool)];
      const [server, name] = [{ host: '192.0.2.50' }, { host: 'claims.test' }];
      const targets = [server, { host: '192.0.2.51' }, name, { host: 'victim.test' }];
      const id = await aTrunk(api.pool, theirs.accountId, {
        host: server.host,
        targets: JSON.stringify(targets.map((target, priority) => ({ ...target, priority }))),
      });
      const routes = api.app.get(SipRoutesService);
      await routes.answeredCall(id, targets, { address: '192.0.2.50', port: 5060 });
      await routes.answeredCall(id, targets, { address: '192.0.2.52', port: 5060 });
      const to = (host: string): string => `sip:+12025550100@${host}`;
      const victims = ['192.0.2.51', '192.0.2.53', '192.0.2.54', 'victim.test'].map(to);
      expect(await trunksOf(mine, victims)).toEqual(victims.map(() => null));
      const { status, body } = await post(mine, [server.host, '192.0.2.52', name.host].map(to));
      expect([status, Object.values(body.errors)]).toEqual([422, [[BLOCKED], [BLOCKED], [BLOCKED]]]);
    });

    it('is refused at the last 64 places of a trunk, whose DNS may give another address at every call', async () => {
      const theirs = await aWorkspace(api.pool);
      const id = await aTrunk(api.pool, theirs.accountId, { host: 'moving.test' });
      const addresses = Array.from({ length: 70 }, (_, index) => `198.51.100.${index + 1}`);
      for (const address of addresses)
        await api.app.get(SipRoutesService).answeredCall(id, [{ host: 'moving.test' }], { address, port: 5060 });
      const { rows } = await api.pool.query<{ place: string }>('SELECT place FROM trunk_places WHERE trunk_id = $1', [
        id,
      ]);
      const kept = ['moving.test sip', ...addresses.slice(-63).map((address) => `${address} sip`)];
      expect(rows.map(({ place }) => place).toSorted()).toEqual(kept.toSorted());
    });

    it('is allowed at the sandbox phone, which every account may call', async () => {
      const host = { host: '127.0.0.1', port: 5070 };
      await foreignTrunk(host);
      const mine = await aWorkspace(api.pool);
      expect(await trunksOf(mine, ['sip:+12025550100@127.0.0.1:5070', 'sip:answer@localhost:5070'])).toEqual([
        null,
        null,
      ]);
    });
  });

  describe('elsewhere', () => {
    const at = (user: string): string => `sip:${user}@192.0.2.40`;

    it('is a number when it has eight digits, with the lists of the account', async () => {
      const mine = await aWorkspace(api.pool, { destinations_allow: ['+1202'] });
      await api.as(mine.token).post('/api/v1/do-not-call').send({ number: '+12025550100' });
      const { status, body } = await post(mine, [
        at('1001'),
        at('5550100'),
        at('12025550100'),
        at('09061234567'),
        at('+44'),
      ]);
      expect([status, Object.keys(body.errors).toSorted()]).toEqual([
        422,
        ['to_number.2', 'to_number.3', 'to_number.4'],
      ]);
      expect(await trunksOf(mine, [at('1001'), at('5550100'), at('alice'), at('12025550101')])).toHaveLength(4);
    });

    it('is accepted soon when DNS does not respond', async () => {
      const slow = await DnsServer.start({});
      slow.fallSilent();
      const other = await InProcessApi.start({ SIP_DNS_SERVERS: slow.address });
      try {
        const mine = await aWorkspace(other.pool);
        const startedAt = performance.now();
        const order = { agent_id: mine.agentId, number_id: mine.numberId, to_number: 'sip:alice@pbx.example.net' };
        expect((await other.as(mine.token).post('/api/v1/calls').send(order)).status).toBe(201);
        // The look-ups themselves go on for six seconds.
        expect(performance.now() - startedAt).toBeLessThan(5_500);
      } finally {
        await other.stop();
        slow.close();
      }
    });
  });
});

describe('what an account may not call is refused once more when it is dialled', () => {
  let stack: Stack;
  let sink: WebhookSink;
  let callee: CountingCallee;
  let database: Client;
  let dialer: StackProcess;

  beforeAll(async () => {
    [sink, callee] = await Promise.all([WebhookSink.start(), CountingCallee.start('127.0.0.2')]);
    stack = await Stack.start({ dialers: 0, env: { SIP_ALLOW_CIDRS: '127.0.0.2/32' } });
    database = new Client({ connectionString: stack.database.url });
    await database.connect();
  });

  afterAll(async () => {
    await database?.end();
    await stack?.stop();
    await callee?.close();
    await sink?.close();
  });

  async function place(account: TestAccount, to_number: string): Promise<string> {
    return (await apiOf(stack, account).createCall({ to_number, trunk_id: account.trunkId })).call_id;
  }

  async function causesOf(ids: string[]): Promise<unknown[]> {
    const text = 'SELECT hangup_cause FROM calls WHERE id = ANY ($1::uuid[])';
    return (await database.query<{ hangup_cause: string }>(text, [ids])).rows.map((row) => row.hangup_cause);
  }

  it('limits that changed while the call waited, and names that lead inside', async () => {
    const dial_formats = { extensions: { min_digits: 2, max_digits: 5 } };
    const trunk = { host: '127.0.0.2', port: callee.port, dial_formats };
    const plan: AccountPlan = { name: 'changing', webhookUrl: `${sink.url}/changing`, trunk };
    const account = await createAccountByFile(stack, plan);
    const blocked = [
      await place(account, '+442071838750'),
      await place(account, `sip:+442071838750@127.0.0.2:${callee.port}`),
      await place(account, `sip:1001@127.0.0.2:${callee.port}`),
    ];
    const allowed = await place(account, callee.uri(1));
    const limits = { destinations: { allow: ['+1'] } };
    await applyPlans(stack, [{ ...plan, trunk: { ...trunk, dial_formats: null }, limits }]);
    // Nothing is wrong with these before somebody resolves the name, or looks at the trunk.
    const direct = { name: 'name', webhookUrl: `${sink.url}/name` };
    blocked.push(await place(await createAccountByFile(stack, direct), `sip:callee-3@localhost:${callee.port}`));
    const hidden = { name: 'trunk', webhookUrl: `${sink.url}/trunk`, trunk: { host: 'localhost', port: callee.port } };
    blocked.push(await place(await createAccountByFile(stack, hidden), '+12025550100'));

    dialer = await stack.add('dialer');
    await sink.until(() => [...blocked, allowed].every((id) => sink.eventsOf(id).includes('ended')));
    expect(await causesOf(blocked)).toEqual(blocked.map(() => 'blocked_destination'));
    expect(await causesOf([allowed])).toEqual(['normal_clearing']);
    expect([...callee.dialogs.keys()]).toEqual(['callee-1']);
  });

  it('a trunk that leads to the host of a waiting call takes it, or forbids it when it belongs to another account', async () => {
    const host = { host: '127.0.0.2', port: callee.port };
    const uri = (user: string): string => `sip:${user}@127.0.0.2:${callee.port}`;
    const plan = (name: string, fields: object = {}): AccountPlan => ({
      name,
      webhookUrl: `${sink.url}/${name}`,
      ...fields,
    });
    const direct = async (account: TestAccount, to_number: string): Promise<string> =>
      (await apiOf(stack, account).createCall({ to_number })).call_id;
    const isEnded = (ids: string[]) => sink.until(() => ids.every((id) => sink.eventsOf(id).includes('ended')));
    const later = await createAccountByFile(stack, plan('later'));
    const [foreign, carrier] = [
      await createAccountByFile(stack, plan('foreign')),
      await createAccountByFile(stack, plan('carrier', { trunk: host })),
    ];
    await stack.retire(dialer);
    // A trunk of the test above has answered at this host.
    await database.query('DELETE FROM trunk_places');

    const queued = [await direct(later, uri('+12025550111')), await direct(later, uri('callee-11'))];
    const [number, name] = [await direct(foreign, uri('+12025550113')), await direct(foreign, uri('callee-13'))];
    await applyPlans(stack, [plan('later', { trunk: { ...host, concurrent_calls: 1 } })]);
    const own = await database.query<{ id: number }>('SELECT id FROM sip_trunks WHERE account_id = $1', [
      later.accountId,
    ]);
    // The trunk of the carrier's account has answered before the calls of the others are dialled.
    await database.query(
      `INSERT INTO trunk_places (trunk_id, place, target, answered_at) VALUES ($1, $2, $2, now()) ON CONFLICT DO NOTHING`,
      [carrier.trunkId, `127.0.0.2 ${callee.port}`],
    );
    await stack.add('dialer');
    await isEnded([...queued, number, name]);

    const rows = await database.query<{ trunk_id: number; hangup_cause: string }>(
      'SELECT trunk_id, hangup_cause FROM calls WHERE id = ANY ($1::uuid[])',
      [queued],
    );
    expect(own.rows.map(({ id }) => id)).toContain(rows.rows[0]!.trunk_id);
    expect(rows.rows.map(({ trunk_id, hangup_cause }) => [trunk_id, hangup_cause])).toEqual(
      queued.map(() => [rows.rows[0]!.trunk_id, 'normal_clearing']),
    );
    expect(await causesOf([number])).toEqual(['blocked_destination']);
    expect(await causesOf([name])).toEqual(['normal_clearing']);
    expect(callee.dialogs.has('+12025550113')).toBe(false);
    const { costs } = await apiOf(stack, later).call(queued[0]!);
    // The price of +1, not that of a SIP URI.
    expect(costs.find(({ kind }) => kind === 'carrier_seconds')).toMatchObject({ unit_price: 0.00015 });
  });
});
