import { type AuditEventView, AuditModule, AuditService } from '@app/audit';
import { AuthModule, TokensService } from '@app/auth';
import { WorkspaceModule, WorkspaceService } from '@app/accounts';
import { newId } from '@app/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { InProcessApi } from '../../support/in-process-api.js';
import { openServices } from '../../support/services.js';
import { aCall, aToken, aWorkspace, type Workspace } from '../../support/factories.js';

let api: InProcessApi;
let own: Workspace;

beforeAll(async () => {
  api = await InProcessApi.start();
  own = await aWorkspace(api.pool);
});
afterAll(() => api.stop());

const eventsOf = async (query = '', token = own.token): Promise<AuditEventView[]> => {
  const answer = await api.as(token).get(`/api/v1/audit-events?per_page=100${query}`);
  expect(answer.status).toBe(200);
  return answer.body.data as AuditEventView[];
};
const actions = (events: AuditEventView[]): string[] => events.map(({ action }) => action).toReversed();

describe('the audit log', () => {
  it('records who changed what, in which request', async () => {
    const tools = `/api/v1/agents/${own.agentId}/tools`;
    const me = () => api.as(own.token);
    const made = await me().post(tools).send({ name: 'ask', description: 'Asks.' });
    const { id } = made.body.data as { id: number };
    await me().patch(`${tools}/${id}`).send({ description: 'Asks much.' });
    await me().patch(`${tools}/${id}`).send({});
    await me().delete(`${tools}/${id}`).set('X-Request-Id', 'my-request-1');
    await me().delete(`${tools}/${id}`);

    const events = await eventsOf(`&subject=tool:${id}`);
    expect(actions(events)).toEqual(['tool.created', 'tool.updated', 'tool.deleted']);
    const [deleted, updated, created] = events;
    expect(deleted).toEqual({
      id: expect.any(Number),
      at: expect.stringMatching(/\+00:00$/),
      account_id: own.accountId,
      actor: { kind: 'token', id: expect.stringMatching(/^\d+$/), email: null, name: null, subject: null },
      action: 'tool.deleted',
      subject: { kind: 'tool', id: String(id) },
      details: { agent_id: own.agentId, name: 'ask' },
      request_id: 'my-request-1',
    });
    expect(updated?.details).toEqual({ agent_id: own.agentId, changed: ['description'] });
    expect(created?.request_id).toBe(made.headers['x-request-id']);
  });

  it('records changes of knowledge bases', async () => {
    const bases = `/api/v1/agents/${own.agentId}/knowledge-bases`;
    const me = () => api.as(own.token);
    const text = { title: 'Prices', source_type: 'text', content: 'A room costs 90.' };
    const { id } = (await me().post(bases).send(text)).body.data as { id: number };
    await me().put(`${bases}/${id}`).send({ content: 'A room costs 95.' });
    await me().post(`${bases}/${id}/reprocess`);
    await me().delete(`${bases}/${id}`);
    const done = ['created', 'updated', 'reprocessed', 'deleted'].map((what) => `knowledge_base.${what}`);
    const events = await eventsOf(`&subject=knowledge_base:${id}`);
    expect(actions(events)).toEqual(done);
    expect(JSON.stringify(events)).not.toContain('room');
  });

  it('records cancelled and deleted calls, without their numbers', async () => {
    const id = await aCall(api.pool, own, { to_number: '+15551234567' });
    expect((await api.as(own.token).post(`/api/v1/calls/${id}/cancel`)).status).toBe(200);
    expect((await api.as(own.token).delete(`/api/v1/calls/${id}`)).status).toBe(200);
    const events = await eventsOf(`&subject=call:${id}`);
    expect(actions(events)).toEqual(['call.cancelled', 'call.deleted']);
    expect(JSON.stringify(events)).not.toContain('5551234567');
  });

  it('records no event for a rejected change', async () => {
    const before = (await eventsOf()).length;
    const active = await aCall(api.pool, own, { status: 'in_progress' });
    expect((await api.as(own.token).delete(`/api/v1/calls/${active}`)).status).toBe(409);
    expect((await api.as(own.token).post(`/api/v1/calls/${newId()}/cancel`)).status).toBe(404);
    expect((await api.as(own.token).post(`/api/v1/agents/${own.agentId}/tools`).send({})).status).toBe(422);
    expect(await eventsOf()).toHaveLength(before);
  });

  it('is filtered by action, actor, subject and time', async () => {
    const other = await aWorkspace(api.pool);
    const token = other.token;
    await api.app.get(TokensService).issue({ accountId: other.accountId, name: 'ci', scopes: ['calls:read'] });
    await api.as(token).post(`/api/v1/agents/${other.agentId}/tools`).send({ name: 'one', description: 'x' });
    const cases: [string, string[]][] = [
      ['', ['token.issued', 'tool.created']],
      ['&action=tool.created', ['tool.created']],
      ['&actor=system', ['token.issued']],
      ['&actor=token', ['tool.created']],
      ['&actor=token:999999', []],
      ['&subject=token', ['token.issued']],
      ['&date_from=2999-01-01', []],
      ['&date_to=2999-01-01&action=', ['token.issued', 'tool.created']],
    ];
    for (const [query, expected] of cases)
      expect([query, actions(await eventsOf(query, token))]).toEqual([query, expected]);
    const page = await api.as(token).get('/api/v1/audit-events?per_page=1&page=2');
    expect(page.body.meta).toMatchObject({ current_page: 2, last_page: 2, total: 2 });
    const wrong = await api.as(token).get('/api/v1/audit-events?actor=a%20b&date_from=then&action=x');
    expect([wrong.status, Object.keys(wrong.body.errors as object).toSorted()]).toEqual([
      422,
      ['action', 'actor', 'date_from'],
    ]);
  });

  it('requires its own scope', async () => {
    const token = await aToken(api.pool, own.accountId, ['calls:read', 'tools:write']);
    expect((await api.as(token).get('/api/v1/audit-events')).status).toBe(403);
  });

  it('rejects updates, and deletes old events', async () => {
    await expect(api.pool.query(`UPDATE audit_events SET action = 'nothing.done'`)).rejects.toThrow('never changed');
    const insert = `INSERT INTO audit_events (account_id, actor_kind, action, at)
      SELECT $1, 'system', 'old.event', now() - interval '366 days' FROM generate_series(1, 2500)`;
    await api.pool.query(insert, [own.accountId]);
    expect(await api.app.get(AuditService).purgeOlderThan(365)).toBe(2000);
    expect(await api.app.get(AuditService).purgeOlderThan(365)).toBe(500);
    expect(await api.app.get(AuditService).purgeOlderThan(365)).toBe(0);
    expect(await eventsOf('&action=old.event')).toEqual([]);
    expect(await eventsOf()).not.toEqual([]);
  });
});

