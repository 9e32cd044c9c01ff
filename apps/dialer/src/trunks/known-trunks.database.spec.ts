import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { AccountsModule, TrunksService } from '@app/accounts';
import { createLog, Encryption } from '@app/common';
import type { INestApplicationContext } from '@nestjs/common';
import { Pool } from 'pg';
import { KnownTrunksService } from './known-trunks.service.js';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database.js';
import { aTrunk, aWorkspace } from '../../../../test/support/factories.js';
import { openServices } from '../../../../test/support/services.js';

const encryption = new Encryption('a secret key of more than 32 characters');
const sealed = (password: string) => encryption.encrypt(password, 'trunk-inbound-password');
let database: TestDatabase;
let pool: Pool;
let services: INestApplicationContext;
let accountId: number;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = new Pool({ connectionString: database.url, max: 2 });
  services = await openServices({ DATABASE_URL: database.url }, [AccountsModule]);
  accountId = (await aWorkspace(pool)).accountId;
});
afterAll(async () => {
  await services.close();
  await pool.end();
  await database.drop();
});

const trunk = (row: Record<string, unknown>) => aTrunk(pool, accountId, { inbound_enabled: true, ...row });

it('inbound trunks are known by network and by user name, and changes take effect at the next read', async () => {
  const log = createLog({ level: 'silent', role: 'dialer' });
  const known = new KnownTrunksService(services.get(TrunksService), encryption, log);
  await known.refresh();
  expect([known.byAddress('203.0.113.7'), known.usesDigest]).toEqual([[], false]);

  const carrier = String(await trunk({ inbound_addresses: ['203.0.113.0/24', '2001:db8::/32'] }));
  const branch = String(await trunk({ inbound_addresses: ['203.0.113.7'] }));
  const signer = { inbound_username: 'u', inbound_password_sealed: sealed('one') };
  const first = String(await trunk(signer));
  const second = String(await trunk({ ...signer, inbound_password_sealed: sealed('two') }));
  await trunk({
    ...signer,
    inbound_password_sealed: new Encryption('another key of more than 32 characters').encrypt('x', 'y'),
  });
  await trunk({ inbound_addresses: ['203.0.113.7'], active: false });
  await trunk({ inbound_addresses: ['203.0.113.7'], inbound_enabled: false });
  await known.refresh();

  expect(known.byAddress('203.0.113.7')).toEqual([carrier, branch]);
  expect(known.byAddress('::ffff:203.0.113.8')).toEqual([carrier]);
  expect(known.byAddress('2001:db8::1')).toEqual([carrier]);
  expect(known.byAddress('198.51.100.1')).toEqual([]);
  expect(known.usesDigest).toBe(true);
  expect(known.byUsername('u')).toEqual([
    { name: first, password: 'one' },
    { name: second, password: 'two' },
  ]);

  await pool.query('UPDATE sip_trunks SET inbound_enabled = false');
  await known.refresh();
  expect([known.byAddress('203.0.113.7'), known.byUsername('u'), known.usesDigest]).toEqual([[], [], false]);
});
