import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WorkspaceService, WorkspaceModule } from '@app/workspace';
import { CallLinksService } from '@app/calls';
import { Encryption } from '@app/common';
import { Database } from '@app/database';
import { openStorage, type Storage } from '@app/storage';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { INestApplicationContext } from '@nestjs/common';
import type { Pool } from 'pg';
import { BackupModule } from './backup-commands.js';
import { BackupService } from './backup.service.js';
import { ENCRYPTED_COLUMNS, ENCRYPTED_JSON, RekeyService } from './rekey.service.js';
import { RestoreService } from './restore.service.js';
import { checkKey } from '../installation.js';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../../../../test/support/database.js';
import { aCall, aWorkspace, type Workspace } from '../../../../test/support/factories.js';
import { openServices } from '../../../../test/support/services.js';

const OLD = 'the key that everything is sealed with at first';
const NEW = 'the key that comes after it, long enough, too';

const WORKSPACE = {
  accounts: [
    {
      name: 'acme',
      numbers: [{ name: 'main', e164: '+15550001111' }],
      trunks: [{ name: 'carrier', host: 'sip.example.net', username: 'u', password: 'pässword' }],
      agents: [
        {
          name: 'Receptionist',
          call_status_webhook: {
            url: 'https://hooks.example/x',
            method: 'POST',
            headers: [{ key: 'X-A', value: 'one' }],
          },
        },
      ],
    },
  ],
};

let database: TestDatabase;
let services: INestApplicationContext;
let pool: Pool;
let home: string;
let storage: Storage;
let own: Workspace;
let callId: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'trunkline-upkeep-'));
  storage = openStorage({ TRUNKLINE_HOME: home });
  database = await createTestDatabase();
  services = await openServices({ DATABASE_URL: database.url, SECRET_KEY: OLD }, [WorkspaceModule]);
  ({ pool } = services.get(Database));
  await checkKey(pool, new Encryption(OLD));
  await services.get(WorkspaceService).apply(JSON.stringify(WORKSPACE), 'workspace.json');
  own = await aWorkspace(pool);
  const recording_key = `recordings/${own.accountId}/one.wav`;
  await writeFile(join(home, 'one.wav'), 'audio');
  await storage.put(recording_key, join(home, 'one.wav'));
  callId = await aCall(pool, own, { status: 'completed', recording_key, recording_bytes: 5 });
  const sealed = new Encryption(OLD).encrypt('[{"key":"X-A","value":"one"}]', 'webhook-headers').toString('base64');
  const settings = { call_status_webhook: { url: 'https://hooks.example/x', method: 'POST', headers_sealed: sealed } };
  await aCall(pool, own, { status: 'completed', settings });
});

afterAll(async () => {
  await services.close();
  await database.drop();
  await rm(home, { recursive: true, force: true });
});

/** Runs `work` with the services of backup, restore and rekey; the storage is in TRUNKLINE_HOME. */
async function withUpkeep<T>(
  variables: Record<string, string>,
  work: (services: INestApplicationContext) => Promise<T>,
): Promise<T> {
  const services = await openServices({ DATABASE_URL: database.url, TRUNKLINE_HOME: home, ...variables }, [
    BackupModule,
  ]);
  try {
    return await work(services);
  } finally {
    await services.close();
  }
}

const writeBackup = (folder: string, withFiles: boolean) =>
  withUpkeep({ SECRET_KEY: OLD }, (services) => services.get(BackupService).write(folder, { withFiles }));

const restoreBackup = (folder: string, variables: Record<string, string>) =>
  withUpkeep(variables, (services) => services.get(RestoreService).restore(folder));

const rekey = (variables: Record<string, string>) =>
  withUpkeep(variables, (services) => services.get(RekeyService).rekey({ kind: 'cli' }));

