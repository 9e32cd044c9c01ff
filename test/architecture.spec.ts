import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** What a library may import of the others; what is not here is below everything it may import. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  common: [],
  // What a process tells of itself, and where it can be asked for.
  metrics: ['common'],
  // The one way out to addresses that users give.
  egress: ['common', 'settings'],
  // Settings and log of a process, as Nest provides them.
  settings: ['common'],
  database: ['common', 'settings', 'metrics'],
  queue: ['common'],
  storage: ['common', 'settings'],
  telephony: ['common'],
  // The log of administrative changes, which all features write to.
  audit: ['common', 'settings', 'database'],
  // Workspace files hold webhook settings and secrets.
  accounts: ['common', 'settings', 'database', 'audit', 'queue', 'storage', 'telephony', 'webhooks'],
  // Bearer tokens: strategy, guards, rate limits and administration.
  auth: ['common', 'metrics', 'settings', 'database', 'audit', 'accounts'],
  webhooks: ['common', 'egress', 'metrics', 'settings', 'database', 'audit', 'queue', 'storage', 'telephony'],
  calls: [
    'common',
    'egress',
    'metrics',
    'settings',
    'database',
    'audit',
    'queue',
    'storage',
    'telephony',
    'accounts',
    'webhooks',
  ],
  tools: ['common', 'egress', 'settings', 'database', 'audit', 'queue', 'storage', 'telephony', 'webhooks'],
  knowledge: [
    'common',
    'egress',
    'metrics',
    'settings',
    'database',
    'audit',
    'accounts',
    'queue',
    'storage',
    'telephony',
  ],
  // A package for the programs of others, which knows the service by its API only.
  client: [],
  // Runs beside the audio, in threads without a database: what an agent is made of there is in `agents`.
  voice: ['common', 'telephony'],
  agents: [
    'common',
    'egress',
    'settings',
    'database',
    'queue',
    'storage',
    'telephony',
    'accounts',
    'tools',
    'knowledge',
    'voice',
  ],
};

/** Files that Nest composes a process of. */
const PROVIDED = /\.(?:module|service|repository|entity|processor)\.ts$/;