describe('a change at the command line', () => {
  const actor = { kind: 'cli' as const, id: 'ada' };
  let services: INestApplicationContext;

  beforeAll(async () => {
    services = await openServices({ DATABASE_URL: api.databaseUrl }, [WorkspaceModule, AuditModule, AuthModule]);
  });
  afterAll(() => services.close());

  const file = (calls: number, host: string) => `accounts:
  - name: bank
    limits: { concurrent_calls: ${calls} }
    numbers: [{ name: main, e164: "+15550009999" }]
    trunks: [{ name: carrier, host: ${host}, username: u, password: hush-hush }]
    agents: [{ name: Desk, instructions: Be kind. }]`;
  const apply = (text: string) => services.get(WorkspaceService).apply(text, 'bank.yaml', { actor });
  const eventsOfAccount = async (accountId: number) =>
    (await services.get(AuditService).list({ accountId }, { page: 1, perPage: 100 })).events;

  it('is recorded with the changed columns, limits with their values, and without secrets', async () => {
    const { accounts } = await apply(file(5, 'sip.example.net'));
    const accountId = accounts[0]!.id;
    const created = ['account.created', 'webhook_secret.created', 'number.created', 'trunk.created', 'agent.created'];
    expect(actions(await eventsOfAccount(accountId)).toSorted()).toEqual(created.toSorted());

    await apply(file(5, 'sip.example.net'));
    expect(await eventsOfAccount(accountId)).toHaveLength(created.length);

    await apply(file(7, 'sip.example.org'));
    const changed = (await eventsOfAccount(accountId)).slice(0, -created.length);
    expect(changed.map(({ action, details }) => ({ action, details }))).toEqual(
      expect.arrayContaining([
        { action: 'limits.changed', details: { concurrent_calls: { from: 5, to: 7 } } },
        { action: 'trunk.updated', details: { name: 'carrier', changed: ['host'] } },
      ]),
    );
    expect(changed).toHaveLength(2);
    expect(changed[0]?.actor).toEqual({ ...actor, email: null, name: null, subject: null });
    expect(JSON.stringify(await eventsOfAccount(accountId))).not.toMatch(/hush|whsec|5550009999|Be kind/);
  });

  it('is rolled back with its audit events if the file is invalid', async () => {
    const before = (await services.get(AuditService).list({}, { page: 1, perPage: 1 })).total;
    const wrong = file(5, 'sip.example.net')
      .replace('name: bank', 'name: half')
      .replace(
        'Be kind. }',
        'x, call_transfer: { enabled: true, phone_number: "+15550001111", caller_id_number: nowhere } }',
      );
    await expect(apply(wrong)).rejects.toThrow('nowhere');
    expect((await services.get(AuditService).list({}, { page: 1, perPage: 1 })).total).toBe(before);
  });

  it('records the issue and the first revocation of a token', async () => {
    const { accountId } = own;
    const tokens = services.get(TokensService);
    const { id, token } = await tokens.issue({ accountId, name: 'ci', scopes: ['calls:read'], actor });
    expect(await tokens.revoke(id, { actor })).toBe(true);
    expect(await tokens.revoke(id, { actor })).toBe(true);
    const events = (await eventsOfAccount(accountId)).filter(
      ({ subject }) => subject?.kind === 'token' && subject.id === String(id),
    );
    expect(actions(events)).toEqual(['token.issued', 'token.revoked']);
    expect(events[1]?.details).toEqual({ name: 'ci', scopes: ['calls:read'], expires_at: null });
    expect(JSON.stringify(events)).not.toContain(token.slice(3, 20));
  });
});
