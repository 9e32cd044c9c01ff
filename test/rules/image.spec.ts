import { describe, expect, it } from '@jest/globals';
import { loadEnv, VARIABLES } from '@app/common';
import { validate } from 'dockerfile-utils';
import { existsSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { execFormOf, ignoring, stagesOf, type Stage } from '../../scripts/dockerfile.mjs';
import { interpolated } from '../support/compose-interpolation.js';
import { envNames } from '../support/env-names.js';
import { commandProblem } from '../support/trunkline-command.js';

const dockerfile = readFileSync('Dockerfile', 'utf8');
const stages = stagesOf(dockerfile);
const image = stages.at(-1) as Stage;

const textsOf = (keyword: string): string[] =>
  image.instructions.filter((one) => one.keyword === keyword).map(({ text }) => text);

describe('the Dockerfile', () => {
  it('passes the linter', () => {
    expect(validate(dockerfile)).toEqual([]);
    expect(validate('FROM node\nUSERS 1000\n')).toHaveLength(1);
  });

  it('copies only existing files that .dockerignore includes', () => {
    const isIgnored = ignoring(readFileSync('.dockerignore', 'utf8'));
    const sources = stages.flatMap(({ instructions }) =>
      instructions
        .filter(({ keyword, flags }) => keyword === 'COPY' && flags.from === undefined)
        .flatMap(({ text }) => text.split(/\s+/).slice(0, -1)),
    );
    expect(sources.filter((source) => !existsSync(source) || isIgnored(source))).toEqual([]);
    expect(
      ['test', '.git', 'node_modules/pg/package.json', 'apps/api/src/x.spec.ts', 'bench/main.ts'].filter(
        (path) => !isIgnored(path),
      ),
    ).toEqual([]);
  });

  it('runs Node directly, as a numeric user other than root', () => {
    expect(textsOf('USER')).toEqual(['1000:1000']);
    expect(execFormOf(image, 'ENTRYPOINT')).toEqual(['node', 'bin/trunkline']);
    expect(execFormOf(image, 'HEALTHCHECK')?.[0]).toBe('node');
    expect(commandProblem(execFormOf(image, 'CMD') ?? [])).toBeUndefined();
    expect(stages.every((stage) => /^node:24-/.test(stage.image))).toBe(true);
  });
});

interface Service {
  image: string;
  command?: string[];
  environment?: Record<string, string>;
  ports?: string[];
  depends_on?: Record<string, { condition: string }>;
  volumes?: string[];
  read_only?: boolean;
  cap_drop?: string[];
  healthcheck?: unknown;
  restart?: string;
}

const compose = parse(readFileSync('docker-compose.yml', 'utf8'), { merge: true }) as {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
};
const services = Object.entries(compose.services);
const ours = services.filter(([, service]) => service.image.startsWith('trunkline:'));
const running = services.filter(([name]) => ['api', 'worker', 'dialer'].includes(name));

const PASSWORDS: Record<string, string> = {
  SECRET_KEY: 'k'.repeat(64),
  POSTGRES_PASSWORD: 'of-postgres',
  REDIS_PASSWORD: 'of-redis',
  STORAGE_PASSWORD: 'of-minio',
};
/** Inside, other ones would lead nowhere; the image sets NODE_ENV itself, and the phone is a container of its own. */
const OF_THE_IMAGE = ['NODE_ENV', 'SANDBOX_SIP_PORT'];
const OF_THE_CONTAINER = [
  ...['PORT', 'HOST', 'HEALTH_PORT', 'EMBEDDER_HOST', 'EMBEDDER_PORT', 'TRUNKLINE_HOME', 'LOG_TO'],
  ...OF_THE_IMAGE,
];

const environmentOf = (
  environment: Record<string, string> | undefined,
  variables: Readonly<Record<string, string>>,
): Record<string, string> =>
  Object.fromEntries(Object.entries(environment ?? {}).map(([name, value]) => [name, interpolated(value, variables)]));

describe('docker-compose.yml', () => {
  it('defines every role and store of an installation', () => {
    const names = services.map(([name]) => name);
    expect(names.toSorted()).toEqual(
      ['api', 'bucket', 'dialer', 'embedder', 'migrate', 'minio', 'phone', 'postgres', 'redis', 'worker'].toSorted(),
    );
  });

  it.each(ours)('%s starts an existing command', (_name, { command }) => {
    expect(commandProblem(command ?? [])).toBeUndefined();
  });

  it.each(ours)('%s sets only known variables', (_name, { environment }) => {
    const known = envNames();
    expect(Object.keys(environment ?? {}).filter((name) => !known.has(name))).toEqual([]);
  });

  it.each(running)('%s receives every variable of the .env file', (_name, { environment }) => {
    const values = Object.fromEntries(VARIABLES.map((name) => [name, `given-${name}`]));
    const isLost = (name: string, value: string | undefined) =>
      value?.includes('given') ?? !OF_THE_IMAGE.includes(name);
    const passed = environmentOf(environment, { ...PASSWORDS, ...values });
    const kept = VARIABLES.filter((name) => !OF_THE_CONTAINER.includes(name));
    expect(kept.filter((name) => passed[name] !== `given-${name}`)).toEqual([]);
    // Those of the container are there, and not those of the shell.
    expect(OF_THE_CONTAINER.filter((name) => isLost(name, passed[name]))).toEqual([]);
  });

  it.each(running)('%s starts with only the required passwords', (_name, { environment }) => {
    const env = loadEnv(environmentOf(environment, PASSWORDS));
    expect(env).toMatchObject({ SECRET_KEY: PASSWORDS.SECRET_KEY, BOOTSTRAP_ACCOUNT: 'default', LOG_LEVEL: 'info' });
    expect(env.DATABASE_URL).toContain(`:${PASSWORDS.POSTGRES_PASSWORD}@`);
    expect(env.QUEUE_URL).toContain(`:${PASSWORDS.REDIS_PASSWORD}@`);
    expect(env.HEALTH_PORT).toBeGreaterThan(0);
  });

  it('runs the embedder for all processes, without a secret, reachable from this machine only', () => {
    const { environment, ports = [] } = compose.services.embedder!;
    expect(JSON.stringify(environment)).not.toMatch(/PASSWORD|KEY|DATABASE_URL/);
    expect(loadEnv(environmentOf(environment, {}))).toMatchObject({ EMBEDDER_HOST: '0.0.0.0', EMBEDDER_PORT: 3010 });
    expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
    const urls = running.map(([name, service]) => [name, environmentOf(service.environment, PASSWORDS).EMBEDDER_URL]);
    expect(Object.fromEntries(urls)).toEqual({
      api: 'http://embedder:3010',
      worker: 'http://embedder:3010',
      dialer: 'http://127.0.0.1:3010',
    });
  });

  it.each(Object.keys(PASSWORDS))('requires %s', (name) => {
    const { [name]: _missing, ...others } = PASSWORDS;
    const start = () => services.map(([, { environment }]) => environmentOf(environment, others));
    expect(start).toThrow(`${name}: set it to the output of openssl rand -hex`);
  });

  it('exposes the metrics of every process on this machine only', () => {
    const published = running.flatMap(([, { ports = [] }]) => ports).filter((port) => port.endsWith(':3001'));
    expect(published.map((port) => port.split(':')[0])).toEqual(['127.0.0.1', '127.0.0.1']);
    const dialer = environmentOf(compose.services.dialer?.environment, PASSWORDS);
    expect(dialer).toMatchObject({ HOST: '127.0.0.1', HEALTH_PORT: '3003' });
  });

  it.each(ours)('%s cannot write to its image, and has no capabilities', (_name, service) => {
    expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
  });

  it.each(services)('%s depends on possible states of services and mounts existing volumes', (_name, service) => {
    for (const [name, { condition }] of Object.entries(service.depends_on ?? {})) {
      const other = compose.services[name];
      const canBe =
        condition === 'service_healthy'
          ? other?.healthcheck !== undefined
          : condition === 'service_completed_successfully' && other?.restart === 'no';
      expect([name, condition, canBe]).toEqual([name, condition, true]);
    }
    const volumes = (service.volumes ?? []).map((volume) => /^([a-z]+):/.exec(volume)?.[1]);
    expect(volumes.filter((volume) => volume !== undefined && !(volume in compose.volumes))).toEqual([]);
  });

  it('pins a release of every image', () => {
    const loose = services.filter(
      ([, service]) => !/:[\w.-]+$/.test(service.image) || service.image.endsWith(':latest'),
    );
    expect(loose.map(([name]) => name)).toEqual([]);
  });

  it('gives a dialer time to finish its longest calls', () => {
    const dialer = compose.services.dialer as Service & { stop_grace_period: string };
    const { DRAIN_SECONDS: drain } = environmentOf(dialer.environment, PASSWORDS);
    expect(interpolated(dialer.stop_grace_period, PASSWORDS)).toBe(`${Number(drain) + 60}s`);
  });
});
