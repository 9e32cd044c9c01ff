import { describe, expect, it } from '@jest/globals';
import { run as lint } from 'dockerfilelint';
import { existsSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { execFormOf, ignoring, stagesOf, type Stage } from '../scripts/dockerfile.mjs';
import { envNames } from './support/env-names.js';
import { commandProblem } from './support/trunkline-command.js';

const dockerfile = readFileSync('Dockerfile', 'utf8');
const stages = stagesOf(dockerfile);
const image = stages.at(-1) as Stage;

/** What the linter does not know: ranges of ports, and the options of HEALTHCHECK. */
const UNKNOWN_TO_IT = [
  ['EXPOSE', 'Invalid Port Exposed'],
  ['HEALTHCHECK', 'Invalid Argument Format'],
];

const textsOf = (keyword: string): string[] =>
  image.instructions.filter((one) => one.keyword === keyword).map(({ text }) => text);

describe('the Dockerfile', () => {
  it('is what the linter asks for', () => {
    const lines = dockerfile.split('\n');
    const found = lint('.', dockerfile).filter(
      ({ line, title }) =>
        !UNKNOWN_TO_IT.some(([keyword, known]) => title === known && lines[line - 1]?.trim().startsWith(keyword ?? '')),
    );
    expect(found.map(({ line, title }) => `${line}: ${title}`)).toEqual([]);
  });

  it('copies what is there and what .dockerignore lets through', () => {
    const isIgnored = ignoring(readFileSync('.dockerignore', 'utf8'));
    const sources = stages.flatMap(({ instructions }) =>
      instructions
        .filter(({ keyword, flags }) => keyword === 'COPY' && flags.from === undefined)
        .flatMap(({ text }) => text.split(/\s+/).slice(0, -1)),
    );
    expect(sources.filter((source) => !existsSync(source) || isIgnored(source))).toEqual([]);
    expect(
      ['test', '.git', 'node_modules/pg/package.json', 'apps/api/src/x.spec.ts', 'docs/tools.md'].filter(
        (path) => !isIgnored(path),
      ),
    ).toEqual([]);
  });

  it('runs as a numbered user who is not root, without a shell between signals and Node', () => {
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

describe('docker-compose.yml', () => {
  it('has every part of an installation', () => {
    const names = services.map(([name]) => name);
    expect(names.toSorted()).toEqual(
      ['api', 'bucket', 'dialer', 'migrate', 'minio', 'phone', 'postgres', 'redis', 'worker'].toSorted(),
    );
  });

  it.each(ours)('%s is started with a command that there is', (_name, { command }) => {
    expect(commandProblem(command ?? [])).toBeUndefined();
  });

  it.each(ours)('%s sets only variables that are read', (_name, { environment }) => {
    const known = envNames();
    expect(Object.keys(environment ?? {}).filter((name) => !known.has(name))).toEqual([]);
  });

  it.each(ours)('%s cannot write to its image, and has no capabilities', (_name, service) => {
    expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
  });

  it.each(services)(
    '%s depends on services that can be in that state, and mounts volumes that there are',
    (_name, service) => {
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
    },
  );

  it('names a release of every image', () => {
    const loose = services.filter(
      ([, service]) => !/:[\w.-]+$/.test(service.image) || service.image.endsWith(':latest'),
    );
    expect(loose.map(([name]) => name)).toEqual([]);
  });

  it('lets a dialer finish its longest calls', () => {
    const dialer = compose.services.dialer as Service & { stop_grace_period: string };
    expect(dialer.stop_grace_period).toBe(`${Number(dialer.environment?.DRAIN_SECONDS) + 60}s`);
  });
});
