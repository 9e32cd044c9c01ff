import {
  AccountsModule,
  OperatorNoticesService,
  SignInSettingsService,
  StorageQuotaService,
  TrunksService,
} from '@app/accounts';
import { AgentLookupsModule, AgentLookupsService } from '@app/agents';
import { DialersRepository } from '@app/calls';
import { type Env, Encryption } from '@app/common';
import {
  InstallationRepository,
  INVARIANT_NAMES,
  INVARIANTS,
  type InvariantName,
  InvariantsRepository,
} from '@app/database';
import { EmbedderLossesRepository } from '@app/knowledge';
import { type INestApplicationContext, Module } from '@nestjs/common';
import { openServices } from '../command-context.js';
import { GRANT_REMEDY, lackOf, schemasOf } from '../installation.js';
import { isFree } from '../ports.js';
import { DoctorRepository } from './doctor.repository.js';
import { type CheckResult, type NamedCheck, ok, warning, wrong } from './finding.js';
import { signIn } from './sign-in-check.js';
import { agentProviders } from './vendor-checks.js';

const OLDEST_VERSION = 140_000;
const MAX_SKEW_MS = 2_000;
const CANNOT_READ = 'Bring the database to this release: trunkline migrate';

@Module({
  imports: [AgentLookupsModule],
  providers: [DialersRepository, DoctorRepository, EmbedderLossesRepository, InstallationRepository],
})
class DoctorModule {}

/** All checks of the database. An unreachable database is the only finding. */
export async function databaseChecks(env: Env, run: (check: NamedCheck) => Promise<void>): Promise<void> {
  const opened: INestApplicationContext[] = [];
  const connect = async (): Promise<CheckResult> => {
    const services = await openServices(env, [DoctorModule, AccountsModule]);
    opened.push(services);
    return server(services.get(DoctorRepository));
  };
  try {
    await run(['database', connect, 'Start PostgreSQL, or correct DATABASE_URL.']);
    for (const services of opened) for (const check of checksOf(env, services)) await run(check);
  } finally {
    for (const services of opened) await services.close();
  }
}

function checksOf(env: Env, services: INestApplicationContext): NamedCheck[] {
  const repository = services.get(DoctorRepository);
  return [
    ['clock', () => clock(repository), 'Let NTP set the clocks of both machines.'],
    ['connections', () => connections(env, repository), CANNOT_READ],
    ['privileges', () => privileges(env, repository), CANNOT_READ],
    ['migrations', () => migrations(repository), CANNOT_READ],
    ['extensions', () => extensions(repository), CANNOT_READ],
    ['key', () => key(env, services.get(InstallationRepository)), CANNOT_READ],
    ...INVARIANT_NAMES.map((name): NamedCheck => [
      name,
      () => invariant(services.get(InvariantsRepository), name),
      CANNOT_READ,
    ]),
    ['dialers', () => dialers(env, services.get(DialersRepository)), CANNOT_READ],
    ['agent providers', () => agentProviders(env, services.get(AgentLookupsService)), CANNOT_READ],
    ['trunks', () => trunks(services.get(TrunksService)), CANNOT_READ],
    ['quotas', () => quotas(services.get(StorageQuotaService)), CANNOT_READ],
    ['embedder', () => embedder(services.get(EmbedderLossesRepository)), CANNOT_READ],
    ['sign-in', () => signIn(env, services.get(SignInSettingsService)), 'Correct the issuer; see docs/sign-in.md.'],
    ['proxies', () => proxies(env, services.get(OperatorNoticesService)), CANNOT_READ],
  ];
}

async function server(repository: DoctorRepository): Promise<CheckResult> {
  const began = performance.now();
  const found = await repository.server();
  const ms = Math.round(performance.now() - began);
  if (found === undefined || found.number < OLDEST_VERSION)
    return wrong(`PostgreSQL ${found?.version} is too old`, 'Use PostgreSQL 14 or newer.');
  return ok(`PostgreSQL ${found.version}, ${ms} ms away`);
}

/** Leases use the database's clock; signatures, links and tokens use this machine's. */
async function clock(repository: DoctorRepository): Promise<CheckResult> {
  const before = Date.now();
  const at = await repository.clock();
  const after = Date.now();
  const skew = Math.max(0, before - (at ?? before), (at ?? after) - after);
  if (skew > MAX_SKEW_MS)
    return wrong(
      `differs from the database's clock by ${Math.round(skew / 1000)} s`,
      'Let NTP set the clocks of both machines.',
    );
  return ok('agrees with the database');
}

async function connections(env: Env, repository: DoctorRepository): Promise<CheckResult> {
  const { used, most } = await repository.connections();
  const says = `${used} of ${most} are in use; each process uses up to DATABASE_POOL=${env.DATABASE_POOL}`;
  if (used / most > 0.9) return warning(says, 'Raise max_connections, or connect through pgbouncer.');
  return ok(says);
}

async function privileges(env: Env, repository: DoctorRepository): Promise<CheckResult> {
  const lack = lackOf(await repository.missingPrivileges(schemasOf(env)));
  return lack === undefined ? ok('the role may read and write all tables') : wrong(lack, GRANT_REMEDY);
}

