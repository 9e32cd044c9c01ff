/**
 * Runs another release of the service on the schema of this one: `node scripts/previous-release.mjs v0.1.0` checks the tag out into
 * a folder of its own, installs and builds it, migrates a database with the code of now, and starts that release's api and worker on
 * it. They must be ready, and end with 0 on SIGTERM. `--here` takes this clone as the other release.
 */
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { step } from './step.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const [tag] = process.argv.slice(2);
const READY_MS = 120_000;
if (!tag) throw new Error('Which release? A tag, or --here.');

const work = mkdtempSync(join(tmpdir(), 'trunkline-previous-'));
chmodSync(work, 0o711);
const { startEmbeddedPostgres } = await import(new URL('../dist/apps/cli/src/embedded-postgres.js', import.meta.url));
const server = await startEmbeddedPostgres({ home: work, durable: false });
try {
  const other = tag === '--here' ? root : await checkOut();
  const env = { ...process.env, DATABASE_URL: server.url, SECRET_KEY: randomBytes(32).toString('hex'), QUEUE_URL: '' };
  await step('schema of this release', process.execPath, [join(root, 'bin/trunkline'), 'migrate'], { env });
  for (const role of ['api', 'worker']) await tryRole(other, role, env);
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

async function tryRole(folder, role, shared) {
  const [PORT, HEALTH_PORT] = [String(await freePort()), String(await freePort())];
  const env = { ...shared, PORT, HEALTH_PORT, LOG_LEVEL: 'warn', TRUNKLINE_HOME: join(work, `home-${role}`) };
  const args = [join(folder, 'bin/trunkline'), 'start', '--role', role];
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', 'inherit', 'inherit'] });
  const exit = once(child, 'exit');
  const until = Date.now() + READY_MS;
  while (!(await isReady(role === 'api' ? PORT : HEALTH_PORT))) {
    if (child.exitCode !== null || Date.now() > until)
      throw new Error(`The ${role} of ${tag} is not ready on this schema.`);
    await delay(200);
  }
  child.kill('SIGTERM');
  const [code, signal] = await exit;
  if (code !== 0) throw new Error(`The ${role} of ${tag} ended with ${signal ?? code}.`);
  console.log(`  ${role} of ${tag}: ready on this schema, ended with 0`);
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
