/**
 * Bundles the entry points of all processes and threads in dist, in place. Node takes about a millisecond of CPU time to find, read and
 * link a module on a slow machine, and a process loads two to four thousand of them. The other modules in dist remain as the compiler wrote them.
 */
import { build } from 'esbuild';
import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const dist = fileURLToPath(new URL('../dist/', import.meta.url));

/** Everything that is started by its path; `main` of api, dialer and worker sets flags of V8 before it loads `bootstrap`. */
const ENTRIES = [
  'apps/api/src/bootstrap',
  'apps/api/src/openapi',
  'apps/cli/src/main',
  'apps/cli/src/supervisor/phone',
  'apps/dialer/src/media/built-in-voice',
  'apps/dialer/src/bootstrap',
  'apps/dialer/src/media/media-worker',
  'apps/embedder/src/bootstrap',
  'apps/worker/src/bootstrap',
  'libs/common/src/tables/workbook-process',
  'libs/knowledge/src/embedding-models/builtin-thread',
  'libs/knowledge/src/parsing/memory-watchdog',
  'libs/knowledge/src/parsing/parser-process',
  'libs/sandbox/src/server/sandbox-worker',
  'libs/voice/src/hearing/hearing-worker',
  'libs/voice/src/speech/speech-worker',
];

/**
 * The packages inside: Nest and what only Nest loads, ES modules in more than a thousand small files. All others stay outside, so that a package
 * which another package loads is never in a process twice, and its code runs as its authors wrote it.
 */
const INSIDE = /^(?:@nestjs\/[^/]+|es-toolkit|iterare|rxjs|uid)(?:\/|$)/;

/** The address of dist, in a bundle or a chunk. */
const ROOT = `import.meta.url.slice(0, import.meta.url.lastIndexOf('/dist/') + 6)`;

/** A class of a module, with or without decorators, as the TypeScript compiler prints it. */
const CLASS = /^(?:export )?(?:default )?(?:(?:let|const|var) (?:[\w$]+ = )+)?class ([\w$]+)/gm;
const CLASS_ANYWHERE = /\bclass ([\w$]+)/g;
/** Names of the classes of all modules, and those among them that `withClassNames` restores. */
const declared = new Set();
const restored = new Set();

/**
 * Nest, TypeORM and OpenAPI read the names of classes, and esbuild renames what occurs twice in a bundle. Its `keepNames` names functions as well,
 * each time that a closure is created: a fifth of the CPU time of a request.
 */
function withClassNames(text) {
  const names = [...text.matchAll(CLASS)].map(([, name]) => name);
  for (const name of names) restored.add(name);
  for (const [, name] of text.matchAll(CLASS_ANYWHERE)) declared.add(name);
  const lines = names.map(
    (name) =>
      `if (${name}.name !== '${name}') Object.defineProperty(${name}, 'name', { value: '${name}', configurable: true });`,
  );
  return [text, ...lines].join('\n');
}

/** Own modules see the address that they have in dist, and not that of their bundle. */
const modules = {
  name: 'modules',
  setup({ onLoad }) {
    onLoad({ filter: /\.m?js$/ }, async ({ path }) => {
      const contents = withClassNames(await readFile(path, 'utf8'));
      if (!path.startsWith(dist)) return { loader: 'js', contents };
      const address = `(${ROOT} + ${JSON.stringify(relative(dist, path))})`;
      return { loader: 'js', contents: contents.replaceAll('import.meta.url', address) };
    });
  },
};

/** What is loaded when it is needed stays outside as well: a bundle has no named exports of a CommonJS package for `import()`. */
const packagesOutside = {
  name: 'packages-outside',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind !== 'dynamic-import' && INSIDE.test(path) ? undefined : { path, external: true },
    );
  },
};

const { metafile } = await build({
  entryPoints: ENTRIES.map((entry) => `${dist}${entry}.js`),
  outbase: dist,
  outdir: dist,
  allowOverwrite: true,
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  sourcemap: 'linked',
  sourcesContent: false,
  legalComments: 'none',
  banner: {
    // CommonJS packages of a bundle need it.
    js: `import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);`,
  },
  // The Swagger plugin of the compiler writes options twice that a decorator has as well; the last one counts.
  logOverride: { 'duplicate-object-key': 'silent' },
  logLevel: 'warning',
  metafile: true,
  plugins: [packagesOutside, modules],
});

// A package that reads its own files with `import()`: it belongs outside.
const outputs = Object.entries(metafile.outputs);
const parts = outputs.flatMap(([, { entryPoint = '' }]) => entryPoint.match(/node_modules\/.*/) ?? []);
if (parts.length > 0) throw new Error(`The bundles would split ${parts.join(', ')}.`);

const renamed = new Set();
for (const [path] of outputs.filter(([path]) => path.endsWith('.js'))) {
  for (const [, name] of (await readFile(path, 'utf8')).matchAll(CLASS_ANYWHERE))
    if (!declared.has(name) && !restored.has(name.replace(/^_|\d+$/g, ''))) renamed.add(name);
}
if (renamed.size > 0) throw new Error(`The bundles would rename the classes ${[...renamed].join(', ')}.`);
