import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { dataOf } from '@app/client';
import { type SandboxPhone, startSandboxPhone } from '@app/sandbox/phone';
import type { LegEnd } from '@app/telephony';
import { Pool } from 'pg';
import type { ServerResponse } from 'node:http';
import { eventOf, startTestEngine, testMedia } from '../interop/test-engine.js';
import { apiOf, type ApiClient } from '../../support/api-client.js';
import { eventOfCall, eventsOfCall } from '../../support/call-events.js';
import { Stack } from '../../support/stack.js';
import { WebhookReceiver } from '../../support/webhook-receiver.js';
import { applyPlans, createAccount, type TestAccount } from '../../support/workspace.js';

const log = { debug: () => {}, warn: () => {} };

describe('the pre-call webhook of an agent', () => {
  let stack: Stack;
  let phone: SandboxPhone;
  let crm: WebhookReceiver;
  let database: Pool;
  let account: TestAccount;
  let api: ApiClient;
  let sipPort: number;

  beforeAll(async () => {
    crm = await WebhookReceiver.start();
    phone = await startSandboxPhone({
      bind: '127.0.0.1',
      port: 0,
      rtpPorts: { min: 27_600, max: 27_799 },
      ringMs: 50,
      log,
    });
    stack = await Stack.start({ dialers: 0 });
    database = new Pool({ connectionString: stack.database.url, max: 2 });
    account = await createAccount(stack, {
      name: 'acme',
      trunk: { inbound: { addresses: ['127.0.0.2'] } },
      agent: agentWith(),
    });
    api = apiOf(stack, account);
    sipPort = Number((await stack.add('dialer')).ready.sip_port);
  });

  afterAll(async () => {
    await database?.end();
    await stack?.stop();
    await phone?.close();
    await crm?.close();
  });

  beforeEach(() => {
    crm.received.length = 0;
  });

  const agentWith = (webhook: object = {}) => ({
    greeting: 'Hello {{customer_name | there}}.',
    variables: [{ name: 'customer_name', max_length: 40 }],
    pre_call_webhook: {
      url: crm.url('/crm?key=k'),
      headers: [{ key: 'Authorization', value: 'Bearer crm-secret' }],
      ...webhook,
    },
  });
  const setWebhook = (webhook: object) =>
    applyPlans(stack, [{ name: 'acme', trunk: { inbound: { addresses: ['127.0.0.2'] } }, agent: agentWith(webhook) }]);
  const answerWith = (body: object) => {
    crm.answer = (_, response: ServerResponse) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };

  const place = async (more: object = {}): Promise<string> =>
    (await api.createCall({ to_number: `sip:silent@127.0.0.1:${phone.port}`, ...more })).call_id;
  const said = async (id: string, wanted: RegExp): Promise<string> => {
    const spoken = ({ type, data }: { type: string; data: Record<string, unknown> }) =>
      type === 'turn' && wanted.test(String(data.text));
    return String((await eventOfCall(database, id, spoken)).data.text);
  };
  const outcomeOf = async (id: string) =>
    (await eventOfCall(database, id, ({ type }) => type === 'pre_call_webhook')).data;
  const ended = (id: string) => eventOfCall(database, id, ({ data }) => data.hangup_cause !== undefined);
  const deliveriesOf = (id: string) =>
    dataOf(api.GET('/api/v1/webhook-deliveries', { params: { query: { call_id: id, type: 'pre-call' } } }));

  it.each<[string, object, RegExp]>([
    ['a tool that the agent does not have', { agent_overrides: { tool_ids: [999] } }, /no active tool 999/],
    [
      'a knowledge base that it does not have',
      { agent_overrides: { knowledge_base_ids: [999] } },
      /no knowledge base 999/,
    ],
    ['a body that is too large', { x: 'x'.repeat(70_000) }, /more than 64 KiB/],
  ])('that answers with %s changes nothing, and the call goes on', async (_, body, reason) => {
    answerWith(body);
    const id = await place({ variables: { customer_name: 'Eve' } });
    expect(await outcomeOf(id)).toMatchObject({ outcome: 'failed', reason: expect.stringMatching(reason) });
    expect(await said(id, /Hello/)).toBe('Hello Eve.');
    await api.cancel(id);
  });

  it('that does not answer delays the call by three seconds, and no other call', async () => {
    crm.answer = () => undefined;
    const id = await place();
    await crm.until((received) => received.length > 0);
    answerWith({});
    const other = await place();
    await said(other, /Hello/);
    expect((await eventsOfCall(database, id)).some(({ type }) => type === 'pre_call_webhook')).toBe(false);
    expect(await outcomeOf(id)).toMatchObject({
      outcome: 'failed',
      reason: expect.stringContaining('No complete response'),
    });
    await said(id, /Hello there/);
    await Promise.all([api.cancel(id), api.cancel(other)]);
  });

  it('is not waited for when the call is cancelled', async () => {
    crm.answer = () => undefined;
    const id = await place();
    await crm.until((received) => received.length > 0);
    await api.cancel(id);
    await ended(id);
    expect(await api.call(id)).toMatchObject({ status: 'cancelled', hangup_cause: 'cancelled', started_at: null });
  });

  it('is asked once for a call whose window closes meanwhile', async () => {
    const never = { windows: [{ days: ['monday'], from: '00:00', to: '00:01' }], time_zones: ['UTC'] };
    const setSchedule = (schedule: object | null) =>
      database.query(
        `UPDATE calls SET settings = settings || jsonb_build_object('schedule', $1::jsonb)
        WHERE ended_at IS NULL`,
        [JSON.stringify(schedule ?? {})],
      );
    crm.answer = (_, response) => {
      void setSchedule({ ...never, not_before: new Date(Date.now() + 3_600_000).toISOString() }).then(() =>
        response.end('{}'),
      );
    };
    const id = await place();
    await eventOfCall(database, id, ({ type }) => type === 'postponed');
    expect(await api.call(id)).toMatchObject({ status: 'pending', started_at: null });
    await setSchedule(null);
    await database.query('UPDATE calls SET due_at = now() WHERE id = $1', [id]);
    expect(await said(id, /Hello/)).toBe('Hello there.');
    expect(crm.received).toHaveLength(1);
    await api.cancel(id);
  });

  it('is repeated with the same id after its dialer died, and the call is dialled once', async () => {
    crm.answer = () => undefined;
    const id = await place();
    await crm.until((received) => received.length > 0);
    answerWith({ variables: { customer_name: 'Ada' } });
    const dialer = stack.processes.find(({ role }) => role === 'dialer')!;
    await stack.kill(dialer);
    sipPort = Number((await stack.add('dialer')).ready.sip_port);
    expect(await said(id, /Hello/)).toBe('Hello Ada.');
    const requests = crm.received.map(({ headers, body }) => [headers['webhook-id'], body]);
    expect(requests).toHaveLength(2);
    expect(requests[1]).toEqual(requests[0]);
    expect((await eventsOfCall(database, id)).filter(({ type }) => type === 'pre_call_webhook')).toHaveLength(1);
    await api.cancel(id);
  });

  describe('for an inbound call', () => {
    async function callIn() {
      const ports = { min: 13_900, max: 13_998 };
      const engine = await startTestEngine({
        sip: { bind: '127.0.0.2', port: 0, userAgent: 'carrier', log },
        media: testMedia({ bindAddress: '127.0.0.2', ports }),
      });
      const leg = engine.dial({
        legId: 'carrier',
        destination: { kind: 'e164', number: '+15550001111' },
        from: { number: '+15557770001' },
        trunk: { targets: [{ host: '127.0.0.1', port: sipPort, transport: 'udp', priority: 0 }] },
        ringTimeoutMs: 10_000,
      });
      return { engine, leg, ended: new Promise<LegEnd>((resolve) => leg.on('ended', resolve)) };
    }
    const newest = async (): Promise<string> => {
      const text = `SELECT id FROM calls WHERE direction = 'inbound' ORDER BY id DESC LIMIT 1`;
      return (await database.query<{ id: string }>(text)).rows[0]!.id;
    };

    it('is asked while the phone rings, before the answer', async () => {
      let answer: (() => void) | undefined;
      crm.answer = (_, response) => {
        answer = () => response.end('{"variables":{"customer_name":"Ada"}}');
      };
      const { engine, leg } = await callIn();
      await eventOf(leg, 'ringing');
      await crm.until((received) => received.length > 0);
      const id = await newest();
      expect(await api.call(id)).toMatchObject({ answered_at: null });
      answer?.();
      await eventOf(leg, 'answered');
      expect(await said(id, /Hello/)).toBe('Hello Ada.');
      expect(JSON.parse(crm.received[0]!.body)).toMatchObject({
        data: { direction: 'inbound', from_number: '+15557770001', metadata: null, variables: null },
      });
      leg.hangup('agent_hangup');
      await ended(id);
      await engine.close();
    });

    it('can choose the agent that answers, with its greeting, variables, version and webhooks', async () => {
      const body = {
        name: 'Sales',
        provider: 'sandbox' as const,
        instructions: 'You sell.',
        greeting: 'Sales, hello {{buyer | there}}.',
        variables: [{ name: 'buyer', max_length: 5 }],
        call_status_webhook: { url: crm.url('/sales') },
      };
      const agent = await dataOf(api.POST('/api/v1/agents', { body }));
      const statuses = () =>
        crm.received
          .filter(({ path }) => path === '/sales')
          .map(({ body: text }) => (JSON.parse(text) as { data: { status: string } }).data);
      const routed = (answer: object) => {
        crm.answer = ({ path }, response) => response.end(path === '/sales' ? '' : JSON.stringify(answer));
      };
      routed({ agent_id: agent.id, variables: { buyer: 'Grace' } });
      const { engine, leg } = await callIn();
      await eventOf(leg, 'answered');
      const id = await newest();
      expect(await said(id, /Sales/)).toBe('Sales, hello Grace.');
      expect(await outcomeOf(id)).toMatchObject({ outcome: 'continued', agent_id: agent.id });
      leg.hangup('agent_hangup');
      await ended(id);
      expect(await api.call(id)).toMatchObject({ agent: 'Sales', agent_id: agent.id, agent_version: 1 });
      await crm.until(() => statuses().some(({ status }) => status === 'completed'));
      expect(statuses()).toMatchObject(statuses().map(() => ({ agent: 'Sales', agent_id: agent.id })));
      expect(statuses().map(({ status }) => status)).not.toContain('pending');

      // The declarations of the chosen agent apply, and foreign agents are none of the account: the call goes on as usual.
      for (const answer of [
        { agent_id: agent.id, variables: { buyer: 'Augusta' } },
        { agent_id: 2_000_000_000 },
        { agent_id: 'x' },
      ]) {
        routed(answer);
        const refused = await callIn();
        await eventOf(refused.leg, 'answered');
        const refusedId = await newest();
        expect(await outcomeOf(refusedId)).toMatchObject({ outcome: 'failed', reason: expect.any(String) });
        expect(await api.call(refusedId)).toMatchObject({ agent: 'Receptionist', agent_id: account.agentId });
        refused.leg.hangup('agent_hangup');
        await ended(refusedId);
        await refused.engine.close();
      }
      await engine.close();
    });

    it('can decline it', async () => {
      answerWith({ skip: 'Blocked caller.' });
      const { engine, ended: legEnd } = await callIn();
      const end = await legEnd;
      expect(end).toMatchObject({ sipCode: 603 });
      const id = await newest();
      await ended(id);
      expect(await api.call(id)).toMatchObject({
        status: 'cancelled',
        hangup_cause: 'skipped_by_webhook',
        sip_code: 603,
        answered_at: null,
      });
      await engine.close();
    });

    it('is not waited for when the caller gives up', async () => {
      crm.answer = () => undefined;
      const { engine, leg } = await callIn();
      await crm.until((received) => received.length > 0);
      leg.hangup('cancelled');
      const id = await newest();
      await ended(id);
      expect(await api.call(id)).toMatchObject({ status: 'no_answer', hangup_cause: 'originator_cancel' });
      await engine.close();
    });
  });

  it('at a private address is never contacted', async () => {
    await setWebhook({ on_error: 'skip', url: 'http://10.1.2.3/crm' });
    const blocked = await place();
    await ended(blocked);
    expect(await outcomeOf(blocked)).toMatchObject({
      outcome: 'skipped',
      reason: expect.not.stringContaining('10.1.2.3'),
    });
    expect(await deliveriesOf(blocked)).toMatchObject([{ state: 'refused' }]);
  });

  it.each([
    ['continue', { outcome: 'failed' }],
    ['skip', { outcome: 'skipped' }],
  ])('whose headers cannot be decrypted follows on_error: %s', async (on_error, outcome) => {
    const broken = { on_error, headers_sealed: 'c2VhbGVkIGJ5IGFub3RoZXIga2V5LCBvZiB3aGljaCBub3RoaW5nIGlzIGtub3du' };
    for (const statement of [
      `UPDATE agents SET pre_call_webhook = pre_call_webhook || $2 WHERE id = $1`,
      `UPDATE agent_versions SET settings = jsonb_set(settings, '{pre_call_webhook}', settings->'pre_call_webhook' || $2) WHERE agent_id = $1`,
    ])
      await database.query(statement, [account.agentId, broken]);
    const id = await place();
    expect(await outcomeOf(id)).toMatchObject({ ...outcome, reason: expect.stringContaining('cannot be read') });
    expect(crm.received).toEqual([]);
    if (on_error === 'continue') await said(id, /^Hello there\.$/);
    if (on_error === 'continue') await api.cancel(id);
    await ended(id);
  });
});
