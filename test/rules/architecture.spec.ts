import { describe, expect, it } from '@jest/globals';
import { dirname, join, normalize } from 'node:path';
import {
  fileOf,
  importCycles,
  isProduct,
  readSources,
  type SourceFile,
  unusedExports,
} from '../support/source-graph.js';

/** What a library may import of the others; what is not here is below everything it may import. */
const IMPORTS: Record<string, string> = {
  // Environment, errors, ids, log; in folders of their own the settings of Nest, files of text, time windows and fields of schemas.
  common: '',
  // A package for the programs of others, which knows the service by its API only.
  client: '',
  // Schemas and patterns that users give, within bounds.
  'json-schema': 'common',
  // Steps of a conversation: their check and their state machine.
  flow: 'common json-schema',
  // What a process tells of itself, and where it can be asked for.
  metrics: 'common',
  // The one way out to addresses that users give.
  egress: 'common',
  database: 'common metrics',
  queue: 'common metrics',
  storage: 'common',
  // The log of administrative changes, which all features write to.
  audit: 'common database',
  // Finds secrets in text.
  privacy: 'json-schema',
  telephony: 'common',
  // Runs beside the audio, in threads without a database.
  voice: 'common json-schema flow telephony',
  // Doubles of providers and phones: a production dialer loads none of it.
  sandbox: 'common telephony voice',
  webhooks: 'common egress metrics database audit queue',
  tools: 'common json-schema egress metrics database audit queue webhooks',
  // Accounts with their people, limits, numbers and trunks.
  accounts: 'common egress database audit telephony privacy',
  // Bearer tokens: strategy, guards, rate limits and administration.
  auth: 'common egress metrics database audit accounts',
  knowledge: 'common egress metrics database audit queue storage accounts',
  agents:
    'common json-schema flow egress database audit privacy telephony voice sandbox webhooks tools accounts knowledge',
  calls:
    'common flow egress metrics database audit queue storage telephony privacy voice webhooks tools accounts agents',
  // Reads ended calls: values, rubric and summary with evidence.
  'call-analysis': 'common json-schema metrics database queue voice accounts agents calls',
  // Lists of contacts that become calls.
  campaigns:
    'common egress metrics database audit queue storage telephony webhooks accounts agents calls call-analysis',
  // Counts of ended calls, and the words of their transcripts.
  analytics: 'common metrics database accounts knowledge agents calls call-analysis campaigns',
  // Conversations that test agents, in text and in calls, and their runs.
  simulation:
    'common json-schema flow egress database audit queue privacy telephony voice sandbox webhooks tools accounts knowledge agents calls',
  // The file that writes everything of an account.
  workspace: 'common database audit webhooks tools accounts agents',
};

const MAY_IMPORT = new Map(Object.entries(IMPORTS).map(([lib, others]) => [lib, others.split(' ')]));

/** Files that Nest composes a process of. */
const PROVIDED = /\.(?:module|service|repository|entity|processor)\.ts$/;

/** Found by their files (libs/database/src/migration-files.ts). */
const MIGRATION = /^libs\/[^/]+\/src\/migrations\//;

