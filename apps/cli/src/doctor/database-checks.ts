import { allTrunks, recentNotices } from '@app/accounts';
import { type Env, Encryption } from '@app/common';
import {
  countBroken,
  dataSourceOptions,
  INVARIANT_NAMES,
  INVARIANTS,
  type InvariantName,
  missingPrivileges,
  nearlyFullAccounts,
  poolOf,
  rows,
} from '@app/database';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import type { NamedCheck } from './doctor-command.js';
import { GRANT_REMEDY, lackOf, schemasOf } from '../database-roles.js';
import { type Finding, ok, warning, wrong } from './finding.js';
import { isFree } from '../ports.js';

type Result = Omit<Finding, 'check'>;

const OLDEST_VERSION = 140_000;
const MOST_SKEW_MS = 2_000;
const CANNOT_READ = 'Bring the database to this release: trunkline migrate';

/** Everything that is asked of the database; when it cannot be reached that is the only finding. */
export async function databaseChecks(env: Env, run: (check: NamedCheck) => Promise<void>): Promise<void> {
  const dataSource = new DataSource(dataSourceOptions(String(env.DATABASE_URL), 2));
  try {
    await run(['database', () => reach(dataSource), 'Start PostgreSQL, or correct DATABASE_URL.']);
    if (!dataSource.isInitialized) return;
    const pool = poolOf(dataSource);
    // Ended by the server between two checks: the next one tells.
    pool.on('error', () => undefined);
    for (const check of checksOf(env, dataSource, pool)) await run(check);
  } finally {
    if (dataSource.isInitialized) await dataSource.destroy();
  }
}

const checksOf = (env: Env, dataSource: DataSource, pool: Pool): NamedCheck[] => [
  ['clock', () => clock(pool), 'Let NTP set the clocks of both machines.'],
  ['connections', () => connections(env, pool), CANNOT_READ],
  ['privileges', () => privileges(env, pool), CANNOT_READ],
  ['migrations', () => migrations(dataSource, pool), CANNOT_READ],
  ['extensions', () => extensions(pool), CANNOT_READ],
  ['key', () => key(env, pool), CANNOT_READ],
  ...INVARIANT_NAMES.map((name): NamedCheck => [name, () => invariant(pool, name), CANNOT_READ]),
  ['dialers', () => dialers(env, pool), CANNOT_READ],
  ['trunks', () => trunks(pool), CANNOT_READ],
  ['quotas', () => quotas(pool), CANNOT_READ],
  ['proxies', () => proxies(env, pool), CANNOT_READ],
];

async function reach(dataSource: DataSource): Promise<Result> {
  await dataSource.initialize();
  const began = performance.now();
  const found = await dataSource.query<{ version: string; number: string }[]>(
    `SELECT current_setting('server_version') AS version, current_setting('server_version_num') AS number`,
  );
  const ms = Math.round(performance.now() - began);
  const [server] = found;
  if (Number(server?.number) < OLDEST_VERSION)
    return wrong(`PostgreSQL ${server?.version} is too old`, 'Use PostgreSQL 14 or newer.');
  return ok(`PostgreSQL ${server?.version}, ${ms} ms away`);
}

/** Leases are on the database's clock; signatures, links and tokens on this machine's. */
async function clock(pool: Pool): Promise<Result> {
  const before = Date.now();
  const [row] = await rows<{ at: number }>(pool, {
    text: 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS at',
  });
  const after = Date.now();
  const skew = Math.max(0, before - (row?.at ?? before), (row?.at ?? after) - after);
  if (skew > MOST_SKEW_MS)
    return wrong(`${Math.round(skew / 1000)} s apart from the database`, 'Let NTP set the clocks of both machines.');
  return ok('the same as the database has');
}

async function connections(env: Env, pool: Pool): Promise<Result> {
  const [row] = await rows<{ used: number; most: number }>(pool, {
    text: `SELECT count(*)::integer AS used, current_setting('max_connections')::integer AS most FROM pg_stat_activity`,
  });
  const { used, most } = row ?? { used: 0, most: 1 };
  const says = `${used} of ${most} are used; each process takes up to DATABASE_POOL=${env.DATABASE_POOL}`;
  if (used / most > 0.9) return warning(says, 'Raise max_connections, or put pgbouncer before the database.');
  return ok(says);
}

async function privileges(env: Env, pool: Pool): Promise<Result> {
  const lack = lackOf(await missingPrivileges(pool, schemasOf(env)));
  return lack === undefined ? ok('the role may read and write all tables') : wrong(lack, GRANT_REMEDY);
}

