import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { runBuiltCommand } from '../../support/built-command.js';
import { type DebianPostgres, postgresPrograms, startDebianPostgres } from '../../support/debian-postgres.js';
import { suiteWith } from '../../support/suite-with.js';

const run = promisify(execFile);
const DAY_MS = 86_400_000;

suiteWith(['psql', 'pg_dump'], (name) => name !== 'pg_dump' || postgresPrograms() !== undefined)(
  'deploy/compose/database.sh',
  () => {
    const home = mkdtempSync(join(tmpdir(), 'trunkline-compose-database-'));
    const [backups, files, secrets] = ['backups', 'storage', 'secrets'].map((name) => join(home, name)) as [
      string,
      string,
      string,
    ];
    const passwordOf = new Map<string, string>();
    let server: DebianPostgres;

    const writeSecret = (name: string): string => {
      passwordOf.set(name, randomBytes(8).toString('hex'));
      const file = join(secrets, name);
      writeFileSync(file, `${passwordOf.get(name)}\n`);
      return file;
    };

    /** As the service `roles` (the superuser), or as the service `backup`. */
    const database = (
      words: string[],
      role: 'postgres' | 'trunkline_backup' = 'postgres',
    ): Promise<{ stdout: string }> =>
      run(resolve('deploy/compose/database.sh'), words, {
        env: {
          ...server.env,
          ...(role === 'postgres' ? {} : { PGUSER: role, PGPASSWORD: passwordOf.get('backup') ?? '' }),
          BACKUPS: backups,
          FILES: files,
          ROLES: resolve('deploy/postgres/roles.sh'),
          OWNER_PASSWORD_FILE: join(secrets, 'owner'),
          APP_PASSWORD_FILE: join(secrets, 'app'),
          BACKUP_PASSWORD_FILE: join(secrets, 'backup'),
        },
      });

    /** The command line of Trunkline with a role and its password in a file, as in the containers. */
    const trunkline = (role: 'trunkline_owner' | 'trunkline'): NodeJS.ProcessEnv => ({
      ...process.env,
      NODE_OPTIONS: '',
      DATABASE_URL: `postgres://${role}@127.0.0.1:${server.port}/trunkline`,
      DATABASE_PASSWORD_FILE: join(secrets, role === 'trunkline' ? 'app' : 'owner'),
      QUEUE_URL: '',
      SECRET_KEY: 'k'.repeat(32),
      TRUNKLINE_HOME: home,
    });
    const accounts = async (): Promise<string[]> => {
      const list = JSON.parse(await runBuiltCommand(['accounts', 'list', '--json'], trunkline('trunkline'))) as unknown;
      return (list as { name: string }[]).map(({ name }) => name);
    };
    const create = (name: string): Promise<string> =>
      runBuiltCommand(['apply', '-f', '-'], trunkline('trunkline'), {
        input: JSON.stringify({ accounts: [{ name }] }),
      });

    const query = async (sql: string, role = 'postgres', password = server.env.PGPASSWORD): Promise<unknown[]> => {
      const client = new Client({ host: '127.0.0.1', port: server.port, user: role, password, database: 'trunkline' });
      await client.connect();
      try {
        return (await client.query<Record<string, unknown>>(sql)).rows;
      } finally {
        await client.end();
      }
    };
    const dumps = (): string[] => readdirSync(backups).filter((name) => name.endsWith('.dump'));

    beforeAll(async () => {
      for (const folder of [backups, files, secrets]) mkdirSync(folder);
      for (const name of ['owner', 'app', 'backup']) writeSecret(name);
      server = await startDebianPostgres();
      await database(['roles']);
      await runBuiltCommand(['migrate'], trunkline('trunkline_owner'));
    });
    afterAll(async () => {
      await server?.stop();
      rmSync(home, { recursive: true });
    });

    it('makes three roles, of which none is a superuser and only one changes the schema', async () => {
      expect(
        await query(`SELECT rolname, rolsuper OR rolcreatedb OR rolcreaterole OR rolreplication OR rolbypassrls AS may
                   FROM pg_roles WHERE rolname LIKE 'trunkline%' ORDER BY rolname`),
      ).toEqual(['trunkline', 'trunkline_backup', 'trunkline_owner'].map((rolname) => ({ rolname, may: false })));
      await create('acme');
      expect(await accounts()).toEqual(['acme']);
      await expect(query('CREATE TABLE mine (id integer)', 'trunkline', passwordOf.get('app'))).rejects.toThrow(
        'permission denied for schema public',
      );
      await expect(query('DROP TABLE calls', 'trunkline', passwordOf.get('app'))).rejects.toThrow('must be owner');
      const asBackup = (sql: string): Promise<unknown[]> => query(sql, 'trunkline_backup', passwordOf.get('backup'));
      expect(await asBackup('SELECT name FROM accounts')).toEqual([{ name: 'acme' }]);
      await expect(asBackup('DELETE FROM accounts')).rejects.toThrow('permission denied');
    });

    it('backs up the database and the files, and deletes backups of two weeks', async () => {
      const [old, kept] = [
        join(backups, 'trunkline-20200101T000000Z.dump'),
        join(backups, 'trunkline-20200102T000000Z.dump'),
      ];
      for (const [path, days] of [
        [old, 20],
        [kept, 2],
      ] as const) {
        writeFileSync(path, '');
        utimesSync(path, new Date(), new Date(Date.now() - days * DAY_MS));
      }
      writeFileSync(join(files, 'a.wav'), 'a');
      writeFileSync(join(files, 'deleted.wav'), 'd');
      await database(['backup'], 'trunkline_backup');
      expect([existsSync(old), existsSync(kept), dumps().length]).toEqual([false, true, 2]);

      // Deleted in the service: its copy stays as long as the backups that refer to it.
      unlinkSync(join(files, 'deleted.wav'));
      const copies = join(backups, 'files');
      for (const name of ['a.wav', 'deleted.wav'])
        utimesSync(join(copies, name), new Date(), new Date(Date.now() - 20 * DAY_MS));
      rmSync(kept);
      await database(['backup'], 'trunkline_backup');
      expect(readdirSync(copies)).toEqual(['a.wav']);
    });

    it('leaves no file that a restore would take when a backup fails', async () => {
      const before = dumps();
      passwordOf.set('backup', 'wrong');
      await expect(database(['backup'], 'trunkline_backup')).rejects.toThrow('password authentication failed');
      expect(dumps()).toEqual(before);
    });

    it('restores a backup beside the present database, with the rights of the roles', async () => {
      const dump = join(backups, dumps().toSorted().at(-1) ?? '');
      await create('later');
      const connected = new Client({ connectionString: server.superuserUrl('trunkline') });
      await connected.connect();
      await expect(database(['restore', dump])).rejects.toThrow('trunkline has 1 connections: stop api, worker');
      await connected.end();
      const { stdout } = await database(['restore', dump]);
      expect(await accounts()).toEqual(['acme']);
      await create('again');
      expect(await accounts()).toEqual(['acme', 'again']);
      expect(await runBuiltCommand(['migrate'], trunkline('trunkline_owner'))).toContain('up to date');
      const before = /is (trunkline_\d+_before)/.exec(stdout)?.[1] ?? '';
      const client = new Client({ connectionString: server.superuserUrl(before) });
      await client.connect();
      expect((await client.query('SELECT name FROM accounts ORDER BY name')).rows).toEqual([
        { name: 'acme' },
        { name: 'later' },
      ]);
      await client.end();
    });

    it('sets a new password at the next start', async () => {
      const old = passwordOf.get('app');
      writeSecret('app');
      await database(['roles']);
      expect(await accounts()).toEqual(['acme', 'again']);
      await expect(query('SELECT 1', 'trunkline', old)).rejects.toThrow('password authentication failed');
    });
  },
);
