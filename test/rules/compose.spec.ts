import { afterAll, describe, expect, it } from '@jest/globals';
import { loadEnv, ROLE_SECRETS, type SecretReader, VARIABLES } from '@app/common';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { interpolated } from '../support/compose-interpolation.js';
import { envNames } from '../support/env-names.js';
import { suiteWith } from '../support/suite-with.js';
import { commandProblem } from '../support/trunkline-command.js';

type Secret = string | { source: string; target: string };

interface Service {
  image: string;
  user?: string;
  command?: string[];
  environment?: Record<string, string>;
  secrets?: Secret[];
  ports?: string[];
  networks?: string[];
  network_mode?: string;
  depends_on?: Record<string, { condition: string }>;
  volumes?: string[];
  cap_add?: string[];
  healthcheck?: { disable?: boolean; test?: unknown };
  restart?: string;
}

const text = readFileSync('docker-compose.yml', 'utf8');
const compose = parse(text, { merge: true }) as {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
  networks: Record<string, unknown>;
  secrets: Record<string, { file: string }>;
};
const services = Object.entries(compose.services);
const ours = services.filter(([, service]) => service.image.startsWith('trunkline:'));
const running = services.filter(([name]) => ['api', 'worker', 'dialer'].includes(name));

const folder = mkdtempSync(join(tmpdir(), 'trunkline-compose-'));
const secretsIn = join(folder, 'secrets');

/** The folders of an installation. */
const prepare = (variables: Record<string, string> = {}): string =>
  execFileSync('deploy/compose/prepare.sh', {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, SECRETS: secretsIn, BACKUPS: join(folder, 'backups'), ...variables },
  });
prepare();
afterAll(() => rmSync(folder, { recursive: true }));

const environmentOf = (
  { environment = {} }: Service,
  variables: Readonly<Record<string, string>> = {},
): Record<string, string> =>
  Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, interpolated(value, variables)]));
const sourceOf = (secret: Secret): string => (typeof secret === 'string' ? secret : secret.source);
const targetOf = (secret: Secret): string => (typeof secret === 'string' ? secret : secret.target);

/** Inside, other ones would lead nowhere; the image sets NODE_ENV itself, and the phone is a container of its own. */
const OF_THE_CONTAINER = [
  ...['PORT', 'HOST', 'HEALTH_PORT', 'EMBEDDER_HOST', 'EMBEDDER_PORT', 'TRUNKLINE_HOME', 'LOG_TO', 'SECRETS_DIR'],
  ...['DATABASE_URL', 'QUEUE_URL', 'NODE_ENV', 'SANDBOX_SIP_PORT'],
];

describe('docker-compose.yml', () => {
  it('keeps the schema of the Compose Specification', () => {
    const ajv = new Ajv({ strict: false, allErrors: true });
    (addFormats as unknown as (ajv: Ajv) => void)(ajv);
    const { $schema: _dialect, ...schema } = JSON.parse(readFileSync('test/data/compose-spec/schema.json', 'utf8')) as {
      $schema: string;
    };
    const accepts = ajv.compile(schema);
    expect([accepts(parse(text, { merge: true })), accepts.errors]).toEqual([true, null]);
    expect(accepts({ services: { api: { image: 'x', memory: '1G' } } })).toBe(false);
  });

  it('defines every role and store of an installation', () => {
    const names = ['api', 'backup', 'dialer', 'embedder', 'entrance', 'migrate', 'phone', 'postgres', 'redis', 'roles'];
    expect(services.map(([name]) => name).toSorted()).toEqual([...names, 'worker']);
  });

  it.each(ours)('%s starts an existing command', (_name, { command }) => {
    expect(commandProblem(command ?? [])).toBeUndefined();
  });

  it.each(ours)('%s sets only known variables', (_name, { environment }) => {
    const known = envNames();
    expect(Object.keys(environment ?? {}).filter((name) => !known.has(name))).toEqual([]);
  });

  it.each(running)('%s receives every setting of the .env file', (name, service) => {
    const settings = VARIABLES.filter((one) => !OF_THE_CONTAINER.includes(one) && !isSecretOfAnyRole(one));
    const values = Object.fromEntries([...settings, ...OF_THE_CONTAINER].map((one) => [one, `given-${one}`]));
    const passed = environmentOf(service, values);
    expect(settings.filter((one) => passed[one] !== `given-${one}`)).toEqual([]);
    const leaked = OF_THE_CONTAINER.filter((one) => passed[one]?.includes('given'));
    expect([name, leaked]).toEqual([name, []]);
  });
});

const isSecretOfAnyRole = (name: string): boolean =>
  Object.values(ROLE_SECRETS).some((secrets) => (secrets as readonly string[]).includes(name));

/** Settings here: their passwords are secrets of their own. */
const URLS = ['DATABASE_URL', 'QUEUE_URL'];