async function migrations(dataSource: DataSource, pool: Pool): Promise<Result> {
  const done = await rows<{ name: string }>(pool, { text: 'SELECT name FROM migrations' });
  const names = new Set(done.map(({ name }) => name));
  const own = dataSource.migrations.map((migration) => migration.name ?? migration.constructor.name);
  const missing = own.filter((name) => !names.has(name));
  if (missing.length > 0) return wrong(`${missing.length} are missing, from ${missing[0]}`, CANNOT_READ);
  const newer = names.size - own.length;
  if (newer > 0) return warning(`all of this release, and ${newer} of a newer one`, 'End the rolling update.');
  return ok(`all ${own.length} are done`);
}

async function extensions(pool: Pool): Promise<Result> {
  const found = await rows<{ name: string }>(pool, { text: 'SELECT extname AS name FROM pg_extension' });
  const names = found.map(({ name }) => name);
  const missing = ['pg_trgm', 'btree_gin'].filter((name) => !names.includes(name));
  if (missing.length > 0) return wrong(`${missing.join(', ')} is missing`, `CREATE EXTENSION ${missing[0]}`);
  return ok(
    names.includes('vector')
      ? 'pg_trgm, btree_gin, vector'
      : 'pg_trgm, btree_gin; vectors are searched without pgvector',
  );
}

async function key(env: Env, pool: Pool): Promise<Result> {
  const [row] = await rows<{ key_fingerprint: string }>(pool, { text: 'SELECT key_fingerprint FROM installation' });
  if (!row) return ok('nothing is sealed yet');
  if (row.key_fingerprint === new Encryption(String(env.SECRET_KEY)).fingerprint)
    return ok('the one that the secrets are sealed with');
  return wrong('SECRET_KEY is not the one that the secrets are sealed with', 'Set the SECRET_KEY it was started with.');
}

async function invariant(pool: Pool, name: InvariantName): Promise<Result> {
  const broken = await countBroken(pool, name);
  const { what, remedy } = INVARIANTS[name];
  return broken === 0 ? ok('0') : wrong(`${broken} ${what}`, remedy);
}

/** The port is taken when dialers live, and free for one otherwise. */
async function dialers({ SIP_PORT, SIP_BIND, ENGINE }: Env, pool: Pool): Promise<Result> {
  const [row] = await rows<{ alive: number; live: number }>(pool, {
    text: `SELECT (SELECT count(*)::integer FROM dialers WHERE dead_at IS NULL AND lease_until > now()) AS alive,
      (SELECT count(*)::integer FROM calls WHERE owner IS NOT NULL AND ended_at IS NULL) AS live`,
  });
  const { alive, live } = row ?? { alive: 0, live: 0 };
  if (alive > 0) return ok(`${alive} on duty, ${live} calls on the line`);
  if (ENGINE === 'embedded' && !(await isFree(SIP_PORT, SIP_BIND, ['udp', 'tcp'])))
    return wrong(`none is on duty, and another program has port ${SIP_PORT}`, 'End that program, or set SIP_PORT.');
  return warning(`none is on duty; SIP port ${SIP_PORT} is free for one`, 'Start one: trunkline start --role dialer');
}

async function trunks(pool: Pool): Promise<Result> {
  const all = (await allTrunks(pool, undefined)).filter(({ active }) => active);
  const down = all.filter(({ state }) => state === 'down');
  if (down.length === 0) return ok(`${all.length} active, ${all.filter(({ state }) => state === 'up').length} answer`);
  const [first] = down;
  return wrong(
    `${down.length} of ${all.length} do not answer (${first?.account}/${first?.name}: ${first?.reason ?? 'no reason'})`,
    'trunkline trunks list shows each target.',
  );
}

/** A full account loses recordings, which its own requests do not show. */
async function quotas(pool: Pool): Promise<Result> {
  const full = await nearlyFullAccounts(pool);
  const [first] = full;
  if (!first) return ok('no account uses more than 90 % of its storage');
  const [used, limit] = [first.used_bytes, first.storage_bytes].map((bytes) => Number(bytes).toLocaleString('en-US'));
  return warning(
    `${full.length} ${full.length === 1 ? 'account uses' : 'accounts use'} more than 90 % of the storage (${first.name}: ${used} of ${limit} bytes)`,
    'Raise limits.storage_bytes or shorten retention.recordings_days in the workspace file: recordings that do not fit are not stored.',
  );
}

/** The api notes the header of valid requests; the doctor may run on another machine. */
async function proxies({ TRUST_PROXY }: Env, pool: Pool): Promise<Result> {
  if (TRUST_PROXY !== undefined) return ok('TRUST_PROXY says whose X-Forwarded-For is believed');
  if (!(await recentNotices(pool)).has('untrusted_forwarded_for')) return ok('no request carries X-Forwarded-For');
  return warning(
    'requests carry X-Forwarded-For, and TRUST_PROXY is not set: all clients behind the proxy count as one address',
    'Set TRUST_PROXY of the api to the number of proxies before it, or to their networks.',
  );
}
