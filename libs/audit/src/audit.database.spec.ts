import { type AuditEventView, AuditService } from './audit.service.js';
import { AuditModule } from './audit.module.js';
import { AuthModule, TokensService } from '@app/auth';
import { WorkspaceService, WorkspaceModule } from '@app/workspace';
import { Database } from '@app/database';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import type { Pool } from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { aWorkspace, type Workspace } from '../../../test/support/factories.js';
import { openServices } from '../../../test/support/services.js';

let database: TestDatabase;
let services: INestApplicationContext;
let pool: Pool;
let own: Workspace;

beforeAll(async () => {
  database = await createTestDatabase();
  services = await openServices({ DATABASE_URL: database.url }, [WorkspaceModule, AuditModule, AuthModule]);
  ({ pool } = services.get(Database));
  own = await aWorkspace(pool);
});
afterAll(async () => {
  await services.close();
  await database.drop();
});

const eventsOfAccount = async (accountId: number) =>
  (await services.get(AuditService).list({ accountId }, { page: 1, perPage: 100 })).events;
const actions = (events: AuditEventView[]): string[] => events.map(({ action }) => action).toReversed();

it('the audit log rejects updates, and deletes old events', async () => {
  const insert = `INSERT INTO audit_events (account_id, actor_kind, action, at)
    SELECT $1, 'system', action, now() - age FROM (VALUES ('old.event', interval '366 days', 2500), ('new.event', '364 days', 1))
      AS made (action, age, count), generate_series(1, count)`;
  await pool.query(insert, [own.accountId]);
  await expect(pool.query(`UPDATE audit_events SET action = 'nothing.done'`)).rejects.toThrow('never changed');
  const audit = services.get(AuditService);
  expect([await audit.purgeOlderThan(365), await audit.purgeOlderThan(365), await audit.purgeOlderThan(365)]).toEqual([
    2000, 500, 0,
  ]);
  expect(actions(await eventsOfAccount(own.accountId))).toEqual(['new.event']);
});

describe('a change at the command line', () => {
  const actor = { kind: 'cli' as const, id: 'ada' };

  const file = (calls: number, host: string) => `accounts:
  - name: bank
    limits: { concurrent_calls: ${calls} }
    numbers: [{ name: main, e164: "+15550009999" }]
    trunks: [{ name: carrier, host: ${host}, username: u, password: hush-hush }]
    agents: [{ name: Desk, instructions: Be kind. }]`;
  const apply = (text: string) => services.get(WorkspaceService).apply(text, 'bank.yaml', { actor });

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
