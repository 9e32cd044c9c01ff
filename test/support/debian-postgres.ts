import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, chownSync, copyFileSync, existsSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { eventually } from './eventually.js';
import { freePort } from './free-port.js';

const RELEASES = '/usr/lib/postgresql';

/** The programs of the newest installed PostgreSQL of Debian, which has what the embedded one lacks: pg_dump of its own release, TLS. */
export function postgresPrograms(): string | undefined {
  const releases = existsSync(RELEASES) ? readdirSync(RELEASES) : [];
  const folders = releases.toSorted((a, b) => Number(b) - Number(a)).map((release) => join(RELEASES, release, 'bin'));
  return folders.find((folder) => ['initdb', 'postgres', 'pg_dump'].every((name) => existsSync(join(folder, name))));
}

export interface DebianPostgres {
  /** For libpq: PATH, PGHOST, PGPORT, PGUSER and PGPASSWORD of the superuser. */
  env: Record<string, string>;
  port: number;
  superuserUrl(database: string): string;
  stop(): Promise<void>;
}

/** A server for one test with a database `trunkline` and the superuser `postgres`. `tls`: PEM files; connections without TLS are refused. */
export async function startDebianPostgres(tls?: { certFile: string; keyFile: string }): Promise<DebianPostgres> {
  const programs = postgresPrograms();
  if (programs === undefined) throw new Error('PostgreSQL of Debian is not installed.');
  const home = mkdtempSync(join(tmpdir(), 'trunkline-postgres-'));
  // A server refuses to run as root.
  const user = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {};
  const own = (path: string, mode: number): void => {
    chmodSync(path, mode);
    if (user.uid !== undefined) chownSync(path, user.uid, user.gid);
  };
  own(home, 0o700);
  const password = randomBytes(12).toString('hex');
  const passwordFile = join(home, 'password');
  writeFileSync(passwordFile, password);
  own(passwordFile, 0o600);
  const data = join(home, 'data');
  const options = ['-D', data, '-U', 'postgres', `--pwfile=${passwordFile}`, '--auth=scram-sha-256', '--encoding=UTF8'];
  execFileSync(join(programs, 'initdb'), [...options, '--locale=C.UTF-8', '--no-sync'], { ...user, stdio: 'pipe' });
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off'];
  if (tls) {
    for (const [from, name] of [
      [tls.certFile, 'server.crt'],
      [tls.keyFile, 'server.key'],
    ] as const) {
      copyFileSync(from, join(data, name));
      own(join(data, name), 0o600);
    }
    writeFileSync(join(data, 'pg_hba.conf'), 'hostssl all all 127.0.0.1/32 scram-sha-256\n');
    settings.push('ssl=on');
  }
  const port = await freePort();
  const args = ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])];
  const server = spawn(join(programs, 'postgres'), args, { ...user, stdio: 'ignore' });
  const stop = async (): Promise<void> => {
    const exit = once(server, 'exit');
    // Ends sessions; the test has what it wanted.
    server.kill('SIGINT');
    await exit;
    await rm(home, { recursive: true, force: true });
  };
  const superuserUrl = (database: string): string => `postgres://postgres:${password}@127.0.0.1:${port}/${database}`;
  const create = `${superuserUrl('postgres')}${tls ? '?sslmode=no-verify' : ''}`;
  await eventually(() => isCreated(create), Boolean);
  const env = {
    PATH: `${programs}:${process.env.PATH ?? ''}`,
    PGHOST: '127.0.0.1',
    PGPORT: String(port),
    PGUSER: 'postgres',
    PGPASSWORD: password,
    PGDATABASE: 'trunkline',
  };
  return { env, port, superuserUrl, stop };
}

const idOf = (flag: '-u' | '-g'): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));

async function isCreated(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url });
  try {
    await client.connect();
    await client.query('CREATE DATABASE trunkline');
    return true;
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'ECONNREFUSED' || code === '57P03') return false;
    throw error;
  } finally {
    await client.end();
  }
}
