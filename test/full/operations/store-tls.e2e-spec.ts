import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestAuthority } from '../interop/certificates.js';
import { commandOutcome } from '../../support/built-command.js';
import { type DebianPostgres, postgresPrograms, startDebianPostgres } from '../../support/debian-postgres.js';
import { eventually } from '../../support/eventually.js';
import { freePort } from '../../support/free-port.js';
import { startProgram, type Program } from '../../support/programs.js';
import { suiteWith } from '../../support/suite-with.js';

interface Finding {
  check: string;
  state: string;
  says: string;
}

suiteWith(['openssl', 'redis-server', 'postgres'], (name) =>
  name === 'postgres' ? postgresPrograms() !== undefined : true,
)('TLS to the stores', () => {
  const home = mkdtempSync(join(tmpdir(), 'trunkline-store-tls-'));
  const authority = new TestAuthority();
  const stranger = new TestAuthority('another authority');
  let postgres: DebianPostgres;
  let redis: Program;

  beforeAll(async () => {
    const certificate = authority.issue(['DNS:localhost']);
    postgres = await startDebianPostgres(certificate);
    const port = await freePort();
    const tls = ['--tls-port', `${port}`, '--port', '0', '--tls-auth-clients', 'no', '--requirepass', 'secret'];
    const files = [
      '--tls-cert-file',
      certificate.certFile,
      '--tls-key-file',
      certificate.keyFile,
      '--tls-ca-cert-file',
      authority.caFile,
    ];
    redis = await startProgram(
      'redis-server',
      [...tls, ...files, '--bind', '127.0.0.1', '--save', '', '--dir', home],
      port,
    );
  });
  afterAll(async () => {
    await postgres?.stop();
    await redis?.stop();
    authority.remove();
    stranger.remove();
    rmSync(home, { recursive: true });
  });

  const urlOf = (parameters: string, host = 'localhost'): string => {
    const url = new URL(postgres.superuserUrl('trunkline'));
    url.hostname = host;
    return `${url.href}?${parameters}`;
  };
  const environment = (variables: Record<string, string>): NodeJS.ProcessEnv => ({
    ...process.env,
    NODE_OPTIONS: '',
    QUEUE_URL: '',
    SECRET_KEY: 'k'.repeat(32),
    TRUNKLINE_HOME: home,
    ...variables,
  });
  const migrate = (url: string, variables: Record<string, string> = {}) =>
    commandOutcome(['migrate'], environment({ DATABASE_URL: url, ...variables }));

  it('verify-full accepts the authority of sslrootcert, or of NODE_EXTRA_CA_CERTS, in every connection of a role', async () => {
    const url = urlOf(`sslmode=verify-full&sslrootcert=${authority.caFile}`);
    expect(await migrate(url)).toMatchObject({ code: 0, stderr: '' });
    const more = { NODE_EXTRA_CA_CERTS: authority.caFile };
    expect(await migrate(urlOf('sslmode=verify-full'), more)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('up to date'),
    });

    // The pool, BullMQ's connections and LISTEN: the server accepts none without TLS.
    const main = ['dist/apps/cli/src/main.js', 'start', '--role', 'worker'];
    const healthPort = await freePort();
    const env = environment({ DATABASE_URL: url, HEALTH_PORT: `${healthPort}`, HOST: '127.0.0.1', LOG_LEVEL: 'warn' });
    const worker = spawn(process.execPath, main, { env, stdio: 'inherit' });
    const exit = once(worker, 'exit');
    const ready = async (): Promise<number> =>
      fetch(`http://127.0.0.1:${healthPort}/health/ready`).then(
        ({ status }) => status,
        () => 0,
      );
    await eventually(
      async () => worker.exitCode ?? (await ready()),
      (seen) => seen === 200 || worker.exitCode !== null,
    );
    expect(worker.exitCode).toBeNull();
    worker.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
  });

  it.each([
    [
      'another authority',
      () => urlOf(`sslmode=verify-full&sslrootcert=${stranger.caFile}`),
      'not of a known authority',
    ],
    ['no authority', () => urlOf('sslmode=verify-full'), 'not of a known authority: name its file in sslrootcert'],
    [
      'another host',
      () => urlOf(`sslmode=verify-full&sslrootcert=${authority.caFile}`, '127.0.0.1'),
      'not for the host',
    ],
    ['no TLS', () => urlOf('sslmode=disable'), 'The database rejects this user'],
    ['a missing file', () => urlOf('sslmode=verify-full&sslrootcert=/nowhere.crt'), '/nowhere.crt (ENOENT)'],
    ['a wrong mode', () => urlOf('sslmode=full'), 'needs one of the sslmodes'],
  ])('refuses %s with a sentence', async (_name, url, sentence) => {
    const { code, stderr } = await migrate(url());
    expect([code, stderr]).toEqual([1, expect.stringContaining(sentence)]);
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  it('rediss:// accepts an authority of NODE_EXTRA_CA_CERTS only', async () => {
    const queue = async (ca: string): Promise<Finding | undefined> => {
      const variables = {
        DATABASE_URL: urlOf(`sslmode=verify-full&sslrootcert=${authority.caFile}`),
        QUEUE_URL: `rediss://localhost:${redis.port}`,
        QUEUE_PASSWORD: 'secret',
        NODE_EXTRA_CA_CERTS: ca,
      };
      const { stdout } = await commandOutcome(['doctor', '--json'], environment(variables));
      return (JSON.parse(stdout) as Finding[]).find(({ check }) => check === 'queue');
    };
    // Without persistence, which doctor names; the server answers.
    expect(await queue(authority.caFile)).toMatchObject({
      state: 'warning',
      says: expect.stringContaining('Redis answers'),
    });
    expect(await queue(stranger.caFile)).toMatchObject({ state: 'wrong', says: expect.stringMatching(/certificate/) });
  });
});