describe('the secrets', () => {
  it.each(ours)('of %s are those of its role', (_name, { command = [], secrets = [] }) => {
    const role = (command[0] === 'start' ? command[2] : command[0]) as SecretReader;
    const read = ROLE_SECRETS[role].filter((secret) => !URLS.includes(secret));
    expect(secrets.map(targetOf).toSorted()).toEqual(read.toSorted());
  });

  it('are files that prepare.sh makes, with values where nobody else chooses them, and that it keeps', () => {
    expect(readdirSync(secretsIn).toSorted()).toEqual(Object.keys(compose.secrets).toSorted());
    for (const [name, { file }] of Object.entries(compose.secrets)) expect(file).toBe(`\${SECRETS:-./secrets}/${name}`);
    const read = (name: string): string => readFileSync(join(secretsIn, name), 'utf8');
    const before = read('SECRET_KEY');
    expect(before).toMatch(/^[\da-f]{64}$/);
    expect(read('OPENAI_API_KEY')).toBe('');
    prepare({ OPENAI_API_KEY: 'sk-1' });
    expect([read('SECRET_KEY'), read('OPENAI_API_KEY')]).toEqual([before, 'sk-1']);
    expect([secretsIn, join(secretsIn, 'SECRET_KEY')].map((path) => (statSync(path).mode & 0o777).toString(8))).toEqual(
      ['700', '444'],
    );
    // An empty one stays unset for the next test.
    writeFileSync(join(secretsIn, 'OPENAI_API_KEY'), '');
  });

  it.each([...running, ['migrate', compose.services.migrate!] as const])('let %s start', (name, service) => {
    const mounted = mkdtempSync(join(folder, `${name}-`));
    for (const secret of service.secrets ?? [])
      writeFileSync(join(mounted, targetOf(secret)), readFileSync(join(secretsIn, sourceOf(secret))));
    const env = loadEnv({ ...environmentOf(service), SECRETS_DIR: mounted }, name as SecretReader);
    const password = readFileSync(join(mounted, 'DATABASE_PASSWORD'), 'utf8');
    const role = name === 'migrate' ? 'trunkline_owner' : 'trunkline';
    expect(env.DATABASE_URL).toContain(`postgres://${role}:${password}@`);
    if (name === 'migrate') return;
    expect(env.QUEUE_URL).toContain(`redis://:${readFileSync(join(secretsIn, 'QUEUE_PASSWORD'), 'utf8')}@`);
    expect(env).toMatchObject({ SECRET_KEY: readFileSync(join(secretsIn, 'SECRET_KEY'), 'utf8'), TRUST_PROXY: 1 });
  });

  it('are in no variable and no argument', () => {
    for (const [name, { environment = {}, command = [] }] of services) {
      const secret = Object.keys(environment).filter((one) => isSecretOfAnyRole(one) && !URLS.includes(one));
      expect([name, secret]).toEqual([name, []]);
      expect(Object.values(environment).join(' ')).not.toMatch(/:\/\/[^/]*:[^/]*@/);
      expect(command.join(' ')).not.toMatch(/--requirepass|PASSWORD=/);
    }
  });

  it('of the database belong to three roles without superuser', () => {
    expect(environmentOf(compose.services.backup!)).toMatchObject({
      PGUSER: 'trunkline_backup',
      PGPASSWORD_FILE: '/run/secrets/DATABASE_BACKUP_PASSWORD',
    });
    const administering = services.filter(([, { secrets = [] }]) =>
      secrets.map(sourceOf).includes('POSTGRES_PASSWORD'),
    );
    expect(administering.map(([name]) => name)).toEqual(['postgres', 'roles']);
  });
});

