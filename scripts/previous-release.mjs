/**
 * Runs another release of the service on the schema of this one: `node scripts/previous-release.mjs v0.1.0` checks the tag out into
 * a separate folder, installs and builds it, migrates a database with the current code, and starts the release's api, worker and dialer
 * on it. They must become ready, complete a call, and exit with 0 on SIGTERM. `--here` uses this clone as the other release.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { step } from './step.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const [tag] = process.argv.slice(2);
const READY_MS = 120_000;
const ACCOUNT = 'previous';
const WORKSPACE = {
  accounts: [
    {
      name: ACCOUNT,
      numbers: [{ name: 'main', e164: '+15550001111', agent: 'Receptionist' }],
      agents: [{ name: 'Receptionist', provider: 'sandbox', instructions: 'You answer.', greeting: 'Hello.' }],
    },
  ],
};
if (!tag) throw new Error('Which release? A tag, or --here.');

const work = mkdtempSync(join(tmpdir(), 'trunkline-previous-'));
chmodSync(work, 0o711);
const { startEmbeddedPostgres } = await import(
  new URL('../dist/apps/cli/src/postgres/embedded-postgres.js', import.meta.url)
);
const server = await startEmbeddedPostgres({ home: work, durable: false });
try {
  const other = tag === '--here' ? root : await checkOut();
  const env = { ...process.env, DATABASE_URL: server.url, SECRET_KEY: randomBytes(32).toString('hex'), QUEUE_URL: '' };
  const trunkline = [process.execPath, join(root, 'bin/trunkline')];
  await step('schema of this release', ...command(trunkline, 'migrate'), { env });
  writeFileSync(join(work, 'workspace.json'), JSON.stringify(WORKSPACE));
  await step('an account', ...command(trunkline, 'apply', '-f', join(work, 'workspace.json')), { env });
  const issue = ['tokens', 'issue', '--account', ACCOUNT, '--json'];
  const { token } = JSON.parse(execFileSync(...command(trunkline, ...issue), { env, encoding: 'utf8' }));
  const roles = [];
  try {
    for (const role of ['api', 'worker', 'dialer']) roles.push(await startRole(other, role, env));
    await carryCall(roles[0].baseUrl, token);
    for (const role of roles) await role.stop();
  } finally {
    for (const { child } of roles) child.kill('SIGKILL');
  }
} finally {
  await server.stop();
  if (tag !== '--here') spawnSync('git', ['worktree', 'remove', '--force', join(work, 'release')], { cwd: root });
  rmSync(work, { recursive: true, force: true });
}

async function checkOut() {
  const folder = join(work, 'release');
  await step(`checking out ${tag}`, 'git', ['worktree', 'add', '--detach', folder, tag], { cwd: root });
  await step('installing and building it', process.execPath, ['scripts/setup.mjs'], { cwd: folder });
  return folder;
}

async function startRole(folder, role, shared) {
  const [PORT, HEALTH_PORT] = [String(await freePort()), String(await freePort())];
  const own = { PORT, HEALTH_PORT, SIP_PORT: '0', SIP_BIND: '127.0.0.1', SIP_ALLOW_CIDRS: '127.0.0.0/8' };
  const env = { ...shared, ...own, LOG_LEVEL: 'warn', TRUNKLINE_HOME: join(work, `home-${role}`) };
  const args = [join(folder, 'bin/trunkline'), 'start', '--role', role];
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', 'inherit', 'inherit'] });
  const exit = once(child, 'exit');
  const until = Date.now() + READY_MS;
  while (!(await isReady(role === 'api' ? PORT : HEALTH_PORT))) {
    if (child.exitCode !== null || Date.now() > until) {
      child.kill('SIGKILL');
      throw new Error(`The ${role} of ${tag} is not ready on this schema.`);
    }
    await delay(200);
  }
  console.log(`  ${role} of ${tag}: ready on this schema`);
  const stop = async () => {
    child.kill('SIGTERM');
    const [code, signal] = await exit;
    if (code !== 0) throw new Error(`The ${role} of ${tag} ended with ${signal ?? code}.`);
    console.log(`  ${role} of ${tag}: ended with 0`);
  };
  return { child, stop, baseUrl: `http://127.0.0.1:${PORT}/api/v1` };
}

/** A call to a closed port: the api stores it, the dialer dials it, and it ends as failed. */
async function carryCall(baseUrl, token) {
  const ask = async (path, body) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const response = await fetch(baseUrl + path, {
      headers,
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} of ${tag}: ${response.status} ${text}`);
    return JSON.parse(text).data;
  };
  const [agent, number] = [(await ask('/agents'))[0], (await ask('/numbers'))[0]];
  const to_number = `sip:nobody@127.0.0.1:${await freePort()};transport=tcp`;
  const { call_id } = await ask('/calls', { to_number, agent_id: agent.id, number_id: number.id });
  const until = Date.now() + READY_MS;
  for (;;) {
    const { status, hangup_cause } = await ask(`/calls/${call_id}`);
    if (status === 'failed' && hangup_cause === 'network_error') break;
    if (Date.now() > until) throw new Error(`The call that ${tag} was to carry stayed ${status} (${hangup_cause}).`);
    await delay(200);
  }
  console.log(`  a call was carried to its end by ${tag}`);
}

/** For step and execFileSync: the program, and its arguments. */
function command([program, ...first], ...args) {
  return [program, [...first, ...args]];
}

async function isReady(port) {
  return fetch(`http://127.0.0.1:${port}/health/ready`).then(
    (response) => response.ok,
    () => false,
  );
}

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  return port;
}