/** Packages that belong to the edge of the service, and the libraries whose subject they are. */
const EDGE_PACKAGES: [RegExp, readonly string[]][] = [
  [/^@nestjs\//, ['database', 'queue', 'knowledge', 'auth']],
  [/^(?:openapi-fetch|eventsource-parser.*)$/, ['client']],
  [/^typeorm$/, ['database']],
  [/^bullmq$/, ['queue']],
  [/^prom-client$/, ['metrics']],
  [/^(?:undici|tough-cookie)$/, ['egress']],
  [/^(?:express|passport.*)$/, ['auth']],
  [/^(?:supertest|class-validator|class-transformer|helmet|multer)$/, []],
];

/**
 * The threads and child processes of the service, and all packages that they load: each has its own copy, in memory and in the time it
 * takes to start. The command line is what every role is started with, and help. What is not needed there belongs into another
 * library, or behind an `import()` where it is used.
 */
const LOADED: [entry: string, packages: string[]][] = [
  ['apps/dialer/src/media/media-worker.ts', ['ipaddr.js', 'pino', 'uuid', 'ws', 'zod']],
  ['libs/sandbox/src/server/sandbox-worker.ts', ['ipaddr.js', 'lru-cache', 'pino', 're2js', 'uuid', 'ws', 'zod']],
  ['libs/voice/src/speech/speech-worker.ts', []],
  ['libs/voice/src/hearing/hearing-worker.ts', []],
  ['apps/dialer/src/media/sandbox-voice.ts', []],
  ['apps/cli/src/supervisor/phone.ts', ['ipaddr.js', 'pino', 'uuid', 'zod']],
  ['libs/common/src/tables/workbook-process.ts', ['htmlparser2', 'yauzl']],
  ['libs/knowledge/src/parsing/parser-process.ts', []],
  ['libs/knowledge/src/parsing/memory-watchdog.ts', []],
  ['libs/knowledge/src/embedding-models/builtin-thread.ts', []],
  ['apps/cli/src/main.ts', ['commander', 'ipaddr.js', 'pino', 'reflect-metadata', 'uuid', 'zod']],
];

/** Parts of a library that are loaded without the rest of it: a process that needs one of them stays small. */
const FURTHER_ENTRIES = [
  '@app/agents/scenarios',
  '@app/client/web',
  '@app/common/field-schemas',
  '@app/common/phone-numbers',
  '@app/common/settings',
  '@app/common/tables',
  '@app/common/text-files',
  '@app/common/thread-errors',
  '@app/common/time-windows',
  '@app/database/indexes',
  '@app/json-schema/patterns',
  '@app/knowledge/embedding-models',
  '@app/sandbox/formant',
  '@app/sandbox/phone',
  '@app/simulation/tester',
  '@app/voice/guardrails',
];

/** Entries that load no file of the sandbox until an agent or the command needs it. */
const WITHOUT_SANDBOX = [
  'apps/cli/src/main.ts',
  'apps/dialer/src/media/built-in-voice.ts',
  'apps/dialer/src/main.ts',
  'apps/dialer/src/media/media-worker.ts',
  'apps/worker/src/main.ts',
  'libs/voice/src/speech/speech-worker.ts',
];

const graph = readSources();
const sources = [...graph.values()];

/** The files and packages that a module loads, itself or through its imports. */
function loadedBy(entry: string): { files: string[]; packages: string[] } {
  const files = new Set([entry]);
  const packages = new Set<string>();
  for (const path of files) {
    for (const loaded of graph.get(path)!.loads) {
      const target = fileOf(path, loaded);
      if (graph.has(target)) files.add(target);
      else if (!loaded.startsWith('node:')) packages.add(loaded);
    }
  }
  return { files: [...files], packages: [...packages].toSorted() };
}

const libOf = ({ part }: SourceFile): string | undefined =>
  part.startsWith('libs/') ? part.slice('libs/'.length) : undefined;

const isTest = ({ path }: SourceFile): boolean => path.endsWith('.spec.ts') || /^libs\/[^/]+\/test\//.test(path);

/** `file -> import` of everything that breaks a rule. */
const breaches = (breaks: (source: SourceFile, imported: string) => boolean): string[] =>
  sources.flatMap((source) =>
    source.imports.filter((imported) => breaks(source, imported)).map((imported) => `${source.path} -> ${imported}`),
  );

describe('the architecture', () => {
  it('is made of libraries that are known here', () => {
    const libs = new Set(sources.map(libOf).filter((lib) => lib !== undefined));
    expect(libs.size).toBeGreaterThan(5);
    expect([...libs].filter((lib) => !MAY_IMPORT.has(lib))).toEqual([]);
  });

  it('lets libraries import only what is below them', () => {
    const wrong = breaches((source, imported) => {
      const lib = libOf(source);
      const other = /^@app\/([^/]+)/.exec(imported)?.[1];
      if (lib === undefined || other === undefined || isTest(source)) return false;
      return !MAY_IMPORT.get(lib)?.includes(other);
    });
    expect(wrong).toEqual([]);
  });

  it('has no circles between libraries', () => {
    const circles = [...MAY_IMPORT].filter(([lib, others]) =>
      others.some((other) => MAY_IMPORT.get(other)?.includes(lib)),
    );
    expect(circles).toEqual([]);
  });

  it('enters a library by its index only', () => {
    const wrong = breaches((source, imported) => {
      if (/^@app\/[^/]+\/./.test(imported)) return !FURTHER_ENTRIES.includes(imported);
      if (!imported.startsWith('.')) return false;
      const target = normalize(join(dirname(source.path), imported));
      // The code of the audio thread is not part of the client's interface; its tests replace the browser.
      if (source.part === 'test' && target.startsWith('libs/client/src/web/worklet/')) return false;
      // How the package is bundled: its own build and those of console and widget do the same.
      if (target === 'libs/client/web-bundle.mjs') return false;
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
      if (lib === undefined || isTest(source)) return false;
      if (PROVIDED.test(source.path) || MIGRATION.test(source.path)) return false;
      return EDGE_PACKAGES.some(([packages, allowed]) => packages.test(imported) && !allowed.includes(lib));
    });
    expect(wrong).toEqual([]);
  });

  it('has OpenTelemetry in one place, which loads it only where something is traced', () => {
    const wrong = breaches(({ part }, imported) => imported.startsWith('@opentelemetry/') && part !== 'libs/common');
    expect(wrong).toEqual([]);
    const loading = sources.filter(({ text }) => /^import (?!type )[^;]*?'@opentelemetry\//m.test(text));
    expect(loading.map(({ path }) => path)).toEqual([]);
  });

  it.each(LOADED)('%s loads nothing but %j', (entry, packages) => {
    expect(loadedBy(entry).packages).toEqual(packages);
  });

  it.each(WITHOUT_SANDBOX)('%s loads nothing of the sandbox before it is needed', (entry) => {
    expect(loadedBy(entry).files.filter((path) => path.startsWith('libs/sandbox/'))).toEqual([]);
  });

  it('lets the fault matrix see the service from outside only: its bundle has none of the metadata that Nest needs', () => {
    const { packages } = loadedBy('test/faults/main.ts');
    expect(packages).toContain('pg');
    expect(packages.filter((name) => /^(?:@nestjs\/|bullmq$|reflect-metadata$|typeorm$)/.test(name))).toEqual([]);
  });

  it('knows what every thread loads', () => {
    const threads = sources.filter(
      ({ text, part }) =>
        /^(?:apps|libs)/.test(part) &&
        /^import \{[^}]*\b(?:parentPort|workerData)\b[^}]*\} from 'node:worker_threads'/m.test(text),
    );
    expect(threads.length).toBeGreaterThan(3);
    const known = LOADED.map(([entry]) => entry);
    expect(threads.map(({ path }) => path).filter((path) => !known.includes(path))).toEqual([]);
  });

  it('keeps migrations apart: nothing imports them, and they load nothing that changes with the service', () => {
    const migrations = sources.filter(({ path }) => MIGRATION.test(path));
    expect(migrations.length).toBeGreaterThan(60);
    expect(breaches(({ path }, imported) => MIGRATION.test(fileOf(path, imported)))).toEqual([]);
    const loaded = migrations.flatMap(({ path, loads }) => loads.map((target) => fileOf(path, target)));
    const indexes = ['libs/database/src/indexes/index.ts', 'libs/database/src/indexes/unfinished-index.ts'];
    expect(loaded.filter((target) => !indexes.includes(target))).toEqual([]);
    expect(indexes.map((path) => loadedBy(path)).flatMap(({ packages }) => packages)).toEqual([]);
  });

  it('imports no test from the service', () => {
    const wrong = breaches(
      (source, imported) => !isTest(source) && source.part !== 'test' && /(?:\.spec|^@jest\/|\/test\/)/.test(imported),
    );
    expect(wrong.filter((line) => !line.startsWith('bench/'))).toEqual([]);
  });

  it('has no folder for what has no name', () => {
    const nameless = sources.filter(({ path }) => /\/(?:utils?|helpers?|misc|shared)(?:\/|\.ts$)/.test(path));
    expect(nameless.map(({ path }) => path)).toEqual([]);
  });
});