describe('every service', () => {
  it.each(services)('%s has a read-only image, no capabilities, limits and a log that rotates', (name, service) => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      cpus: expect.any(String),
      mem_limit: expect.stringMatching(/[MG]/),
      pids_limit: expect.any(Number),
      logging: { driver: 'json-file', options: { 'max-size': '10m', 'max-file': '5' } },
    });
    // Ports below 1024; its image has no user of its own.
    expect([name, service.cap_add]).toEqual([name, name === 'entrance' ? ['NET_BIND_SERVICE'] : undefined]);
  });

  it.each(services)('%s is restarted and checked, or ends', (_name, { image, restart, healthcheck }) => {
    // Those of Trunkline have the health check of their image; the phone of the sandbox has none.
    const isChecked = image.startsWith('trunkline:') || healthcheck?.test !== undefined;
    const ends = restart === 'no' && healthcheck?.disable === true;
    expect([restart, isChecked || ends]).toEqual([ends ? 'no' : 'unless-stopped', true]);
  });

  it.each(services)('%s depends on possible states of services and mounts what exists', (_name, service) => {
    for (const [name, { condition }] of Object.entries(service.depends_on ?? {})) {
      const other = compose.services[name];
      const isChecked = other?.healthcheck !== undefined || other?.image.startsWith('trunkline:');
      const canBe =
        condition === 'service_healthy'
          ? isChecked
          : condition === 'service_completed_successfully' && other?.restart === 'no';
      expect([name, condition, canBe]).toEqual([name, condition, true]);
    }
    const sources = (service.volumes ?? []).map((volume) => interpolated(volume, {}).split(':')[0] ?? '');
    const ownFiles = sources.filter((source) => source.startsWith('./deploy/'));
    expect(ownFiles.filter((file) => !existsSync(file))).toEqual([]);
    expect(sources.filter((source) => !source.startsWith('.') && !(source in compose.volumes))).toEqual([]);
    for (const secret of service.secrets ?? []) expect(Object.keys(compose.secrets)).toContain(sourceOf(secret));
  });

  it('has a pinned release', () => {
    const loose = services.filter(
      ([, { image }]) => !/:[\w.-]+(?:@sha256:[\da-f]{64})?$/.test(image) || /:latest/.test(image),
    );
    expect(loose.map(([name]) => name)).toEqual([]);
  });
});

describe('the network', () => {
  const publicPorts = (name: string): string[] =>
    (compose.services[name]?.ports ?? [])
      .map((port) => interpolated(port, {}))
      .filter((port) => !port.startsWith('127.0.0.1:'));

  it('has one entrance, for TLS, and further ports on this machine only', () => {
    const open = services.map(([name]) => [name, publicPorts(name)] as const).filter(([, ports]) => ports.length > 0);
    expect(open).toEqual([['entrance', ['80:80', '443:443', '443:443/udp']]]);
    const dialer = environmentOf(compose.services.dialer!);
    expect(dialer).toMatchObject({ HOST: '127.0.0.1', HEALTH_PORT: '3003' });
  });

  it('separates the entrance and the embedder from the stores', () => {
    const on = (network: string): string[] =>
      services.filter(([, { networks = [] }]) => networks.includes(network)).map(([name]) => name);
    expect(on('entrance')).toEqual(['entrance', 'api']);
    expect(on('embedder')).toEqual(['api', 'worker', 'embedder']);
    expect(on('dialer')).toEqual(['api']);
    expect(on('stores').toSorted()).toEqual(['api', 'backup', 'migrate', 'postgres', 'redis', 'roles', 'worker']);
    const onHost = services.filter(([, { network_mode: mode }]) => mode === 'host').map(([name]) => name);
    expect(onHost).toEqual(['dialer', 'phone']);
  });

  it('leads each process to the embedder', () => {
    const urls = running.map(([name, service]) => [name, environmentOf(service).EMBEDDER_URL]);
    expect(Object.fromEntries(urls)).toEqual({
      api: 'http://embedder:3010',
      worker: 'http://embedder:3010',
      dialer: 'http://127.0.0.1:3010',
    });
    const embedder = environmentOf(compose.services.embedder!);
    expect(loadEnv(embedder, 'embedder')).toMatchObject({ EMBEDDER_HOST: '0.0.0.0', EMBEDDER_PORT: 3010 });
  });

  it('leads the api to the dialer, by the address of this machine in a network that the api alone has', () => {
    const { INTERNAL_ADDRESS: address, INTERNAL_PORT: port } = environmentOf(compose.services.dialer!);
    expect(loadEnv({ INTERNAL_ADDRESS: address, INTERNAL_PORT: port }, 'dialer')).toMatchObject({
      INTERNAL_PORT: 3200,
    });
    const { ipam } = compose.networks.dialer as { ipam: { config: { subnet: string; gateway: string }[] } };
    const [network] = ipam.config;
    expect(interpolated(network!.gateway, {})).toBe(address);
    expect(interpolated(network!.gateway, { INTERNAL_ADDRESS: '10.9.8.1' })).toBe('10.9.8.1');
    expect(interpolated(network!.subnet, {})).toBe('172.30.200.0/29');
  });

  it('gives a dialer time to finish its longest calls', () => {
    const dialer = compose.services.dialer as Service & { stop_grace_period: string };
    const { DRAIN_SECONDS: drain } = environmentOf(dialer);
    expect(interpolated(dialer.stop_grace_period, {})).toBe(`${Number(drain) + 60}s`);
  });
});

suiteWith(['docker-compose'])('docker-compose config', () => {
  it('reads the file', () => {
    const config = (): string =>
      execFileSync('docker-compose', ['config', '--quiet'], {
        encoding: 'utf8',
        stdio: 'pipe',
        env: { PATH: process.env.PATH, HOME: folder, SECRETS: secretsIn, BACKUPS: join(folder, 'backups') },
      });
    expect(config()).toBe('');
  });
});
