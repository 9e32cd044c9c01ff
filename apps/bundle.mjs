/**
 * Bundles the entry points of all processes and threads in dist, in place. Node takes about a millisecond of CPU time to find, read and
 * link a module on a slow machine, and a process loads two to four thousand of them. The other modules in dist remain as the compiler wrote them.
 */
import { build } from 'esbuild';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const dist = fileURLToPath(new URL('../dist/', import.meta.url));

/** Everything that is started by its path; `main` of api, dialer and worker sets flags of V8 before it loads `bootstrap`. */
const ENTRIES = [
  'apps/api/src/bootstrap',
  'apps/api/src/openapi',
  'apps/cli/src/main',
  'apps/cli/src/supervisor/phone',
  'apps/dialer/src/built-in-voice',
  'apps/dialer/src/bootstrap',
  'apps/dialer/src/media-worker',
  'apps/worker/src/bootstrap',
  'libs/knowledge/src/embed/builtin-thread',
  'libs/knowledge/src/parsing/memory-watchdog',
  'libs/knowledge/src/parsing/parser-process',
  'libs/sandbox/src/server/sandbox-worker',
  'libs/voice/src/hearing/hearing-worker',
  'libs/voice/src/speech/speech-worker',
];

/** Nest loads these at run time, by `require`: a second copy in a bundle would have metadata and classes of its own. */
const SHARED_WITH_NEST = ['class-transformer', 'class-validator', 'libphonenumber-js', 'reflect-metadata', 'typeorm'];
/** They find files beside their own: WebAssembly, native code, threads. */
const WITH_FILES = ['@embedpdf/pdfium', 'msgpackr-extract', 'pino'];

/** The address of dist, in a bundle or a chunk. */
const ROOT = `import.meta.url.slice(0, import.meta.url.lastIndexOf('/dist/') + 6)`;

/** Own modules see the address that they have in dist, and not that of their bundle. */
const ownAddresses = {
  name: 'own-addresses',
  setup({ onLoad }) {
    onLoad({ filter: /\.js$/ }, async ({ path }) => {
      if (!path.startsWith(dist)) return undefined;
      const text = await readFile(path, 'utf8');
      const address = `(${ROOT} + ${JSON.stringify(relative(dist, path))})`;
      return { loader: 'js', contents: text.replaceAll('import.meta.url', address) };
    });
  },
};

/**
 * Packages that stay outside: those that are loaded when they are needed, because a bundle has no named exports of a CommonJS package for
 * `import()`, and optional packages of packages that are not installed, such as drivers.
 */
const packagesOutside = {
  name: 'packages-outside',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, importer, kind }) => {
      if (path.startsWith('node:')) return undefined;
      const { resolve } = createRequire(importer);
      const stays = kind === 'dynamic-import' || !isThere(() => resolve(path));
      return stays ? { path, external: true } : undefined;
    });
  },
};

function isThere(find) {
  try {
    find();
    return true;
  } catch (error) {
    // A package without an entry for `require`.
    return error.code !== 'MODULE_NOT_FOUND';
  }
}

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
  // Nest and OpenAPI use the names of classes.
  keepNames: true,
  sourcemap: 'linked',
  sourcesContent: false,
  legalComments: 'none',
  external: [...SHARED_WITH_NEST, ...WITH_FILES],
  banner: {
    // CommonJS packages of a bundle need them.
    js: [
      `import { createRequire as requireOf } from 'node:module';`,
      `import { fileURLToPath as pathOf } from 'node:url';`,
      `const require = requireOf(import.meta.url), __filename = pathOf(import.meta.url), __dirname = pathOf(new URL('.', import.meta.url));`,
    ].join('\n'),
  },
  // The Swagger plugin of the compiler writes options twice that a decorator has as well; the last one counts.
  logOverride: { 'duplicate-object-key': 'silent' },
  logLevel: 'warning',
  metafile: true,
  plugins: [packagesOutside, ownAddresses],
});

// A package that reads its own files with `import()`: it belongs outside.
const parts = Object.values(metafile.outputs).flatMap(
  ({ entryPoint = '' }) => entryPoint.match(/node_modules\/.*/) ?? [],
);
if (parts.length > 0) throw new Error(`The bundles would split ${parts.join(', ')}.`);