/** A statement of SQL in a text of code. */
const SQL =
  /[`'"(]\s*(?:WITH\s+(?:RECURSIVE\s+)?\w+\s+AS\s*\(|SELECT\s|INSERT\s+INTO\s|UPDATE\s+\w+\s+SET\s|DELETE\s+FROM\s)/;
/** The last: the supervisor creates the database on the PostgreSQL that it started, before anything else can connect. */
const HOLDS_SQL =
  /\.repository\.ts$|^libs\/database\/src\/|^libs\/[^/]+\/src\/migrations\/|^apps\/cli\/src\/postgres\/embedded-postgres\.ts$/;

/** What controllers and processors receive goes no deeper than services. */
const BELOW_SERVICES = /\b(?:Pool|PoolClient|DataSource|Database|EntityManager|InjectRepository|[A-Z]\w*Repository)\b/;
const TRANSPORT = /\.(?:controller|processor)\.ts$/;

const product = sources.filter(isProduct);

describe('the layers', () => {
  it('have no import cycle, types included', () => {
    expect(importCycles(graph)).toEqual([]);
  });

  it('name what they export, and export nothing that no other file imports', () => {
    expect(product.filter(({ exportsAll }) => exportsAll).map(({ path }) => path)).toEqual([]);
    // The client is a package for other programs.
    const unused = unusedExports(graph).filter((name) => !name.startsWith('libs/client/') && !MIGRATION.test(name));
    expect(unused).toEqual([]);
  });

  it('keep SQL in repositories, migrations and libs/database', () => {
    const wrong = product.filter(
      ({ path, text }) => !HOLDS_SQL.test(path) && (SQL.test(text) || /(?<!permissions)\.query\(/.test(text)),
    );
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  it('let controllers and processors inject services, settings and the log only', () => {
    const wrong = product.filter(({ path, text }) => TRANSPORT.test(path) && BELOW_SERVICES.test(text));
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });
});