/** Every row of every table, to be compared. */
async function everything(of: Pool): Promise<Record<string, unknown>> {
  const { rows } = await of.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> 'migrations'`,
  );
  const tables = rows.map(async ({ name }) => {
    const found = await of.query<{ line: string }>(`SELECT to_jsonb(t)::text AS line FROM "${name}" t ORDER BY 1`);
    return [name, found.rows.map(({ line }) => line)] as const;
  });
  return Object.fromEntries(await Promise.all(tables));
}

describe('a backup', () => {
  it('restores every row and file into an empty database', async () => {
    const folder = join(home, 'backup');
    const manifest = await writeBackup(folder, true);
    expect(manifest).toMatchObject({ files: [`recordings/${own.accountId}/one.wav`], missing_files: [] });
    const [empty, elsewhere] = [await createEmptyDatabase(), await mkdtemp(join(home, 'restored-'))];
    const files = openStorage({ TRUNKLINE_HOME: elsewhere });
    const restored = await restoreBackup(folder, {
      DATABASE_URL: empty.url,
      SECRET_KEY: OLD,
      TRUNKLINE_HOME: elsewhere,
    });
    const other = await openServices({ DATABASE_URL: empty.url, SECRET_KEY: OLD }, [WorkspaceModule]);
    try {
      expect(await everything(other.get(Database).pool)).toEqual(await everything(pool));
      expect(restored.tables.length).toBeGreaterThan(20);
      const file = await files.open(`recordings/${own.accountId}/one.wav`);
      expect(file && (await text(file.stream))).toBe('audio');
      // Numbers go on where they were: a new account does not meet an old one.
      const again = await other.get(WorkspaceService).apply('accounts: [{ name: later }]', 'workspace.yaml');
      expect(again.accounts[0]?.id).toBeGreaterThan(own.accountId);
    } finally {
      await other.close();
      await empty.drop();
    }
  });

  it('is not restored into a database with tables or with another key, and not written over another backup', async () => {
    const folder = join(home, 'refused');
    await writeBackup(folder, false);
    const restore = (key: string): Promise<unknown> => restoreBackup(folder, { SECRET_KEY: key });
    await expect(restore(OLD)).rejects.toThrow('The database is not empty');
    await expect(restore(NEW)).rejects.toThrow('SECRET_KEY is not the key');
    await expect(writeBackup(folder, false)).rejects.toThrow('is not empty');
    await expect(restoreBackup(home, { SECRET_KEY: OLD })).rejects.toThrow('is not a complete backup');
  });
});

describe('the runbooks', () => {
  const folder = 'docs/operate/runbooks';
  const queries = readdirSync(folder).flatMap((name) =>
    [...readFileSync(join(folder, name), 'utf8').matchAll(/psql "\$DATABASE_URL" -c "([^"]+)"/g)].map((match) => [
      name,
      match[1] ?? '',
    ]),
  );

  it.each(queries)('every SQL query of %s runs on the current schema', async (_name, query) => {
    expect((await pool.query(`EXPLAIN ${query}`)).rows.length).toBeGreaterThan(0);
  });
});

describe('a new SECRET_KEY', () => {
  const columnsLike = async (pattern: string): Promise<string[]> => {
    const { rows } = await pool.query<{ name: string }>(
      `SELECT table_name || '.' || column_name AS name FROM information_schema.columns
        WHERE table_schema = 'public' AND column_name LIKE $1 ORDER BY 1`,
      [pattern],
    );
    return rows.map(({ name }) => name);
  };

  it('covers every column with encrypted values', async () => {
    const known = ENCRYPTED_COLUMNS.map(({ table, column }) => `${table}.${column}`);
    expect((await columnsLike('%sealed%')).filter((name) => !known.includes(name))).toEqual([]);
    const json = ENCRYPTED_JSON.map(({ table, column }) => `${table}.${column}`);
    expect((await columnsLike('%webhook')).filter((name) => !json.includes(name))).toEqual([]);
  });

  it('replaces the old key in every stored secret while links of the old key stay valid', async () => {
    const both = new Encryption(NEW, [OLD]);
    await checkKey(pool, both);
    const changed = structuredClone(WORKSPACE);
    Object.assign(changed.accounts[0]!.agents[0]!, { greeting: 'The second version.' });
    await services.get(WorkspaceService).apply(JSON.stringify(changed), 'workspace.yaml');
    // A trunk's password, a secret, and the headers of an agent and of a call at least.
    expect(await rekey({ SECRET_KEY: NEW, SECRET_KEY_FALLBACKS: OLD })).toBeGreaterThan(3);
    expect(await rekey({ SECRET_KEY: NEW, SECRET_KEY_FALLBACKS: OLD })).toBe(0);
    await expect(checkKey(pool, new Encryption(OLD))).rejects.toThrow('SECRET_KEY is not the key');
    await checkKey(pool, new Encryption(NEW));
    const { rows } = await pool.query<{ sealed: Buffer }>(
      `SELECT password_sealed AS sealed FROM sip_trunks WHERE password_sealed IS NOT NULL AND name = 'carrier'`,
    );
    expect(rows.map(({ sealed }) => new Encryption(NEW).decrypt(sealed, 'trunk-password'))).toContain('pässword');
    const headers = await pool.query<{ sealed: string }>(
      `SELECT call_status_webhook ->> 'headers_sealed' AS sealed FROM agents WHERE name = 'Receptionist'`,
    );
    const superseded = await pool.query<{ sealed: string }>(
      `SELECT settings -> 'call_status_webhook' ->> 'headers_sealed' AS sealed FROM agent_versions WHERE state = 'superseded'`,
    );
    for (const { rows: found } of [headers, superseded]) {
      const sealed = Buffer.from(found[0]?.sealed ?? '', 'base64');
      expect(new Encryption(NEW).decrypt(sealed, 'webhook-headers')).toContain('X-A');
    }
    const env = { PORT: 3000 };
    const link = new URL(
      new CallLinksService(env, new Encryption(OLD)).recording({ id: callId, account_id: own.accountId }, 60),
    );
    const [expires, signature] = ['expires', 'signature'].map((name) => link.searchParams.get(name) ?? '');
    const links = new CallLinksService(env, both);
    const call = { id: callId, account_id: own.accountId };
    expect(links.opensRecording(call, { expires: expires!, signature: signature! })).toBe(true);
  });
});