async function migrations(repository: DoctorRepository): Promise<CheckResult> {
  const { own, run } = await repository.migrations();
  const names = new Set(run);
  const missing = own.filter((name) => !names.has(name));
  if (missing.length > 0) return wrong(`${missing.length} are missing, from ${missing[0]}`, CANNOT_READ);
  const newer = names.size - own.length;
  if (newer > 0) return warning(`all of this release, and ${newer} of a newer release`, 'Complete the rolling update.');
  return ok(`all ${own.length} have run`);
}

async function extensions(repository: DoctorRepository): Promise<CheckResult> {
  const names = await repository.extensions();
  const missing = ['pg_trgm', 'btree_gin'].filter((name) => !names.includes(name));
  if (missing.length > 0) return wrong(`${missing.join(', ')} is missing`, `CREATE EXTENSION ${missing[0]}`);
  return ok(
    names.includes('vector')
      ? 'pg_trgm, btree_gin, vector'
      : 'pg_trgm, btree_gin; vector search works without pgvector',
  );
}

async function key(env: Env, installation: InstallationRepository): Promise<CheckResult> {
  const fingerprint = await installation.keyFingerprint();
  if (fingerprint === undefined) return ok('no secret is encrypted yet');
  if (fingerprint === new Encryption(String(env.SECRET_KEY)).fingerprint)
    return ok('the key that encrypts the secrets');
  return wrong('SECRET_KEY is not the key that encrypts the secrets', 'Set the SECRET_KEY of the first start.');
}

async function invariant(invariants: InvariantsRepository, name: InvariantName): Promise<CheckResult> {
  const broken = await invariants.countBroken(name);
  const { what, remedy } = INVARIANTS[name];
  return broken === 0 ? ok('0') : wrong(`${broken} ${what}`, remedy);
}

/** Without a running dialer, the SIP port must be free. */
async function dialers({ SIP_PORT, SIP_BIND, ENGINE }: Env, repository: DialersRepository): Promise<CheckResult> {
  const { alive, live } = await repository.counts();
  if (alive > 0) return ok(`${alive} running, ${live} live calls`);
  if (ENGINE === 'embedded' && !(await isFree(SIP_PORT, SIP_BIND, ['udp', 'tcp'])))
    return wrong(`none is running, and another program uses port ${SIP_PORT}`, 'End that program, or set SIP_PORT.');
  return warning(`none is running; SIP port ${SIP_PORT} is free`, 'Start a dialer: trunkline start --role dialer');
}

async function trunks(service: TrunksService): Promise<CheckResult> {
  const all = (await service.all()).filter(({ active }) => active);
  const down = all.filter(({ state }) => state === 'down');
  const unregistered = all.filter(
    ({ register, registration }) => register && !(registration?.is_kept && registration.state === 'registered'),
  );
  if (down.length === 0 && unregistered.length > 0) {
    const [first] = unregistered;
    return wrong(
      `${unregistered.length} of ${all.filter(({ register }) => register).length} are not registered (${first?.account}/${first?.name}: ${first?.registration?.reason ?? 'no dialer keeps it'})`,
      'trunkline trunks list shows each registration.',
    );
  }
  if (down.length === 0) return ok(`${all.length} active, ${all.filter(({ state }) => state === 'up').length} answer`);
  const [first] = down;
  return wrong(
    `${down.length} of ${all.length} do not answer (${first?.account}/${first?.name}: ${first?.reason ?? 'no reason'})`,
    'trunkline trunks list shows each target.',
  );
}

/** An account without storage loses recordings, which its API requests do not show. */
async function quotas(service: StorageQuotaService): Promise<CheckResult> {
  const full = await service.nearlyFull();
  const [first] = full;
  if (!first) return ok('no account uses more than 90 % of its storage');
  const [used, limit] = [first.used_bytes, first.storage_bytes].map((bytes) => Number(bytes).toLocaleString('en-US'));
  return warning(
    `${full.length} ${full.length === 1 ? 'account uses' : 'accounts use'} more than 90 % of the storage (${first.name}: ${used} of ${limit} bytes)`,
    'Raise limits.storage_bytes or shorten retention.recordings_days in the workspace file: recordings that do not fit are not stored.',
  );
}

async function embedder(repository: EmbedderLossesRepository): Promise<CheckResult> {
  const losing = await repository.find();
  if (!losing) return ok('no agent finds less with it than by words alone');
  const { agents, agentId, model } = losing;
  return warning(
    `${agents} ${agents === 1 ? 'agent finds' : 'agents find'} less with ${model} than by words alone (agent ${agentId})`,
    'Use a model that knows the language of the documents, or set EMBEDDINGS_PROVIDER=none.',
  );
}

/** The api records in the database that requests carry the header: the doctor may run on another machine. */
async function proxies({ TRUST_PROXY }: Env, notices: OperatorNoticesService): Promise<CheckResult> {
  if (TRUST_PROXY !== undefined) return ok('TRUST_PROXY defines which X-Forwarded-For is trusted');
  if (!(await notices.recent()).has('untrusted_forwarded_for')) return ok('no request carries X-Forwarded-For');
  return warning(
    'requests carry X-Forwarded-For, and TRUST_PROXY is not set: all clients behind the proxy count as one address',
    'Set TRUST_PROXY of the api to the number of proxies in front of it, or to their networks.',
  );
}
