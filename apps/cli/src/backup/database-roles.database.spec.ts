import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Encryption } from '@app/common';
import { type SandboxPhone, startSandboxPhone } from '@app/sandbox/phone';
import type { INestApplicationContext } from '@nestjs/common';
import { Client, Pool } from 'pg';
import { BackupModule } from './backup-commands.js';
import { BackupService } from './backup.service.js';
import { asOwner, checkKey, migrateAll, requirePrivileges } from '../installation.js';
import { diagnose } from '../doctor/doctor-command.js';
import { RestoreService } from './restore.service.js';
import { apiOf } from '../../../../test/support/api-client.js';
import { eventually } from '../../../../test/support/eventually.js';
import { openServices } from '../../../../test/support/services.js';
import { Stack } from '../../../../test/support/stack.js';
import { createAccount } from '../../../../test/support/workspace.js';

const KEY = createHash('sha256').update('roles').digest('hex');
const id = randomBytes(4).toString('hex');
const [owner, server, backup] = [`roles_${id}_owner`, `roles_${id}`, `roles_${id}_backup`];
const databases = [`roles_${id}`, `roles_${id}_restored`] as const;
const superuserUrl = String(process.env.DATABASE_URL);

/** The script, with the names of this run: roles belong to the whole server. */
const ROLES_SQL = readFileSync('deploy/postgres/roles.sql', 'utf8')
  .replaceAll(/\btrunkline_owner\b/g, owner)
  .replaceAll(/\btrunkline_backup\b/g, backup)
  .replaceAll(/\btrunkline\b(?!\.)/g, server);
const PASSWORDS = { owner_password: 'of-owner', password: "of'server", backup_password: 'of-backup' };

/** As deploy/postgres/roles.sh runs it. */
const rolesSql = (): string[] => [
  ...Object.entries(PASSWORDS).map(
    ([name, value]) => `SELECT set_config('trunkline.${name}', '${value.replaceAll("'", "''")}', false)`,
  ),
  ROLES_SQL,
];

function urlOf(database: string, role?: string): string {
  const url = new URL(superuserUrl);
  url.pathname = `/${database}`;
  if (role) [url.username, url.password] = [role, role === owner ? PASSWORDS.owner_password : PASSWORDS.password];
  return url.href;
}

async function asSuperuser(url: string, statements: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

let home: string;
let phone: SandboxPhone;
let stack: Stack | undefined;
let pool: Pool | undefined;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'trunkline-roles-'));
  phone = await startSandboxPhone({
    bind: '127.0.0.1',
    port: 0,
    rtpPorts: { min: 29_200, max: 29_299 },
    ringMs: 0,
    log: { debug: () => {}, warn: () => {} },
  });
  for (const database of databases) {
    await asSuperuser(superuserUrl, [`CREATE DATABASE ${database}`]);
    // It may be repeated.
    for (let run = 0; run < 2; run++) await asSuperuser(urlOf(database), rolesSql());
  }
});
afterAll(async () => {
  await pool?.end();
  await stack?.stop();
  await phone?.close();
  await asSuperuser(superuserUrl, [
    ...databases.map((database) => `DROP DATABASE IF EXISTS ${database} WITH (FORCE)`),
    ...[owner, server, backup].map((role) => `DROP ROLE IF EXISTS ${role}`),
  ]);
  await rm(home, { recursive: true, force: true });
});

const finding = async (name: string) => {
  const variables = { DATABASE_URL: urlOf(databases[0], server), SECRET_KEY: KEY, TRUNKLINE_HOME: home };
  const findings = await diagnose(variables, () => undefined);
  return findings.find(({ check }) => check === name);
};

it('with deploy/postgres/roles.sql, one role migrates and another serves a complete call', async () => {
  const [first] = databases;
  await expect(migrateAll(urlOf(first, server), {})).rejects.toThrow(
    /PostgreSQL denied access: .* \(42501\)\. `trunkline migrate` needs the role that owns the tables.*Database roles/,
  );
  expect((await migrateAll(urlOf(first, owner), {})).length).toBeGreaterThan(20);

  const url = urlOf(first, server);
  stack = await Stack.start({
    database: { url, drop: async () => undefined },
    // The last test takes rights away while it runs.
    env: { SECRET_KEY: KEY, TRUNKLINE_HOME: home, LOG_LEVEL: 'silent' },
  });
  pool = new Pool({ connectionString: url, max: 2 });
  pool.on('error', () => undefined);
  await checkKey(pool, new Encryption(KEY));
  const api = apiOf(stack, await createAccount(stack, { name: 'acme' }));
  const { call_id: callId } = await api.createCall({ to_number: `sip:hangup_after_1@127.0.0.1:${phone.port}` });
  await eventually(
    () => api.call(callId),
    ({ status }) => status === 'completed',
  );
  await expect(requirePrivileges(pool, ['public', 'bullmq'])).resolves.toBeUndefined();
  expect(await finding('privileges')).toMatchObject({ state: 'ok' });
  expect(await finding('queue')).toMatchObject({ state: 'ok' });
});

it('the owner role restores a backup of the serving role, which is rejected by name itself', async () => {
  const folder = join(home, 'backup');
  const withUpkeep = async <T>(url: string, work: (services: INestApplicationContext) => Promise<T>): Promise<T> => {
    const services = await openServices({ DATABASE_URL: url, SECRET_KEY: KEY, TRUNKLINE_HOME: home }, [BackupModule]);
    try {
      return await work(services);
    } finally {
      await services.close();
    }
  };
  await withUpkeep(urlOf(databases[0], server), (services) =>
    services.get(BackupService).write(folder, { withFiles: true }),
  );
  const into = (role: string) =>
    asOwner('restore', () =>
      withUpkeep(urlOf(databases[1], role), (services) => services.get(RestoreService).restore(folder)),
    );
  await expect(into(server)).rejects.toThrow('`trunkline restore` needs the role that owns the tables');
  await into(owner);
  const restored = new Pool({ connectionString: urlOf(databases[1], server), max: 1 });
  try {
    expect((await restored.query('SELECT name FROM accounts')).rows).toEqual([{ name: 'acme' }]);
    await expect(requirePrivileges(restored, ['public'])).resolves.toBeUndefined();
  } finally {
    await restored.end();
  }
});

it('start and doctor name the tables without privileges and the page with the SQL', async () => {
  await asSuperuser(urlOf(databases[0]), [`REVOKE INSERT ON calls, call_events FROM ${server}`]);
  await expect(requirePrivileges(pool!, ['public', 'bullmq'])).rejects.toThrow(
    `the role ${server} may not read and write public.call_events and 1 more. Grant the missing privileges to the role of DATABASE_URL`,
  );
  expect(await finding('privileges')).toMatchObject({
    state: 'wrong',
    remedy: expect.stringContaining('docs/operate/install.md, section "Database roles"'),
  });
  await asSuperuser(urlOf(databases[0]), [`REVOKE SELECT ON trunk_health FROM ${server}`]);
  expect(await finding('trunks')).toMatchObject({ state: 'wrong', remedy: expect.stringContaining('Database roles') });
  await asSuperuser(urlOf(databases[0]), [`REVOKE USAGE ON SCHEMA bullmq FROM ${server}`]);
  expect(await finding('queue')).toMatchObject({ state: 'wrong', remedy: expect.stringContaining('Database roles') });
});