/** Packages that belong to the edge of the service, and the libraries whose subject they are. */
const EDGE_PACKAGES: [RegExp, readonly string[]][] = [
  [/^@nestjs\//, ['database', 'queue', 'auth']],
  [/^(?:openapi-fetch|eventsource-parser.*)$/, ['client']],
  [/^typeorm$/, ['database']],
  [/^bullmq$/, ['queue']],
  [/^prom-client$/, ['metrics']],
  [/^(?:undici|tough-cookie)$/, ['egress']],
  [/^(?:express|passport.*)$/, ['auth']],
  [/^(?:supertest|class-validator|class-transformer|helmet|multer)$/, []],
];

/** A SIP parser may come near it; everything else is far below. */
const MAX_LINES = 400;

/**
 * The threads and child processes of the service, and all packages that they load: each has its own copy, in memory and in the time it
 * takes to start. The command line is what every role is started with, and help. What is not needed there belongs into another
 * library, or behind an `import()` where it is used.
 */
const LOADED: [entry: string, packages: string[]][] = [
  ['apps/dialer/src/media-worker.ts', ['ipaddr.js', 'pino', 're2js', 'uuid', 'ws', 'zod']],
  ['libs/voice/src/sandbox-server/sandbox-worker.ts', ['ipaddr.js', 'pino', 're2js', 'uuid', 'ws', 'zod']],
  ['libs/voice/src/speech/speech-worker.ts', []],
  ['libs/knowledge/src/reading/reader.ts', ['iconv-lite', 'jschardet', 'yauzl']],
  ['libs/knowledge/src/reading/memory-watchdog.ts', []],
  ['apps/cli/src/main.ts', ['commander', 'ipaddr.js', 'pino', 'reflect-metadata', 'uuid', 'zod']],
];

interface Source {
  path: string;
  /** `libs/calls`, `apps/api` or `test`. */
  part: string;
  lines: number;
  imports: string[];
  /** Those of them that are loaded together with it: neither types nor `import()`. */
  loads: string[];
}

const sources: Source[] = ['apps', 'libs', 'test', 'bench', 'scripts'].flatMap(filesUnder).map(sourceOf);

function filesUnder(folder: string): string[] {
  const entries = readdirSync('.', { withFileTypes: true }).some((entry) => entry.name === folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
    : [];
  return entries
    .filter((entry) => entry.isFile() && /\.(?:ts|mjs)$/.test(entry.name) && !entry.parentPath.includes('node_modules'))
    .map((entry) => join(entry.parentPath, entry.name));
}

function sourceOf(path: string): Source {
  const text = readFileSync(path, 'utf8');
  const [top = '', second = ''] = path.split('/');
  const found = text.matchAll(/^(?:import|export)[^;'"]*?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm);
  return {
    path,
    part: top === 'apps' || top === 'libs' ? `${top}/${second}` : top,
    lines: text.split('\n').length - 1,
    imports: [...found].map((match) => match[1] ?? match[2] ?? match[3] ?? ''),
    loads: loadsOf(text),
  };
}

function loadsOf(text: string): string[] {
  const found = text.matchAll(/^(?:import|export) ([^;'"]*?)from '([^']+)'|^import '([^']+)'/gm);
  return [...found]
    .filter(([, names = '']) => !/^type |^\{(?:\s*type [^,}]+,?)+\s*\}/.test(names))
    .map(([, , from, alone]) => from ?? alone ?? '');
}

/** The packages that a module loads, itself or by what it imports. */
function packagesLoadedBy(entry: string): string[] {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const files = new Set([entry]);
  const packages = new Set<string>();
  for (const path of files) {
    for (const loaded of byPath.get(path)!.loads) {
      const lib = /^@app\/(.+)/.exec(loaded)?.[1];
      if (lib !== undefined) files.add(`libs/${lib}/src/index.ts`);
      else if (loaded.startsWith('.')) files.add(join(dirname(path), loaded.replace(/\.js$/, '.ts')));
      else if (!loaded.startsWith('node:')) packages.add(loaded);
    }
  }
  return [...packages].toSorted();
}

const libOf = ({ part }: Source): string | undefined =>
  part.startsWith('libs/') ? part.slice('libs/'.length) : undefined;

const isTest = ({ path }: Source): boolean => path.endsWith('.spec.ts');

/** `file -> import` of everything that breaks a rule. */
const breaches = (breaks: (source: Source, imported: string) => boolean): string[] =>
  sources.flatMap((source) =>
    source.imports.filter((imported) => breaks(source, imported)).map((imported) => `${source.path} -> ${imported}`),
  );

describe('the architecture', () => {
  it('is made of libraries that are known here', () => {
    const libs = new Set(sources.map(libOf).filter((lib) => lib !== undefined));
    expect(libs.size).toBeGreaterThan(5);
    expect([...libs].filter((lib) => !(lib in MAY_IMPORT))).toEqual([]);
  });

  it('lets libraries import only what is below them', () => {
    const wrong = breaches((source, imported) => {
      const lib = libOf(source);
      const other = /^@app\/([^/]+)/.exec(imported)?.[1];
      if (lib === undefined || other === undefined || isTest(source)) return false;
      return !MAY_IMPORT[lib]?.includes(other);
    });
    expect(wrong).toEqual([]);
  });

  it('has no circles between libraries', () => {
    const circles = Object.entries(MAY_IMPORT).filter(([lib, others]) =>
      others.some((other) => MAY_IMPORT[other]?.includes(lib)),
    );
    expect(circles).toEqual([]);
  });

  it('enters a library by its index only', () => {
    const wrong = breaches((source, imported) => {
      if (/^@app\/[^/]+\/./.test(imported)) return true;
      if (!imported.startsWith('.')) return false;
      const target = normalize(join(dirname(source.path), imported));
      return target.startsWith('libs/') && !target.startsWith(`${source.part}/`);
    });
    expect(wrong).toEqual([]);
  });

  it('keeps the processes apart from each other, and libraries from processes', () => {
    const wrong = breaches((source, imported) => {
      if (!imported.startsWith('.') || source.part === 'test' || source.part === 'bench') return false;
      const target = normalize(join(dirname(source.path), imported));
      return target.startsWith('apps/') && !target.startsWith(`${source.part}/`);
    });
    expect(wrong).toEqual([]);
  });

  it('leaves frameworks to the edge', () => {
    const wrong = breaches((source, imported) => {
      const lib = libOf(source);
      if (lib === undefined || isTest(source) || PROVIDED.test(source.path)) return false;
      return EDGE_PACKAGES.some(([packages, allowed]) => packages.test(imported) && !allowed.includes(lib));
    });
    expect(wrong).toEqual([]);
  });

  it('has OpenTelemetry in one place, which loads it only where something is traced', () => {
    const wrong = breaches(({ part }, imported) => imported.startsWith('@opentelemetry/') && part !== 'libs/common');
    expect(wrong).toEqual([]);
    const loading = sources.filter(({ path }) =>
      /^import (?!type )[^;]*?'@opentelemetry\//m.test(readFileSync(path, 'utf8')),
    );
    expect(loading.map(({ path }) => path)).toEqual([]);
  });

  it.each(LOADED)('%s loads nothing but %j', (entry, packages) => {
    expect(packagesLoadedBy(entry)).toEqual(packages);
  });

  it('knows what every thread loads', () => {
    const threads = sources.filter(
      ({ path, part }) =>
        /^(?:apps|libs)/.test(part) &&
        /^import \{[^}]*\b(?:parentPort|workerData)\b[^}]*\} from 'node:worker_threads'/m.test(
          readFileSync(path, 'utf8'),
        ),
    );
    expect(threads.length).toBeGreaterThan(3);
    const known = LOADED.map(([entry]) => entry);
    expect(threads.map(({ path }) => path).filter((path) => !known.includes(path))).toEqual([]);
  });

  it('imports no test from the service', () => {
    const wrong = breaches(
      (source, imported) => !isTest(source) && source.part !== 'test' && /(?:\.spec|^@jest\/|\/test\/)/.test(imported),
    );
    expect(wrong.filter((line) => !line.startsWith('bench/'))).toEqual([]);
  });

  it(`has no file over ${MAX_LINES} lines`, () => {
    const long = sources
      .filter(({ path, lines }) => lines > MAX_LINES && !path.includes('/generated/'))
      .map(({ path, lines }) => `${path}: ${lines}`);
    expect(long).toEqual([]);
  });

  it('has no folder for what has no name', () => {
    const nameless = sources.filter(({ path }) => /\/(?:utils?|helpers?|misc|shared)(?:\/|\.ts$)/.test(path));
    expect(nameless.map(({ path }) => path)).toEqual([]);
  });
});
